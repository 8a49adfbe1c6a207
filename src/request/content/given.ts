// Contents that come with a request: the texts of handles it names. Each is what its handle says, or the whole is refused.
import { z } from 'zod'
import { type Hash, sha256 } from '../../canonical.js'
import { FIXED_HANDLE, FIXED_HANDLE_WORDS } from '../handle.js'
import { type FieldError, fieldError, valueAt } from '../refusal.js'

/** A page of a book has two thousand characters; nobody judges more than a few dozen of them. */
const MAX_BYTES = 64 * 1024
const MAX_BYTES_TOGETHER = 256 * 1024
const MAX_CONTENTS = 20

const TEXT_WORDS = `a text without U+0000, at most ${MAX_BYTES} bytes in UTF-8`
const CONTENTS_WORDS = `at most ${MAX_CONTENTS} texts by their handles, each ${FIXED_HANDLE_WORDS}; together at most ${MAX_BYTES_TOGETHER} bytes`
const NAMED_WORDS = 'the handle of a content that the request names'
const SAME_WORDS = 'the text of which this handle is the SHA-256'

const isText = (text: string): boolean => !text.includes('\0') && Buffer.byteLength(text) <= MAX_BYTES

const isTogether = (contents: Readonly<Record<string, string>>): boolean => {
  const texts = Object.values(contents)
  return (
    texts.length <= MAX_CONTENTS &&
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= MAX_BYTES_TOGETHER
  )
}

/** The part of the rules that a schema can tell. */
export const contents = z
  .record(
    z.string().regex(FIXED_HANDLE, { error: FIXED_HANDLE_WORDS }),
    z.string({ error: TEXT_WORDS }).refine(isText, { error: TEXT_WORDS }).meta({ maxLength: MAX_BYTES }),
    { error: CONTENTS_WORDS },
  )
  .refine(isTogether, { error: CONTENTS_WORDS })
  .meta({ maxProperties: MAX_CONTENTS })

/** The same, without words for what is wrong (../plain.ts). */
export function areContents(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  for (const handle in value) {
    const text = (value as Record<string, unknown>)[handle]
    if (!FIXED_HANDLE.test(handle) || typeof text !== 'string' || !isText(text)) return false
  }
  return isTogether(value as Record<string, string>)
}

/** Whether each is named by the request, and hashes to its handle. */
export function unfitContents(body: unknown): FieldError[] {
  const given = valueAt(body, ['contents'])
  if (typeof given !== 'object' || given === null) return []
  const named = new Set(namedBy(valueAt(body, ['request'])))
  return Object.entries(given).flatMap(([handle, text]) => {
    const path = ['contents', handle]
    if (!named.has(handle)) return [fieldError(body, path, NAMED_WORDS)]
    return typeof text === 'string' && sha256(text) !== handle ? [fieldError(body, path, SAME_WORDS)] : []
  })
}

function namedBy(request: unknown): readonly unknown[] {
  const lists = ['context_handles', 'target_handles'].map(name => valueAt(request, [name]))
  const parameters = valueAt(request, ['parameters'])
  return [
    ...lists.flatMap(list => (Array.isArray(list) ? list : [])),
    ...(typeof parameters === 'object' && parameters !== null ? Object.values(parameters) : []),
  ]
}

/** The bytes of these texts, cut from one piece: each in a buffer of its own would cost twice as much, and once more when
 *  they are collected. */
export function bytesOf(texts: Readonly<Record<Hash, string>>): ReadonlyMap<Hash, Uint8Array> {
  const entries = Object.entries(texts) as [Hash, string][]
  const all = Buffer.allocUnsafeSlow(entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0))
  const held = new Map<Hash, Uint8Array>()
  let at = 0
  for (const [handle, text] of entries) {
    const from = at
    at += all.write(text, from)
    held.set(handle, all.subarray(from, at))
  }
  return held
}
