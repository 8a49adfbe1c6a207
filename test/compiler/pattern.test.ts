// Any pattern at all, as a caller may make one up: what the door takes is found or not found in a text, in work that is
// bounded by the size of its program and the length of the text, and nothing throws.
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile } from '../../src/compiler/compile.js'
import { MAX_PATTERN_INSTRUCTIONS, readPattern } from '../../src/compiler/pattern.js'
import type { FormSchema } from '../../src/compiler/reply-schema.js'
import { ALL } from '../faults/rig.js'
import { type Meter, startMeter } from './meter.js'
import { bundle, type Compile, load } from './realm.js'

/** The longest text that a form takes, in code points. */
const LONGEST = 500

const formOf = (pattern: string | null): FormSchema => ({
  kind: 'form',
  decisions: [
    {
      id: 't',
      type: 'text',
      prompt: 'A note',
      required: true,
      ...(pattern !== null && { constraints: { pattern } }),
    },
  ],
})

/** Syntax that RE2 and JavaScript read alike. */
const atoms = fc.constantFrom(
  'a',
  'b',
  '1',
  ' ',
  '.',
  '[ab]',
  '[^b]',
  '[a-z]',
  '[^a-z1]',
  '\\d',
  '\\w',
  '^',
  '$',
)
/** What only RE2 has, and what is costly in it: large classes, folded cases, borders of words. */
const costly = fc.constantFrom(
  '\\pL',
  '\\PL',
  '\\p{Lu}',
  '[\\pL\\pM]',
  '(?i:k)',
  '(?i:[a-zß-ÿ])',
  '\\b',
  '\\B',
  '(?:)',
)
const marks = ['*', '+', '?', '*?', '+?', '??', '{2}', '{0,3}', '{1,9}', '{0,40}', '{2,}', '{60}', '{0,120}']

const expressions = (leaves: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.letrec<{ pattern: string }>(tie => ({
    pattern: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaves,
      fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => first + second),
      fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => `(${first}|${second})`),
      fc.tuple(tie('pattern'), fc.constantFrom(...marks)).map(([body, mark]) => `(?:${body})${mark}`),
    ),
  })).pattern

const shared = expressions(atoms)
/** With an end that most texts do not have, so that everything before it is tried. */
const hard = fc
  .tuple(expressions(fc.oneof(atoms, costly)), fc.constantFrom('', '[0-9]$', '\\d\\d', '1$', '[^\\pL ]$'))
  .map(([body, end]) => body + end)
const soup = fc
  .array(
    fc.constantFrom(...'ab1 .*+?|()[]{}^$\\-,:<>=!iPpLdbwzx', '(?:', '(?<', '{1000}', '\\p{', 'é', '\ud800'),
    {
      maxLength: 60,
    },
  )
  .map(parts => parts.join(''))

const pieces = fc.array(fc.constantFrom('a', 'b', 'k', '1', ' ', 'é', 'ſ', '\u0301', '\u{20000}', '.'), {
  minLength: 1,
  maxLength: 6,
})
const texts = fc.tuple(fc.constantFrom('', '1'), pieces).map(([first, repeated]) => {
  const text = [...`a${first}${repeated.join('').repeat(LONGEST)}`].slice(0, LONGEST).join('')
  return text.normalize('NFC').trimEnd()
})

describe('a pattern that the door takes', () => {
  let meter: Meter
  let counted: Compile
  beforeAll(async () => {
    meter = await startMeter()
    counted = load(await bundle()).compile
    return meter.stop
  })

  /** What the pattern adds to the work on a text; it was read before, when the door took it. */
  async function workOf(pattern: string, text: string): Promise<number> {
    const said = `t ${text}`
    const form = formOf(pattern)
    counted(form, 't a')
    const whole = await meter.steps(() => counted(form, said))
    return whole - (await meter.steps(() => counted(formOf(null), said)))
  }
  /** Blocks for an instruction at a character: the search in the largest class, and what stands around it. */
  const MOST = 40
  /** To begin and to end a search. */
  const AROUND = 2_000
  const boundOf = (pattern: string, text: string): number =>
    AROUND + MOST * RE2JS.compile(pattern).programSize() * ([...text].length + 1)

  it.each([
    '(a|b|ab)*c',
    '(x+x+)+[0-9]$',
    `${'a?'.repeat(60)}${'a'.repeat(60)}[0-9]`,
    '(?:\\pL?\\pM?){60}[0-9][0-9]',
    '(?i)[a-zß-ÿ]{0,120}\\d$',
    '(?:\\b.?){70}\\d\\b.$',
    '[^b]{0,120}1$',
    '(.*){60}\\d$',
    '(?:(?:(?:.?)*)?){40}\\d$',
  ])('is matched in work that is bounded by its size and the length: %s', async pattern => {
    expect(readPattern(pattern)).not.toBeNull()
    for (const [text = ''] of fc.sample(fc.tuple(texts), { numRuns: 6, seed: 27 }))
      expect(await workOf(pattern, text)).toBeLessThanOrEqual(boundOf(pattern, text))
  })

  it('is matched so, whatever it is made of', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(hard, texts, async (pattern, text) => {
        fc.pre(readPattern(pattern) !== null)
        expect(await workOf(pattern, text)).toBeLessThanOrEqual(boundOf(pattern, text))
      }),
      { numRuns: ALL ? 1_000 : 50 },
    )
  })

  it('is counted at all: a hard one on the longest text takes a hundred thousand steps', async () => {
    const work = await workOf('(?:\\pL?\\pM?){60}[0-9][0-9]', 'é'.repeat(LONGEST))
    expect(work).toBeGreaterThan(100_000)
  })

  it('would be noticed if its engine went back over what it has passed', async () => {
    const forgetful = {
      file: 'index.js',
      find: 'if ((this.visited[idx] & mask) !== 0) return false;',
      put: '',
    }
    const { compile: slow } = load(await bundle(forgetful))
    const pattern = `${'a?'.repeat(14)}[0-9]$`
    const text = 'a'.repeat(20)
    expect(await meter.steps(() => slow(formOf(pattern), `t ${text}`))).toBeGreaterThan(
      boundOf(pattern, text),
    )
  })
})

describe('any string as a pattern', () => {
  it('is read or is no pattern, and nothing throws: not at the door, not on any text', () => {
    const taken = { yes: 0, no: 0 }
    fc.assert(
      fc.property(
        fc.oneof(hard, soup, fc.string({ unit: 'binary', maxLength: 80 })),
        texts,
        (source, text) => {
          const pattern = readPattern(source)
          taken[pattern === null ? 'no' : 'yes'] += 1
          if (pattern === null) return
          expect(RE2JS.compile(source).programSize()).toBeLessThanOrEqual(MAX_PATTERN_INSTRUCTIONS)
          expect(typeof pattern.isFoundIn(text)).toBe('boolean')
          // The words decide, in every case by a value.
          const { ok } = compile(formOf(source), `t ${text}`)
          if (ok) expect(pattern.isFoundIn(text)).toBe(true)
        },
      ),
      { numRuns: ALL ? 10_000 : 600 },
    )
    expect(Math.min(taken.yes, taken.no)).toBeGreaterThan(50)
  })

  it('finds what an engine written separately finds, where both read the same syntax', () => {
    const found = { yes: 0, no: 0 }
    const short = fc.string({ unit: fc.constantFrom(...'ab1 zé\u{20000}'), maxLength: 7 })
    fc.assert(
      fc.property(shared, short, (source, text) => {
        const pattern = readPattern(source)
        fc.pre(pattern !== null)
        const expected = new RegExp(source, 'u').test(text)
        found[expected ? 'yes' : 'no'] += 1
        expect(pattern?.isFoundIn(text)).toBe(expected)
      }),
      { numRuns: ALL ? 10_000 : 2_000 },
    )
    expect(Math.min(found.yes, found.no)).toBeGreaterThan(200)
  })
})
