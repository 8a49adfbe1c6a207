// Contents that come with a request: the texts of handles it names. Each is what its handle says, or the whole is refused.

import { z } from 'zod'
import { type Hash, sha256 } from '../../canonical.js'
import { Memo } from '../../memo.js'
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

/** A UTF-16 unit is at most this many bytes of UTF-8. */
const BYTES_PER_UNIT = 3

/** The same, without words for what is wrong (../plain.ts), and without counting the bytes of short texts. */
export function areContents(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  let [texts, units] = [0, 0]
  for (const handle in value) {
    const text = (value as Record<string, unknown>)[handle]
    if (!FIXED_HANDLE.test(handle) || typeof text !== 'string' || text.includes('\0')) return false
    if (text.length * BYTES_PER_UNIT > MAX_BYTES && !isText(text)) return false
    texts += 1
    units += text.length
  }
  if (units * BYTES_PER_UNIT > MAX_BYTES_TOGETHER) return isTogether(value as Record<string, string>)
  return texts <= MAX_CONTENTS
}

/** Whether each is named by the request, and hashes to its handle. Of more than there may be, or of what are no texts, the
 *  shape says enough. */
export function unfitContents(body: unknown): FieldError[] {
  const given = valueAt(body, ['contents'])
  if (!areTexts(given)) return []
  const named = new Set(namedBy(valueAt(body, ['request'])))
  const errors: FieldError[] = []
  for (const [handle, bytes] of bytesOf(given)) {
    const path = ['contents', handle]
    if (!named.has(handle)) errors.push(fieldError(body, path, NAMED_WORDS))
    else if (sha256(bytes) !== handle) errors.push(fieldError(body, path, SAME_WORDS))
  }
  return errors
}

function areTexts(given: unknown): given is Record<Hash, string> {
  if (typeof given !== 'object' || given === null) return false
  const texts: readonly unknown[] = Object.values(given)
  return texts.length <= MAX_CONTENTS && texts.every(text => typeof text === 'string')
}

function namedBy(request: unknown): readonly unknown[] {
  const lists = ['context_handles', 'target_handles'].map(name => valueAt(request, [name]))
  const parameters = valueAt(request, ['parameters'])
  return [
    ...lists.flatMap(list => (Array.isArray(list) ? list : [])),
    ...(typeof parameters === 'object' && parameters !== null ? Object.values(parameters) : []),
  ]
}

/** By the texts that were given, which live as long as their submission and are not changed meanwhile. */
const made = new Memo<object, ReadonlyMap<Hash, Uint8Array>>()

/** The bytes of these texts, made once and cut from one piece: each in a buffer of its own would cost twice as much, and
 *  once more when they are collected. */
export function bytesOf(texts: Readonly<Record<Hash, string>>): ReadonlyMap<Hash, Uint8Array> {
  const known = made.get(texts)
  if (known !== undefined) return known
  const entries = Object.entries(texts) as [Hash, string][]
  const all = Buffer.allocUnsafeSlow(entries.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0))
  const held = new Map<Hash, Uint8Array>()
  let at = 0
  for (const [handle, text] of entries) {
    const from = at
    at += all.write(text, from)
    held.set(handle, all.subarray(from, at))
  }
  made.set(texts, held)
  return held
}
