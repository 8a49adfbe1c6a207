// A ledger of forms and reasons, told with the real seal: answered by one and by two, with a default taken, refused,
// and left half answered.
import type { Hash } from '../../src/canonical.js'
import type { Body } from '../../src/event.js'
import { Craft, hashed, started } from '../ledger/craft.js'
import { approval, Directed } from '../ledger/directed.js'
import { question, Tale } from '../ledger/tale.js'
import { TERMS } from '../terms.js'

const OPTIONS = [
  { value: 'ship', label: 'Ship it', description: 'Today, after noon' },
  { value: 'wait', label: 'Wait' },
  { value: 'drop', label: 'Drop it' },
]
const asked = { prompt: 'What shall be done about it?', required: false }
const FORM = {
  kind: 'form',
  context: 'First line.\n\nThird line.',
  blocking: [{ task_id: 't-1', description: 'The release' }],
  decisions: [
    { ...asked, id: 'go', type: 'approval', required: true, reason: { when: 'on_no', max_chars: 80 } },
    { ...asked, id: 'How', type: 'choice', options: OPTIONS, default: 'wait', required: true },
    {
      ...asked,
      id: 'which',
      type: 'multi_choice',
      options: OPTIONS,
      constraints: { max: 2 },
      default: ['drop', 'ship'],
    },
    {
      ...asked,
      id: 'name',
      type: 'text',
      constraints: { min: 2, pattern: '^[a-z]+-[0-9]{1,3}$' },
      default: 'rc-1',
    },
    { ...asked, id: 'amount', type: 'number', constraints: { min: 0, max: 10 }, default: 2.5 },
    { ...asked, id: 'day', type: 'date', description: 'A day\nor an instant', default: '2026-04-01' },
  ],
}
const ENTRIES = { decision_id: '', comment_hash: hashed('why') }

type Payload = Body<'HUMAN_REPLY_EVENT'>['parsed_payload']
type Decisions = Extract<Payload, { decisions: unknown }>['decisions']
type Parsed = { readonly parsed_choice: string | null; readonly parsed_payload: Payload }
type Person = 'ada' | 'bo'

class Asked {
  readonly #craft: Craft
  readonly #tale: Tale
  readonly #told: { readonly seq: number; readonly by: By; readonly parsed: Parsed }[] = []
  #replies = 0

  constructor(craft: Craft, tale: Tale, policy: object = {}) {
    this.#craft = craft
    this.#tale = tale
    tale.opened({
      recipients: (['ada', 'bo'] as const).map(user_id => ({ user_id, channels: ['web'], route: 'first' })),
      terms: { ...TERMS, policy: { ...TERMS.policy, ...policy } },
    })
    for (const person of ['ada', 'bo'] as const) {
      tale.started(1, this.#copy(person))
      tale.sent(1, this.#copy(person))
    }
  }

  #copy(person: Person): { delivery_id: string; recipient: string; token_hash: Hash } {
    const { id } = this.#tale
    return {
      delivery_id: `d-${id}-${person}`,
      recipient: person,
      token_hash: hashed(`token/${id}/${person}`),
    }
  }

  reply(person: Person, parsed: Parsed): this {
    this.#craft.later(10)
    this.#replies += 1
    const { delivery_id, token_hash } = this.#copy(person)
    const reply = this.#tale.reply({
      ...parsed,
      reply_id: `r-${delivery_id}-${this.#replies}`,
      delivery_id,
      sender_identity: { user_id: person, proof: 'console' },
      receipts: { token_hash, received_at: this.#craft.at },
    })
    this.#tale.received(reply)
    const { seq, at } = this.#tale.tell('HUMAN_REPLY_EVENT', reply)
    this.#told.push({ seq, by: { answered_by: person, channel: 'web', proof: 'console', at }, parsed })
    return this
  }

  decisions(person: Person, ...decisions: Decisions): this {
    return this.reply(person, { parsed_choice: null, parsed_payload: { decisions } })
  }

  /** The sum of the replies, with what is taken by default. */
  decided(defaults: readonly object[] = []): void {
    const answers = this.#told.flatMap(({ parsed, by }) =>
      parsed.parsed_payload !== null && 'decisions' in parsed.parsed_payload
        ? parsed.parsed_payload.decisions.map(one => ({ ...one, ...by }))
        : [],
    )
    const taken = defaults.map(one => ({ ...one, by: 'default', answered_by: null, proof: null }))
    const order = FORM.decisions.map(({ id }) => id)
    const placeOf = (one: object): number => order.indexOf((one as { decision_id: string }).decision_id)
    const decisions = [...answers, ...taken].sort((one, other) => placeOf(one) - placeOf(other))
    this.#resolve({ parsed_choice: null, parsed_payload: { decisions } as never })
  }

  answered(): void {
    const last = this.#told.at(-1)
    if (last !== undefined) this.#resolve(last.parsed)
  }

  #resolve(parsed: Parsed): void {
    const { by } = this.#told.at(-1) as { by: By }
    const causes = this.#told.map(({ seq }) => seq)
    this.#tale.resolved({ outcome: 'answered', causes, answer: { ...parsed, ...by } as never })
    new Directed(this.#craft, this.#tale).decided({ decision: 'HALT' })
  }
}

type By = {
  readonly answered_by: Person
  readonly channel: 'web'
  readonly proof: 'console'
  readonly at: string
}

export function formedLedger(): Craft {
  const craft = new Craft()
  craft.put(started)
  const form = (id: string): Tale => new Tale(craft, question({ question_id: id, reply_schema: FORM }), id)
  const all: Decisions = [
    { decision_id: 'go', approved: true },
    { decision_id: 'How', selected: 'ship' },
    { decision_id: 'which', selected: ['ship', 'drop'] },
    { decision_id: 'name', value: 'rc-12' },
    { decision_id: 'amount', value: 0.3 },
    { decision_id: 'day', value: '2026-02-17T23:30:00-05:00' },
  ]
  new Asked(craft, form('f-all')).decisions('ada', ...all).decided()
  new Asked(craft, form('f-parts'))
    .decisions('ada', { ...ENTRIES, decision_id: 'go', approved: false })
    .decisions('bo', { decision_id: 'How', selected: 'wait' }, { decision_id: 'amount', value: 10 })
    .decided()
  const defaults = [
    { decision_id: 'which', selected: ['drop', 'ship'] },
    { decision_id: 'name', value: 'rc-1' },
    { decision_id: 'amount', value: 2.5 },
    { decision_id: 'day', value: '2026-04-01' },
  ]
  new Asked(craft, form('f-defaults'), { take_defaults: true })
    .decisions('ada', { decision_id: 'go', approved: true })
    .decisions('ada', { decision_id: 'How', selected: 'drop' })
    .decided(defaults)
  new Asked(craft, form('f-open')).decisions('bo', { decision_id: 'day', value: '2026-02-17' })
  explained(craft)
  return craft
}

/** YES and NO with their reasons, and a choice with one. */
function explained(craft: Craft): void {
  const reason_hash = hashed('because')
  const onNo = { kind: 'yes_no', reason: { when: 'on_no', max_chars: 200 } }
  const said = (id: string, reply_schema: object, parsed: Parsed): void =>
    new Asked(craft, new Tale(craft, question({ question_id: id, reply_schema }), id))
      .reply('ada', parsed)
      .answered()
  said('w-no', onNo, { parsed_choice: 'NO', parsed_payload: { reason_hash } })
  said('w-yes', onNo, { parsed_choice: 'YES', parsed_payload: null })
  const choice = { kind: 'choice', options: OPTIONS.slice(1), reason: { when: 'optional', max_chars: 1 } }
  said('w-choice', choice, { parsed_choice: 'drop', parsed_payload: { reason_hash } })
  const approving = { ...FORM, decisions: FORM.decisions.slice(0, 1) }
  const tale = new Tale(craft, approval({ approval_id: 'a-form', reply_schema: approving }), 'a-form')
  new Asked(craft, tale).decisions('bo', { decision_id: 'go', approved: true }).decided()
}
