// Slack's signature, on the bytes as they came. Nothing of a request is parsed before this has held.
//
// SS1  v0 = HMAC-SHA256 of `v0:timestamp:body`, compared in constant time.
// SS2  The timestamp is at most five minutes away, in either direction.
// SS3  A signature is taken once. What failed on our side is forgotten again, so that the same bytes may be sent anew.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Hook } from '../../src/adapter/index.js'

const WINDOW_SECONDS = 300
/** Both sides of the window: what is older is refused by SS2. */
const MEMORY_MS = 2 * WINDOW_SECONDS * 1000

const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^[0-9]{1,12}$/

/** The signature, when it is Slack's and timely. */
export function verify(secret: string, { headers, bytes }: Hook, now: number): string | null {
  const signature = headers['x-slack-signature'] ?? ''
  const timestamp = headers['x-slack-request-timestamp'] ?? ''
  if (!SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) return null
  const ours = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes).digest()
  const holds = timingSafeEqual(ours, Buffer.from(signature.slice('v0='.length), 'hex'))
  return holds && Math.abs(Math.floor(now / 1000) - Number(timestamp)) <= WINDOW_SECONDS ? signature : null
}

export class SeenSignatures {
  /** When each came; insertion order is the order of time. */
  readonly #seen = new Map<string, number>()

  /** False for one that was taken already. */
  take(signature: string, now: number): boolean {
    for (const [old, at] of this.#seen) {
      if (now - at <= MEMORY_MS) break
      this.#seen.delete(old)
    }
    if (this.#seen.has(signature)) return false
    this.#seen.set(signature, now)
    return true
  }

  forget(signature: string): void {
    this.#seen.delete(signature)
  }
}
