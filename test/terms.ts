// Terms as most requests are opened under: every proof counts, nobody votes, nothing is urgent.
import type { Admitted } from '../src/lane/opening.js'
import { PROOFS } from '../src/request/channel.js'
import type { Submission } from '../src/request/parse.js'
import type { ResolvedRecipient } from '../src/request/recipient.js'
import type { Terms } from '../src/request/terms.js'

export const TERMS: Terms = { urgency: 'normal', policy: { proofs: PROOFS } }

/** A submission let in under them. */
export const admittedTo = (
  recipients: readonly ResolvedRecipient[],
  submission: Submission,
  terms: Terms = TERMS,
): Admitted => ({ submission, recipients, terms, held: new Map(), contents: [] })

/** The key that asks in most tests. */
export const KEY_1 = { key_id: 'key-1', name: 'agent' } as const
