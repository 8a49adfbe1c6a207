// The reason for taking something back, as a body gives it: the ledger keeps it for ever, so it is one visible line.
import { z } from 'zod'
import { holdsSecret } from '../request/secrecy.js'
import { flawOfText } from '../request/text.js'

const LONGEST_REASON = 500
export const REASON_WORDS = `one visible line of 1 to ${LONGEST_REASON} characters, without a token, an API key or a reply link`

const reason = z
  .string({ error: REASON_WORDS })
  .refine(text => flawOfText(text, LONGEST_REASON) === null && !holdsSecret(text), { error: REASON_WORDS })
  .meta({ minLength: 1, maxLength: LONGEST_REASON })

export const withdrawal = z.strictObject({ reason }, { error: `{"reason": ${REASON_WORDS}}` })
/** A right may be taken back without a word. */
export const revocation = z.strictObject(
  { reason: reason.exactOptional() },
  { error: `{"reason": ${REASON_WORDS}}, or nothing` },
)
