// The case as it arrives over HTTP (docs/spec/http-api.md). It comes from another program, so the fields that decide
// are checked before they are believed; the others are only passed on.

import type { Request, Run } from '../request/request.js'
import type { Terms } from '../request/terms.js'
import type { DecisionShown } from './answer.js'

export type ShownDelivery = {
  readonly user_id: string
  readonly channel: string
  readonly state: string
  readonly attempts: number
  readonly at: string
  /** Of one that is held: quiet hours. */
  readonly until?: string
}
type ShownVote = {
  readonly answered_by: string
  readonly choice: 'YES' | 'NO'
  readonly reason?: string | null
  readonly channel: string
  readonly proof: string
  readonly at: string
}
export type ShownAnswer = {
  readonly parsed_choice: string | null
  readonly parsed_payload: Readonly<Record<string, unknown>> | null
  readonly answered_by: string
  readonly channel: string
  readonly proof: string
  readonly at: string
  /** The words that explain the answer: they order nothing. Null once they are erased. */
  readonly reason?: string | null
  /** Every vote, where there was a quorum. */
  readonly votes?: readonly ShownVote[]
  /** The words as typed; for keys with scope `audit`, while they are not erased. */
  readonly raw_text?: string
  /** The passkey that confirmed it, for auditors. */
  readonly credential_hash?: string
}
/** The director's decision about the run; with the right to perform an approved action, for the key that asked. */
export type ShownDecision = {
  readonly decision: string
  readonly mood?: string
  readonly work_item_id?: string
  readonly reason?: string
  readonly by?: string
  readonly policy_token?: string
  readonly policy_token_expires_at?: string
}
export type ShownCase = {
  readonly request_id: string
  readonly request: Request
  readonly request_hash: string
  readonly run: Run
  readonly state: 'pending' | 'partial' | 'answered' | 'defaulted' | 'undelivered' | 'withdrawn'
  readonly opened_at: string
  readonly deadline_at: string
  readonly resolved_at: string | null
  readonly answer: ShownAnswer | null
  /** What was counted of a request that is not decided, or ended otherwise: told, and good for nothing. */
  readonly so_far?: {
    readonly decisions?: readonly DecisionShown[]
    readonly votes?: readonly ShownVote[]
    readonly missing?: readonly string[]
  }
  /** How the votes stand while the request is open. */
  readonly tally?: { readonly need: number; readonly yes: number; readonly no: number }
  readonly default_action: string
  readonly default_applied: boolean
  readonly deliveries: readonly ShownDelivery[]
  /** The terms it was opened under, but for the operator's policy; absent for one opened before terms were recorded. */
  readonly terms?: Omit<Terms, 'policy'>
  /** The steps of the ladder that put it before more eyes. */
  readonly escalations?: readonly {
    readonly step: number
    readonly do: 'add' | 'next_channel'
    readonly to: readonly string[]
    /** Why it came before its moment. */
    readonly early?: 'failed' | 'out_of_office'
    readonly at: string
  }[]
  /** Every hand that it went through. */
  readonly delegations?: readonly {
    readonly from: string
    readonly to: string
    readonly by: 'person' | 'away' | 'lane'
    readonly at: string
  }[]
  readonly decision?: ShownDecision | null
  readonly receipt: { readonly seq: number; readonly hash: string }
}

type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null if the body is not a case: a proxy's greeting with status 200 must not pass for an answer. */
export function readCase(value: unknown): ShownCase | null {
  if (!isFields(value) || !isFields(value.request) || !isFields(value.request.reply_schema)) return null
  const whole =
    typeof value.request_id === 'string' &&
    typeof value.state === 'string' &&
    typeof value.deadline_at === 'string' &&
    isFields(value.run) &&
    isFields(value.receipt) &&
    Array.isArray(value.deliveries)
  return whole ? (value as unknown as ShownCase) : null
}

export const isOpen = ({ state }: ShownCase): boolean => state === 'pending' || state === 'partial'

/**
 * A YES that gives the reader no right to act: the right was spent, taken back, has expired, was never given because
 * the run does not go on, or belongs to the key that asked. Until the director has decided, nothing is known.
 */
export const isYesWithoutRight = ({
  request,
  answer,
  decision,
}: Pick<ShownCase, 'request' | 'answer' | 'decision'>): boolean =>
  request.type === 'REQUEST_APPROVAL' &&
  (request.reply_schema.kind === 'form' ? !isRefusedIn(answer) : answer?.parsed_choice === 'YES') &&
  decision != null &&
  decision.policy_token === undefined

/** Whether a form was answered with a refusal among its approvals: one refuses the whole. */
export const isRefusedIn = (answer: ShownAnswer | null): boolean =>
  decisionsIn(answer).some(({ approved }) => approved === false)

export const decisionsIn = (answer: ShownAnswer | null): readonly DecisionShown[] =>
  Array.isArray(answer?.parsed_payload?.decisions) ? answer.parsed_payload.decisions : []

/** The answer in the words of its schema: a choice, or the one field of its payload. */
export function sayAnswer({ parsed_choice, parsed_payload: payload }: ShownAnswer): string {
  if (parsed_choice !== null) return parsed_choice
  if (payload === null) return 'nothing'
  if (Array.isArray(payload.selected)) return payload.selected.join(', ')
  if ('number' in payload) return [payload.number, payload.unit].filter(part => part !== undefined).join(' ')
  if (Array.isArray(payload.decisions)) return payload.decisions.map(sayDecision).join('; ')
  return String(payload.text ?? payload.date ?? JSON.stringify(payload))
}

/** `d1 approved`, `d2 few`: without the comment, which is a quotation. */
export function sayDecision({ decision_id, approved, selected, value }: DecisionShown): string {
  if (approved !== undefined) return `${decision_id} ${approved ? 'approved' : 'refused'}`
  return `${decision_id} ${selected === undefined ? value : [selected].flat().join(', ')}`
}
