// What HTML shows and what it only seems to: words that a person sees beside the answer are never passed over.
import { describe, expect, test } from 'vitest'
import { markerLine } from '../../../adapters/email/marker.js'
import { compile } from '../../../src/compiler/compile.js'
import { letter, MARKER, OTHER_HANDLE, OTHER_ID, said } from './letter.js'

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

  test('and inside a quotation it is theirs', async () => {
    const inner = `<blockquote>${CONDITION}</blockquote>`
    expect(await html(`<p>YES</p><blockquote type="cite">${inner}</blockquote>`)).toBe('YES')
  })

  test('nor are the lines of it above the mail that asked', async () => {
    expect(await html(`<p>YES</p><blockquote><p>${CONDITION}</p>${MARKER}</blockquote>`)).toContain('\n')
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
    ['by a style written with references', 'style="text-decoration:line&#45;through"'],
    ['by a style written with escapes', 'style="text-decoration:line\\2d through"'],
  ])('%s', async (_name, attribute) => {
    expect(await html(`<div><span ${attribute}>YES</span></div>`)).toBe('~~YES~~')
  })
})

describe('what a style sheet strikes out is no answer', () => {
  const STRIKE = 'text-decoration:line-through'
  test.each([
    ['by a class', `.gone{${STRIKE}}`, '<p class="first gone">YES</p>'],
    [
      'by a class among other rules',
      `p{margin:0}\n.a,.gone {color:red; ${STRIKE}}.b{}`,
      '<p class="gone">YES</p>',
    ],
    ['by a class around the words', `.gone{${STRIKE}}`, '<div class="gone"><p>YES</p></div>'],
    ['by a class of one element', `span.gone{${STRIKE}}`, '<p><span class="gone">YES</span></p>'],
    ['by a class below another', `.a > .gone{${STRIKE}}`, '<p class="gone">YES</p>'],
    ['by an id', `#gone{${STRIKE}}`, '<p id="gone">YES</p>'],
    ['by an element', `p{${STRIKE}}`, '<p>YES</p>'],
    ['by an element that is not written', `body{${STRIKE}}`, 'YES'],
    ['by everything', `*{${STRIKE}}`, '<p>YES</p>'],
    ['by an attribute', `[class]{${STRIKE}}`, '<p class="gone">YES</p>'],
    ['by a rule for screens', `@media screen{.gone{${STRIKE}}}`, '<p class="gone">YES</p>'],
    ['by a variable', ':root{--s:line-through}.gone{text-decoration:var(--s)}', '<p class="gone">YES</p>'],
    ['by a rule with a comment in it', `.gone{/*}*/${STRIKE}}`, '<p class="gone">YES</p>'],
    ['by a rule in capitals', `.GONE{${STRIKE.toUpperCase()}}`, '<p class="gone">YES</p>'],
    ['by an escaped word', '.gone{text-decoration:line\\2dthrough}', '<p class="gone">YES</p>'],
  ])('%s', async (_name, sheet, body) => {
    for (const page of [
      `<style>${sheet}</style>${body}`,
      `${body}<style type="text/css"><!-- ${sheet} --></style>`,
    ]) {
      expect(compile({ kind: 'yes_no' }, await html(`${page}${QUOTED}`)).ok).toBe(false)
      expect(await both(`YES\n\n> ${MARKER}\n`, `${page}${QUOTED}`)).toContain('\n')
    }
  })

  test('what it strikes out elsewhere is not this answer', async () => {
    const sheet = `<style>span.msoDel{color:red;${STRIKE}} .gone,#gone,h5{${STRIKE}} p{color:red}</style>`
    expect(await html(`${sheet}<p class="MsoNormal">YES</p>${QUOTED}`)).toBe('YES')
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

test.each([
  ['raised', '<p>10<sup>5</sup></p>'],
  ['lowered', '<p>10<sub>5</sub></p>'],
  ['raised by a style', '<p>10<span style="vertical-align: super">5</span></p>'],
  ['parted by a picture', '<p>10<img src="cid:a">5</p>'],
  ['turned round', '<p><bdo dir="rtl">105</bdo></p>'],
  ['turned round by a style', '<p style="direction:rtl;unicode-bidi:bidi-override">105</p>'],
])('a number whose digits are %s is not another number', async (_name, body) => {
  const read = await both('105\n', `${body}${QUOTED}`)
  expect(compile({ kind: 'number', min: 0, max: 1_000 }, read).ok).toBe(false)
  expect(compile({ kind: 'number', min: 0, max: 1_000 }, await html(`${body}${QUOTED}`)).ok).toBe(false)
})

test('text and HTML that quote two mails of ours answer neither', async () => {
  const other = markerLine(OTHER_HANDLE, OTHER_ID)
  const quoted = (marker: string): string => `<p>YES</p><blockquote type="cite">${marker}</blockquote>`
  expect(await both(`YES\n\n> ${MARKER}\n`, quoted(MARKER))).toBe('YES')
  expect(await both(`YES\n\n> ${MARKER}\n`, quoted(other))).not.toBe('YES')
})

test('a second answer that only the HTML shows as a quotation is one', async () => {
  expect(await both('YES\nNO\n', '<p>YES</p><blockquote type="cite">NO</blockquote>')).toContain('\n')
})

test.each([
  'style="display:none"',
  'style="color:red; DISPLAY : none"',
  'style="display:n\\6fne"',
  'style="visibility:hidden"',
  'style="font-size:0"',
  'hidden',
])(
  'words that %s hides for one program are no answer, and are not passed over for the next',
  async hiding => {
    expect(await html(`<div ${hiding}>YES</div>${QUOTED}`)).not.toBe('YES')
    for (const body of [`<div ${hiding}>${CONDITION}</div>`, `<p ${hiding}><span>a<div>${CONDITION}</div>`])
      expect(await html(`<p>YES</p>${body}`)).toContain('\n')
    expect(await html(`<p>YES</p><div ${hiding}> <img src="cid:a"></div>${QUOTED}`)).toBe('YES')
  },
)

describe('a condition that a browser shows is not swallowed by a tag', () => {
  test.each([
    ['that ends where no attribute began with its quotation mark', '<p a==">'],
    ['whose quotation mark is a name', '<p =">'],
    ['whose quotation mark stands behind a value', '<p a="b"c">'],
    ['whose style hides nothing', '<p style="display:none;display:block">'],
    ['whose style hides nothing by a word like it', '<p style="--display:none">'],
    ['whose style says it in a comment', '<p style="/*display:none*/">'],
    ['whose name only begins as a style’s', '<style_>'],
    ['whose name only begins as a quotation’s', '<blockquote_ type=cite>'],
    ['that begins a field for text', '<textarea><style></textarea>'],
    ['that begins text as it is', '<xmp><title></xmp>'],
    ['for programs without scripts', '<noscript>'],
    ['of a drawing', '<svg><text>'],
    ['of a style in a drawing', '<svg><style><p>'],
    ['of a list to choose from', '<select><option>'],
    ['of a script that is none', '<math><script></math>'],
    ['of a comment that is not yet closed', '<!--!><blockquote type=cite>-->'],
    ['of a style that is not yet closed', '<style></stylex><blockquote type=cite></style>'],
    ['of a quotation in the cell before', '<table><tr><td><blockquote type=cite>a<td>'],
    ['of a quotation in no cell', '<table><blockquote type=cite>a<tr><td>'],
    ['of a quotation in a heading that another closed', '<h1><blockquote type=cite>a</h2>'],
  ])('%s: %s', async (_name, open) => {
    for (const end of ['', `</p>${QUOTED}`])
      expect(await html(`<div>YES</div>${open}${CONDITION}${end}`)).not.toBe('YES')
  })

  test('nor by a picture that shows it, nor by a field or a sheet', async () => {
    for (const shown of [
      `<img src="cid:a" alt="${CONDITION}">`,
      `<input value="${CONDITION}">`,
      `<style>p::after{content:"${CONDITION}"}</style><p></p>`,
    ])
      expect(await html(`<div>YES</div>${shown}${QUOTED}`)).not.toBe('YES')
    expect(await html(`<div>YES<img src="cid:a" alt="👎"></div>${QUOTED}`)).not.toBe('YES')
    expect(await html(`<div>YES</div><img src="cid:a" alt=""><a name="x"/><o:p/>${QUOTED}`)).toBe('YES')
  })
})

describe('a condition is not passed over for the element it stands in', () => {
  const classes = [
    'gmail_quote',
    'gmail_quote_container',
    'gmail_attr',
    'gmail_extra',
    'yahoo_quoted',
    'protonmail_quote',
    'tutanota_quote',
    'moz-cite-prefix',
    'moz-email-headers-table',
    'zmail_extra',
    'gmail_signature',
    'gmail_signature_prefix',
    'moz-signature',
    'protonmail_signature_block',
  ]
  const ids = [
    'reply-intro',
    'yahoo_quoted',
    'Signature',
    'AppleMailSignature',
    'ms-outlook-mobile-signature',
    'ms-outlook-mobile-body-signature',
    'composer_signature',
    '_MailAutoSig',
    'divRplyFwdMsg',
    'mail-editor-reference-message-container',
  ]
  const elements = [
    ...classes.map((name): [string, string, string] => [name, `<div class="${name}">`, '</div>']),
    ...ids.map((name): [string, string, string] => [`#${name}`, `<div id="${name}">`, '</div>']),
    ...['appendonsend', 'stopSpelling'].map((name): [string, string, string] => [
      `what follows #${name}`,
      `<div id="${name}"></div>`,
      '',
    ]),
  ]

  test.each(elements)('%s', async (_name, open, close) => {
    const around = `<div>YES</div>${open}<div>${CONDITION}</div>`
    const bodies = [`${around}${close}`, `${around}${close}${QUOTED}`, `${around}${QUOTED}${close}`]
    for (const body of bodies) expect(await html(body)).toContain(`YES\n${CONDITION}`)
    for (const text of [`YES\n\n${CONDITION}\n`, `YES\n\n${CONDITION}\n\n> ${MARKER}\n> Publish?\n`])
      for (const body of bodies) expect(await both(text, body)).toContain(`YES\n${CONDITION}`)
  })

  test('nor for a quotation that only the HTML shows', async () => {
    const body = `<div>YES</div><blockquote type="cite"><div>${CONDITION}</div></blockquote>`
    expect(await both(`YES\n\n${CONDITION}\n`, body)).toContain(`YES\n${CONDITION}`)
    expect(await both(`YES\n\n> ${CONDITION}\n`, body)).toBe('YES')
  })
})

test('below the line that Outlook draws stands its block of headers and then our mail, or nothing is passed over', async () => {
  const block =
    '<div id="divRplyFwdMsg">From: Lane<br>Sent: Monday 10:00<br>To: Ana<br>Subject: Publish?</div>'
  const drawn = `<div>YES</div><div id="appendonsend"></div><hr>${block}`
  expect(await html(`${drawn}<p>${MARKER}</p><p>NO</p>`)).toBe('YES')
  expect(await html(`${drawn}<p>NO</p>`)).toContain('\n')
})
