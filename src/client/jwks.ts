// The lane's public keys (RFC 7517, RFC 8037). Fetched keys are good for some minutes, since a key may be revoked; an
// unknown one is looked for again, since keys rotate, but not for every forged name.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { type Clock, machineClock } from '../clock.js'
import { call, jsonOf } from './call.js'
import { isFields } from './case.js'

export type Jwks = { readonly keys: readonly Readonly<Record<string, unknown>>[] }
/** The key of that name; null if there is none; `unavailable` when the keys cannot be fetched. */
export type Keys = { find(kid: string): Promise<KeyObject | null | 'unavailable'> }

const AGAIN_AFTER_MS = 30_000
/** A revoked key may still be taken here for so long. If the lane cannot be asked, the keys fetched last hold. */
const GOOD_FOR_MS = 300_000
/** 32 bytes in base64url. */
const POINT = /^[A-Za-z0-9_-]{43}$/

export const keysIn = (jwks: Jwks): Keys => ({ find: async kid => keyIn(jwks, kid) })

const known = new Map<string, Keys>()

/** One per address for the whole process. */
export function keysAt(url: string): Keys {
  const keys = known.get(url) ?? fetching(url)
  known.set(url, keys)
  return keys
}

export function fetching(url: string, clock: Pick<Clock, 'monotonic'> = machineClock): Keys {
  let held: Promise<Jwks | null> | null = null
  let fetchedAt = 0
  const age = (): number => clock.monotonic() - fetchedAt
  const fetchAgain = (): Promise<Jwks | null> => {
    const before = held
    fetchedAt = clock.monotonic()
    held = fetchKeys(url).then(fresh => fresh ?? before)
    return held
  }
  return {
    async find(kid) {
      const jwks = await (held === null || age() >= GOOD_FOR_MS ? fetchAgain() : held)
      const key = jwks === null ? null : keyIn(jwks, kid)
      if (key !== null) return key
      const stale = jwks === null || age() >= AGAIN_AFTER_MS
      if (!stale) return null
      const fresh = await fetchAgain()
      return fresh === null ? 'unavailable' : keyIn(fresh, kid)
    },
  }
}

async function fetchKeys(url: string): Promise<Jwks | null> {
  const answer = await call({ url, key: null }, { path: '' })
  const body = answer.kind === 'answer' ? jsonOf(answer) : null
  return isFields(body) && Array.isArray(body.keys) ? { keys: body.keys.filter(isFields) } : null
}

function keyIn({ keys }: Jwks, kid: string): KeyObject | null {
  const jwk = keys.find(key => key.kid === kid)
  // A key of another purpose signs no right to act.
  if (jwk?.purpose !== undefined && jwk.purpose !== 'reply-token') return null
  if (jwk?.kty !== 'OKP' || jwk.crv !== 'Ed25519') return null
  if (typeof jwk.x !== 'string' || !POINT.test(jwk.x)) return null
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, format: 'jwk' })
}
