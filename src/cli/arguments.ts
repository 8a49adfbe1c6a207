// Reads one command's words. Node's own parser does the work; here its complaints become sentences, and the number
// of plain words is checked.
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from './nearest.js'

type Options = NonNullable<ParseArgsConfig['options']>
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; strict: true }>
>
type Read<O extends Options> =
  | { readonly ok: true; readonly values: Parsed<O>['values']; readonly words: readonly string[] }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** `names` are the plain words in order; one that ends in `?` may be left out. */
export function readArguments<const O extends Options>(
  args: readonly string[],
  options: O,
  names: readonly string[] = [],
): Read<O> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    })
    const flaws = flawsOfWords(positionals, names)
    return flaws.length > 0 ? { ok: false, flaws } : { ok: true, values, words: positionals }
  } catch (error) {
    if (!isComplaint(error)) throw error
    return { ok: false, flaws: [sentenceOf(error, args, Object.keys(options))] }
  }
}

function flawsOfWords(words: readonly string[], names: readonly string[]): string[] {
  const missing = names.slice(words.length).filter(name => !name.endsWith('?'))
  const surplus = words.slice(names.length)
  return [
    ...missing.map(name => `${name} is missing`),
    ...surplus.map(word => `"${word}" is one word too many; put a text of several words in quotes`),
  ]
}

type Complaint = Error & { readonly code: string }
const isComplaint = (error: unknown): error is Complaint =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')

function sentenceOf(complaint: Complaint, args: readonly string[], known: readonly string[]): string {
  if (complaint.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return complaint.message.replaceAll('\n', ' ')
  const name = args
    .map(arg => /^--?([^=]+)/.exec(arg)?.[1])
    .find(arg => arg !== undefined && !known.includes(arg))
  const meant = nearest(name ?? '', known)
  return meant === null
    ? `there is no option --${name}`
    : `there is no option --${name}; did you mean --${meant}?`
}
