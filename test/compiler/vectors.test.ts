// The compiler against the published vector files: every line, both directions.
import { describe, expect, it } from 'vitest'
import { compile, compilerOf } from '../../src/compiler/compile.js'
import { judge } from './oracle.js'
import { allVectors, KINDS, vectorFiles, vectorsOf } from './vector-files.js'
import { verdictOf } from './verdict.js'

const CLAIMS = {
  yes_no: '[LANE-022] a yes/no schema compiles yes and no and nothing else',
  choice: '[LANE-023] a choice schema compiles exactly its letters and values and refuses others',
  multi_choice: 'a multi_choice schema compiles lists of its own options, each once, as many as asked for',
  text: '[LANE-054] markup, controls, bidi and zero-width characters do not survive into a text payload',
  number:
    '[LANE-025] a number schema compiles its bounds and refuses outside, NaN, exponents and other units',
  reason:
    'a reason is taken behind NO alone, or from a field of its own: YES with words behind it is no answer',
  form: 'a form compiles lines of its own decisions, each once, all of a reply or none',
  date: 'a date schema compiles days of the calendar and instants with an offset, within its bounds',
} as const

describe.each(KINDS)('test/vectors/compiler/%s.txt', kind => {
  it(CLAIMS[kind], () => {
    for (const { name, schema, reply, fields, expected } of vectorsOf(kind)) {
      expect(verdictOf(compile(schema, reply, fields)), name).toEqual(expected)
    }
  })

  it('holds lines of both directions', () => {
    const accepts = vectorsOf(kind).filter(vector => vector.expected.ok).length
    expect(accepts).toBeGreaterThan(15)
    expect(vectorsOf(kind).length - accepts).toBeGreaterThan(50)
  })
})

it('every vector agrees with the oracle, so the page, the vectors and the code say the same', () => {
  for (const { name, schema, reply, fields, expected } of allVectors()) {
    expect(judge(schema, reply, fields), name).toEqual(expected)
  }
})

it('every vector of grammar 1 reads the same by both grammars', () => {
  const [first, second] = [compilerOf('1'), compilerOf('2')]
  for (const { name, schema, reply, expected } of KINDS.slice(0, 6).flatMap(vectorsOf)) {
    for (const one of [first, second]) expect(one && verdictOf(one(schema, reply)), name).toEqual(expected)
  }
})

it('no vector file is left unread', () => {
  expect(vectorFiles()).toEqual([...KINDS.map(kind => `${kind}.txt`), 'text-allowed.txt'].sort())
})
