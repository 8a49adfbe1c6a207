// Hostile letters: refused before they are read, or cut to size. That what is read takes work in proportion to its length is
// asserted of every parser at once (test/linear).
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unclear } from '../../../adapters/email/reading/body.js'
import { linesOfHtml } from '../../../adapters/email/reading/html.js'
import { type Line, linesOf, MAX_LINE_CHARS } from '../../../adapters/email/reading/lines.js'
import { readMail } from '../../../adapters/email/reading/read.js'
import { compile } from '../../../src/compiler/compile.js'
import type { ReplySchema } from '../../../src/compiler/reply-schema.js'
import { facts, letter, MARKER, read, said, signed, zone } from './letter.js'
import { VECTORS } from './vectors.js'

const SCHEMAS: readonly ReplySchema[] = [
  { kind: 'yes_no' },
  {
    kind: 'choice',
    options: [
      { value: 'ship', label: 'Ship' },
      { value: 'wait', label: 'Wait' },
    ],
  },
  {
    kind: 'multi_choice',
    options: [
      { value: 'a1', label: 'A' },
      { value: 'b1', label: 'B' },
    ],
    min: 0,
    max: 2,
  },
  { kind: 'text', max_chars: 500 },
  { kind: 'number', min: 0, max: 100, unit: 'chips', lead: 'max spend' },
  { kind: 'date' },
]

describe('[LANE-053] a letter above a bound is refused before parsing', () => {
  const nested = (depth: number): string => {
    let body = 'Content-Type: text/plain\r\n\r\nYES\r\n'
    for (let level = 0; level < depth; level++)
      body = `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n${body}\r\n--b${level}--\r\n`
    return letter({ 'Content-Type': null }, '').replace('\r\n\r\n', `\r\n${body}`)
  }
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'x']))

  const cases: readonly [string, () => string, string][] = [
    ['50 MB', () => letter({}, `YES ${'x'.repeat(50_000_000)}`), 'too_large'],
    ['10 000 headers', () => letter(many(10_000), 'YES'), 'too_many_headers'],
    [
      'one header folded 10 000 times',
      () => letter({ 'X-A': ' x\r\n'.repeat(10_000) }, 'YES'),
      'too_many_headers',
    ],
    ['a header of 50 kB', () => letter({ Subject: 'x'.repeat(50_000) }, 'YES'), 'header_too_long'],
    [
      'headers of 1 MB',
      () => letter({ ...many(100), 'X-A': `${'x'.repeat(900)}\r\n `.repeat(1_100) }, 'YES'),
      'header_too_long',
    ],
    ['parts nested 9 deep', () => nested(9), 'nesting'],
    ['parts nested 5 000 deep', () => nested(5_000), 'nesting'],
    [
      '10 000 parts',
      () =>
        letter({ 'Content-Type': 'multipart/mixed; boundary=b' }, `${'--b\n\nYES\n'.repeat(10_000)}--b--`),
      'too_many_parts',
    ],
    ...[
      'Sender: a@b.example',
      'Reply-To: a@b.example',
      'Cc: a@b.example',
      'Subject: Re',
      'Message-ID: <a@b.example>',
      'In-Reply-To: <a@b.example>',
      'References: <a@b.example>',
      'Content-Type: text/plain',
      'Content-Transfer-Encoding: 7bit',
      'Content-Disposition: inline',
    ].map((field): [string, () => string, string] => {
      const [name = '', value = ''] = field.split(': ')
      return [`two of ${name}`, () => letter({ [name]: [value, value] }, 'YES'), 'doubled_header']
    }),
    [
      'a part with two types',
      () =>
        letter(
          { 'Content-Type': 'multipart/mixed; boundary=b' },
          '--b\nContent-Type: text/plain\nContent-Type: x/y\n\nYES\n--b--',
        ),
      'doubled_header',
    ],
    [
      'a multipart without a boundary',
      () => letter({ 'Content-Type': 'multipart/mixed' }, 'YES'),
      'malformed',
    ],
    [
      'a line that is no header',
      () => letter({}, 'YES').replace('Subject', 'No subject\r\nSubject'),
      'malformed',
    ],
    ['a header that begins folded', () => ` x\r\n${letter({}, 'YES')}`, 'malformed'],
    ['a NUL in a header', () => letter({ Subject: 'a\0b' }, 'YES'), 'malformed'],
    [
      'a lone CR in a header',
      () => letter({ Subject: 'a\rFrom: eve@strangers.example' }, 'YES'),
      'malformed',
    ],
  ]
  test.each(cases)('%s', async (_name, raw, why) => {
    const resolver = zone()
    expect(await read(raw(), { resolver })).toEqual({ kind: 'refused', why })
    expect(resolver.asked).toEqual([])
  })

  test('parts nested 7 deep are read', async () => {
    expect(await said(nested(7))).toBe('YES')
  })
})

describe('a letter within the bounds, and hostile', () => {
  const HOSTILE: readonly [string, string][] = [
    ['digits behind an opener', `Le ${'1'.repeat(50_000)}`],
    ['blanks', ' '.repeat(50_000)],
    ['words', `On ${'a '.repeat(25_000)}`],
    ['quotation marks', '>'.repeat(50_000)],
    ['brackets', '<'.repeat(50_000)],
    ['at signs', `On 1 ${'<@'.repeat(20_000)} wrote:`],
    ['dashes', '-'.repeat(50_000)],
    ['labels', 'From:'.repeat(10_000)],
    ['colons', ':'.repeat(50_000)],
    ['an address without end', `1 <${'a@'.repeat(25_000)}`],
    ['makers of phones', `Sent from my ${'iPhone '.repeat(7_000)}`],
    ['markers cut short', 'LANE-1234567'.repeat(4_000)],
  ]
  test.each(HOSTILE)('a line of 50 kB is no answer and hides none: %s', async (name, line) => {
    for (const body of [line, `${line}\nYES`, `YES\n${line}`, `YES\n${line}\n> ${MARKER}`]) {
      const text = await said(letter({}, body))
      const isPassedOver = name === 'quotation marks' && body.startsWith('YES')
      for (const schema of SCHEMAS.slice(0, 4))
        expect([text.slice(0, 9), compile(schema, text).ok]).toEqual([
          isPassedOver ? 'YES' : text.slice(0, 9),
          isPassedOver && (schema.kind === 'yes_no' || schema.kind === 'text'),
        ])
    }
  })

  test('many parts that are each short enough are too much together', async () => {
    const mixed = { 'Content-Type': 'multipart/mixed; boundary=b' }
    const part = (chars: number): string =>
      `--b\nContent-Type: text/html\n\n<p>${'<b></b>'.repeat(Math.floor(chars / 7))}</p>\n`
    expect(
      await said(letter(mixed, `--b\nContent-Type: text/html\n\nYES\n${part(50_000).repeat(9)}--b--`)),
    ).toBe('YES')
    expect(
      await said(letter(mixed, `--b\nContent-Type: text/html\n\nYES\n${part(70_000).repeat(9)}--b--`)),
    ).not.toBe('YES')
  })

  test('more than anybody reads is not read, in text and in HTML', async () => {
    const html = { 'Content-Type': 'text/html; charset=utf-8' }
    const long = 'word '.repeat(20_000)
    expect(await said(letter({}, `YES\n\n> ${MARKER}\n> ${`${long}\n`.repeat(2)}`))).toContain('\n')
    expect(linesOf('x'.repeat(70_000), 'no')).toBeNull()
    expect(linesOfHtml('<b>'.repeat(200_000))).toBeNull()
    expect(linesOfHtml('<div>'.repeat(5_000))).toBeNull()
    expect(await said(letter(html, `<p>YES</p>${'<i>'.repeat(5_000)}`))).toContain('\n')
  })

  test('a hundred thousand lines are lines', async () => {
    const html = { 'Content-Type': 'text/html; charset=utf-8' }
    expect(await said(letter(html, `<p>YES${'<br>'.repeat(130_000)}`))).toBe('YES')
    expect(await said(letter(html, `<p>YES${'<p>'.repeat(130_000)}`))).toBe('YES')
    expect(await said(letter({}, `YES${'\n'.repeat(30_000)}`))).toBe('YES')
  })

  test('a blank that is no blank of the grammar is left for the compiler to refuse', async () => {
    for (const blank of ['\u00a0', '\u3000', '\ufeff', '\u200b']) {
      const text = await said(letter({}, `YES${blank}`))
      expect(compile({ kind: 'yes_no' }, text)).toMatchObject({ ok: false, reason: 'reply_bad_charset' })
    }
  })

  test('lines are cut before a pattern sees them, and a cut line is no answer', () => {
    const [line] = linesOf(`${'é'.repeat(5_000)}`, 'no') ?? []
    expect(line?.text.length).toBe(MAX_LINE_CHARS)
    expect(compile({ kind: 'text', max_chars: 500 }, line?.text ?? '').ok).toBe(false)
  })

  test('a line of a million boundaries ends no part, and fifty letters in one are none', async () => {
    const mixed = { 'Content-Type': 'multipart/mixed; boundary=b' }
    expect(await said(letter(mixed, `--b\n\nYES\n\n> ${'--b'.repeat(1_000_000)}\n--b--`))).toContain('…')
    expect(
      await said(letter(mixed, `--b\n\nYES\n--b\nContent-Type: x/y\n\n${'--b'.repeat(1_000_000)}\n--b--`)),
    ).toBe('YES')
    expect(await said(letter(mixed, `${'--b\n\nYES\n'.repeat(50)}--b--`))).toContain('\n')
  })

  test('a large signed letter is checked while others have their turn', async () => {
    const attached = `--b\nContent-Type: x/y\n\n${`${'a b  '.repeat(12)}\n`.repeat(40_000)}--b--\n`
    const raw = await signed(
      letter({ 'Content-Type': 'multipart/mixed; boundary=b' }, `--b\n\nYES\n${attached}`),
    )
    let turns = 0
    const other = setInterval(() => turns++, 0)
    expect(await read(raw)).toMatchObject({ authenticated: true, text: 'YES' })
    clearInterval(other)
    expect(turns).toBeGreaterThan(5)
  })

  test('an empty letter of a megabyte is no more work than a full one', async () => {
    const work = async (sign: string): Promise<number> => {
      let least = Number.POSITIVE_INFINITY
      const raw = letter({}, sign.repeat(500_000))
      for (let tries = 0; tries < 3; tries++) {
        const started = process.cpuUsage()
        await said(raw)
        least = Math.min(least, process.cpuUsage(started).user)
      }
      return least
    }
    // Microseconds; below the floor a collection of garbage would decide.
    expect(await work('\r\n')).toBeLessThan(20 * Math.max(await work('xx'), 20_000))
  })

  test('HTML that never closes what it opens is read to its end', async () => {
    for (const html of ['<!--', '<a href="', "<p title='", '<style>', '<', '&', '&#', '<!', '</', '<p/'])
      for (const body of [html, html.repeat(5_000), `<p>YES</p>${html}`, `${html}<p>YES</p>`]) {
        const text = await said(letter({ 'Content-Type': 'text/html' }, body))
        if (compile({ kind: 'yes_no' }, text).ok) expect(text).toBe('YES')
      }
  })
})

describe('what is unclear', () => {
  test('is accepted by no schema, whatever the lines are', () => {
    const words = fc.constantFrom(
      'YES',
      'A',
      'ship',
      'A,',
      'B',
      '50',
      'max spend',
      '50 chips',
      '2026-11-16',
      'T',
      '',
      ' ',
      'a b',
      '\u00a0',
    )
    const line = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 300 }))
    const lines = fc.array(
      line.map((text): Line => ({ text, role: 'own' })),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(lines, lines, (shown, other) => {
        const text = unclear(shown, other)
        for (const schema of SCHEMAS) expect(compile(schema, text).ok).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})

describe('any bytes at all', () => {
  test('give a value, and never an answer that is authenticated', async () => {
    const heads = fc.constantFrom(...VECTORS.map(({ bytes }) => bytes.subarray(0, bytes.indexOf('\n\n') + 2)))
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.tuple(heads, fc.uint8Array({ maxLength: 500 })).map(([head, body]) => Buffer.concat([head, body])),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async given => {
        const mail = await readMail(given, facts())
        expect(['reply', 'bounce', 'ignored', 'refused']).toContain(mail.kind)
        if (mail.kind === 'reply') expect(mail.authenticated).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('of a letter with bytes changed give a value, and words that were there', async () => {
    const some = VECTORS.filter(({ expected }) => expected.kind === 'refused')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...some), fc.nat(), fc.nat(255), async ({ bytes }, at, byte) => {
        const changed = Buffer.from(bytes)
        changed[at % changed.length] = byte
        const mail = await readMail(changed, facts())
        expect(mail.kind).toMatch(/^(?:reply|bounce|ignored|refused)$/)
      }),
      { numRuns: 300 },
    )
  })
})
