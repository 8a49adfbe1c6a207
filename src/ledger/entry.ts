// One entry's bytes. An entry is stored, exported and hashed as the same RFC 8785 text; its hash covers that text
// without the hash member, so a reader can check it with any JSON library and SHA-256.
import { canonical, type Hash, sha256 } from '../canonical.js'
import type { Draft, Entry } from '../event.js'
import { NEWEST_RULES } from '../rules.js'
import { flawOfBody } from './plain.js'
import { leafOf, type TreeHash } from './tree/hash.js'

const DOMAIN = 'lane/entry/v1\n'
export const GENESIS: Hash = `sha256:${'0'.repeat(64)}`

/** The end of the ledger: how many entries it has, and the hash of the last. */
export type Head = { readonly size: number; readonly hash: Hash }

type Place = { readonly seq: number; readonly at: string; readonly prev: Hash }

export type Inscribed = { readonly entry: Entry; readonly line: string; readonly leaf: TreeHash }

/** Gives a draft its place. RFC 8785 sorts members by name: at, body, hash, prev, request_id, run_id, seq, type, v. */
export function inscribe(draft: Draft, place: Place): Inscribed {
  const flaw = flawOfBody(draft.type, draft.body, NEWEST_RULES)
  if (flaw !== null) throw new TypeError(`an entry must fit its schema: ${flaw}`)
  const before = `{"at":"${place.at}","body":${canonical(draft.body)},`
  const request = draft.request_id === undefined ? '' : `"request_id":${JSON.stringify(draft.request_id)},`
  const run = draft.run_id === undefined ? '' : `"run_id":${JSON.stringify(draft.run_id)},`
  const after = `"prev":"${place.prev}",${request}${run}"seq":${place.seq},"type":"${draft.type}","v":1}`
  const said = DOMAIN + before + after
  const hash = sha256(said)
  // Hashing has put the pieces of the text into one; the line and the leaf are cut from it, and not put together anew.
  const words = said.slice(DOMAIN.length)
  const line = `${words.slice(0, before.length)}"hash":"${hash}",${words.slice(before.length)}`
  return { entry: { v: 1, ...place, ...draft, hash }, line, leaf: leafOf(words) }
}

/** Reads back what `inscribe` wrote. Seals vouch for a store's own bytes; foreign ones go through `verify`. */
export const parseEntry = (line: string): Entry => JSON.parse(line) as Entry

/** The hash of a line without its hash member; null where that is not in its place. Only the entry's own hash member
 *  has `prev` after it and no member of an object beyond. */
export function hashOfLine(line: string, hash: Hash): Hash | null {
  const member = `"hash":"${hash}",`
  const at = line.lastIndexOf(`${member}"prev":"`)
  return at < 0 ? null : sha256(DOMAIN, line.slice(0, at), line.slice(at + member.length))
}

/** As long as the hash member with its comma is in every line. */
const HASH_MEMBER = '"hash":"sha256:",'.length + 64

/** The text of an entry that its hash and its leaf are made of: the line without its hash member, or as it stands where
 *  that is not in its place: a line that is no entry's has a leaf too, which no lane has made. */
export function wordsOfLine(line: string): string {
  const prev = line.lastIndexOf('"prev":"')
  const at = prev - HASH_MEMBER
  const isThere = at > 0 && line.startsWith('"hash":"sha256:', at)
  return isThere ? line.slice(0, at) + line.slice(prev) : line
}

/** The leaf of a line. */
export const leafOfLine = (line: string): TreeHash => leafOf(wordsOfLine(line))
