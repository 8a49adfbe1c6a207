// G4, linear, without a clock: V8 counts how often each block of the compiler runs, and the count for a reply twice as
// long is at most twice as high. What V8 does not count (its own loops in regular expressions and NFC) is bounded by
// shape: no expression of the room can backtrack, and NFC sees no long run of marks.
import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile } from '../../src/compiler/compile.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import { startMeter } from './meter.js'
import { bundle, type Compile, load } from './realm.js'

const options = Array.from({ length: 26 }, (_, index) => ({ value: `value-${index}`, label: 'x'.repeat(75) }))
const text = { kind: 'text', max_chars: 500 } as const

const ROOM = new URL('../../src/compiler/', import.meta.url)

/** [what, schema, unit, how often at first]: doubled once it is still below the bound of its kind. */
const HOSTILE: [string, ReplySchema, string, number][] = [
  ['blanks', { kind: 'yes_no' }, ' \t', 250],
  ['one word', { kind: 'yes_no' }, 'yes', 170],
  ['final marks', { kind: 'yes_no' }, '!', 510],
  ['a name of nothing', { kind: 'choice', options }, 'value-', 80],
  ['commas', { kind: 'multi_choice', options, min: 1, max: 26 }, ',', 510],
  ['repeated options', { kind: 'multi_choice', options, min: 1, max: 26 }, 'A, ', 170],
  ['digits', { kind: 'number', min: 0, max: 9 }, '9', 510],
  ['words', { kind: 'number', min: 0, max: 9, lead: 'max spend', unit: 'chips' }, 'max ', 128],
  ['days', { kind: 'date' }, '2026-02-17', 51],
  ['letters', text, 'a', 2000],
  ['dots and slashes', text, 'a.b/', 60],
  ['marks on letters', text, 'e\u0301\u0323\u0331\u0316', 400],
  ['marks alone', text, '\u0323\u0301', 1000],
  ['characters of two units', text, '\u{20000}', 1000],
]

describe('G4: the work grows with the length, not faster', () => {
  let steps: (schema: ReplySchema, reply: string, compile?: Compile) => Promise<number>

  beforeAll(async () => {
    const meter = await startMeter()
    const { compile: counted } = load(await bundle())
    steps = (schema, reply, compile = counted) => meter.steps(() => compile(schema, reply))
    return meter.stop
  })

  it.each(HOSTILE)('%s', async (_, schema, unit, times) => {
    const small = await steps(schema, unit.repeat(times))
    const large = await steps(schema, unit.repeat(times * 2))
    // The meter runs: every character was looked at.
    expect(small).toBeGreaterThan(times)
    expect(large).toBeLessThanOrEqual(small * 2 + 50)
  })

  it('a compiler that looks again at what it has passed would be noticed', async () => {
    const once = 'said.charCodeAt(at) > 0x7f'
    const again = 'Array.from(said.slice(0, at)).some(it => it > String.fromCharCode(0x7f))'
    const { compile: slow } = load(await bundle({ file: 'ascii.ts', find: once, put: again }))
    const small = await steps({ kind: 'yes_no' }, 'y'.repeat(500), slow)
    const large = await steps({ kind: 'yes_no' }, 'y'.repeat(1000), slow)
    expect(large).toBeGreaterThan(small * 3)
  })

  it('[LANE-053] above the bound nothing is read: the work is the same for 10 kB and for a megabyte', async () => {
    for (const [, schema, unit] of HOSTILE) {
      const small = await steps(schema, unit.repeat(10_000))
      const large = await steps(schema, unit.repeat(1_000_000))
      // V8 drops the counters of a function it deems old: the sum may miss a few blocks, in either of the two.
      expect(Math.abs(large - small)).toBeLessThan(50)
    }
  })
})

describe('bounds', () => {
  it.each([
    ['yes_no', { kind: 'yes_no' }, 1024],
    ['choice', { kind: 'choice', options }, 1024],
    ['multi_choice', { kind: 'multi_choice', options, min: 1, max: 26 }, 1024],
    ['number', { kind: 'number', min: 0, max: 9 }, 1024],
    ['date', { kind: 'date' }, 1024],
    ['text', text, 4096],
  ] as [string, ReplySchema, number][])(
    '[LANE-053] %s: a reply above the bound is refused as too long, whatever it holds',
    (_, schema, bound) => {
      for (const filler of [' ', 'y', '\ud800', '<']) {
        expect(compile(schema, filler.repeat(bound + 1))).toMatchObject({
          ok: false,
          reason: 'reply_too_long',
        })
        const below = compile(schema, filler.repeat(bound))
        if (filler !== 'y' || schema.kind !== 'text')
          expect(below).not.toMatchObject({ reason: 'reply_too_long' })
      }
    },
  )

  it('[LANE-024] a text schema accepts N characters and refuses N + 1', () => {
    for (const max_chars of [1, 2, 60, 499, 500]) {
      for (const letter of ['x', '\u00e9', 'e\u0301', '\u4f60', '\u{20000}', '\u1112\u1161\u11ab']) {
        const said = letter.repeat(max_chars)
        expect(compile({ kind: 'text', max_chars }, said)).toEqual({
          ok: true,
          answer: { parsed_choice: null, parsed_payload: { text: said.normalize('NFC') } },
        })
        expect(compile({ kind: 'text', max_chars }, said + letter)).toMatchObject({
          ok: false,
          reason: 'reply_too_long',
        })
      }
    }
  })

  it('no regular expression of the room can backtrack: none holds an unbounded repetition', () => {
    const literals = readdirSync(ROOM).flatMap(file => regularExpressionsIn(file))
    expect(literals.length).toBeGreaterThan(5)
    for (const literal of literals) {
      expect(literal.replace(/\\.|\[(?:\\.|[^\]])*\]/g, 'c')).not.toMatch(/[*+]|\{\d*,\}/)
    }
  })
})

function regularExpressionsIn(file: string): string[] {
  // The reader of the alphabet's table runs once, at load, over our own data.
  if (file === 'alphabet.ts') return []
  const code = readFileSync(new URL(file, ROOM), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  return code.match(/(?<=[=(,:!] ?)\/(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n])+\/[a-z]*/g) ?? []
}
