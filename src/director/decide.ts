// The next move of a run, from the outcome of its request and the operator's policy alone. Pure: the same case and
// policy give the same decision, wherever and whenever it is asked for.
//
// D1  An approval that was not answered YES never continues.
// D2  Every default action has its decision, and none of them is to go on as if somebody had answered.
import { type Case, isOpen } from '../agenda/case.js'
import type { Body } from '../event.js'
import { verdictOf } from '../tally/verdict.js'
import type { Decisions, Move } from './policy.js'

export type Decision = Pick<Body<'DIRECTOR_DECIDED'>, 'decision' | 'mood' | 'work_item_id' | 'reason'>

export function decide(subject: Case, decisions: Decisions): Decision {
  if (isOpen(subject)) throw new Error('an open request has no outcome to decide about')
  const [outcome, reason] = situation(subject)
  return { reason, ...moveOf(subject, decisions[outcome]) }
}

function moveOf({ run }: Case, move: Move): Omit<Decision, 'reason'> {
  if (move.decision !== 'SPLIT' || run.work_item_id === undefined) return move
  return { ...move, work_item_id: run.work_item_id }
}

/** The line of the policy that applies, and the reason in a few fixed words. */
function situation(subject: Case): readonly [keyof Decisions, string] {
  const { request, state } = subject
  const isApproval = request.type === 'REQUEST_APPROVAL'
  switch (state) {
    case 'answered':
      return answered(subject)
    case 'withdrawn':
      return [isApproval ? 'approval_withdrawn' : 'withdrawn', 'the request was withdrawn']
    case 'undelivered':
      return [request.default_action, 'nobody could be reached in time']
    default:
      return [request.default_action, 'nobody answered in time']
  }
}

function answered(subject: Case): readonly [keyof Decisions, string] {
  const { request, answer } = subject
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return ['question_answered', 'the question was answered']
    case 'REQUEST_REVIEW':
      return answer !== null && isDecision(request) && verdictOf(answer) === 'refused'
        ? ['review_refused', 'the reviewer said no']
        : ['review_answered', 'the review was answered']
    case 'REQUEST_APPROVAL':
      return isApproved(subject)
        ? ['approval_given', 'the approval was given']
        : ['approval_refused', 'the approval was refused']
  }
}

/** Another schema may well have an option that is called NO. */
const isDecision = ({ reply_schema: { kind } }: Case['request']): boolean =>
  kind === 'yes_no' || kind === 'form'

/** A person said YES to an approval, or to every approval of its form; nothing else is consent. */
export const isApproved = ({ request, state, answer }: Case): boolean =>
  request.type === 'REQUEST_APPROVAL' &&
  state === 'answered' &&
  answer !== null &&
  verdictOf(answer) === 'given'

/** D1, for every director, the lane's own or another. */
export const mayContinue = (subject: Case): boolean =>
  subject.request.type !== 'REQUEST_APPROVAL' || isApproved(subject)
