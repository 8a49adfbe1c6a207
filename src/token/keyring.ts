// The signing keys: Ed25519, named by thumbprint, sealed at rest. One signs; rotated ones verify until the last token
// they can have signed has expired, and are refused afterwards. Keys are imported once, never per call.
import { createPrivateKey, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { KeyRow, Shelf } from '../ledger/contract.js'
import { Lately } from './lately.js'
import { type Secret, seal, unseal } from './seal.js'

const ALG = 'EdDSA'
const SEALED_FOR = 'signing-key'
/** The longest a reply token may live: the longest deadline. */
const LONGEST_TOKEN_MS = 2_592_000_000

type Held = {
  readonly kid: string
  readonly jwk: JWK
  readonly verifier: CryptoKey
  readonly verify_until: number | null
}

export type Keyring = {
  readonly signing: { readonly kid: string; readonly key: KeyObject; readonly lately: Lately }
  /** Null for a key that was never ours or whose time is over. A promise where others rotate and it must be looked for. */
  verifier(kid: string, now: number): CryptoKey | null | Promise<CryptoKey | null>
  jwks(now: number): { readonly keys: readonly JWK[] }
}

export class KeyringSealed extends Error {
  override readonly name = 'KeyringSealed'
}

export async function openKeyring(shelf: Shelf, secret: Secret): Promise<Keyring | null> {
  const rows = await shelf.keyring()
  const current = rows.find(row => row.verify_until === null)
  if (current === undefined) return null
  const held = await Promise.all(rows.map(hold))
  return keyring(held, { kid: current.kid, key: openPrivate(current, secret), lately: new Lately() })
}

/** Makes a key and puts it in the place of the one that signed so far. */
export async function rotate(
  shelf: Shelf,
  secret: Secret,
  now: number,
): Promise<{ readonly kid: string; readonly keyring: Keyring }> {
  const pair = await generateKeyPair(ALG, { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const privateBytes = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)))
  await shelf.putSigningKey(
    {
      kid,
      public_jwk: JSON.stringify({ ...publicJwk, kid, alg: ALG, use: 'sig' }),
      sealed_private: seal(secret, SEALED_FOR, privateBytes, randomBytes(12)),
      not_before: now,
      verify_until: null,
    },
    { verify_until: now + LONGEST_TOKEN_MS },
  )
  const opened = await openKeyring(shelf, secret)
  if (opened === null) throw new Error('the key just made is not in the ring')
  return { kid, keyring: opened }
}

function keyring(held: readonly Held[], signing: Keyring['signing']): Keyring {
  const byKid = new Map(held.map(key => [key.kid, key]))
  const valid = (key: Held, now: number): boolean => key.verify_until === null || now < key.verify_until
  return {
    signing,
    verifier(kid, now) {
      const key = byKid.get(kid)
      return key !== undefined && valid(key, now) ? key.verifier : null
    },
    jwks: now => ({ keys: held.filter(key => valid(key, now)).map(key => key.jwk) }),
  }
}

async function hold(row: KeyRow): Promise<Held> {
  const jwk = JSON.parse(row.public_jwk) as JWK
  return {
    kid: row.kid,
    jwk,
    verifier: (await importJWK(jwk, ALG)) as CryptoKey,
    verify_until: row.verify_until,
  }
}

/** Whether this secret is the one a signing key was sealed with. */
export const opens = (secret: Secret, sealedPrivate: Uint8Array): boolean =>
  unseal(secret, SEALED_FOR, sealedPrivate) !== null

function openPrivate(row: KeyRow, secret: Secret): KeyObject {
  const plain = unseal(secret, SEALED_FOR, row.sealed_private)
  if (plain === null) {
    throw new KeyringSealed(
      'the signing key does not open with this secret: put back the data/secret or LANE_SECRET it was sealed with',
    )
  }
  return createPrivateKey({ key: JSON.parse(Buffer.from(plain).toString()) as JsonWebKey, format: 'jwk' })
}
