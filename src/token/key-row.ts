// One key as it is kept: its secret part wrapped under the installation's secret, for its own name and purpose alone.
import { randomBytes } from 'node:crypto'
import type { SealKey } from '../ledger/contract.js'
import type { KeyRow } from '../ledger/shelf.js'
import { encode } from './crockford.js'
import { macUnder } from './mac.js'
import { type Secret, unwrap, wrap } from './wrap.js'

/** The label under which signing keys were wrapped before keys had purposes. Nobody without the
 *  secret can wrap one so. */
const FORMER_LABEL = 'signing-key'
const KEY_BYTES = 32
const NONCE_BYTES = 12
/** 40 bits tell a few keys apart; 8 characters. */
const KID_BYTES = 5
const KID_CHARACTERS = 8

type Wrapped = Pick<KeyRow, 'kid' | 'purpose' | 'wrapped'>

export class KeyringSealed extends Error {
  override readonly name = 'KeyringSealed'
}

/** The label keeps another key's bytes from opening in a row's place. */
const labelOf = ({ kid, purpose }: Pick<KeyRow, 'kid' | 'purpose'>): string => `key/${purpose}/${kid}`

export function rowOf(
  about: Pick<KeyRow, 'kid' | 'purpose' | 'public_jwk' | 'not_before'>,
  secret: Secret,
  plain: Uint8Array,
): KeyRow {
  const wrapped = wrap(secret, labelOf(about), plain, randomBytes(NONCE_BYTES))
  return { ...about, wrapped, verify_until: null, renewed_at: null }
}

/** A key that never leaves the lane: random, and of no use but to make and compare. */
export function makeShared(purpose: KeyRow['purpose'], secret: Secret, now: number): KeyRow {
  const kid = encode(randomBytes(KID_BYTES), KID_CHARACTERS)
  return rowOf({ kid, purpose, public_jwk: null, not_before: now }, secret, randomBytes(KEY_BYTES))
}

export function openShared(row: Wrapped, secret: Secret): SealKey {
  return { kid: row.kid, mac: macUnder(openRow(row, secret)) }
}

export function openRow(row: Wrapped, secret: Secret): Buffer {
  const plain = unwrapped(row, secret)
  if (plain !== null) return plain
  throw new KeyringSealed(
    `the key of purpose ${row.purpose} does not open with this secret: put back the data/secret or LANE_SECRET it was wrapped under`,
  )
}

/** Whether this secret is the one a key is wrapped under. */
export const opens = (row: Wrapped, secret: Secret): boolean => unwrapped(row, secret) !== null

/** Whether a lane from before there were seals wrapped it. */
export const isFormer = ({ wrapped }: Wrapped, secret: Secret): boolean =>
  unwrap(secret, FORMER_LABEL, wrapped) !== null

/** The same key under this secret, by its name and purpose. */
export function rewrapped(row: KeyRow, from: Secret, to: Secret): KeyRow {
  const { verify_until, renewed_at } = row
  const plain = unwrap(from, FORMER_LABEL, row.wrapped) ?? openRow(row, from)
  return { ...rowOf(row, to, plain), verify_until, renewed_at }
}

function unwrapped(row: Wrapped, secret: Secret): Buffer | null {
  const plain = unwrap(secret, labelOf(row), row.wrapped)
  return plain && Buffer.from(plain)
}
