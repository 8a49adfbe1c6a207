// I19: the director's decisions, and the right by which a run may act. The operator's policy chooses the decision and
// is not in the ledger; the limits that hold under every policy are checked here.
import { type Entry, type EntryOf, LANE } from '../../event.js'
import type { Request } from '../../request/request.js'
import type { Rules } from '../../rules.js'
import { verdictOf } from '../../tally/verdict.js'
import type { Book, Direction, Story } from './book.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'
import { later } from './time.js'

const broken = (message: string): Flaw => flaw('I19', message)

export function beginDirection(body: EntryOf<'REQUEST_OPENED'>['body'], seq: number): Direction {
  const request = body.request as unknown as Request
  const approval =
    request.type === 'REQUEST_APPROVAL'
      ? { action: request.action, parameters_hash: hashText('lane/parameters/v1\n', request.parameters) }
      : null
  return {
    opened_by: body.opened_by,
    because: seq,
    approval,
    isQuestion: request.type === 'REQUEST_QUESTION',
    outcome: null,
    resolved_at: null,
    yes: false,
    reply_event_hash: null,
    decided: null,
    token: null,
  }
}

export function learnOutcome({ direction }: Story, { body, seq, at }: EntryOf<'REQUEST_RESOLVED'>): void {
  direction.because = seq
  direction.resolved_at = at
  direction.outcome = body.outcome
  const { answer } = body
  direction.yes = body.outcome === 'answered' && answer !== undefined && verdictOf(answer) === 'given'
}

/** I29, by the rules of the resolution. Before the first LANE_STARTED the director of a run is not known, and rules 1
 *  asked for no decision. */
export function flawOfSilence(
  { directedRuns }: Book,
  resolved: EntryOf<'REQUEST_RESOLVED'>,
  rules: Rules | null,
  next: Entry,
): Flaw | null {
  if (rules === null || rules === '1' || directedRuns.has(resolved.run_id ?? '')) return null
  if (next.type === 'DIRECTOR_DECIDED' && next.request_id === resolved.request_id) return null
  return flaw('I29', 'no decision follows, and the run has no director of its own')
}

export function checkDecision(
  { directedRuns }: Book,
  { direction, run_id }: Story,
  { body }: EntryOf<'DIRECTOR_DECIDED'>,
): Flaw | null {
  if (body.by !== LANE) directedRuns.add(run_id ?? '')
  const open = direction.outcome === null
  if (body.because !== direction.because) return broken(`it is about entry ${direction.because}`)
  if (open && body.by === LANE) return broken('the lane decides about outcomes, and there is none yet')
  if (direction.decided !== null) return broken('what the run does was decided before')
  if (!open) direction.decided = body.decision
  if (body.decision !== 'CONTINUE' || direction.approval === null || direction.yes) return null
  return broken('an approval without a YES does not continue')
}

/** The schema says which field may be proposed at all; the lane proposes only a
 *  preference that somebody has answered. */
export function checkDelta({ direction }: Story, { body }: EntryOf<'AHDB_DELTA'>): Flaw | null {
  if (body.because !== direction.because) return broken(`it is about entry ${direction.because}`)
  if (body.by !== LANE || (direction.isQuestion && direction.outcome === 'answered')) return null
  return broken('nobody has stated a preference')
}

export function checkIssue(
  book: Book,
  { direction, request_hash }: Story,
  { body, at }: EntryOf<'POLICY_TOKEN_ISSUED'>,
): Flaw | null {
  const { approval, yes, decided, token, resolved_at } = direction
  const { jti, expires_at } = body
  direction.token ??= { jti, expires_at, gone: null }
  if (approval === null || !yes) return broken('issued without a YES to an approval')
  if (decided !== 'CONTINUE' && decided !== 'CHANGE_MOOD')
    return broken('issued though the run does not go on')
  if (token !== null || book.policyTokens.has(jti)) return broken('issued twice')
  book.policyTokens.add(jti)
  if (body.issued_at !== at || expires_at <= at) return broken('issued for another time than its own')
  // Rules 1 did not record how long an approval is valid.
  const due = 'valid_seconds' in body ? later(resolved_at ?? at, body.valid_seconds) : expires_at
  if (expires_at !== due) return broken(`it expires at ${due}: valid_seconds after the resolution`)
  const bound =
    body.action === approval.action &&
    body.parameters_hash === approval.parameters_hash &&
    body.request_hash === request_hash &&
    body.reply_event_hash === direction.reply_event_hash
  return bound ? null : broken('bound to something else than was approved')
}

export function checkSpend({ direction }: Story, { body, at }: EntryOf<'POLICY_TOKEN_SPENT'>): Flaw | null {
  const { token, opened_by } = direction
  if (token?.jti !== body.jti) return broken('spent though it was not issued for this request')
  if (token.gone !== null) return broken(`spent though it was ${token.gone}`)
  token.gone = 'spent'
  if (at >= token.expires_at) return broken(`spent though ${token.expires_at} had come`)
  return body.by === opened_by ? null : broken('spent by another than who opened the approval')
}

export function checkRevocation(
  { direction }: Story,
  { body }: EntryOf<'POLICY_TOKEN_REVOKED'>,
): Flaw | null {
  const { token } = direction
  if (token?.jti !== body.jti) return broken('revoked though it was not issued for this request')
  if (token.gone !== null) return broken(`revoked though it was ${token.gone}`)
  token.gone = 'revoked'
  return null
}
