// A mail provider's webhook becomes the raw message, once its sender is verified. The next provider is one file
// beside these, and one line in ../receive.ts.
import { timingSafeEqual } from 'node:crypto'
import type { Hook } from '../../../src/adapter/index.js'

/** Stale and future webhooks are refused: five minutes is what clocks and queues may differ by. */
const WINDOW_MS = 300_000

export type VerifiedHook = {
  /** The key by which this webhook is remembered: it is taken once. */
  readonly once: string
  /** The instant until which a copy of it would still be believed, and until which it is therefore remembered. */
  readonly until: number
  /** The message as the provider got it; null for a webhook that carries none. */
  readonly mail: Uint8Array | null
}

/** Null for a webhook that is not proven to come from the provider, now. */
export type Provider = (hook: Hook, secret: string, now: number) => VerifiedHook | null

/** Seconds since 1970 in plain digits, if they are close to now; in milliseconds. */
export function readTimestamp(text: string | undefined, now: number): number | null {
  if (text === undefined || !/^[0-9]{1,12}$/.test(text)) return null
  const at = Number(text) * 1_000
  return Math.abs(now - at) <= WINDOW_MS ? at : null
}

export const untilOf = (timestamp: number): number => timestamp + WINDOW_MS

const HEX_DIGEST = /^[0-9a-f]{64}$/

export function isSame(signature: string | undefined, expected: Buffer): boolean {
  if (signature === undefined || !HEX_DIGEST.test(signature)) return false
  return timingSafeEqual(Buffer.from(signature, 'hex'), expected)
}
