// Contents as copies show them: what is drawn can be read back, what is cut is said, and nothing in a content passes for
// something else.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import { cut, roomOf, share } from '../../../src/request/content/cut.js'
import { readDiff } from '../../../src/request/content/diff.js'
import { type Content, exhibitOf, rowsWithin } from '../../../src/request/content/exhibit.js'
import { readJson } from '../../../src/request/content/json.js'
import { lookAlike } from '../../../src/request/content/look-alike.js'
import { passagesOf } from '../../../src/request/content/places.js'
import { spell, unitsOf } from '../../../src/request/content/spell.js'
import { asLines, passagesIn, unspell } from './undo.js'

const content = (text: string, name: string | null = null): Content => ({
  handle: sha256(text),
  name,
  size: Buffer.byteLength(text),
  text,
})
const whole = (text: string) => {
  const one = content(text)
  const [row] = rowsWithin([one], Number.POSITIVE_INFINITY)
  if (row === undefined) throw new Error('no row')
  return { row, exhibit: exhibitOf(one, row) }
}
const within = (text: string, room: number) => {
  const one = content(text)
  const [row] = rowsWithin([one], room)
  if (row === undefined) throw new Error('no row')
  return { row, exhibit: exhibitOf(one, row) }
}

/** All that a caller may send, with a liking for what deceives. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r\n',
        '\r',
        '\t',
        ' ',
        ' '.repeat(40),
        ' \t'.repeat(20),
        '│ ',
        '⟨U+202E⟩',
        '⟨',
        '⟩',
        '\u202e',
        '\u200b',
      ),
      fc.constantFrom(
        '@@ -1,2 +1,2 @@\n',
        '+a\n',
        '-b\n',
        ' c\n',
        '{"a":1,"a":2}',
        '{"a": [1, {"b": "x y"}]}',
        '😀',
        'е\u0336',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join('').replaceAll('\0', ''))
  .filter(one => !/\p{Surrogate}/u.test(one))

describe('a line of a content', () => {
  test('whatever it holds, can be read back', () => {
    fc.assert(
      fc.property(text, given => {
        for (const line of given.split('\n')) expect(unspell(spell(line))).toBe(line)
      }),
    )
  })

  test('whatever it holds, takes the room that is counted for it', () => {
    const blanks = fc.array(fc.constantFrom(' ', '\t', ' '.repeat(33), 'x', '\r'), { maxLength: 90 })
    fc.assert(
      fc.property(text, blanks, (given, many) => {
        for (const line of [...given.split('\n'), many.join('')])
          expect(unitsOf(line)).toBe(spell(line).length)
      }),
    )
  })

  test('names what turns, hides, covers or moves text', () => {
    expect(spell('a\u202eb')).toBe('a⟨U+202E⟩b')
    expect(spell('no\u0336t')).toBe('no⟨U+0336⟩t')
    expect(spell('a\u200bb\ufeff')).toBe('a⟨U+200B⟩b⟨U+FEFF⟩')
    expect(spell('a\u00a0b\rc')).toBe('a⟨U+00A0⟩b⟨U+000D⟩c')
    expect(spell('⟨U+202E⟩')).toBe('⟨U+27E8⟩U+202E⟩')
    expect(spell(`ok${' '.repeat(200)}rm -rf /`)).toBe('ok⟨200 × U+0020⟩rm -rf /')
    expect(spell('\tif (x) {')).toBe('\tif (x) {')
  })
})

describe('a content that has to be cut', () => {
  test('whatever it holds: takes no more room than there is, and shows its beginning and its end', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 500 }), (given, room) => {
        const ranges = cut(given, room)
        const drawn = ranges.reduce(
          (sum, [from, to]) =>
            sum +
            given
              .slice(from, to)
              .replace(/\r?\n$/, '')
              .split(/\r?\n/)
              .reduce((units, line) => units + spell(line).length + 3, 0),
          0,
        )
        if (given !== '') expect(drawn).toBeLessThanOrEqual(room)
        if (roomOf(given) <= room) expect(ranges).toEqual([[0, given.length]])
        else if (ranges.length > 0) {
          expect(ranges[0]?.[0]).toBe(0)
          expect(ranges.at(-1)?.[1]).toBe(given.length)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('blanks of two kinds in turn, each of which is named: takes no more room than there is', () => {
    for (const ground of ['', 'a', '│']) {
      const { exhibit } = within(`${ground}${' \t'.repeat(5000)}x${' \t'.repeat(5000)}`, 1000)
      const drawn = exhibit.parts.flat().reduce((sum, { text }) => sum + text.length + 3, 0)
      expect(drawn).toBeLessThanOrEqual(1000)
    }
  })

  test('says how many lines are shown, the end among them', () => {
    const lines = Array.from({ length: 212 }, (_, at) => `line ${at + 1}`)
    const { row, exhibit } = within(`${lines.join('\n')}\n`, 400)
    expect(row.whole).toBe(false)
    expect(exhibit.measure).toMatch(/^showing \d+ of 212 lines, the rest on the page$/)
    expect(exhibit.parts[0]?.[0]?.text).toBe('line 1')
    expect(exhibit.parts[1]?.at(-1)?.text).toBe('line 212')
  })

  test('says how many characters are shown of a line that is too long', () => {
    const { exhibit } = within(`${'a'.repeat(5000)}; DROP TABLE users`, 300)
    expect(exhibit.measure).toMatch(/^showing \d+ of 5018 characters, the rest on the page$/)
    expect(exhibit.parts[1]?.at(-1)?.text).toMatch(/; DROP TABLE users$/)
  })

  test('says so where nothing of it can be shown', () => {
    const { row, exhibit } = within('a'.repeat(500), 20)
    expect([row.shown, exhibit.parts]).toEqual([[], []])
    expect(exhibit.measure).toBe('500 characters, all of them on the page')
  })

  test('shares the room: what small ones do not need the large ones have', () => {
    expect(share([10, 1000, 1000], 610)).toEqual([10, 300, 300])
    expect(share([50, 20], 100)).toEqual([50, 20])
  })
})

describe('what is drawn', () => {
  test('whatever the content, and however it is cut: is what the row says, and its hash covers', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 600 }), (given, room) => {
        const { row, exhibit } = within(given, room)
        const passages = passagesOf(given, row.shown)
        if (exhibit.kind === 'json' && row.whole) {
          expect(JSON.parse(passagesIn(exhibit).join(''))).toEqual(JSON.parse(given))
        } else expect(passagesIn(exhibit)).toEqual(passages.map(asLines))
        expect(row.chars).toBe([...given].length)
        expect(row.whole).toBe(passages.join('') === given && row.shown.length > 0)
        expect(within(given, room).row.shown_hash).toBe(row.shown_hash)
      }),
      { numRuns: 500 },
    )
  })

  test('other passages have another hash', () => {
    const long = 'x'.repeat(900)
    const hashes = [200, 300, 400].map(room => within(long, room).row.shown_hash)
    expect(new Set(hashes).size).toBe(3)
  })

  test('bytes that are no text are named by their size', () => {
    const bytes: Content = { handle: sha256('x'), name: 'image', size: 4096, text: null }
    const [row] = rowsWithin([bytes], 1e9)
    expect(row).toMatchObject({ chars: null, shown: [], whole: false })
    expect(row && exhibitOf(bytes, row)).toMatchObject({
      kind: 'bytes',
      measure: '4096 bytes that are no text',
      parts: [],
    })
  })
})

describe('JSON', () => {
  test('of nothing but brackets and commas: is not drawn many times as long as it is', () => {
    const deep = `${'['.repeat(14)}${'1,'.repeat(20_000)}1${']'.repeat(14)}`
    const { exhibit } = whole(deep)
    const drawn = exhibit.parts.flat().reduce((sum, { text }) => sum + text.length, 0)
    expect(drawn).toBeLessThanOrEqual(4 * deep.length + 4096)
    expect(whole('{"a":[1,{"b":2}]}').exhibit.kind).toBe('json')
  })

  test('whatever it holds: only blanks between its tokens change', () => {
    const bare = (json: string): string =>
      json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, token => (token.startsWith('"') ? token : ''))
    fc.assert(
      fc.property(
        fc.oneof(fc.dictionary(fc.string(), fc.json()), fc.array(fc.json())),
        fc.nat(3),
        (given, blanks) => {
          const written = JSON.stringify(given, null, blanks)
          const read = readJson(written)
          if (read?.kind !== 'json') return
          expect(bare(read.text)).toBe(bare(written))
          expect(JSON.parse(read.text)).toEqual(given)
        },
      ),
    )
  })

  test('is indented, its numbers as they were written', () => {
    expect(readJson('{"amount":50.00,"to":[],"of":{"id":1e3}}')).toEqual({
      kind: 'json',
      text: '{\n  "amount": 50.00,\n  "to": [],\n  "of": {\n    "id": 1e3\n  }\n}',
    })
  })

  test('with a name given twice, however it is spelt, is plain text and says so', () => {
    for (const doubled of ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"x":{"b":1,"b":1}}]']) {
      expect(readJson(doubled)).toEqual({ kind: 'doubled' })
      const { exhibit } = whole(doubled)
      expect(exhibit).toMatchObject({ kind: 'text', parts: [[{ text: doubled }]] })
      expect(exhibit.notes).toContain('JSON with a name given twice: shown as plain text')
    }
  })

  test('that is none, or nests too deep, is plain text', () => {
    for (const none of ['{a: 1}', '[1,]', '"text"', '50', `${'['.repeat(40)}${']'.repeat(40)}`])
      expect(readJson(none)).toBeNull()
  })
})

describe('a diff', () => {
  const DIFF = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'
  test('has the signs of its lines', () => {
    const { exhibit } = whole(DIFF)
    expect(exhibit.kind).toBe('diff')
    expect(exhibit.parts[0]?.map(({ sign }) => sign)).toEqual([
      'note',
      'note',
      'note',
      'note',
      'same',
      'removed',
      'added',
      'same',
    ])
  })

  test('whose counts do not add up is plain text and says so', () => {
    for (const broken of [
      DIFF.replace('-1,3', '-1,2'),
      DIFF.replace(' three\n', ''),
      `${DIFF}+one more\n`,
      DIFF.replace(' one', 'one'),
    ]) {
      const { exhibit } = whole(broken)
      expect(exhibit.kind).toBe('text')
      expect(exhibit.notes).toContain('a diff whose counts do not add up: shown as plain text')
      expect(exhibit.parts[0]?.every(({ sign }) => sign === null)).toBe(true)
    }
  })

  test('has a removed line that looks like a file’s name among its lines', () => {
    const lines = ['@@ -1,2 +1,1 @@', '--- x', ' y']
    expect(readDiff(lines)).toEqual({ kind: 'diff', signs: ['note', 'removed', 'same'] })
  })

  test('keeps its signs at its end when it is cut', () => {
    const body = Array.from({ length: 60 }, (_, at) => `+line ${at}`).join('\n')
    const { exhibit } = within(`@@ -0,0 +1,60 @@\n${body}\n`, 300)
    expect(exhibit.parts).toHaveLength(2)
    expect(exhibit.parts[1]?.every(({ sign }) => sign === 'added')).toBe(true)
  })
})

describe('look-alikes', () => {
  test.each([
    ['p\u0430ypal', 'look-alike: a word mixes Latin and Cyrillic letters'],
    ['\u0391pprove', 'look-alike: a word mixes Latin and Greek letters'],
    ['pay \u0441\u043e\u0440 now', 'look-alike: a word of Cyrillic letters can be read as Latin'],
  ])('%s is marked', (given, mark) => expect(lookAlike(given)).toBe(mark))

  test.each([
    '50 EUR',
    'naïve café',
    'Привет, мир',
    'Tシャツ',
    'Überweisung an Müller',
    '漢字 and more',
    'x² λ-calculus',
  ])('%s is not', given => expect(lookAlike(given)).toBeNull())

  test('a content that hides characters says so', () => {
    expect(whole('amount: 5\u202e0 EUR').exhibit.notes).toEqual([
      'holds characters that are not seen: they are named, as ⟨U+202E⟩',
    ])
    expect(whole('a\tb\r\nc').exhibit.notes).toEqual([])
  })
})
