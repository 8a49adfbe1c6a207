// The quick way of telling a canonical line, held against the generic canonical form.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, sha256 } from '../../src/canonical.js'
import { GENESIS } from '../../src/ledger/entry.js'
import { isCanonical, readLine } from '../../src/ledger/invariant/line.js'

const name = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', '0', '10', '9', '__proto__', 'constructor', ':', '/', 'é', '"', '\\'),
  fc.string({ maxLength: 3 }),
)
const leaf = fc.oneof(
  fc.constantFrom(0, -0, 1, 10, 99, 100, 1000, 1200, 1e21, 1e-7, 0.5, -100, 123456789),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 8 }),
  fc.boolean(),
  fc.constant(null),
)
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('record')),
  record: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 4 })
    .map(members => Object.fromEntries(members as [string, unknown][])),
}))
const record = fc.array(fc.tuple(name, value), { maxLength: 5 }).map(members => Object.fromEntries(members))

/** The same value, or nearly, spelt otherwise: each a change that keeps the length, or makes up for it. */
const OTHERWISE: readonly ((text: string) => string)[] = [
  text => text,
  text => text.replace(/100\b/, '1e2'),
  text => text.replace(/1000\b/, '1e3 '),
  text => text.replace(/(?<=[:[,])1000\b/, ' 1e3'),
  text => text.replace(/":1000\b/, '" :1e3'),
  text => text.replace(/\b1\b/, '1.0'),
  text => text.replace(',', ', '),
  text => text.replace(/^\{("[^"\\]*":[^,{}[\]]+),("[^"\\]*":[^,{}[\]]+)/, '{$2,$1'),
  text => text.replace(/^\{("[^"\\]*":[^,{}[\]]+)/, '{$1,$1'),
  text => text.replace('a', '\\u0061'),
  text => text.replace('e', 'E'),
  text => text.replace(/\b0\b/, '-0'),
]

describe('I1 a line told by its length', () => {
  test('is canonical exactly when the generic form says so, however it is spelt', () => {
    let both = 0
    let neither = 0
    fc.assert(
      fc.property(record, fc.nat(OTHERWISE.length - 1), fc.boolean(), (members, change, ordered) => {
        const spelt = ordered ? canonical(members) : JSON.stringify(members)
        const text = OTHERWISE[change]?.(spelt) ?? spelt
        let read: Record<string, unknown>
        try {
          read = JSON.parse(text)
        } catch {
          return
        }
        const truth = canonical(read) === text
        if (truth) both++
        else neither++
        // Names that a parser puts in order are left to the slow way; what is told canonical must be.
        const told = isCanonical(text, read)
        if (told) expect(truth, text).toBe(true)
        else if (truth) expect(JSON.stringify(read), text).not.toBe(text)
      }),
      { numRuns: 5_000 },
    )
    expect(both).toBeGreaterThan(500)
    expect(neither).toBeGreaterThan(500)
  })

  test.each([
    ['an exponent as short as the number', '{"a":1e2}'],
    ['an exponent shorter than the number, and spaces', '{"a":1e3 }'],
    ['an exponent in a list', '{"a":[1,-36e2]}'],
    ['an exponent behind a fraction', '{"a":1.5e3,"b":1}'],
    ['an exponent, with another number that has none', '{"a":3600,"b":36e2}'],
    ['an exponent, with a space before it in its room', '{"a": 1e3}'],
    ['an exponent, with a space before the colon', '{"a" :1e3}'],
    ['an exponent in a list, with a space before it', '{"a":[ 1e3]}'],
    ['an exponent further on in a list, with a line feed before it', '{"a":[1,\n-1E3]}'],
    ['an exponent, with a name given twice in its room', '{"a":1e9,"b":1,"b":1}'],
    ['half of a pair that is not there', '{"a":"\ud83d"}'],
    ['names out of order that a parser would put in order', '{"b":1,"1":2}'],
    ['a name given twice', '{"a":1,"a":1}'],
    ['minus zero', '{"a":-0}'],
    ['a needless escape', '{"a":"\\u0061"}'],
  ])('%s is not', (_what, text) => {
    expect(isCanonical(text, JSON.parse(text))).toBe(false)
  })

  test.each([
    ['a multiple of a hundred', '{"a":3600,"b":[100,-200]}'],
    ['a text that looks like an exponent', '{"a":"36e2,1e2","b":3600}'],
    ['letters beyond ASCII', '{"a":"für 𝄞","ä":1}'],
  ])('%s is', (_what, text) => {
    expect(isCanonical(text, JSON.parse(text))).toBe(true)
  })

  test('a line spelt otherwise is told, though its hash is that of its own bytes', () => {
    const link = { seq: 1000, prev: GENESIS }
    const line = (seq: string): string => {
      const [before, after] = ['{"at":"","body":{},', `"prev":"${GENESIS}",${seq},"type":"NONE","v":1}`]
      return `${before}"hash":"${sha256(`lane/entry/v1\n${before}${after}`)}",${after}`
    }
    const told = (seq: string) => readLine(line(seq), link).flaws.map(({ message }) => message)
    expect(told('"seq":1000')).toEqual([])
    for (const seq of ['"seq": 1e3', '"seq" :1e3'])
      expect(told(seq)).toContain('the bytes are not the RFC 8785 text of the entry')
  })

  test('nesting without end ends in no, not in an error', () => {
    const text = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(isCanonical(text, JSON.parse(text))).toBe(false)
  })
})
