// What was last seen of a log, kept beside its file (`FILE.lane`): how many entries, and a hash over all of them. An entry
// that stood there and changed, or is gone, is noticed by it.
//
// AX1  The hash is a chain over the entries' canonical form: a file that is laid out anew has the same, and a longer log
//      needs only its new entries hashed.
// AX2  Where the bytes up to the last seen entry are the same, and the list begins in them, so are the entries; then nothing
//      else is hashed. A list that begins behind them is another one, whatever stands before it.
import { canonical, type Hash, sha256 } from '../../canonical.js'
import { isFields } from '../fields.js'
import type { Entry } from './entry.js'
import type { Log } from './log.js'

export type Seen = {
  /** The log's own name, by which its requests are told from those of any other. */
  readonly log: string
  /** Entries, and the chain over them. */
  readonly length: number
  readonly sha256: Hash
  /** The bytes up to the last of them. */
  readonly bytes: number
  readonly bytes_sha256: Hash
  /** Requests that were opened and not yet told here, by the entry they are about. */
  readonly asked: Readonly<Record<string, string>>
}

const DOMAIN = 'lane/ahil/v1\n'
const START: Hash = sha256(DOMAIN)
const HASH = /^sha256:[0-9a-f]{64}$/
const LOG = /^[0-9a-f]{32}$/

/** Null if the text is none of ours. */
export function readSeen(text: string): Seen | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isFields(value) || !isFields(value.asked)) return null
  const { log, length, sha256: chain, bytes, bytes_sha256, asked } = value
  const isWhole =
    LOG.test(String(log)) &&
    [length, bytes].every(one => Number.isSafeInteger(one) && Number(one) >= 0) &&
    [chain, bytes_sha256].every(one => HASH.test(String(one))) &&
    Object.values(asked).every(one => typeof one === 'string')
  return isWhole ? (value as unknown as Seen) : null
}

export const spellSeen = (seen: Seen): string => `${JSON.stringify(seen, null, 2)}\n`

export const unseen = (log: string): Seen => ({
  log,
  length: 0,
  sha256: START,
  bytes: 0,
  bytes_sha256: sha256(''),
  asked: {},
})

/** Whether the log begins with what was seen. */
export function isKnownPrefix({ entries, bytes, place }: Log, seen: Seen): boolean {
  if (entries.length < seen.length) return false
  if (place.open <= seen.bytes && sha256(bytes.subarray(0, seen.bytes)) === seen.bytes_sha256) return true
  return chainOver(entries, seen.length) === seen.sha256
}

/** The same, grown to the whole of a log that begins with it. `asked` is as the caller says. */
export function seenOf(
  { entries, bytes, place }: Pick<Log, 'entries' | 'bytes' | 'place'>,
  before: Seen,
  asked: Seen['asked'],
): Seen {
  return {
    log: before.log,
    length: entries.length,
    sha256: chainOver(entries, entries.length, before),
    bytes: place.last,
    bytes_sha256: sha256(bytes.subarray(0, place.last)),
    asked,
  }
}

function chainOver(
  entries: readonly Entry[],
  length: number,
  from: Pick<Seen, 'length' | 'sha256'> = { length: 0, sha256: START },
): Hash {
  let chain = from.sha256
  for (let at = from.length; at < length; at++) chain = sha256(DOMAIN, chain, canonical(entries[at]))
  return chain
}
