// A ledger of requests that more than one person answers, told with the real seal: quorums with a veto and without,
// given, refused, left open and timed out.
import type { Body } from '../../src/event.js'
import { Craft, hashed, started } from '../ledger/craft.js'
import { approval, Directed } from '../ledger/directed.js'
import { Tale } from '../ledger/tale.js'
import { TERMS } from '../terms.js'

const PEOPLE = ['ada', 'bo', 'cy'] as const
type Person = (typeof PEOPLE)[number] | 'eve'
type Choice = 'YES' | 'NO'
type Vote = readonly [Person, Choice]
type Quorum = { readonly need: number; readonly veto: boolean }

class Poll {
  readonly #craft: Craft
  readonly #tale: Tale
  readonly #told: { readonly seq: number; readonly vote: Counted }[] = []

  constructor(craft: Craft, id: string, quorum: Quorum) {
    this.#craft = craft
    this.#tale = new Tale(craft, approval({ approval_id: id }), id)
    this.#tale.opened({
      recipients: PEOPLE.map(user_id => ({ user_id, channels: ['web'], route: 'first' })),
      terms: { ...TERMS, quorum, electorate: [...PEOPLE, 'dee'] },
    })
    for (const person of PEOPLE) {
      this.#tale.started(1, this.#copy(person))
      this.#tale.sent(1, this.#copy(person))
    }
  }

  #copy(person: Person) {
    const { id } = this.#tale
    return {
      delivery_id: `d-${id}-${person}`,
      recipient: person,
      token_hash: hashed(`token/${id}/${person}`),
    }
  }

  /** In the place of somebody who is away. */
  hand(from: Person, to: Person): void {
    this.#tale.tell('REQUEST_DELEGATED', { from, to, by: 'away' })
    this.#tale.started(1, this.#copy(to))
    this.#tale.sent(1, this.#copy(to))
  }

  vote(...[person, parsed_choice]: Vote): void {
    this.#craft.later(10)
    const { delivery_id, token_hash } = this.#copy(person)
    const reply = this.#tale.reply({
      reply_id: `r-${delivery_id}`,
      delivery_id,
      parsed_choice,
      sender_identity: { user_id: person, proof: 'console' },
      receipts: { token_hash, received_at: this.#craft.at },
    })
    this.#tale.received(reply)
    const { seq, at } = this.#tale.tell('HUMAN_REPLY_EVENT', reply)
    const vote = { answered_by: person, choice: parsed_choice, channel: 'web', proof: 'console', at } as const
    this.#told.push({ seq, vote })
  }

  decide(parsed_choice: Choice): void {
    const votes = this.#told.map(({ vote }) => vote)
    const { choice: _, ...by } = votes.at(-1) as Counted
    const answer = { parsed_choice, parsed_payload: null, ...by, votes }
    this.#tale.resolved({ outcome: 'answered', causes: this.#told.map(({ seq }) => seq), answer })
    const decision = parsed_choice === 'YES' ? 'CONTINUE' : 'HALT'
    new Directed(this.#craft, this.#tale).decided({ decision })
  }

  timeOut(): void {
    this.#craft.later(60_000)
    const deliveries = PEOPLE.map(person => ({ delivery_id: this.#copy(person).delivery_id, state: 'sent' }))
    this.#tale.timedOut('defaulted', { deliveries })
    new Directed(this.#craft, this.#tale).decided({ decision: 'HALT' })
  }
}

type Counted = NonNullable<NonNullable<Body<'REQUEST_RESOLVED'>['answer']>['votes']>[number]

export function polledLedger(): Craft {
  const craft = new Craft()
  craft.put(started)
  const decided = (id: string, quorum: Quorum, votes: readonly Vote[], choice: Choice): void => {
    const poll = new Poll(craft, id, quorum)
    for (const vote of votes) poll.vote(...vote)
    poll.decide(choice)
  }
  const vetoed = { need: 2, veto: true }
  const counted = { need: 3, veto: false }
  decided(
    'p-yes',
    vetoed,
    [
      ['ada', 'YES'],
      ['cy', 'YES'],
    ],
    'YES',
  )
  decided(
    'p-veto',
    vetoed,
    [
      ['bo', 'YES'],
      ['ada', 'NO'],
    ],
    'NO',
  )
  decided(
    'p-lost',
    counted,
    [
      ['bo', 'NO'],
      ['ada', 'YES'],
      ['cy', 'NO'],
    ],
    'NO',
  )
  const handed = new Poll(craft, 'p-handed', vetoed)
  handed.hand('bo', 'eve')
  handed.vote('eve', 'YES')
  handed.vote('ada', 'YES')
  handed.decide('YES')
  const silent = new Poll(craft, 'p-silent', counted)
  silent.vote('ada', 'YES')
  silent.timeOut()
  new Poll(craft, 'p-open', vetoed).vote('cy', 'YES')
  return craft
}
