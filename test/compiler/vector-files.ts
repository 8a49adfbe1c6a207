// Reads the vector files, in the format that docs/spec/reply-grammar.md gives under "Vector files".
import { readdirSync, readFileSync } from 'node:fs'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'

export type Vector = {
  readonly name: string
  readonly schema: ReplySchema
  readonly reply: string
  /** What came beside the reply. */
  readonly fields: Readonly<Record<string, string>>
  readonly expected: Expected
}
export type Expected =
  | {
      readonly ok: true
      readonly answer: { parsed_choice: unknown; parsed_payload: unknown }
      readonly remarks?: readonly { readonly about: string | null; readonly words: string }[]
    }
  | { readonly ok: false; readonly reason: string }

const FOLDER = new URL('../vectors/compiler/', import.meta.url)
export const KINDS = ['yes_no', 'choice', 'multi_choice', 'text', 'number', 'date', 'reason', 'form'] as const
export type Kind = (typeof KINDS)[number]

const LINE = /^(accept|refuse) (?:repeat (\d+) )?(".*?")(?: with (\{.*\}))? => (.+?)(?: because (\{.*\}))?$/

export function vectorsOf(kind: Kind): Vector[] {
  const vectors: Vector[] = []
  let schema: ReplySchema | undefined
  for (const [index, line] of linesOf(`${kind}.txt`).entries()) {
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('schema ')) {
      schema = JSON.parse(line.slice('schema '.length))
      continue
    }
    const [, verdict, times, quoted, beside, result, because] = LINE.exec(line) ?? []
    if (!schema || !quoted || !result)
      throw new SyntaxError(`${kind}.txt:${index + 1}: not a vector: ${line}`)
    const reply = (JSON.parse(quoted) as string).repeat(Number(times ?? 1))
    const fields = JSON.parse(beside ?? '{}')
    const expected =
      verdict === 'accept'
        ? { ...accepted(result), ...(because && { remarks: remarksIn(because) }) }
        : { ok: false as const, reason: result }
    vectors.push({ name: `${kind}.txt:${index + 1} ${line.slice(0, 100)}`, schema, reply, fields, expected })
  }
  return vectors
}

export const allVectors = (): Vector[] => KINDS.flatMap(vectorsOf)

function accepted(json: string): Expected {
  const value = JSON.parse(json)
  const isChoice = typeof value === 'string'
  return {
    ok: true,
    answer: { parsed_choice: isChoice ? value : null, parsed_payload: isChoice ? null : value },
  }
}

/** By the decision they explain; under "" where the request is one decision. */
const remarksIn = (json: string) =>
  Object.entries<string>(JSON.parse(json)).map(([about, words]) => ({ about: about || null, words }))

export const linesOf = (file: string): string[] => readFileSync(new URL(file, FOLDER), 'utf8').split('\n')

export const vectorFiles = (): string[] => readdirSync(FOLDER).sort()
