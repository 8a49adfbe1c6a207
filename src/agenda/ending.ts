// The words in which a person is told of a settled request: only an answer names somebody.
import type { Ending } from '../adapter/contract.js'
import type { StoredBody } from '../event.js'
import { placesOf } from './asked.js'
import { type Case, isOpen } from './case.js'

export function endingOf(subject: Case): Ending {
  if (isOpen(subject)) throw new Error('an open request has no ending')
  const { answer, replies, asked } = subject
  return {
    outcome: subject.state as Ending['outcome'],
    at: subject.resolved_at ?? subject.deadline_at,
    answered_by: answer === null ? null : listed(deciders(answer).map(one => inPlace(asked, one))),
    answer: answer === null ? null : spoken(answer),
    default_action: subject.default_applied ? subject.request.default_action : null,
    ...(answer === null && replies.length > 0 && { partly: true }),
  }
}

type Answer = NonNullable<Case['answer']>

/** Of a vote those who said what was decided, of a form everybody who answered a part of it. */
function deciders(answer: Answer): readonly string[] {
  const { parsed_choice, parsed_payload: payload, answered_by } = answer
  if ('votes' in answer && answer.votes !== undefined)
    return answer.votes.filter(({ choice }) => choice === parsed_choice).map(vote => vote.answered_by)
  if (payload === null || !('decisions' in payload)) return [answered_by]
  return [...new Set(payload.decisions.flatMap(one => one.answered_by ?? []))]
}

/** Both names of somebody to whom it was handed. */
function inPlace(asked: Case['asked'], userId: string): string {
  const giver = placesOf(asked, userId).at(-1)
  return giver === undefined || giver === userId ? userId : `${userId} in place of ${giver}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** An answer as one line. */
type Said = Pick<
  NonNullable<Case['answer']> | StoredBody<'HUMAN_REPLY_EVENT'>,
  'parsed_choice' | 'parsed_payload'
>

export function spoken(answer: Said): string {
  const { parsed_choice, parsed_payload: payload } = answer
  if (parsed_choice !== null) return parsed_choice
  if (payload === null) return ''
  if ('selected' in payload) return payload.selected.join(', ')
  if ('text' in payload) return payload.text
  if ('number' in payload)
    return payload.unit === undefined ? `${payload.number}` : `${payload.number} ${payload.unit}`
  if ('date' in payload) return payload.date
  return 'decisions' in payload ? summed(payload.decisions) : ''
}

/** A form has no line of its own: its decisions are counted, the approvals by their sense. */
function summed(decisions: readonly ({ readonly approved: boolean } | object)[]): string {
  const approvals = decisions.flatMap(one => ('approved' in one ? [one.approved] : []))
  const approved = approvals.filter(Boolean).length
  const all = `${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}`
  return approvals.length === 0 ? all : `${all}, ${approved} approved, ${approvals.length - approved} refused`
}
