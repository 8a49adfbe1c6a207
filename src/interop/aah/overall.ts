// What the answers to an artifact come to, in AAH's four words, and what may go on by them.
//
// AO1  Only what a person said counts: a default and a silence are unanswered, whatever the artifact declared.
import type { Decision, FormSchema } from '../../compiler/reply-schema.js'
import type { CountedDecision } from '../../tally/form.js'

type Overall = 'all_approved' | 'partial' | 'all_rejected' | 'pending'

type Said = ReadonlyMap<string, CountedDecision>
const saidIn = (decisions: readonly CountedDecision[]): Said =>
  new Map(decisions.filter(one => one.answered_by !== null).map(one => [one.decision_id, one]))

const isApproved = (said: Said, { id }: Decision): boolean | null => {
  const one = said.get(id)
  return one !== undefined && 'approved' in one ? one.approved : null
}

export function overallOf(form: FormSchema, decisions: readonly CountedDecision[]): Overall {
  const said = saidIn(decisions)
  if (form.decisions.some(({ id, required }) => required && !said.has(id))) return 'pending'
  const verdicts = form.decisions
    .filter(({ type }) => type === 'approval')
    .map(decision => isApproved(said, decision))
  if (verdicts.length === 0) return 'partial'
  if (verdicts.every(verdict => verdict === true)) return 'all_approved'
  return verdicts.every(verdict => verdict === false) ? 'all_rejected' : 'partial'
}

type Blocked = NonNullable<FormSchema['blocking']>

/** What waited for the form goes on once people have answered it and refused nothing that was required. */
export function released(
  form: FormSchema,
  decisions: readonly CountedDecision[],
  isAnswered: boolean,
): Blocked {
  const said = saidIn(decisions)
  const isFree = form.decisions.every(
    decision => decision.type !== 'approval' || !decision.required || isApproved(said, decision) === true,
  )
  return isAnswered && isFree ? (form.blocking ?? []) : []
}

/** One sentence for people who read the response; it quotes nobody. */
export function summaryOf(form: FormSchema, decisions: readonly CountedDecision[]): string {
  const by = (test: (one: CountedDecision) => boolean): string[] =>
    decisions.filter(test).map(one => one.decision_id)
  const known = new Set(decisions.map(one => one.decision_id))
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['Approved', by(one => 'approved' in one && one.approved)],
    ['Rejected', by(one => 'approved' in one && !one.approved)],
    ['Answered', by(one => !('approved' in one) && one.answered_by !== null)],
    ['By default', by(one => one.answered_by === null)],
    ['Not answered', form.decisions.map(({ id }) => id).filter(id => !known.has(id))],
  ]
  return parts
    .filter(([, ids]) => ids.length > 0)
    .map(([words, ids]) => `${words}: ${ids.join(', ')}.`)
    .join(' ')
}
