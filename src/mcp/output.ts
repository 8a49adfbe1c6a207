// The result of a call: the outcome as data, and one or two sentences for the model, the last on what to do.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { type ShownCase, sayDecision } from '../client/case.js'
import type { Pending, Refused, Unknown } from '../client/outcome.js'
import type { DefaultAction } from '../request/request.js'
import type { CurrentOutcome, SaidAnswer } from './ask.js'
import { remedyOf } from './remedy.js'
import { listed } from './schema.js'

const decision = z.object({
  decision_id: z.string(),
  approved: z.boolean().optional(),
  selected: z.union([z.string(), z.array(z.string())]).optional(),
  value: z.union([z.string(), z.number()]).optional(),
  comment: z.string().nullable().optional(),
  by: z.literal('default').optional(),
  answered_by: z.string().nullable(),
  channel: z.string().optional(),
  proof: z.string().nullable(),
  at: z.string().optional(),
})
const vote = z.object({
  answered_by: z.string(),
  choice: z.enum(['YES', 'NO']),
  reason: z.string().nullable().optional(),
  channel: z.string(),
  proof: z.string(),
  at: z.string(),
})
const output = z.object({
  state: z.enum(['answered', 'defaulted', 'undelivered', 'withdrawn', 'pending', 'refused', 'unknown']),
  request_id: z.string(),
  answer: z.union([z.string(), z.number(), z.array(z.string())]).optional(),
  decisions: z.array(decision).optional(),
  votes: z.array(vote).optional(),
  so_far: z
    .object({
      decisions: z.array(decision).optional(),
      votes: z.array(vote).optional(),
      missing: z.array(z.string()).optional(),
    })
    .optional(),
  reason: z.string().nullable().optional(),
  answered_by: z.string().optional(),
  channel: z.string().optional(),
  proof: z.string().optional(),
  at: z.string().optional(),
  deadline_at: z.string().optional(),
  default_action: z.string().optional(),
  policy_token: z.string().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
})
export const outcomeOutput = listed(output)
type Output = z.infer<typeof output>

const HOLDS: Readonly<Record<DefaultAction, string>> = {
  HALT: 'HALT holds. Do not go on.',
  SPLIT: 'SPLIT holds. Go on only with what does not depend on the answer.',
  DOWNGRADE_TO_HYPOTHESIS: 'DOWNGRADE_TO_HYPOTHESIS holds. Treat it as a hypothesis, not as decided.',
  QUARANTINE_OUTPUTS: 'QUARANTINE_OUTPUTS holds. Keep the outputs apart and use none of them.',
  DENY: 'DENY holds. Do not perform the action.',
  DO_NOT_PUBLISH: 'DO_NOT_PUBLISH holds. Publish nothing.',
  DO_NOT_EXPORT: 'DO_NOT_EXPORT holds. Export nothing.',
}
const holds = (action: string): string => HOLDS[action as DefaultAction] ?? `${action} holds. Do not go on.`

/** For a call that did nothing, and the reason. */
export const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })

/** The end of a call that asks. */
export const say = (outcome: CurrentOutcome): CallToolResult => result(outcome, sentences(outcome))

/** The end of a call about a request that was asked before: a refusal then is not about the asking. */
export const sayLater = (outcome: CurrentOutcome): CallToolResult =>
  result(outcome, outcome.kind === 'refused' ? refusedLater(outcome) : sentences(outcome))

function result(outcome: CurrentOutcome, text: string): CallToolResult {
  const isError = outcome.kind === 'refused' || outcome.kind === 'unknown'
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...dataOf(outcome) },
    ...(isError && { isError }),
  }
}

export function sentences(outcome: CurrentOutcome): string {
  switch (outcome.kind) {
    case 'answered':
      return answered(
        outcome.answer,
        outcome.by,
        outcome.channel,
        outcome.case.request.type,
        outcome.policyToken,
      )
    case 'defaulted':
      return `Nobody answered by ${outcome.case.deadline_at}; ${holds(outcome.defaultAction)}`
    case 'undelivered':
      return (
        `The request could not be put before anybody by ${outcome.case.deadline_at}; ` +
        `${holds(outcome.defaultAction)} Nobody has said no: report that the lane reaches no one.`
      )
    case 'withdrawn':
      return 'The request was withdrawn and nothing was decided. Do not go on as if it had been.'
    case 'pending':
      return pending(outcome)
    case 'refused':
      return refused(outcome)
    case 'unknown':
      return unknown(outcome)
  }
}

function unknown({ id, code, detail }: Unknown): string {
  const unlearned = `It could not be learned what became of request ${id} (${code}: ${detail}).`
  const remedy =
    code === 'not_found' ? 'The lane no longer has it. Do not call again: report it.' : remedyOf(code)
  return remedy === null
    ? `${unlearned} Make the same call again, nobody is asked twice by it; until then act as if nobody had answered.`
    : `${unlearned} ${remedy} Act as if nobody had answered.`
}

function answered(
  answer: SaidAnswer,
  by: string,
  channel: string,
  type: string,
  token: string | undefined,
): string {
  const said = spoken(answer)
  const who = `${by} answered over ${channel}: ${said}.`
  if (answer === 'NO' || isRefusal(answer)) return `${who} Do not do what was asked about.`
  if (type !== 'REQUEST_APPROVAL') return `${who} Act on exactly this answer.`
  return token === undefined
    ? `${who} No policy_token is there: it was spent or taken back, has expired, or is not given yet. Without one do not act.`
    : `${who} The action is approved on exactly these parameters. Hand policy_token to whatever performs it; it can be spent once.`
}

/** What was decided, without a comment: that is a quotation, and stands among the data alone. */
function spoken(answer: SaidAnswer): string {
  if (typeof answer !== 'object') return String(answer)
  return answer
    .map(one => (typeof one === 'object' ? sayDecision(one) : one))
    .join(typeof answer[0] === 'object' ? '; ' : ', ')
}

const isRefusal = (answer: SaidAnswer): boolean =>
  typeof answer === 'object' && answer.some(one => typeof one === 'object' && one.approved === false)

function pending({ id, case: subject }: Pending): string {
  const until =
    subject === null ? '' : `, open until ${subject.deadline_at}, then ${subject.default_action} holds`
  return (
    `Asked, and not answered yet (request_id ${id}${until}). Call await_outcome with this request_id to go on ` +
    'waiting, or do work that does not depend on it. Do not ask again and do not assume an answer.'
  )
}

function refused(outcome: Refused): string {
  const { code } = outcome
  const remedy =
    code === 'id_conflict'
      ? 'This key already names another request. Use a new key for a new request.'
      : remedyOf(code)
  return refusal(`Nobody was asked (${code}).`, outcome, remedy)
}

function refusedLater(outcome: Refused): string {
  const { id, code } = outcome
  if (code === 'not_found')
    return (
      `There is no request ${id} that was asked with this key (not_found). Do not call again with this request_id: ` +
      'list_pending shows what waits for an answer, and what was not asked yet is asked with ask_question, ' +
      'request_review or request_approval.'
    )
  return refusal(`The lane refused this call about request ${id} (${code}).`, outcome, remedyOf(code))
}

function refusal(opening: string, { detail, errors }: Refused, remedy: string | null): string {
  const fields = errors.map(
    ({ field, read, accepted }) => `- ${nameOf(field)}: read ${read}; accepted: ${accepted}`,
  )
  const first = fields.length > 0 ? opening : `${opening} ${detail}`.trim()
  return [first, ...fields, remedy ?? 'Correct this and call again.'].join('\n')
}

/** From the lane's pointer to the tool's argument: both have the same names beneath the envelope. */
const nameOf = (pointer: string): string =>
  pointer.replace(/^\/(?:request|run)\//, '').replace(/^\//, '') || 'the call'

/** A form's decisions stand under a name of their own: no sentence of ours repeats their words. */
function said(answer: SaidAnswer): Pick<Output, 'answer' | 'decisions'> {
  if (typeof answer !== 'object') return { answer }
  const decisions = answer.filter(one => typeof one === 'object')
  if (decisions.length > 0) return { decisions: decisions.map(one => decision.parse(one)) }
  return { answer: answer.filter(one => typeof one === 'string') }
}

/** What was counted and decides nothing: data, of which no sentence of ours speaks. */
function countedIn({ so_far: soFar }: ShownCase): Pick<Output, 'so_far'> {
  return soFar === undefined ? {} : { so_far: output.shape.so_far.parse(soFar) }
}

function dataOf(outcome: CurrentOutcome): Output {
  const base = { state: outcome.kind, request_id: outcome.id }
  switch (outcome.kind) {
    case 'answered': {
      const { answer, by, channel, proof, at, policyToken } = outcome
      const votes = outcome.case.answer?.votes
      const token = policyToken === undefined ? {} : { policy_token: policyToken }
      return {
        ...base,
        ...said(answer),
        ...(outcome.reason !== undefined && { reason: outcome.reason }),
        ...(votes !== undefined && { votes: votes.map(one => vote.parse(one)) }),
        answered_by: by,
        channel,
        proof,
        at,
        ...token,
      }
    }
    case 'defaulted':
    case 'undelivered':
      return {
        ...base,
        default_action: outcome.defaultAction,
        at: outcome.at,
        deadline_at: outcome.case.deadline_at,
        ...countedIn(outcome.case),
      }
    case 'withdrawn':
      return { ...base, at: outcome.at, ...countedIn(outcome.case) }
    case 'pending':
      return outcome.case === null
        ? base
        : {
            ...base,
            deadline_at: outcome.case.deadline_at,
            default_action: outcome.case.default_action,
            ...countedIn(outcome.case),
          }
    case 'refused':
    case 'unknown':
      return { ...base, code: outcome.code, detail: outcome.detail }
  }
}
