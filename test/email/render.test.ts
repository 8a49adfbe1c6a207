// What a person sees: the same words as text and as HTML, with nothing of the caller's that could act.
import { describe, expect, test } from 'vitest'
import { markerLine } from '../../adapters/email/marker.js'
import { render, shows } from '../../adapters/email/render.js'
import { unlinked } from '../../adapters/email/sending/defang.js'
import { letterOf } from '../../src/compiler/option.js'
import type { Display } from '../../src/request/display.js'
import { display, HANDLE, outbound } from './samples.js'

const MARKER = markerLine(HANDLE, '<id@lane.test>')
const shown = (more: Partial<Display> = {}) =>
  render({ ...display, ...more }, MARKER, { ...outbound.page, code: '7K3F' })
const visible = (html: string): string =>
  html
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

describe('a request as a mail', () => {
  test('begins with the marker, then what to reply and where to write it', () => {
    const lines = shown().text.split('\n')
    expect(lines.slice(0, 4)).toEqual([
      MARKER,
      '',
      'Reply YES or NO.',
      'Write your answer alone on the first line of your reply, above everything else.',
    ])
    const first = visible(shown().html)
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean)
    expect(first.slice(0, 3)).toEqual([lines[0], lines[2], lines[3]])
  })

  test('says in both parts who asks, what, until when, what silence means, and the code', () => {
    const words = [
      'Question by Release pipeline, run run-9, work item wi-3',
      'Ship the release today?',
      'Decides whether the pipeline goes on',
      `artifact: sha256:${Array(8).fill('bbbbbbbb').join(' ')}`,
      'doc:release-notes (name only, content not fixed)',
      '16 Nov 2026, 14:00:05 UTC',
      'HALT: the run stops',
      '7K3F',
    ]
    for (const word of words) {
      expect(shown().text).toContain(word)
      expect(visible(shown().html)).toContain(word)
    }
    expect(shown().subject).toBe('Question: Ship the release today? [ship-42]')
  })

  test('has one link, to the reply page, which decides nothing; and loads nothing', () => {
    const { html, text } = shown()
    expect([...html.matchAll(/(?:href|src|action|url\()[^>]*/g)].map(([all]) => all)).toEqual([
      `href="${outbound.page.link}"`,
    ])
    expect(html).not.toMatch(/<(?:img|form|script|iframe|link|input|button|video|object)\b/i)
    expect(text.match(/https?:\S+/g)).toEqual([outbound.page.link])
    expect(outbound.page.link).not.toContain('7K3F')
  })

  test('is drawn for dark mode and for a phone', () => {
    const { html } = shown()
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html).toContain('width=device-width')
    expect(html).toContain('max-width: 600px')
  })

  test("a caller's words cannot become a tag, a link, a quote or a line of their own", () => {
    const hostile =
      '<a href="https://evil.example">"click" & win</a> > www.evil.example http://evil.example/?a=b'
    const { html, text, subject } = shown({ headline: hostile, impact: hostile, asked_by: hostile })
    expect(html.match(/<a /g)).toHaveLength(1)
    for (const part of [text, visible(html), subject])
      expect(part).not.toMatch(/evil\.example|https?:\/\/evil/)
    for (const line of text.split('\n')) expect(line).not.toMatch(/^\s{0,3}(?:>|<a)/)
  })

  test.each([
    ['see https://evil.example/x', 'see https[:]//evil[.]example/x'],
    ['merge README.md?', 'merge README[.]md?'],
    ['mail bob@evil.example now', 'mail bob@evil[.]example now'],
    ['a name in another alphabet: пример.рф', 'a name in another alphabet: пример[.]рф'],
    ['version 1.2.3, costs 0.5 or so. Fine.', 'version 1.2.3, costs 0.5 or so. Fine.'],
    ['and then... nothing', 'and then... nothing'],
  ])('what looks like a link is shown and does not act: %s', (words, expected) => {
    expect(unlinked(words)).toBe(expected)
  })

  test('every kind of answer is described with its own examples', () => {
    const options = [
      { value: 'ship', label: 'Ship it' },
      { value: 'wait', label: 'Wait for docs.example' },
    ]
    expect(shown({ reply_schema: { kind: 'choice', options } }).text).toContain('Reply with one letter.')
    expect(shown({ reply_schema: { kind: 'number', min: 0, max: 100 } }).text).toContain(
      'Reply with a number from 0 to 100, for example "50".',
    )
  })

  test('a mail cuts no label and shows the value that is recorded for each option, in both parts', () => {
    const options = Array.from({ length: 26 }, (_, at) => ({
      value: `recorded-${at}`,
      label: `${'the whole label '.repeat(4)}no ${at}`,
    }))
    const { text, html } = shown({ reply_schema: { kind: 'multi_choice', options, min: 1, max: 26 } })
    for (const [at, { value, label }] of options.entries())
      for (const part of [text, visible(html)])
        expect(part).toContain(`${letterOf(at)} = ${value} (${label})`)
    expect(text).not.toContain('…')
  })

  test('a permission prompt is only announced: no mail shows its command', () => {
    const prompt: Display = { ...display, type: 'REQUEST_APPROVAL', action: 'USE_TOOL', impact: null }
    expect([shows(prompt), shows({ ...prompt, action: 'PUBLISH' })]).toEqual([false, true])
  })

  test('a mail whose link and code answer for anybody says so, and claims nothing else', () => {
    const POSSESSION = 'Whoever has the link and its code can answer on the page: forward neither.'
    const ALONE = 'an answer from another address counts for nothing'
    for (const marker of [MARKER, null])
      for (const code of ['7K3F', null]) {
        const letter = render(display, marker, { ...outbound.page, code })
        for (const part of [letter.text, visible(letter.html)]) {
          expect(part.includes(POSSESSION)).toBe(code !== null)
          expect(part.includes(ALONE)).toBe(code === null && marker !== null)
        }
      }
  })

  test('a mail that only announces has no marker, no way to reply, and says so', () => {
    const letter = render({ ...display, reply_schema: { kind: 'yes_no' } }, null, {
      ...outbound.page,
      code: '7K3F',
    })
    for (const part of [letter.text, visible(letter.html)]) {
      expect(part).not.toMatch(/LANE-|Reply YES|above this line|first line|Or answer/)
      expect(part).toContain('A reply to this mail answers nothing: all of what is asked stands on its page.')
      expect(part).toContain('Question by Release pipeline, run run-9')
      expect(part).toMatch(/Answer there, it asks for the code\s+7K3F/)
    }
    const silent = render(display, null, outbound.page)
    expect([silent.text, silent.html].join()).not.toMatch(/asks for the code/)
    expect(silent.text).toContain(outbound.page.link)
  })

  test('a long headline is cut in the subject and whole in the mail', () => {
    const headline = `${'long '.repeat(99)}?`
    const { subject, text } = shown({ headline })
    expect([...subject].length).toBeLessThanOrEqual(120 + ' [ship-42]'.length)
    expect(text).toContain(headline)
  })
})
