// What HTML shows and what it only seems to: words that a person sees beside the answer are never passed over.
import { describe, expect, test } from 'vitest'
import { letter, MARKER, said } from './letter.js'

const html = (body: string): Promise<string> =>
  said(letter({ 'Content-Type': 'text/html; charset=utf-8' }, body))
const both = (text: string, body: string): Promise<string> =>
  said(
    letter(
      { 'Content-Type': 'multipart/alternative; boundary=b' },
      [
        `--b\nContent-Type: text/plain; charset=utf-8\n\n${text}\n`,
        `--b\nContent-Type: text/html; charset=utf-8\n\n${body}\n--b--\n`,
      ].join(''),
    ),
  )

const CONDITION = 'but only after Friday'
const QUOTED = `<blockquote type="cite">${MARKER}<br>Publish?</blockquote>`

describe('a paragraph that was only set in is no quotation', () => {
  test.each([
    ['by Gmail and Chrome', '<blockquote style="margin:0 0 0 40px;border:none;padding:0px">'],
    ['by Apple Mail', '<blockquote class="webkit-indent-blockquote">'],
    ['by Firefox and Thunderbird', '<blockquote>'],
  ])('%s', async (_name, open) => {
    const body = `<div>YES</div>${open}<div>${CONDITION}</div></blockquote>`
    expect(await html(body)).toBe(`YES\n${CONDITION}`)
    expect(await html(`${body}${QUOTED}`)).toContain('\n')
    expect(await both(`YES\n\n    ${CONDITION}\n\n> ${MARKER}\n`, `${body}${QUOTED}`)).toContain('\n')
    expect(await html(`<div>YES</div>${open}<div>${CONDITION}`)).toContain('\n')
    expect(await html(`${open}YES</blockquote>${QUOTED}`)).toBe('YES')
  })

  test('but it is one where the mail that asked stands in it', async () => {
    const body = `<p>YES</p><blockquote><blockquote>${MARKER}</blockquote><p>Publish?</p></blockquote>`
    expect(await html(body)).toBe('YES')
    expect(await html(`${body}<p>${CONDITION}</p>`)).toContain('\n')
  })

  test('and inside a quotation or a signature it is theirs', async () => {
    const inner = `<blockquote>${CONDITION}</blockquote>`
    expect(await html(`<p>YES</p><blockquote type="cite">${inner}</blockquote>`)).toBe('YES')
    expect(await html(`<p>YES</p><div class="gmail_signature">${inner}</div>${QUOTED}`)).toBe('YES')
  })
})

describe('what is struck out is no answer', () => {
  test.each([
    [
      'by a style with much before it',
      `style="${'color: rgb(34, 34, 34); '.repeat(200)}text-decoration: line-through"`,
    ],
    ['by an attribute with blanks around its sign', 'style = "text-decoration:line-through"'],
    ['by an attribute behind another', 'title="a > b" style=\'text-decoration:line-through\''],
  ])('%s', async (_name, attribute) => {
    expect(await html(`<div><span ${attribute}>YES</span></div>`)).toBe('~~YES~~')
  })
})

test('what stands in the value of an attribute is no attribute', async () => {
  for (const open of ['<div title="x id=signature">', '<div title=\'class="gmail_quote"\'>'])
    expect(await html(`<div>YES</div>${open}${CONDITION}</div>`)).toBe(`YES\n${CONDITION}`)
})

test('a comment ends where every browser ends it', async () => {
  for (const comment of ['<!-->', '<!--->', '<!-- a --!>', '<!-- a -->', '<!--[if !mso]><!-->'])
    expect(await html(`<div>YES</div>${comment}${CONDITION}<!-- b -->`)).toBe(`YES\n${CONDITION}`)
})

test('a second answer that only the HTML shows as a quotation is one', async () => {
  expect(await both('YES\nNO\n', '<p>YES</p><blockquote type="cite">NO</blockquote>')).toContain('\n')
})

test('what is not shown does not speak', async () => {
  for (const style of ['display:none', 'color:red; DISPLAY : none'])
    expect(await html(`<div style="${style}">NO</div><p>YES</p>`)).toBe('YES')
})

test('below the line that Outlook draws nothing is the author’s, in any language', async () => {
  const drawn = '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">Oddiwrth: Lane</div><p>NO</p>'
  expect(await html(`<div>YES</div>${drawn}`)).toBe('YES')
  expect(await html(drawn)).not.toBe('NO')
})
