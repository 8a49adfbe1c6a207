// What the lane asks of people for itself, such as whether a new passkey is theirs. It is put to them as any request is, and
// it is under its own terms: what the configuration says of proofs and approvers is about what agents ask.
import type { Case } from '../agenda/case.js'
import { type Config, policyFor } from '../config/config.js'
import { LANE } from '../event.js'
import type { Applicant } from './submit.js'

/** Nobody's quiet hours hold it: they are at the page that waits for their answer. */
export const ITSELF: Applicant = { key_id: LANE, name: 'Interrupt Lane', owner: null, urgent: true }

type Subject = Pick<Case, 'request' | 'terms' | 'opened_by'>

/** What is demanded of an answer today. */
export const policyOf = (config: Config, { request, terms, opened_by }: Subject) =>
  opened_by === LANE && terms !== null
    ? { proofs: terms.policy.proofs, approvers: null, fourEyes: false }
    : policyFor(config, request)
