// The sum of the answers to a form: for each decision the first that was accepted, and the decisions still missing.
//
// TF1  A decision is answered once: the first accepted answer stands, whoever gave it.
// TF2  The form is answered when every required decision is; where none is required, by the first reply.
// TF3  Silence decides nothing: a default is taken only for an optional decision that is no approval, only where policy
//      takes defaults, and only when people have answered the form.
import type { Decision, FormSchema } from '../compiler/reply-schema.js'
import type { StoredBody } from '../event.js'
import type { Counted, Tallied } from './tally.js'

type Answer = NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>
type FormPayload = Extract<Answer['parsed_payload'], { readonly decisions: unknown }>
/** A decision with its answer, and who gave it. */
export type CountedDecision = FormPayload['decisions'][number]

export type FormTally = {
  /** In the form's order. */
  readonly decisions: readonly CountedDecision[]
  /** The ids of the required decisions that nobody has answered. */
  readonly missing: readonly string[]
  /** The seq of every reply that gave one of them. */
  readonly causes: readonly number[]
}

export function tallyForm(form: FormSchema, replies: readonly Counted[]): FormTally {
  const answered = new Map<string, CountedDecision>()
  const causes: number[] = []
  for (const { seq, at, reply } of replies) {
    const fresh = saidBy(reply).filter(({ decision_id }) => !answered.has(decision_id))
    if (fresh.length > 0) causes.push(seq)
    const { user_id: answered_by, proof } = reply.sender_identity
    const by = { answered_by, channel: reply.channel, proof, at }
    for (const one of fresh) answered.set(one.decision_id, { ...one, ...by })
  }
  return {
    decisions: form.decisions.flatMap(({ id }) => answered.get(id) ?? []),
    missing: form.decisions.filter(({ id, required }) => required && !answered.has(id)).map(({ id }) => id),
    causes,
  }
}

/** The decisions of a form that need no answer any more; none of any other kind. */
export function settledOf({ request, replies }: Pick<Tallied, 'request' | 'replies'>): readonly string[] {
  const { reply_schema: schema } = request
  if (schema.kind !== 'form') return []
  return tallyForm(schema, replies).decisions.map(({ decision_id }) => decision_id)
}

function saidBy({ parsed_payload: payload }: StoredBody<'HUMAN_REPLY_EVENT'>) {
  return payload !== null && 'decisions' in payload ? payload.decisions : []
}

export const isAnswered = ({ decisions, missing }: FormTally): boolean =>
  missing.length === 0 && decisions.length > 0

/** The decisions with the defaults of those that nobody answered (TF3). */
export function withDefaults(form: FormSchema, { decisions }: FormTally): readonly CountedDecision[] {
  const said = new Map(decisions.map(one => [one.decision_id, one]))
  return form.decisions.flatMap(decision => said.get(decision.id) ?? defaultOf(decision) ?? [])
}

function defaultOf(decision: Decision): CountedDecision | null {
  if (decision.required || decision.type === 'approval' || decision.default === undefined) return null
  const taken = { decision_id: decision.id, by: 'default', answered_by: null, proof: null } as const
  return 'options' in decision
    ? { ...taken, selected: decision.default }
    : { ...taken, value: decision.default }
}
