// What holds for every schema and every string (G1–G5 of docs/spec/reply-grammar.md), tried on strings of the
// grammar, strings an edit away from it, and arbitrary ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../src/canonical.js'
import { compile, GRAMMAR } from '../../src/compiler/compile.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Pick } from './abnf.js'
import { judge } from './oracle.js'
import { bundle, load } from './realm.js'
import { plausible, replyFrom, SCHEMAS } from './samples.js'
import { verdictOf } from './verdict.js'

/** A tape of numbers as a source of variety: a shorter or smaller tape is a simpler sample, so failures shrink. */
const tapes = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 80 })
const reading = (tape: readonly number[]): Pick => {
  let at = 0
  return n => {
    const number = tape[at % tape.length] ?? 0
    at += 1
    return (number + Math.floor(at / tape.length)) % n
  }
}

const schemas = fc.constantFrom(...SCHEMAS)
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map(units => String.fromCharCode(...units)),
)
const cases = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(schemas, tapes).map(([s, tape]) => [s, replyFrom(s, reading(tape))] as const),
  },
  { weight: 1, arbitrary: fc.tuple(schemas, hostile) },
)
const always = (holds: (schema: ReplySchema, reply: string) => void, numRuns = 3000): void =>
  fc.assert(
    fc.property(cases, ([schema, reply]) => {
      holds(schema, reply)
    }),
    { numRuns },
  )

describe('the grammar', () => {
  it('no string outside the published grammar is accepted, and none inside is refused', () => {
    always((schema, reply) => expect(verdictOf(compile(schema, reply))).toEqual(judge(schema, reply)), 6000)
  })

  it('strings of the grammar come often enough for that to mean something', () => {
    const tried = fc.sample(cases, { numRuns: 4000, seed: 7 })
    const accepted = tried.filter(([schema, reply]) => compile(schema, reply).ok)
    expect(accepted.length).toBeGreaterThan(400)
    expect(new Set(accepted.map(([schema]) => schema.kind)).size).toBe(7)
  })

  it('[LANE-022] the strings that become YES are exactly YES and Y, their cases, and one final mark', () => {
    const letters = [...'yesnoYESNO.! ']
    const said = (length: number): string[] =>
      length === 0 ? [''] : said(length - 1).flatMap(start => letters.map(letter => start + letter))
    const accepted = [1, 2, 3, 4]
      .flatMap(said)
      .filter(reply => reply === reply.trim() && compile({ kind: 'yes_no' }, reply).ok)
    const words = ['y', 'Y', 'n', 'N']
    for (const y of 'yY') for (const e of 'eE') for (const s of 'sS') words.push(y + e + s)
    for (const n of 'nN') for (const o of 'oO') words.push(n + o)
    expect(accepted.sort()).toEqual(words.flatMap(word => [word, `${word}.`, `${word}!`]).sort())
  })

  it('[LANE-052] junk before or after a choice is refused', () => {
    const closed = SCHEMAS.filter(schema => schema.kind !== 'text')
    const junk = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 8 })
      .filter(it => !/^[ \t\r\n]|[ \t\r\n]$/.test(it))
    fc.assert(
      fc.property(fc.constantFrom(...closed), tapes, junk, fc.boolean(), (schema, tape, extra, before) => {
        const said = plausible(schema, reading(tape))
        const reply = before ? `${extra} ${said}` : `${said} ${extra}`
        expect(verdictOf(compile(schema, reply))).toEqual(judge(schema, reply))
        // Behind a NO that may say why, junk of letters is its reason.
        if ((schema.kind === 'yes_no' && !schema.reason) || schema.kind === 'choice')
          expect(compile(schema, reply).ok).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('what comes out', () => {
  it('a choice is a value of the schema, a selection a subset of it, a number within its bounds', () => {
    always((schema, reply) => {
      const result = compile(schema, reply)
      if (!result.ok) return
      const { parsed_choice, parsed_payload } = result.answer
      expect([parsed_choice, parsed_payload].filter(part => part === null)).toHaveLength(1)
      if (schema.kind === 'yes_no') expect(['YES', 'NO']).toContain(parsed_choice)
      if (schema.kind === 'choice')
        expect(schema.options.map(option => option.value)).toContain(parsed_choice)
      if (schema.kind === 'number' && parsed_payload && 'number' in parsed_payload) {
        expect(parsed_payload.number).toBeGreaterThanOrEqual(schema.min)
        expect(parsed_payload.number).toBeLessThanOrEqual(schema.max)
        expect(Object.is(parsed_payload.number, -0)).toBe(false)
      }
    })
  })

  it('[LANE-054] no control, bidi, zero-width, markup or link survives into a text payload', () => {
    const texts = fc.oneof(
      tapes.map(tape => replyFrom({ kind: 'text', max_chars: 500 }, reading(tape))),
      hostile,
    )
    fc.assert(
      fc.property(texts, reply => {
        const result = compile({ kind: 'text', max_chars: 500 }, reply)
        if (!result.ok || !result.answer.parsed_payload || !('text' in result.answer.parsed_payload)) return
        const { text } = result.answer.parsed_payload
        expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u)
        expect(text).not.toMatch(/[<>&@#`*_~[\]{}|\\^]/)
        expect(text).not.toMatch(/\/\/|www\.|^\/|[\p{L}\p{Nd}]\.\p{L}{2}/iu)
        expect(text).toBe(text.normalize('NFC'))
        // What was carried is itself a reply, and the same one.
        expect(compile({ kind: 'text', max_chars: 500 }, text)).toEqual(result)
      }),
      { numRuns: 6000 },
    )
  })

  it('a composed and a decomposed spelling are the same reply', () => {
    fc.assert(
      fc.property(tapes, tape => {
        const schema = { kind: 'text', max_chars: 40 } as const
        const said = plausible(schema, reading(tape))
        expect(verdictOf(compile(schema, said.normalize('NFD')))).toEqual(
          verdictOf(compile(schema, said.normalize('NFC'))),
        )
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a refusal', () => {
  it('quotes what was read, short, on one line, with everything invisible spelt out', () => {
    always((schema, reply) => {
      const result = compile(schema, reply)
      if (result.ok) return
      expect(result.read.length).toBeLessThanOrEqual(121)
      expect(result.read).not.toMatch(
        /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|\p{M}{5}/u,
      )
      expect(result.accepted).toMatch(/^(?:Reply|For) .+\.$/u)
    })
  })

  it.each([
    ['yes\u202e\u200b\n', 'yes\\u{202E}\\u{200B}\\u{A}'],
    ['\ud83d\udc4d\ufe0f', '\ud83d\udc4d\\u{FE0F}'],
    ['a\\u{41}', 'a\\\\u{41}'],
    ['\ud800', '\\u{D800}'],
    ['\u00a0caf\u00e9', '\\u{A0}caf\u00e9'],
    ['\u0301e\u0301\u0301\u0301\u0301\u0301', '\\u{301}e\u0301\u0301\u0301\u0301\\u{301}'],
    ['x'.repeat(121), `${'x'.repeat(120)}\u2026`],
    ['x'.repeat(120), 'x'.repeat(120)],
    [`${'x'.repeat(119)}\ud83d\udc4d`, `${'x'.repeat(119)}\u2026`],
    ['\u2800\u3164\u180e', '\\u{2800}\\u{3164}\\u{180E}'],
  ])('reads %j as %j', (reply, read) => {
    expect(compile({ kind: 'yes_no' }, reply)).toMatchObject({ ok: false, read })
  })
})

describe('determinism', () => {
  it('[LANE-056] in 10 000 fuzz cases the same input gives the same event hash, here and in a fresh realm, and nothing throws', async () => {
    const elsewhere = load(await bundle()).compile
    const body = (result: ReturnType<typeof compile>) => ({
      grammar: GRAMMAR,
      ...JSON.parse(JSON.stringify(result)),
    })
    const hash = (result: ReturnType<typeof compile>) => hashOf('lane/test/compiled/v1', body(result))
    for (const [schema, reply] of fc.sample(cases, { numRuns: 10_000, seed: 56 })) {
      const first = hash(compile(schema, reply))
      expect(hash(compile(structuredClone(schema), reply))).toBe(first)
      expect(hash(elsewhere(schema, reply))).toBe(first)
    }
  })
})
