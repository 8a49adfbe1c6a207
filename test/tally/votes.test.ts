// The votes of a quorum, held against an oracle that counts them one at a time.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Body } from '../../src/event.js'
import type { Quorum } from '../../src/request/terms.js'
import { type Counted, tally } from '../../src/tally/tally.js'
import { hashed } from '../ledger/craft.js'

type Choice = 'YES' | 'NO'
const PEOPLE = ['ada', 'bo', 'cy', 'di', 'ed', 'flo', 'gus', 'hal', 'ivy', 'jo'] as const

const vote = (user_id: string, parsed_choice: Choice, seq: number): Counted => ({
  seq,
  at: `2026-02-17T14:00:0${seq % 10}.000Z`,
  event_hash: hashed(`event ${seq}`),
  reply: {
    reply_id: `r-${seq}`,
    request_id: 'a',
    delivery_id: `d-${seq}`,
    channel: 'slack',
    sender_identity: { user_id, proof: 'slack_signed' },
    raw_text_hash: hashed('raw'),
    grammar: '1',
    parsed_choice,
    parsed_payload: null,
    receipts: { token_hash: hashed(`token ${seq}`), received_at: '2026-02-17T14:00:00.000Z' },
  } satisfies Body<'HUMAN_REPLY_EVENT'>,
})

const polled = (choices: readonly Choice[], electorate: readonly string[], quorum: Quorum) =>
  tally({
    request: { reply_schema: { kind: 'yes_no' } },
    terms: { quorum, electorate },
    replies: choices.map((choice, index) => vote(electorate[index] ?? '', choice, index)),
  })

/** Asks of every way the open votes could still fall: what is certain is decided. */
function oracle(choices: readonly Choice[], people: number, { need, veto }: Quorum): Choice | null {
  if (choices.filter(choice => choice === 'YES').length >= need) return 'YES'
  if (veto && choices.includes('NO')) return 'NO'
  const best = choices.concat(Array<Choice>(people - choices.length).fill('YES'))
  return best.filter(choice => choice === 'YES').length >= need ? null : 'NO'
}

const cases = fc
  .record({
    people: fc.integer({ min: 2, max: PEOPLE.length }),
    need: fc.integer({ min: 2, max: PEOPLE.length }),
    veto: fc.boolean(),
    all: fc.array(fc.constantFrom<Choice>('YES', 'NO'), { maxLength: PEOPLE.length }),
  })
  .filter(({ people, need }) => need <= people)

describe('a quorum', () => {
  test('is decided when the oracle says so, as it says, and never before', () => {
    fc.assert(
      fc.property(cases, ({ people, need, veto, all }) => {
        const electorate = PEOPLE.slice(0, people)
        for (let given = 0; given <= Math.min(all.length, people); given++) {
          const choices = all.slice(0, given)
          const said = oracle(choices, people, { need, veto })
          const come = polled(choices, electorate, { need, veto })
          expect(come.kind === 'decided' ? come.answer.parsed_choice : null).toBe(said)
          if (said !== null) return
        }
      }),
    )
  })

  test('names every vote and its cause, the deciding one last, and is answered by whoever gave that one', () => {
    const come = polled(['YES', 'NO', 'YES'], ['ada', 'bo', 'cy', 'di'], { need: 2, veto: false })
    expect(come).toMatchObject({
      kind: 'decided',
      causes: [0, 1, 2],
      answer: {
        parsed_choice: 'YES',
        parsed_payload: null,
        answered_by: 'cy',
        votes: [
          { answered_by: 'ada', choice: 'YES' },
          { answered_by: 'bo', choice: 'NO' },
          { answered_by: 'cy', choice: 'YES' },
        ],
      },
    })
  })

  test('tells how it stands while it is open', () => {
    expect(polled(['YES'], ['ada', 'bo'], { need: 2, veto: true })).toEqual({
      kind: 'open',
      count: { need: 2, yes: 1, no: 0, decided: null },
    })
  })
})

test('without a quorum the first answer decides, whatever comes behind it', () => {
  const replies = [vote('ada', 'NO', 0), vote('bo', 'YES', 1)]
  expect(tally({ request: { reply_schema: { kind: 'yes_no' } }, terms: null, replies })).toMatchObject({
    kind: 'decided',
    causes: [0],
    answer: { parsed_choice: 'NO', answered_by: 'ada' },
  })
})
