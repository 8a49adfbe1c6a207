// Slack's signature, on the bytes as they came. Nothing of a request is parsed before this has held.
//
// SS1  v0 = HMAC-SHA256 of `v0:timestamp:body`, compared in constant time.
// SS2  The timestamp is at most five minutes away, in either direction.
// SS3  A signature is taken once (src/adapter/seen.ts). One whose handling failed on our side is forgotten again, so
//      that the same bytes may be sent anew.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Hook } from '../../src/adapter/index.js'

const WINDOW_SECONDS = 300

const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^[0-9]{1,12}$/

/** The key by which this webhook is remembered, and the last instant at which SS2 would believe a copy of it. */
type Verified = { readonly once: string; readonly until: number }

/** Null for a webhook that is not Slack's, or not timely. */
export function verify(secret: string, { headers, bytes }: Hook, now: number): Verified | null {
  const signature = headers['x-slack-signature'] ?? ''
  const timestamp = headers['x-slack-request-timestamp'] ?? ''
  if (!SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) return null
  const ours = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest()
  const holds = timingSafeEqual(ours, Buffer.from(signature.slice('v0='.length), 'hex'))
  const signed = Number(timestamp)
  if (!holds || Math.abs(Math.floor(now / 1000) - signed) > WINDOW_SECONDS) return null
  return { once: signature, until: (signed + WINDOW_SECONDS + 1) * 1000 - 1 }
}
