// The lane's keys, each with its name and its purpose, wrapped at rest under the installation's one secret.
//
// Keys that sign are Ed25519, named by thumbprint. One signs; rotated ones verify until the last token they can have signed
// has expired, and are refused afterwards. The others are 32 random bytes that never leave the lane: what they are for
// can be made again and compared, by the lane alone. Keys are opened once, never per call.
import { createHmac, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { KeyRow, Purpose, Shelf } from '../ledger/contract.js'
import { encode } from './crockford.js'
import { Lately } from './lately.js'
import { type Secret, unwrap, wrap } from './wrap.js'

const ALG = 'EdDSA'
const SIGNS: Purpose = 'reply-token'
/** What keys of purpose reply-token were wrapped as before keys had purposes. */
const FORMER_LABEL = 'signing-key'
/** The longest a reply token may live: the longest deadline. */
const LONGEST_TOKEN_MS = 2_592_000_000

const SHARED_PURPOSES = ['seal', 'code'] as const
type SharedPurpose = (typeof SHARED_PURPOSES)[number]
const KEY_BYTES = 32
const NONCE_BYTES = 12
/** 40 bits tell a few keys apart; 8 characters. */
const KID_BYTES = 5
const KID_CHARACTERS = 8

type Held = {
  readonly kid: string
  readonly jwk: JWK
  readonly verifier: CryptoKey
  readonly verify_until: number | null
}

/** HMAC-SHA-256 under a key of the ring, 64 hex digits. */
export type Mac = (words: string) => string

export type Keyring = {
  readonly signing: { readonly kid: string; readonly key: KeyObject; readonly lately: Lately }
  /** Null for a key that was never ours or whose time is over. A promise where others rotate and it must be looked for. */
  verifier(kid: string, now: number): CryptoKey | null | Promise<CryptoKey | null>
  jwks(now: number): { readonly keys: readonly JWK[] }
  /** For the codes that are kept: whoever reads the database cannot search for them. */
  readonly code: Mac
  /** For what the lane has written itself: whoever writes the database cannot make one. */
  readonly seal: { readonly kid: string; readonly mac: Mac }
}

export class KeyringSealed extends Error {
  override readonly name = 'KeyringSealed'
}

/** Null before there is a key that signs. */
export async function openKeyring(shelf: Shelf, secret: Secret): Promise<Keyring | null> {
  const rows = await shelf.keyring()
  const current = rows.find(row => row.purpose === SIGNS && row.verify_until === null)
  if (current === undefined) return null
  const held = await Promise.all(rows.filter(isPublic).map(hold))
  const key = createPrivateKey({ key: JSON.parse(openRow(current, secret).toString()), format: 'jwk' })
  const code = sharedKey(rows, 'code', secret)
  return {
    ...publicPart(held),
    signing: { kid: current.kid, key, lately: new Lately() },
    code: code.mac,
    seal: sharedKey(rows, 'seal', secret),
  }
}

/** Makes what the ring lacks of the keys that never leave the lane. */
export async function complete(shelf: Shelf, secret: Secret, now: number): Promise<void> {
  const had = new Set((await shelf.keyring()).map(({ purpose }) => purpose))
  for (const purpose of SHARED_PURPOSES) {
    if (had.has(purpose)) continue
    const kid = encode(randomBytes(KID_BYTES), KID_CHARACTERS)
    await shelf.putKey(
      rowOf({ kid, purpose, public_jwk: null, not_before: now }, secret, randomBytes(KEY_BYTES)),
    )
  }
}

/** Makes a key and puts it in the place of the one that signed so far. */
export async function rotate(
  shelf: Shelf,
  secret: Secret,
  now: number,
): Promise<{ readonly kid: string; readonly keyring: Keyring }> {
  await complete(shelf, secret, now)
  const pair = await generateKeyPair(ALG, { extractable: true })
  const jwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const public_jwk = JSON.stringify({ ...jwk, kid, alg: ALG, use: 'sig' })
  const plain = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)))
  const row = rowOf({ kid, purpose: SIGNS, public_jwk, not_before: now }, secret, plain)
  await shelf.putKey(row, { verify_until: now + LONGEST_TOKEN_MS })
  const keyring = await openKeyring(shelf, secret)
  if (keyring === null) throw new Error('the key just made is not in the ring')
  return { kid, keyring }
}

/** Whether this secret is the one a key is wrapped under. */
export const opens = (row: Pick<KeyRow, 'kid' | 'purpose' | 'wrapped'>, secret: Secret): boolean =>
  unwrapRow(row, secret) !== null

function publicPart(held: readonly Held[]): Pick<Keyring, 'verifier' | 'jwks'> {
  const byKid = new Map(held.map(key => [key.kid, key]))
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
const isPublic = (row: KeyRow): row is PublicRow => row.public_jwk !== null

async function hold({ kid, purpose, public_jwk, verify_until }: PublicRow): Promise<Held> {
  const jwk = { ...(JSON.parse(public_jwk) as JWK), purpose }
  return { kid, jwk, verifier: (await importJWK(jwk, ALG)) as CryptoKey, verify_until }
}

function sharedKey(rows: readonly KeyRow[], purpose: SharedPurpose, secret: Secret): Keyring['seal'] {
  const row = rows.find(one => one.purpose === purpose)
  if (row === undefined) throw new Error(`the keyring has no key of purpose ${purpose}`)
  const key = openRow(row, secret)
  return { kid: row.kid, mac: words => createHmac('sha256', key).update(words).digest('hex') }
}

/** No other key's bytes open in a row's place. */
const labelOf = ({ kid, purpose }: Pick<KeyRow, 'kid' | 'purpose'>): string => `key/${purpose}/${kid}`

function rowOf(
  about: Pick<KeyRow, 'kid' | 'purpose' | 'public_jwk' | 'not_before'>,
  secret: Secret,
  plain: Uint8Array,
): KeyRow {
  const wrapped = wrap(secret, labelOf(about), plain, randomBytes(NONCE_BYTES))
  return { ...about, wrapped, verify_until: null }
}

const unwrapRow = (row: Pick<KeyRow, 'kid' | 'purpose' | 'wrapped'>, secret: Secret): Uint8Array | null =>
  unwrap(secret, labelOf(row), row.wrapped) ??
  (row.purpose === SIGNS ? unwrap(secret, FORMER_LABEL, row.wrapped) : null)

function openRow(row: KeyRow, secret: Secret): Buffer {
  const plain = unwrapRow(row, secret)
  if (plain !== null) return Buffer.from(plain)
  throw new KeyringSealed(
    `the key of purpose ${row.purpose} does not open with this secret: put back the data/secret or LANE_SECRET it was wrapped under`,
  )
}
