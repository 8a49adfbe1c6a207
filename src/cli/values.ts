// `--value` and `--file`: a content as it is given or as it stands in a file, from which its handle is made.

import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { reasonOf } from '../say.js'

export const VALUE_OPTIONS = {
  value: { type: 'string', multiple: true },
  file: { type: 'string', multiple: true },
} as const

export type ValueOptions = {
  readonly value?: string[] | undefined
  readonly file?: string[] | undefined
}

/** What the lane takes beside a request; the lane itself says more about the whole. */
const MAX_BYTES = 64 * 1024

/** `k=TEXT` and `k=PATH`, by their names. */
export function readNamedValues(
  { value = [], file = [] }: ValueOptions,
  flaws: string[],
): Map<string, string> {
  const named = new Map<string, string>()
  const put = (option: string, given: string, read: (rest: string) => string | null): void => {
    const at = given.indexOf('=')
    const name = given.slice(0, at)
    if (at < 1)
      return void flaws.push(`--${option} takes k=${option === 'file' ? 'PATH' : 'TEXT'}; read "${given}"`)
    if (named.has(name)) return void flaws.push(`${name} is given twice`)
    const text = read(given.slice(at + 1))
    if (text !== null) named.set(name, text)
  }
  for (const given of value) put('value', given, text => text)
  for (const given of file) put('file', given, path => readText(path, flaws))
  return named
}

/** The same without names, for what is looked at beside a question or a review. */
export const readValues = ({ value = [], file = [] }: ValueOptions, flaws: string[]): readonly string[] => [
  ...value,
  ...file.flatMap(path => readText(path, flaws) ?? []),
]

function readText(path: string, flaws: string[]): string | null {
  try {
    const { size } = statSync(path)
    const bytes = size <= MAX_BYTES ? readFileSync(path) : null
    if (bytes === null)
      flaws.push(`--file ${path}: ${size} bytes are more than the ${MAX_BYTES} that people are shown`)
    else if (!isUtf8(bytes) || bytes.includes(0)) flaws.push(`--file ${path}: it is no text in UTF-8`)
    else return bytes.toString('utf8')
  } catch (error) {
    flaws.push(`--file ${path}: it cannot be read (${reasonOf(error)})`)
  }
  return null
}
