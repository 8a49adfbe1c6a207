// The words in which a person is told of a settled request: only an answer names somebody.
import type { Ending } from '../adapter/contract.js'
import { type Case, isOpen } from './case.js'

export function endingOf(subject: Case): Ending {
  if (isOpen(subject)) throw new Error('an open request has no ending')
  const { answer } = subject
  return {
    outcome: subject.state as Ending['outcome'],
    at: subject.resolved_at ?? subject.deadline_at,
    answered_by: answer?.answered_by ?? null,
    answer: answer === null ? null : spoken(answer),
    default_action: subject.default_applied ? subject.request.default_action : null,
  }
}

/** An answer as one line. */
export function spoken(answer: NonNullable<Case['answer']>): string {
  const { parsed_choice, parsed_payload: payload } = answer
  if (parsed_choice !== null) return parsed_choice
  if (payload === null) return ''
  if ('selected' in payload) return payload.selected.join(', ')
  if ('text' in payload) return payload.text
  if ('number' in payload)
    return payload.unit === undefined ? `${payload.number}` : `${payload.number} ${payload.unit}`
  return payload.date
}
