// Why somebody takes something back, as a body gives it: the ledger keeps it for ever, so it is one visible line.
import { holdsSecret } from '../request/secrecy.js'
import { flawOfText } from '../request/text.js'

export const LONGEST_REASON = 500

/** The reason of `{"reason": …}`, or `otherwise` where a body need not give one; null for what cannot be used. */
export function readReason(body: unknown, otherwise?: string): string | null {
  if (body === undefined) return otherwise ?? null
  if (typeof body !== 'object' || body === null || Object.keys(body).some(key => key !== 'reason'))
    return null
  const { reason = otherwise } = body as { reason?: unknown }
  if (typeof reason !== 'string' || holdsSecret(reason)) return null
  return flawOfText(reason, LONGEST_REASON) === null ? reason : null
}
