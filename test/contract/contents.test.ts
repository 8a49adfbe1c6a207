// Contents on every channel: whatever a caller sends stands as inert lines behind the margin, within the channel's
// limits, and is exactly what the display's hashes cover.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as email from '../../adapters/email/render.js'
import * as slack from '../../adapters/slack/render.js'
import * as sms from '../../adapters/sms/render.js'
import { countSegments } from '../../adapters/sms/segments.js'
import * as telegram from '../../adapters/telegram/render.js'
import { page } from '../../adapters/web/render.js'
import { LIMITS } from '../../src/adapter/limits.js'
import { type Hash, sha256 } from '../../src/canonical.js'
import { fitInto } from '../../src/delivery/fit.js'
import type { Channel } from '../../src/request/channel.js'
import type { Content } from '../../src/request/content/exhibit.js'
import { type Display, display } from '../../src/request/display.js'
import type { Request } from '../../src/request/request.js'

const PUBLIC_URL = 'https://lane.example.org'
const LINK = `${PUBLIC_URL}/r/zyxwvtsrqpnmkjhgfedcba9876`
const WAY = {
  reply: { handle: '0123456789abcdefghjkmnpqrs', code: '7K3FQ2M' },
  page: { link: LINK, code: null },
}

const text = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'Z',
        '7',
        ' ',
        '\n',
        '\n',
        '\r\n',
        '\t',
        '*bold*',
        '_x_',
        '`code`',
        '~no~',
        '<b>',
        '</pre>',
        '&amp;',
      ],
      ...[
        '<!channel>',
        '<@U123>',
        '@here',
        '/cmd',
        '#tag',
        'https://evil.example/x',
        'evil.example',
        '1.2.3.4',
        '[.]',
      ],
      ...[
        '[[].]',
        '\u202e',
        '\u200b',
        'е\u0336',
        '│ ',
        '| ',
        '⟨U+202E⟩',
        '> quoted',
        '=== marker ===',
        'Reply Y 7K3FQ2M',
      ],
      ...['😀', '漢', 'é', '{"a":1}', '@@ -1 +1 @@\n-a\n+b\n', 'x'.repeat(300), `${' '.repeat(60)}rm -rf /`],
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''))
const texts = fc.array(text, { minLength: 1, maxLength: 6 })

function asked(given: readonly string[]): { readonly frame: Display; readonly contents: readonly Content[] } {
  const named = [...new Set(given)].map((one, at) => ({ name: `p${at}`, handle: sha256(one), text: one }))
  const request = {
    type: 'REQUEST_APPROVAL',
    approval_id: 'a-1',
    action: 'PUBLISH',
    parameters: Object.fromEntries(named.map(({ name, handle }) => [name, handle])),
    why: 'The customer was charged twice',
    deadline_seconds: 60,
    default_action: 'DENY',
    reply_schema: { kind: 'yes_no' },
  } as Request
  const frame = display(
    {
      request,
      request_hash: `sha256:${'c'.repeat(64)}`,
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      deadline_at: '2026-02-17T14:00:05.000Z',
      terms: { urgency: 'normal' },
      asked_by: 'release-agent',
      origin: null,
    },
    '',
  )
  const contents = named.map(({ name, handle, text: one }) => ({
    handle: handle as Hash,
    name,
    size: Buffer.byteLength(one),
    text: one,
  }))
  return { frame, contents }
}

const linesOf = ({ contents, exhibits }: Display): readonly string[] =>
  contents
    .flatMap(({ handle }) => exhibits.get(handle)?.parts ?? [])
    .flatMap(part => part.map(line => line.text))

const unlinked = (given: string): string => given.replace(/\[([.:\u3002\uff0e\uff61[])\]/gu, '$1')
const unescaped = (html: string): string =>
  html
    .replace(/<style>.*?<\/style>/gs, '')
    .replaceAll('<pre', '\n<pre')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** The lines that stand behind the margin in a text, in their order. */
const behind = (margin: string, given: string): string[] =>
  given
    .split('\n')
    .filter(line => line.trimStart().startsWith(margin))
    .map(line => line.slice(line.indexOf(margin) + margin.length))

type Drawn = { readonly lines: readonly string[]; readonly fits: boolean }
const CHANNELS: Readonly<
  Partial<
    Record<Channel, { readonly shows: (shown: Display) => boolean; readonly draw: (shown: Display) => Drawn }>
  >
> = {
  slack: {
    shows: slack.shows,
    draw(shown) {
      const { blocks } = slack.card(shown, { ...WAY, mention: null })
      const all = blocks.flatMap(block => (block.type === 'rich_text' ? block.elements : []))
      const set = all.filter(element => element.type === 'rich_text_preformatted')
      // Nothing of a content stands in an element that could be more than text.
      expect(set.every(({ elements }) => elements.every(one => one.type === 'text'))).toBe(true)
      const lines = set.flatMap(({ elements }) =>
        elements.flatMap(one => (one.type === 'text' ? behind('│ ', one.text) : [])),
      )
      return { lines, fits: JSON.stringify(blocks).length < 60_000 && blocks.length <= 50 }
    },
  },
  telegram: {
    shows: telegram.shows,
    draw(shown) {
      const card = telegram.card(shown, WAY)
      if (card === null) throw new Error('no card')
      const set = card.entities.filter(({ type }) => type === 'pre')
      const lines = set.flatMap(({ offset, length }) =>
        behind('│ ', card.text.slice(offset, offset + length)),
      )
      // No line of a content stands outside a block in which Telegram looks for nothing.
      expect(behind('│ ', card.text)).toEqual(lines)
      return { lines, fits: card.text.length <= 4096 && card.entities.length <= 100 }
    },
  },
  sms: {
    shows: shown => sms.shows(shown, PUBLIC_URL),
    draw(shown) {
      const message = sms.render(shown, WAY)
      if (message === null) throw new Error('no message')
      const lines = behind('| ', message)
      for (const line of lines) expect(line).not.toMatch(/:\/\/|\S\.\p{L}/u)
      return { lines: lines.map(unlinked), fits: countSegments(message).segments <= 6 }
    },
  },
  email: {
    shows: email.shows,
    draw(shown) {
      const { text: plain, html } = email.render(shown, '=== marker ===', WAY.page)
      const whole = plain.replace(/\n {4}┆ /g, '')
      const lines = behind('│ ', whole).map(unlinked)
      expect(behind('│ ', unescaped(html)).map(unlinked)).toEqual(lines)
      for (const line of behind('│ ', plain)) expect(line).not.toMatch(/:\/\/|[^\s.]\.\p{L}{2}/u)
      expect(html).not.toMatch(
        /<(?!\/?(?:html|head|meta|style|body|div|p|ul|li|code|pre|span|a|strong|br|!doctype)\b)/,
      )
      return { lines, fits: plain.length < 200_000 }
    },
  },
  web: {
    shows: () => true,
    draw(shown) {
      const state = { elsewhere: null, csrf: 'c', refused: null, typed: null, settled: [], openable: [] }
      const at = { standing: null, beside: null, now: shown.deadline_at }
      const { body } = page({ kind: 'open', handle: WAY.reply.handle, display: shown, ...state, ...at }, 200)
      const set = [...body.matchAll(/<pre class="content">\n(.*?)<\/pre>/gs)].map(([, inside = '']) => inside)
      // A content has no element but those that give its lines their colour, and no line outside of its block.
      for (const inside of set)
        expect(inside.replace(/<span class="(?:added|removed|same|note|plain)">|<\/span>/g, '')).not.toMatch(
          /[<>]/,
        )
      const lines = set.flatMap(inside => behind('│ ', unescaped(inside)))
      expect(behind('│ ', unescaped(body))).toEqual(lines)
      return { lines, fits: true }
    },
  },
}

describe.each(Object.entries(CHANNELS))('on %s', (name, { shows, draw }) => {
  test('whatever is sent: it is drawn as inert lines behind the margin, all that the display says and nothing else, within the limits', () => {
    let drawn = 0
    fc.assert(
      fc.property(texts, given => {
        const { frame, contents } = asked(given)
        const { shown, fits } = fitInto(name as Channel, shows, frame, contents, undefined)
        if (!fits) return
        drawn += 1
        const { lines, fits: isWithin } = draw(shown)
        expect(lines).toEqual(linesOf(shown))
        expect(isWithin).toBe(true)
      }),
      { numRuns: 150 },
    )
    expect(drawn).toBeGreaterThan(0)
  })

  // The page has room for all that comes with a request.
  if (name === 'web') return
  test('a content that does not fit is cut, says so, and shows its end; where all of it must be shown it is no way to answer', () => {
    const long = `${'SELECT 1;\n'.repeat(8_000)}DROP TABLE users;\n`
    const { frame, contents } = asked([long])
    const { shown, fits } = fitInto(name as Channel, shows, frame, contents, 'any')
    expect(fits).toBe(true)
    expect(shown.contents[0]?.whole).toBe(false)
    const exhibit = shown.exhibits.get(shown.contents[0]?.handle ?? '')
    expect(exhibit?.measure).toMatch(/^showing \d+ of 8001 lines, the rest on the page$/)
    expect(draw(shown).lines.at(-1)).toBe('DROP TABLE users;')
    expect(fitInto(name as Channel, shows, frame, contents, 'whole').fits).toBe(false)
    expect(LIMITS[name as Channel].contents).toBeLessThan(long.length)
  })
})
