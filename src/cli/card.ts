// A case for the eye: the question, the people asked, its state, and its proof.

import {
  decisionsIn,
  isOpen,
  isYesWithoutRight,
  type ShownCase,
  type ShownDelivery,
  sayAnswer,
  sayDecision,
} from '../client/case.js'
import { describeAnswer } from '../compiler/describe.js'
import type { Request } from '../request/request.js'
import { courseRows, termRows } from './people.js'
import { cut, type Paint, type Style, sayInstant, table, visible } from './print.js'

const STATE_STYLES: Readonly<Record<string, Style>> = {
  pending: 'yellow',
  partial: 'yellow',
  answered: 'green',
  defaulted: 'red',
  undelivered: 'red',
}
/** Enough to tell two hashes apart by eye; the whole one is in --json. */
const HASH_CHARS = 'sha256:'.length + 16 + '…'.length

type Row = readonly [label: string, text: string]

export function card(subject: ShownCase, now: number, paint: Paint): string[] {
  const rows: Row[] = [
    ...requestRows(subject.request),
    ['Run', runText(subject)],
    ['Opened', sayInstant(subject.opened_at, now)],
    ['Deadline', sayInstant(subject.deadline_at, now)],
    ['Default', `${subject.default_action}${subject.default_applied ? ', applied' : ''}`],
    ...termRows(subject).flatMap(([label, texts]) => labelled(label, texts)),
    ...labelled('Asked', deliveryTexts(subject.deliveries, now)),
    ...courseRows(subject, now).flatMap(([label, texts]) => labelled(label, texts)),
    ...outcomeRows(subject, now),
    ['Hash', cut(subject.request_hash, HASH_CHARS)],
    ['Receipt', `entry ${subject.receipt.seq}, ${cut(subject.receipt.hash, HASH_CHARS)}`],
  ]
  const state = paint(STATE_STYLES[subject.state] ?? 'dim', subject.state)
  const heading = `${paint('bold', visible(subject.request_id))}  ${state}`
  return [heading, ...table(rows.map(([label, text]) => [`  ${label}`, visible(text)]))]
}

function requestRows(request: Request): Row[] {
  const answers: Row = ['Answers', describeAnswer(request.reply_schema)]
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return [
        ['Question', request.question_text],
        ['Impact', request.impact],
        ...labelled('Context', request.context_handles),
        answers,
      ]
    case 'REQUEST_REVIEW':
      return [
        ['Review', `for ${request.lens}`],
        ...whyRow(request),
        ...labelled('Target', request.target_handles),
        answers,
      ]
    case 'REQUEST_APPROVAL': {
      const parameters = Object.entries(request.parameters).map(([name, handle]) => `${name} = ${handle}`)
      return [['Approve', request.action], ...whyRow(request), ...labelled('With', parameters), answers]
    }
  }
}

const whyRow = ({ why }: { readonly why?: string }): Row[] => (why === undefined ? [] : [['Why', why]])

/** The label stands once, beside the first of its lines. */
const labelled = (label: string, texts: readonly string[]): Row[] =>
  texts.map((text, index) => [index === 0 ? label : '', text])

const runText = ({ run }: ShownCase): string =>
  run.work_item_id === undefined ? run.run_id : `${run.run_id}, work item ${run.work_item_id}`

function deliveryTexts(deliveries: readonly ShownDelivery[], now: number): string[] {
  if (deliveries.length === 0) return ['nobody yet']
  return table(
    deliveries.map(({ user_id, channel, state, attempts, at, until }) => [
      user_id,
      channel,
      until === undefined ? state : `${state} until ${sayInstant(until, now)}`,
      attempts === 1 ? '1 attempt' : `${attempts} attempts`,
      sayInstant(at, now),
    ]),
  )
}

function outcomeRows(subject: ShownCase, now: number): Row[] {
  const { answer, resolved_at } = subject
  const votes = voteRows(subject, now)
  const parts = answer === null ? [...partRows(subject), ...explanations(subject)] : []
  if (isOpen(subject)) return [...votes, ...parts]
  const ended: Row = ['Resolved', resolved_at === null ? subject.state : sayInstant(resolved_at, now)]
  const resolved = [...votes, ...parts, ended, ...decisionRows(subject)]
  if (answer === null) return resolved
  const { credential_hash: passkey } = answer
  const confirmed: Row[] = passkey === undefined ? [] : [['Passkey', passkey]]
  const said: Row[] = answer.raw_text === undefined ? [] : [['Said', `"${answer.raw_text}"`]]
  return [
    ['Answer', sayAnswer(answer)],
    ...explanations(subject),
    ...said,
    ['By', `${answer.answered_by} over ${answer.channel}, proof ${answer.proof}`],
    ...confirmed,
    ...resolved,
  ]
}

/** A reason is a quotation: it stands in marks, under a name of its own. */
function explanations({ answer, so_far }: ShownCase): Row[] {
  const whole: Row[] = typeof answer?.reason === 'string' ? [['Reason', `"${answer.reason}"`]] : []
  const given = decisionsIn(answer).length > 0 ? decisionsIn(answer) : (so_far?.decisions ?? [])
  const texts = given.flatMap(({ decision_id, comment }) =>
    typeof comment === 'string' ? [`${decision_id}: "${comment}"`] : [],
  )
  return [...whole, ...labelled('Comments', texts)]
}

/** The decisions of a form that is not answered whole. */
function partRows({ so_far, answer }: ShownCase): Row[] {
  if (answer !== null || so_far?.decisions === undefined) return []
  const missing: Row[] = so_far.missing?.length ? [['Missing', so_far.missing.join(', ')]] : []
  return [...labelled('So far', so_far.decisions.map(sayDecision)), ...missing]
}

/** Who has said what so far, where several must agree. */
function voteRows({ answer, so_far, tally }: ShownCase, now: number): Row[] {
  const votes = answer?.votes ?? so_far?.votes ?? []
  const texts = votes.map(
    ({ answered_by, choice, channel, proof, at }) =>
      `${choice} of ${answered_by} over ${channel}, proof ${proof}, ${sayInstant(at, now)}`,
  )
  const standing: Row[] = tally === undefined ? [] : [['Quorum', `${tally.yes} of ${tally.need} YES`]]
  return [...standing, ...labelled('Votes', texts)]
}

/** The run's next move. The right itself is in --json only: a terminal keeps everything it has shown. */
function decisionRows(subject: ShownCase): Row[] {
  const { decision } = subject
  if (!decision) return [['Decision', 'not yet']]
  const { mood, work_item_id, reason, by, policy_token_expires_at: until } = decision
  const move = [decision.decision, mood && `to ${mood}`, work_item_id && `of ${work_item_id}`].filter(Boolean)
  const right: Row[] = until === undefined ? [] : [['Right', `a policy token until ${until}`]]
  if (isYesWithoutRight(subject))
    right.push(['Right', 'none: spent, taken back, expired, not given, or of another key'])
  return [['Decision', `${move.join(' ')}, by ${by ?? 'nobody named'}: ${reason ?? ''}`], ...right]
}

/** The end of a wait: the first line is the answer itself, or what holds without one. */
export function outcomeLines(subject: ShownCase, now: number, paint: Paint): string[] {
  const { answer, default_action, resolved_at } = subject
  const style = STATE_STYLES[subject.state] ?? 'dim'
  const when = resolved_at === null ? '' : `, ${sayInstant(resolved_at, now)}`
  const how = answer === null ? '' : ` by ${answer.answered_by} over ${answer.channel}, proof ${answer.proof}`
  const first = answer !== null ? sayAnswer(answer) : subject.default_applied ? default_action : 'no answer'
  return [paint('bold', visible(first)), `${paint(style, subject.state)}${visible(how)}${when}`]
}

/** One line per request, for lists. */
export const headline = (request: Request): string => requestRows(request)[0]?.join(': ') ?? request.type
