// Where a compiler and what is expected of it part: the measure that vectors, oracle and mutants share.
import { canonical } from '../../src/canonical.js'
import { judge } from './oracle.js'
import type { Compile } from './realm.js'
import { replyFrom, schemaFrom, seeded } from './samples.js'
import { allVectors, type Expected } from './vector-files.js'

/** A result without the words around it. It also brings values of another realm home. */
export function verdictOf(result: ReturnType<Compile>): Expected {
  return JSON.parse(
    JSON.stringify(result.ok ? { ok: true, answer: result.answer } : { ok: false, reason: result.reason }),
  )
}

const parts = (compile: Compile, expected: Expected, ...said: Parameters<Compile>): boolean => {
  try {
    return canonical(verdictOf(compile(...said))) !== canonical(expected)
  } catch {
    return true
  }
}

/** The names of the vectors this compiler gets wrong. */
export const wrongVectors = (compile: Compile): string[] =>
  allVectors()
    .filter(({ schema, reply, expected }) => parts(compile, expected, schema, reply))
    .map(vector => vector.name)

/** The generated replies on which this compiler and the oracle part, as JSON. */
export function wrongSamples(compile: Compile, seed: number, count: number): string[] {
  const pick = seeded(seed)
  const wrong: string[] = []
  for (let tried = 0; tried < count; tried += 1) {
    const schema = schemaFrom(pick)
    const reply = replyFrom(schema, pick)
    if (parts(compile, judge(schema, reply), schema, reply)) wrong.push(JSON.stringify({ schema, reply }))
  }
  return wrong
}
