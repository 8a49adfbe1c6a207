import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hash, hashOf } from '../../src/canonical.js'
import { MAX_DEPTH, MAX_KEYS, readJson, readJsonBytes } from '../../src/http/json.js'
import { imprintsOf } from '../../src/request/content/imprint.js'
import { ALL } from '../faults/rig.js'

const detailOf = (text: string): string => {
  const read = readJson(text)
  return read.ok ? 'accepted' : `${read.code}: ${read.detail}`
}

describe('a text with two readings is refused with its place', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const many = (keys: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 0])))

  it.each([
    ['the same key twice', '{"a":1,\n "a":2}', 'the key "a" is given twice (line 2, column 2)'],
    ['the same key, once escaped', '{"a":1,"\\u0061":2}', 'the key "a" is given twice (line 1, column 8)'],
    ['a repeated key deep inside', '{"x":[{"b":1,"b":1}]}', 'the key "b" is given twice (line 1, column 14)'],
    ['__proto__ as a key', '{"__proto__":{}}', 'the key "__proto__" is not allowed (line 1, column 2)'],
    [
      'an escaped __proto__',
      '{"__pr\\u006fto__":1}',
      'the key "__proto__" is not allowed (line 1, column 2)',
    ],
    ['constructor as a key', '{"constructor":1}', 'the key "constructor" is not allowed (line 1, column 2)'],
    ['prototype as a key', '[{"prototype":1}]', 'the key "prototype" is not allowed (line 1, column 3)'],
    [
      'an escaped lone high surrogate',
      '["\\ud800"]',
      'a string holds half of a surrogate pair (line 1, column 2)',
    ],
    [
      'an escaped lone low surrogate',
      '["\\udc00a"]',
      'a string holds half of a surrogate pair (line 1, column 2)',
    ],
    ['a raw lone surrogate', '["\ud800"]', 'a string holds half of a surrogate pair (line 1, column 2)'],
    [
      'a lone surrogate in a key',
      '{"\\ud83d":1}',
      'a string holds half of a surrogate pair (line 1, column 2)',
    ],
    ['one level too deep', nested(MAX_DEPTH + 1), `nested deeper than 16 (line 1, column 17)`],
    ['a million levels', '['.repeat(1_000_000), 'nested deeper than 16 (line 1, column 17)'],
    ['a number beyond all doubles', '{"n":1e400}', 'a number is too large (line 1, column 6)'],
    ['a text that ends early', '{"a":', 'found the end where a value should be (line 1, column 6)'],
    ['a string that is not closed', '["abc', 'a string is not closed (line 1, column 2)'],
    [
      'a bare newline in a string',
      '["a\nb"]',
      'a control character stands bare in a string (line 1, column 4)',
    ],
    ['an unknown escape', '["\\x41"]', 'found "\\" where an escape sequence should be (line 1, column 3)'],
    ['a trailing comma', '[1,]', 'found "]" where a value should be (line 1, column 4)'],
    ['single quotes', "{'a':1}", 'found "\'" where a key in double quotes should be (line 1, column 2)'],
    ['a second value', '{} {}', 'found "{" where the end should be (line 1, column 4)'],
    ['a byte order mark', '\ufeff{}', 'found "<U+FEFF>" where a value should be (line 1, column 1)'],
    ['nothing at all', '', 'found the end where a value should be (line 1, column 1)'],
    ['a leading zero', '[01]', 'found "1" where , or ] should be (line 1, column 3)'],
    ['a missing colon', '{"a" 1}', 'found "1" where : should be (line 1, column 6)'],
  ])('%s', (_, text, detail) => {
    expect(detailOf(text)).toBe(`malformed_json: ${detail}`)
  })

  it('more keys than any submission has are refused, the last allowed one is not', () => {
    expect(readJson(many(MAX_KEYS)).ok).toBe(true)
    expect(detailOf(many(MAX_KEYS + 1))).toMatch(
      /^malformed_json: more than 8000 keys \(line 1, column \d+\)$/,
    )
  })

  it('the deepest allowed nesting is read', () => {
    expect(readJson(nested(MAX_DEPTH))).toEqual({ ok: true, value: JSON.parse(nested(MAX_DEPTH)) })
  })

  it('a key that holds a blob is quoted by its beginning only', () => {
    const key = 'A'.repeat(100_000)
    expect(detailOf(`{"${key}":1,"${key}":2}`).length).toBeLessThan(150)
  })
})

describe('what has one reading is read as JSON.parse reads it', () => {
  it('a whole surrogate pair is no lone surrogate, escaped or raw', () => {
    expect(readJson('["\\ud83d\\ude00","😀"]')).toEqual({ ok: true, value: ['😀', '😀'] })
  })

  it('equal keys of different objects are no repetition', () => {
    expect(readJson('[{"a":1},{"a":{"a":2}}]')).toEqual({ ok: true, value: [{ a: 1 }, { a: { a: 2 } }] })
  })

  it('for any JSON text the walk and JSON.parse agree', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5, noUnicodeString: false }),
        fc.constantFrom('', ' ', '\n\t'),
        (text, space) => {
          const read = readJson(`${space}${text}${space}`)
          const reserved = /__proto__|constructor|prototype/.test(text)
          if (!reserved && !/\p{Surrogate}/u.test(text) && !/\\ud/i.test(text)) {
            expect(read).toEqual({ ok: true, value: JSON.parse(text) })
          }
        },
      ),
    )
  })

  it('no text is accepted that JSON.parse refuses, and no text makes the walk throw', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e9',
      'true',
      'nul',
      ' ',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), parts => {
        const text = parts.join('')
        const read = readJson(text)
        let parsed: { value: unknown } | null = null
        try {
          parsed = { value: JSON.parse(text) }
        } catch {}
        if (read.ok) expect(parsed).toEqual({ value: read.value })
        else if (parsed) expect(read.detail).toMatch(/given twice|too large/)
      }),
      { numRuns: ALL ? 20_000 : 4_000 },
    )
  })

  it('a text is read alike by the brisk walk and by the one with care, which an escaped letter beside it asks for', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"a\\n"',
      '"b":',
      '"\\\\":',
      '\\',
      '\\n',
      '\\"',
      '\\/',
      '\n',
      '1',
      ' ',
      'é',
    ]
    const alike = (text: string) => {
      const brisk = readJson(`["a",${text}]`)
      const careful = readJson(`["\\u0061",${text}]`)
      expect(brisk.ok ? brisk.value : null).toEqual(careful.ok ? careful.value : null)
    }
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), parts => alike(parts.join(''))),
      { numRuns: 20_000 },
    )
    fc.assert(fc.property(fc.json({ maxDepth: 4 }), alike))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'a') }), fc.string())),
        members =>
          alike(
            `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
          ),
      ),
    )
  })
})

describe('CW1 the hash of a content shown whole, made of its spelling as it came', () => {
  type Contents = Readonly<Record<string, string>>
  const contentsIn = (read: ReturnType<typeof readJson>): Contents =>
    ((read.ok ? read.value : {}) as { readonly contents: Contents }).contents
  const hashIn = (read: ReturnType<typeof readJson>): Hash | undefined =>
    imprintsOf(contentsIn(read)).get('h')?.whole_hash
  const readIn = (text: string): { readonly hash: Hash | undefined; readonly content: string } => {
    const read = readJson(text)
    return { hash: hashIn(read), content: contentsIn(read).h ?? '' }
  }
  const shownWhole = (content: string): Hash => hashOf('lane/shown/v1', [content])

  it('is known of a usual body, and that of the canonical spelling', () => {
    const { hash, content } = readIn(
      JSON.stringify({ a: ['x'], contents: { g: 'b', h: 'one\n"two"\t\\\r\b\f é' } }),
    )
    expect(hash).toBe(shownWhole(content))
  })

  it.each([
    ['an escaped solidus', '{"contents":{"h":"a\\/b"}}'],
    ['a letter by its number', '{"contents":{"h":"\\u0061"}}'],
    ['a control by its number', '{"contents":{"h":"\\u000a"}}'],
  ])('is not known of %s', (_, text) => expect(readIn(text).hash).toBeUndefined())

  it('is never another one, whatever the text and whatever stands before and behind it', () => {
    const unit = fc.oneof(
      fc.constantFrom('\n', '"', '\\', '/', '\u0001', '\u007f', '\u2028', '😀'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    )
    const text = fc.string({ unit, maxLength: 30 })
    const property = fc.property(
      fc.dictionary(fc.constantFrom('f', 'g'), text),
      text,
      text,
      fc.boolean(),
      (others, own, name, isEscaped) => {
        const body = JSON.stringify({
          x: { h: name },
          contents: { ...others, h: own },
          y: { contents: { h: name } },
        })
        const { hash, content } = readIn(isEscaped ? body.replaceAll('/', '\\/') : body)
        expect(content).toBe(own)
        if (hash !== undefined) expect(hash).toBe(shownWhole(own))
      },
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  it('is not asked of contents that are a list: as many as a body has room for cost what any list costs', () => {
    const list = (name: string): Buffer => Buffer.from(`{"${name}":[${'"a",'.repeat(500_000)}0]}`)
    const cost = (body: Buffer): number => {
      const tries = [1, 2, 3].map(() => {
        const started = process.cpuUsage()
        expect(readJsonBytes(body).ok).toBe(true)
        const { user, system } = process.cpuUsage(started)
        return user + system
      })
      return Math.min(...tries)
    }
    expect(cost(list('contents'))).toBeLessThan(4 * cost(list('anything')))
  })

  it('is the same of bytes, wherever they lie, as of the text they are', () => {
    const unit = fc.constantFrom('\n', '"', '\\', '/', ' ', 'a', '\u007f')
    const text = fc.oneof(fc.string({ unit, maxLength: 30 }), fc.string({ unit: 'grapheme', maxLength: 3 }))
    const property = fc.property(text, text, fc.nat(9), (before, own, offset) => {
      const body = JSON.stringify({ before, contents: { g: before, h: own }, behind: before })
      const bytes = Buffer.concat([Buffer.alloc(offset, '"'), Buffer.from(body), Buffer.from('"')])
      const read = readJsonBytes(bytes.subarray(offset, -1))
      expect(read).toEqual(readJson(body))
      expect(hashIn(read)).toBe(hashIn(readJson(body)))
      if (!/\\[/u]/.test(body)) expect(hashIn(read)).toBe(shownWhole(own))
    })
    fc.assert(property, { numRuns: 1_000 })
  })
})
