// RFC 8785: the appendix's own samples, written out from the RFC, and what it says must fail.
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, hashOf, sha256 } from '../src/canonical.js'

/** IEEE 754 bits and their one spelling: RFC 8785, appendix B. */
const NUMBERS: readonly [string, string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
]
const numberOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE(0)

/** Input as JSON text, and its one spelling. */
const SAMPLES: readonly [string, string, string][] = [
  [
    'the sample of section 3.2.2',
    String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    'the sorting of section 3.2.3: by UTF-16 code units, so that a surrogate pair stands before U+FB33',
    String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`,
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis",' +
      '"\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['arrays keep their order', '[56,{"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
  [
    'nested members are sorted at every depth',
    '{"1":{"f":{"f":"hi","F":5},"\\n":56},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  [
    'names are compared by code unit, never by locale',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
  ],
  ['text is not normalised', '{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
  [
    'every escape that JSON has, and no other',
    String.raw`"\u0000\u0007\b\t\n\u000b\f\r\u001f\u007f\u2028\u2029\"\\\/\u003c"`,
    '"\\u0000\\u0007\\b\\t\\n\\u000b\\f\\r\\u001f\u007f\u2028\u2029\\"\\\\/<"',
  ],
]

describe('one spelling for every value', () => {
  test.each(NUMBERS)('the number %s is %s', (bits, text) => {
    expect(canonical(numberOf(bits))).toBe(text)
  })

  test.each(SAMPLES)('%s', (_name, input, expected) => {
    expect(canonical(JSON.parse(input))).toBe(expected)
  })

  test('the sample of section 3.2.4 has these bytes', () => {
    const text = canonical(JSON.parse(SAMPLES[0]?.[1] ?? ''))
    expect(Buffer.from(text).toString('hex')).toBe(
      '7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a5b3333333333333333332e' +
        '333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac245c75303030' +
        '665c6e4127425c225c5c5c5c5c222f227d',
    )
  })

  test('order of writing, blanks and spellings of a number or letter do not matter; what is read back is the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), value => {
        const text = canonical(value)
        expect(canonical(JSON.parse(text))).toBe(text)
        expect(canonical(shuffled(value))).toBe(text)
        expect(canonical(JSON.parse(JSON.stringify(value, null, 3)))).toBe(text)
      }),
    )
  })
})

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, shuffled(member)]),
  )
}

test('every JSON value is spelt as the reference implementation spells it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      let theirs: string | undefined
      try {
        theirs = canonicalize(value)
      } catch {
        expect(() => canonical(value)).toThrow()
        return
      }
      expect(canonical(value)).toBe(theirs)
    }),
    { numRuns: 2_000 },
  )
})

test('a text in lines is spelt as the reference implementation spells it, whatever else stands in it', () => {
  const unit = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('\n', 'a', ' ', '~') },
    fc.constantFrom('"', '\\', '\r', '\t', '\u007f', '\u2028', 'é', '😀'),
  )
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), text => {
      expect(canonical(text)).toBe(canonicalize(text))
    }),
    {
      numRuns: 2_000,
    },
  )
})

test('however many members an object has, and in whatever order, they are spelt in one', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 4 }), { maxLength: 60, size: 'max' })
  fc.assert(
    fc.property(names, keys => {
      const value = Object.fromEntries(keys.map((key, index) => [key, index]))
      expect(canonical(value)).toBe(canonicalize(value))
    }),
  )
})

describe('what has no spelling is refused', () => {
  test.each([
    ['not a number', Number.NaN],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['the other infinity', { a: [Number.NEGATIVE_INFINITY] }],
    ['nothing', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a big integer', 1n],
    ['a lone high surrogate', '\ud83d'],
    ['a lone low surrogate', 'a\ude00b'],
    ['surrogates the wrong way round', '\ude00\ud83d'],
    ['a lone surrogate inside', { a: ['\udead'] }],
    ['a lone surrogate as a name', { '\udead': 1 }],
  ])('%s', (_name, value) => {
    expect(() => canonical(value)).toThrow()
  })

  test('a value that holds itself', () => {
    const value: Record<string, unknown> = {}
    value.self = value
    expect(() => canonical(value)).toThrow()
  })
})

describe('hashes', () => {
  test('are SHA-256 in lower-case hex, over the parts as one', () => {
    expect(sha256('abc')).toBe('sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(sha256('a', Buffer.from('b'), 'c')).toBe(sha256('abc'))
  })

  test('of the same value in two domains differ', () => {
    expect(hashOf('lane/request/v1', { a: 1 })).toBe(sha256('lane/request/v1\n{"a":1}'))
    expect(hashOf('lane/request/v1', { a: 1 })).not.toBe(hashOf('lane/display/v1', { a: 1 }))
  })
})
