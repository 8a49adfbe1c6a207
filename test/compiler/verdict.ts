// The difference between a compiler's verdict and the expected one, as vectors, oracle and mutants measure it.
import { isDeepStrictEqual } from 'node:util'
import { judge } from './oracle.js'
import type { Compile } from './realm.js'
import { fieldsFrom, replyFrom, schemaFrom, seeded } from './samples.js'
import type { Expected, Vector } from './vector-files.js'

/** A result without the words around it. It also brings values of another realm home. */
export function verdictOf(result: ReturnType<Compile>): Expected {
  const verdict = result.ok
    ? { ok: true, answer: result.answer, ...(result.remarks && { remarks: result.remarks }) }
    : { ok: false, reason: result.reason }
  return JSON.parse(JSON.stringify(verdict))
}

type Case = Pick<Vector, 'name' | 'schema' | 'reply' | 'fields' | 'expected'>

/** The names of the cases this compiler gets wrong; to throw is to be wrong. */
export const wrong = (compile: Compile, cases: readonly Case[]): string[] =>
  cases.filter(it => !agrees(compile, it)).map(it => it.name)

function agrees(compile: Compile, { schema, reply, fields, expected }: Case): boolean {
  try {
    return isDeepStrictEqual(verdictOf(compile(schema, reply, fields)), expected)
  } catch {
    return false
  }
}

/** Generated replies with what the oracle says of them. */
export function sampled(seed: number, count: number): Case[] {
  const pick = seeded(seed)
  return Array.from({ length: count }, () => {
    const schema = schemaFrom(pick)
    const reply = replyFrom(schema, pick)
    const fields = fieldsFrom(schema, pick)
    const name = JSON.stringify({ schema, reply, fields })
    return { name, schema, reply, fields, expected: judge(schema, reply, fields) }
  })
}
