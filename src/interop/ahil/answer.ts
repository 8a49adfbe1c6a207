// What a request came to, as entries: from a person where a person has answered, from the gateway where nobody has. They
// hold compiled values alone. A reason, quoted, stands in a rejection and nowhere else; what somebody answered in words of
// their own stays in the lane, because an order that holds them would be an instruction nobody has compiled.
import type { Hash } from '../../canonical.js'
import type { ToldAnswer } from '../ending.js'
import { type Entry, GATEWAY, HUMAN } from './entry.js'
import type { Draft } from './write.js'

type DecisionTaken = {
  readonly decision_id: string
  readonly approved?: boolean
  readonly selected?: string | readonly string[]
  readonly value?: string | number
  readonly comment?: string | null
  readonly by?: string
}
export type Ended = {
  readonly request_id: string
  readonly request: { readonly reply_schema: Schema }
  readonly state: string
  readonly resolved_at: string | null
  readonly default_action: string
  readonly answer: (ToldAnswer & { readonly at: string; readonly reason?: string | null }) | null
}
type Schema = {
  readonly kind: string
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly decisions?: readonly { readonly id: string; readonly prompt: string; readonly type: string }[]
}
/** The entry that was asked about, as far as its answer names it. */
type About = Pick<Entry, 'id' | 'from'>

/** One entry for each thing that was decided; rejections last, so that what is approved beside them stays rejected. */
export function answersOf(about: About, ended: Ended, eventHash: Hash): Draft[] {
  const { answer, request, request_id, resolved_at } = ended
  const basis = { ref: about.id, request_id, event_hash: eventHash }
  if (ended.state !== 'answered' || answer === null) {
    const context = { at: resolved_at, ...basis }
    return [{ ...SILENCE, to: about.from, content: silenceIn(ended), context }]
  }
  const { answered_by, channel, proof, at } = answer
  const context = { at, ...basis, answered_by, channel, proof }
  const said = { from: HUMAN, to: about.from }
  if (request.reply_schema.kind !== 'form')
    return [{ ...said, ...saidBy(request.reply_schema, answer, about.id), context }]
  const { decisions = [] } = request.reply_schema
  const prompts = new Map(decisions.map(({ id, prompt }) => [id, prompt]))
  const taken = (answer.parsed_payload?.decisions ?? []) as readonly DecisionTaken[]
  return taken
    .filter(({ by }) => by !== 'default')
    .map(one => ({
      ...said,
      ...decisionOf(one, prompts.get(one.decision_id) ?? one.decision_id),
      context: { ...context, decision: one.decision_id },
    }))
    .sort((one, other) => Number(one.type === 'acknowledgement') - Number(other.type === 'acknowledgement'))
}

type Said = Pick<Draft, 'type' | 'content'> & { readonly status?: 'noted' | 'rejected' }

const SILENCE = { type: 'acknowledgement', from: GATEWAY, status: 'rejected' } as const

function silenceIn({ state, request_id, default_action }: Ended): string {
  const holds = `${default_action} holds. No person has decided this.`
  switch (state) {
    case 'undelivered':
      return `Request ${request_id} reached nobody in time: ${holds}`
    case 'withdrawn':
      return `Request ${request_id} was withdrawn before anybody answered. No person has decided this.`
    default:
      return `Nobody answered request ${request_id} in time: ${holds}`
  }
}

const approved = (what: string): Said => ({ type: 'approval', content: `Approved: ${what}.` })
const rejected = (reason: string | null | undefined): Said => ({
  type: 'acknowledgement',
  status: 'rejected',
  content: reason == null ? 'Rejected.' : `Rejected. Reason given: ${JSON.stringify(reason)}`,
})
const order = (what: string): Said => ({ type: 'order', content: what })
const inOwnWords = (about: string): Said => ({
  type: 'acknowledgement',
  status: 'noted',
  content: `Answered${about}, in words that stay in the lane.`,
})

const APPROVE = 'approve'

/** Values of a choice that say which entry they make; every other value is an order. What gives a right must be labelled so
 *  too: the options are an agent's, and people read labels. */
const WORDS: Readonly<Record<string, (id: string, reason: string | null | undefined) => Said>> = {
  [APPROVE]: id => approved(`do as ${id} recommends`),
  reject: (_id, reason) => rejected(reason),
  override: id => ({ type: 'override', content: `Overridden: do not go on with ${id}.` }),
}

function saidBy(schema: Schema, answer: NonNullable<Ended['answer']>, id: string): Said {
  const { parsed_choice: choice, parsed_payload: payload, reason } = answer
  if (schema.kind === 'yes_no')
    return choice === 'YES' ? approved(`do as ${id} recommends`) : rejected(reason)
  if (choice !== null) {
    const word = choice.toLowerCase()
    const gives = word === APPROVE ? labelOf(schema, choice)?.toLowerCase() === APPROVE : true
    if (gives && Object.hasOwn(WORDS, word)) return WORDS[word]?.(id, reason) ?? rejected(reason)
    return order(`Chosen for ${id}: ${named(schema, choice)}.`)
  }
  if (Array.isArray(payload?.selected)) {
    const chosen = payload.selected.map(one => named(schema, String(one)))
    return order(`Chosen for ${id}: ${chosen.join(', ')}.`)
  }
  if (typeof payload?.number === 'number')
    return order(
      `Decided for ${id}: ${[payload.number, payload.unit].filter(one => one !== undefined).join(' ')}.`,
    )
  if (typeof payload?.date === 'string') return order(`Decided for ${id}: ${payload.date}.`)
  return inOwnWords('')
}

const labelOf = ({ options = [] }: Schema, value: string): string | undefined =>
  options.find(one => one.value === value)?.label

/** The value, and its label: both are the request's, not the reply's. */
function named(schema: Schema, value: string): string {
  const label = labelOf(schema, value)
  return label === undefined || label === value ? value : `${value} (${label})`
}

function decisionOf(taken: DecisionTaken, prompt: string): Said {
  const { approved: isApproved, selected, value, comment } = taken
  const about = `${taken.decision_id} (${prompt})`
  if (isApproved === true) return approved(about)
  if (isApproved === false) return rejected(comment)
  if (selected !== undefined) return order(`Chosen for ${about}: ${[selected].flat().join(', ')}.`)
  if (typeof value === 'number') return order(`Decided for ${about}: ${value}.`)
  return inOwnWords(` ${about}`)
}
