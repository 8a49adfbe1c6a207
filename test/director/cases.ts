// Resolved cases, folded from events as the lane folds them.
import { apply, type Case } from '../../src/agenda/case.js'
import { sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import type { Body, Draft } from '../../src/event.js'
import { hashRequest, idOf, type Request, type Run } from '../../src/request/request.js'
import { approval } from '../lane/stage.js'
import { TERMS } from '../terms.js'

export { approval, question } from '../lane/stage.js'
export const OPENED = Date.parse('2026-11-01T12:00:00.000Z')
export const RESOLVED_SEQ = 7

export const review = (more: Partial<Request> = {}): Request =>
  ({
    type: 'REQUEST_REVIEW',
    review_id: 'r',
    target_handles: ['doc:plan'],
    lens: 'security',
    deadline_seconds: 600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
    ...more,
  }) as Request

const place = (draft: Draft, seq: number) => ({ ...draft, seq, at: instant(OPENED + seq) })

export function opened(request: Request, run: Partial<Run> = {}): Case {
  const body: Body<'REQUEST_OPENED'> = {
    request,
    request_hash: hashRequest(request),
    run: { run_id: 'run-1', mood: 'DEFERENTIAL', ...run },
    recipients: [{ user_id: 'owner', channels: ['slack'], route: 'first' }],
    envelope_hash: sha256('envelope'),
    deadline_at: instant(OPENED + 600_000),
    opened_by: 'key-1',
    asked_by: 'agent',
    terms: TERMS,
  }
  return apply(null, place({ type: 'REQUEST_OPENED', request_id: idOf(request), run_id: 'run-1', body }, 0))
}

type Parsed = Pick<Body<'HUMAN_REPLY_EVENT'>, 'parsed_choice' | 'parsed_payload'>

export function answered(request: Request, parsed: Partial<Parsed>, run: Partial<Run> = {}): Case {
  const both = { parsed_choice: null, parsed_payload: null, ...parsed }
  const who = { answered_by: 'owner', channel: 'slack', proof: 'slack_signed' } as const
  const received: Body<'INBOUND_REPLY_RECEIVED'> = {
    reply_id: 'r-1',
    delivery_id: 'd-1',
    channel: 'slack',
    token_validation: [],
    event_hash: sha256('event'),
  }
  const answer = {
    ...both,
    ...who,
    at: instant(OPENED + RESOLVED_SEQ),
  } as Body<'REQUEST_RESOLVED'>['answer'] & {}
  const said: Body<'HUMAN_REPLY_EVENT'> = {
    ...both,
    reply_id: 'r-1',
    request_id: idOf(request),
    delivery_id: 'd-1',
    channel: 'slack',
    sender_identity: { user_id: 'owner', proof: 'slack_signed' },
    raw_text_hash: sha256('raw'),
    grammar: '1',
    receipts: { token_hash: sha256('token'), received_at: instant(OPENED) },
  }
  const announced = apply(opened(request, run), place({ type: 'INBOUND_REPLY_RECEIVED', body: received }, 5))
  const before = apply(announced, place({ type: 'HUMAN_REPLY_EVENT', body: said }, 6))
  return resolve(before, { outcome: 'answered', causes: [6], answer })
}

export const ended = (
  request: Request,
  outcome: 'defaulted' | 'undelivered' | 'withdrawn',
  run: Partial<Run> = {},
): Case => resolve(opened(request, run), { outcome, causes: [6] })

const resolve = (before: Case, body: Body<'REQUEST_RESOLVED'>): Case =>
  apply(before, place({ type: 'REQUEST_RESOLVED', body }, RESOLVED_SEQ))

export const approved = (id = 'a'): Case => answered(approval(id), { parsed_choice: 'YES' })

/** Tells a case more, in the places after its resolution. */
export function told(subject: Case, ...drafts: readonly Draft[]): Case {
  let after = subject
  for (const [index, draft] of drafts.entries()) after = apply(after, place(draft, RESOLVED_SEQ + 1 + index))
  return after
}
