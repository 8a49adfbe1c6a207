// When a failed attempt is repeated: doubling from a second to five minutes, spread by a fifth so that sends that
// failed together are not repeated together. The spread is derived from the delivery's own id:
// the agenda knows no randomness.
import { sha256 } from '../canonical.js'

const FIRST_MS = 1_000
const LONGEST_MS = 300_000
const SPREAD = 0.2

export function retryAt(delivery_id: string, attempt: number, failedAt: number, waitAtLeast = 0): number {
  const plain = Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1))
  const chance = Number.parseInt(sha256(`${delivery_id}/${attempt}`).slice(7, 15), 16) / 0xffffffff
  const spread = plain * (1 - SPREAD + 2 * SPREAD * chance)
  return Math.ceil(failedAt + Math.max(spread, waitAtLeast))
}
