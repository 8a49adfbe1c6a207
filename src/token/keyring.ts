// The lane's keys, each with its name and its purpose, wrapped at rest under the installation's one secret.
//
// Signing keys are Ed25519, named by thumbprint. One signs; rotated ones verify until the last token they can have
// signed has expired, and are refused afterwards. The others are 32 random bytes that never leave the lane: the lane
// alone can make their results again and compare them. Keys are opened once, never per call.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import type { SealKey } from '../ledger/contract.js'
import type { KeyRow, Purpose, Shelf } from '../ledger/shelf.js'
import { makeShared, openRow, openShared, opens, rowOf } from './key-row.js'
import { Lately } from './lately.js'
import type { Mac } from './mac.js'
import type { Secret } from './wrap.js'

const ALG = 'EdDSA'
const SIGNS: Purpose = 'reply-token'
const ARTIFACTS: Purpose = 'artifact'
/** The longest a reply token may live: the longest deadline. */
const LONGEST_TOKEN_MS = 2_592_000_000

const SHARED = ['seal', 'code', 'message-id', 'csrf'] as const satisfies readonly Purpose[]

type Held = {
  readonly kid: string
  readonly purpose: Purpose
  readonly jwk: JWK
  readonly verifier: KeyObject
  readonly verify_until: number | null
}

/** A key that signs artifacts. It stays on the list when another takes its place: what it signed may be read for years. */
export type ArtifactKey = { readonly kid: string; readonly key: KeyObject; readonly not_before: number }

export type Keyring = {
  readonly signing: { readonly kid: string; readonly key: KeyObject; readonly lately: Lately }
  /** Null for a key that was never ours or whose time is over. A promise if others rotate and it
   *  must be looked up. */
  verifier(kid: string, now: number): KeyObject | null | Promise<KeyObject | null>
  jwks(now: number): { readonly keys: readonly JWK[] }
  /** Those that were not revoked, the oldest first; empty before the first is needed. */
  readonly artifacts: readonly ArtifactKey[]
  /** For stored codes: a reader of the database cannot search for them. */
  readonly code: Mac
  /** For the names of sent mails: they cannot be guessed. */
  readonly messageId: Mac
  /** For the forms of the reply page: only this lane can have drawn them. */
  readonly csrf: Mac
}

/** Null before there is a key that signs. */
export async function openKeyring(shelf: Shelf, secret: Secret): Promise<Keyring | null> {
  const rows = await shelf.keyring()
  const current = rows.find(row => row.purpose === SIGNS && row.verify_until === null)
  if (current === undefined) return null
  const held = rows.filter(isPublic).map(hold)
  const key = openPrivate(current, secret)
  const artifacts = rows
    .filter(row => row.purpose === ARTIFACTS && row.verify_until === null)
    .map(row => ({ kid: row.kid, key: openPrivate(row, secret), not_before: row.not_before }))
    .sort((one, other) => one.not_before - other.not_before)
  const mac = (purpose: Purpose): Mac => openShared(theOne(rows, purpose), secret).mac
  return {
    ...publicPart(held),
    signing: { kid: current.kid, key, lately: new Lately() },
    artifacts,
    code: mac('code'),
    messageId: mac('message-id'),
    csrf: mac('csrf'),
  }
}

const openPrivate = (row: KeyRow, secret: Secret): KeyObject =>
  createPrivateKey({ key: JSON.parse(openRow(row, secret).toString()), format: 'jwk' })

/** The sealing key; null for a store from before there were seals. */
export function openSealKey(rows: readonly KeyRow[], secret: Secret): SealKey | null {
  const all = rows.filter(({ purpose }) => purpose === 'seal')
  const row = all.find(one => opens(one, secret)) ?? all[0]
  return row === undefined ? null : openShared(row, secret)
}

/** The keys that never leave the lane, as far as the ring lacks them. */
export function missing(rows: readonly KeyRow[], secret: Secret, now: number): readonly KeyRow[] {
  const had = new Set(rows.map(({ purpose }) => purpose))
  return SHARED.filter(purpose => !had.has(purpose)).map(purpose => makeShared(purpose, secret, now))
}

/** Makes a key that replaces the one that signed so far. Nobody else may change the ring meanwhile. */
export async function rotate(
  shelf: Shelf,
  secret: Secret,
  now: number,
): Promise<{ readonly kid: string; readonly keyring: Keyring }> {
  const rows = await shelf.keyring()
  const signed = rows.filter(row => row.purpose === SIGNS && row.verify_until === null)
  // A ring that was put under another secret meanwhile must not get a key that does not open with it.
  for (const row of signed) openRow(row, secret)
  const retired = signed.map(row => ({ ...row, verify_until: now + LONGEST_TOKEN_MS }))
  const fresh = await makeSigning(SIGNS, secret, now)
  await shelf.putKeys([...missing(rows, secret, now), ...retired, fresh])
  const keyring = await openKeyring(shelf, secret)
  if (keyring === null) throw new Error('the key just made is not in the ring')
  return { kid: fresh.kid, keyring }
}

/** Makes the key that signs artifacts from `from` on. */
export async function addArtifactKey(shelf: Shelf, secret: Secret, from: number): Promise<string> {
  const fresh = await makeSigning(ARTIFACTS, secret, from)
  await shelf.putKeys([fresh])
  return fresh.kid
}

/** A start that makes no key does not load what makes them. */
async function makeSigning(purpose: Purpose, secret: Secret, now: number): Promise<KeyRow> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose')
  const pair = await generateKeyPair(ALG, { extractable: true })
  const jwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const public_jwk = JSON.stringify({ ...jwk, kid, alg: ALG, use: 'sig' })
  const plain = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)))
  return rowOf({ kid, purpose, public_jwk, not_before: now }, secret, plain)
}

/** A key that signs or has signed; null where the ring has no such key. */
export const signingRow = (rows: readonly KeyRow[], kid: string): KeyRow | null =>
  rows.find(row => row.kid === kid && isPublic(row)) ?? null

/** Revoked keys whose tokens could still be about. A key that was only rotated out verifies as long as the longest of
 *  its tokens lives. */
export function revokedRows(rows: readonly KeyRow[], now: number): readonly KeyRow[] {
  return rows.filter(isPublic).filter(({ kid, purpose, not_before, verify_until }) => {
    const later = rows.filter(
      row => row.purpose === purpose && row.kid !== kid && row.not_before >= not_before,
    )
    const natural = Math.min(...later.map(row => row.not_before)) + LONGEST_TOKEN_MS
    return later.length > 0 && verify_until !== null && verify_until < natural && now < natural
  })
}

function publicPart(held: readonly Held[]): Pick<Keyring, 'verifier' | 'jwks'> {
  const byKid = new Map(held.filter(({ purpose }) => purpose === SIGNS).map(key => [key.kid, key]))
  const valid = (key: Held, now: number): boolean => key.verify_until === null || now < key.verify_until
  return {
    verifier(kid, now) {
      const key = byKid.get(kid)
      return key !== undefined && valid(key, now) ? key.verifier : null
    },
    jwks: now => ({ keys: held.filter(key => valid(key, now)).map(key => key.jwk) }),
  }
}

type PublicRow = KeyRow & { readonly public_jwk: string }
/** Keys of checkpoints have a list of their own, and sign no token. */
const isPublic = (row: KeyRow): row is PublicRow => row.public_jwk !== null && row.purpose !== 'checkpoint'

function hold({ kid, purpose, public_jwk, verify_until }: PublicRow): Held {
  const jwk = { ...(JSON.parse(public_jwk) as JWK), purpose }
  return { kid, purpose, jwk, verifier: createPublicKey({ key: jwk, format: 'jwk' }), verify_until }
}

function theOne(rows: readonly KeyRow[], purpose: Purpose): KeyRow {
  const row = rows.find(one => one.purpose === purpose)
  if (row === undefined) throw new Error(`the keyring has no key of purpose ${purpose}`)
  return row
}
