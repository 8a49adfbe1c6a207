// A decision proof, as a file: one JSON object in the one spelling of RFC 8785, and one line's end.
import { canonical } from '../canonical.js'
import { type Evidence, isEvidence } from '../passkey/evidence.js'
import type { AnyEntry } from './parts.js'

export const FORMAT = 'lane/proof/v1'
/** No story is so long; what is longer is not read. */
const LONGEST = 16 * 1024 * 1024

type Carried = { readonly entry: AnyEntry; readonly path: readonly string[] }
/** The assertion by which a passkey confirmed a reply, and the entry that says whose it is. */
export type CarriedEvidence = {
  readonly reply_id: string
  readonly evidence: Evidence
  readonly registered: Carried
}

export type Proof = {
  readonly format: typeof FORMAT
  readonly request_id: string
  readonly checkpoint: string
  readonly story: string
  readonly entries: readonly Carried[]
  readonly displays: readonly unknown[]
  /** One for each REPLY_EVIDENCE, in their order; absent where there is none. */
  readonly evidence?: readonly CarriedEvidence[]
  readonly contents?: {
    readonly words: readonly { readonly hash: string; readonly salt: string; readonly text: string }[]
    readonly handles: Readonly<Record<string, string>>
  }
}

export const writeProof = (proof: Proof): string => `${canonical(proof)}\n`

/** Null for a file that is no proof. */
export function readProof(bytes: Uint8Array): Proof | null {
  if (bytes.length > LONGEST) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    return `${canonical(value)}\n` === text && isProof(value) ? value : null
  } catch {
    return null
  }
}

const MEMBERS = ['checkpoint', 'displays', 'entries', 'format', 'request_id', 'story']
const ENTRY_MEMBERS = ['at', 'body', 'hash', 'prev', 'request_id', 'run_id', 'seq', 'type', 'v']

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown, is: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(is)
const hasOnly = (value: object, names: readonly string[]): boolean =>
  Object.keys(value).every(name => names.includes(name))

function isProof(value: unknown): value is Proof {
  if (!isObject(value) || !hasOnly(value, [...MEMBERS, 'contents', 'evidence'])) return false
  const { format, request_id, checkpoint, story, entries, displays, contents, evidence } = value
  if (format !== FORMAT || ![request_id, checkpoint, story].every(isText)) return false
  if (!isList(displays, () => true) || !isList(entries, item => isCarried(item, request_id as string)))
    return false
  const seqs = (entries as Proof['entries']).map(({ entry }) => entry.seq)
  if (seqs.length === 0 || seqs.some((seq, index) => index > 0 && seq <= (seqs[index - 1] ?? 0))) return false
  if (evidence !== undefined && (!isList(evidence, isCarriedEvidence) || (evidence as []).length === 0))
    return false
  return contents === undefined || isContents(contents)
}

/** The entry belongs to no request. */
const isCarriedEvidence = (item: unknown): boolean =>
  isObject(item) &&
  hasOnly(item, ['evidence', 'registered', 'reply_id']) &&
  isText(item.reply_id) &&
  isEvidence(item.evidence) &&
  isCarried(item.registered, undefined)

function isCarried(item: unknown, requestId: string | undefined): boolean {
  if (!isObject(item) || !hasOnly(item, ['entry', 'path']) || !isList(item.path, isText)) return false
  const { entry } = item
  if (!isObject(entry) || !hasOnly(entry, ENTRY_MEMBERS)) return false
  const { v, seq, type, at, prev, hash, body, request_id, run_id } = entry
  return (
    v === 1 &&
    Number.isSafeInteger(seq) &&
    (seq as number) >= 0 &&
    [type, at, prev, hash].every(isText) &&
    isObject(body) &&
    request_id === requestId &&
    (run_id === undefined || (requestId !== undefined && isText(run_id)))
  )
}

function isContents(contents: unknown): boolean {
  if (!isObject(contents) || !hasOnly(contents, ['words', 'handles'])) return false
  const { words, handles } = contents
  const isWord = (word: unknown): boolean =>
    isObject(word) &&
    hasOnly(word, ['hash', 'salt', 'text']) &&
    [word.hash, word.salt, word.text].every(isText)
  return isList(words, isWord) && isObject(handles) && Object.values(handles).every(isText)
}
