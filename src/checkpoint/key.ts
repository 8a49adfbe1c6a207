// The keys that sign checkpoints: rows of the keyring, of a purpose of their own. What is public of one is its verifier
// key, which names the log as well. None is ever taken off the list: a checkpoint of years ago can still be checked.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import type { KeyRow } from '../ledger/shelf.js'
import { openRow, rowOf } from '../token/key-row.js'
import type { Secret } from '../token/wrap.js'
import { type Check, keyOf, readVkey, type Signature, type VerifierKey, writeVkey } from './note.js'

export const PURPOSE = 'checkpoint'

/** Ed25519 keys as SubjectPublicKeyInfo begin so; the 32 bytes of the key follow. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

export function makeLogKey(origin: string, secret: Secret, now: number): KeyRow {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = keyOf(origin, publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length))
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' })
  const public_jwk = JSON.stringify({ vkey: writeVkey(key) })
  return rowOf({ kid: key.id, purpose: PURPOSE, public_jwk, not_before: now }, secret, plain)
}

/** The verifier keys of the log, in the order in which they were made. */
export const logKeysIn = (rows: readonly KeyRow[]): readonly VerifierKey[] =>
  logRowsIn(rows).flatMap(row => verifierOf(row) ?? [])

export const logRowsIn = (rows: readonly KeyRow[]): readonly KeyRow[] =>
  rows
    .filter(({ purpose }) => purpose === PURPOSE)
    .toSorted((a, b) => a.not_before - b.not_before || (a.verify_until ?? LAST) - (b.verify_until ?? LAST))

/** The key that signs comes last, also after one that was made in the same millisecond. */
const LAST = Number.MAX_SAFE_INTEGER

/** Null for a row that is none of ours. */
export function verifierOf({ public_jwk }: KeyRow): VerifierKey | null {
  const { vkey } = JSON.parse(public_jwk ?? '{}') as { vkey?: unknown }
  return typeof vkey === 'string' ? readVkey(vkey) : null
}

export type LogKey = { readonly key: VerifierKey; sign(text: string): Signature }

export function openLogKey(row: KeyRow, secret: Secret): LogKey {
  const key = verifierOf(row)
  if (key === null) throw new Error(`the key ${row.kid} has no verifier key`)
  const opened: KeyObject = createPrivateKey({ key: openRow(row, secret), format: 'der', type: 'pkcs8' })
  const { name, id } = key
  return { key, sign: text => ({ name, id, signature: sign(null, Buffer.from(text), opened) }) }
}

export const checkEd25519: Check = (publicKey, text, signature) =>
  verify(null, text, { key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' }, signature)
