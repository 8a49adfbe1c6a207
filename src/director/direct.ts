// The consequences of an outcome, as events for the same append: the decision, the right that a YES gives, and the
// answer's proposals. In one append with the resolution, so there is no moment at which one stands without the other.
//
// If a run has a director of its own the lane is silent about the run's next move; the answer's proposals are the
// person's, not the director's, and are recorded all the same.
import { type Case, decidingReply } from '../agenda/case.js'
import { hashOf } from '../canonical.js'
import { type Deed, LANE } from '../event.js'

import { type Decision, decide, isApproved } from './decide.js'
import type { DirectorPolicy } from './policy.js'
import { type Proposal, proposed } from './propose.js'

/** The time at which the events will stand. */
type Moment = { readonly at: string; readonly ms: number }
/** The one who decides, and the entry the decision is about. */
type Authority = { readonly by: string; readonly because: number }

type Direction = {
  readonly policy: DirectorPolicy
  /** The run has an outside director. */
  readonly outside: boolean
  /** The id of the one policy token there may be: chance comes in by parameter. */
  readonly jti: string
}

/** Called with the case just resolved and the seq of its REQUEST_RESOLVED. */
export function direct(
  direction: Direction,
  subject: Case,
  because: number,
  moment: Moment,
): readonly Deed[] {
  const { policy, outside, jti } = direction
  const authority = { by: LANE, because }
  const decided = outside
    ? []
    : decision(subject, decide(subject, policy.decisions), authority, policy, jti, moment)
  return [...decided, ...proposed(subject, policy.believe).map(one => delta(one, authority))]
}

/** A decision, and with it the policy token if a YES may be acted on now. */
export function decision(
  subject: Case,
  decided: Decision,
  authority: Authority,
  policy: DirectorPolicy,
  jti: string,
  moment: Moment,
): readonly Deed[] {
  const { by, because } = authority
  const said: Deed = { type: 'DIRECTOR_DECIDED', body: { by, because, ...decided } }
  return givesRight(subject, decided) ? [said, issued(subject, policy, jti, moment)] : [said]
}

/** A YES is worth nothing to a run that is halted or split. */
export const givesRight = (subject: Case, { decision }: Decision): boolean =>
  isApproved(subject) && (decision === 'CONTINUE' || decision === 'CHANGE_MOOD')

export const delta = (proposal: Proposal, { by, because }: Authority): Deed => ({
  type: 'AHDB_DELTA',
  body: { by, because, ...proposal },
})

function issued(subject: Case, policy: DirectorPolicy, jti: string, moment: Moment): Deed {
  const { request, request_hash } = subject
  const deciding = decidingReply(subject)
  if (request.type !== 'REQUEST_APPROVAL' || deciding === null) throw new Error('no reply stands behind this')
  return {
    type: 'POLICY_TOKEN_ISSUED',
    body: {
      jti,
      action: request.action,
      parameters_hash: hashParameters(request.parameters),
      request_hash,
      reply_event_hash: deciding.event_hash,
      issued_at: moment.at,
      valid_seconds: policy.approval_valid_seconds,
      expires_at: new Date(lapsesAt(subject, policy)).toISOString(),
    },
  }
}

/** An approval ages from the answer on, not from the moment at which a director gets to it. */
export function lapsesAt({ resolved_at }: Case, { approval_valid_seconds }: DirectorPolicy): number {
  if (resolved_at === null) throw new Error('an open approval does not age')
  return Date.parse(resolved_at) + approval_valid_seconds * 1000
}

export const hashParameters = (parameters: unknown) => hashOf('lane/parameters/v1', parameters)
