// The letters under test/vectors/email: two lines with its description and the expected reading, a blank line, and
// then the message, byte for byte.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../vectors/email/', import.meta.url)

export type Expected =
  | { readonly kind: 'says'; readonly schema: 'yes_no' | 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly schema: 'yes_no' | 'text' }
  | { readonly kind: 'automated' }

export type Vector = {
  readonly name: string
  readonly about: string
  readonly expected: Expected
  readonly bytes: Buffer
}

export const VECTORS: readonly Vector[] = readdirSync(FOLDER)
  .filter(file => file.endsWith('.txt'))
  .sort()
  .map(file => readVector(file.slice(0, -4), readFileSync(fileURLToPath(new URL(file, FOLDER)))))

function readVector(name: string, file: Buffer): Vector {
  const end = file.indexOf('\n\n')
  const [about = '', expected = ''] = file
    .toString('utf8', 0, end)
    .split('\n')
    .map(line => line.slice(2))
  return { name, about, expected: readExpected(name, expected), bytes: file.subarray(end + 2) }
}

function readExpected(name: string, line: string): Expected {
  const [, schema, word, text] = /^(text )?(says|refused|automated)(?: (".*"))?$/.exec(line) ?? []
  const kind = schema === undefined ? 'yes_no' : 'text'
  if (word === 'automated') return { kind: 'automated' }
  if (word === 'refused') return { kind: 'refused', schema: kind }
  if (word === 'says' && text !== undefined)
    return { kind: 'says', schema: kind, text: JSON.parse(text) as string }
  throw new Error(`${name}: cannot read what is expected`)
}
