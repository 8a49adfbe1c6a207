// The key that the pages under docs/spec sign their examples with, in a keyring of its own.
import type { Shelf } from '../../src/ledger/shelf.js'
import { missing, openKeyring } from '../../src/token/keyring.js'
import { wrap } from '../../src/token/wrap.js'
import { SECRET, START } from '../lane/stage.js'

export type ExampleKey = {
  readonly kty: string
  readonly crv: string
  readonly d: string
  readonly x: string
}

export async function exampleRing(shelf: Shelf, key: ExampleKey, kid: string) {
  const row = {
    kid,
    purpose: 'reply-token' as const,
    public_jwk: JSON.stringify({ kty: key.kty, crv: key.crv, x: key.x }),
    wrapped: wrap(SECRET, `key/reply-token/${kid}`, Buffer.from(JSON.stringify(key)), new Uint8Array(12)),
    not_before: START,
    verify_until: null,
    renewed_at: null,
  }
  if ((await shelf.keyring()).length === 0) await shelf.putKeys([row, ...missing([], SECRET, START)])
  const ring = await openKeyring(shelf, SECRET)
  if (ring === null) throw new Error('the example key was not kept')
  return ring
}
