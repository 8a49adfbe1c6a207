// Several must agree, and none of them may be the one who asks: each attempt to get round it has its test.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import { showCase } from '../../src/http/case.js'
import type { Applicant } from '../../src/lane/submit.js'
import { replay } from '../../src/ledger/replay.js'
import { approval, configure, fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'

const PEOPLE = ['ada', 'bo', 'cy'] as const
type Person = (typeof PEOPLE)[number]
const config = (action: string): string => `
recipients:
${PEOPLE.map(one => `  ${one}: { name: ${one}, slack: { team: T1, user: U${one.toUpperCase()} } }`).join('\n')}
actions:
  PUBLISH: { approvers: [ada, bo, cy]${action} }
`
const TWO = configure(config(', quorum: { need: 2 }'))
const KEY: Applicant = { key_id: 'key-1', name: 'agent', owner: null, urgent: false }
const RUN = { run_id: 'run-1', mood: 'DEFERENTIAL' }

let stage: Stage
beforeEach(async () => {
  stage = await raise(TWO)
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

async function submit(more: object = {}, id = 'a', asker = KEY): Promise<Case> {
  const body = { request: approval(id), run: RUN, recipients: [...PEOPLE], ...more }
  const submitted = await stage.lane.submit(body, asker)
  if (submitted.kind === 'refused') throw new Error(`${submitted.code}: ${submitted.detail}`)
  await stage.lane.drain()
  return submitted.subject
}
const refusalOf = async (more: object, asker = KEY): Promise<string> => {
  const body = { request: approval('a'), run: RUN, recipients: [...PEOPLE], ...more }
  const submitted = await stage.lane.submit(body, asker)
  return submitted.kind === 'refused' ? submitted.code : submitted.kind
}
const says = (who: Person, text: string, lane = stage.lane, id = 'a') =>
  lane.answer(
    fromSlack(handleOf(stage.slack, who, id), text, {
      sender: { team: 'T1', user: `U${who.toUpperCase()}` },
    }),
  )

describe('a quorum', () => {
  test('one YES of two counts and decides nothing: no policy token, no outcome, and the person hears what is missing', async () => {
    await submit()
    await says('ada', 'yes')
    const subject = await stage.current('a')
    expect(subject).toMatchObject({ state: 'partial', answer: null, policy_token: null, decision: null })
    expect(showCase(subject)).toMatchObject({
      state: 'partial',
      answer: null,
      tally: { need: 2, yes: 1, no: 0 },
      so_far: { votes: [{ answered_by: 'ada', choice: 'YES', channel: 'slack', proof: 'slack_signed' }] },
    })
  })

  test('the second YES decides, names every vote and its cause, and gives the right once', async () => {
    await submit()
    await says('ada', 'yes')
    await says('cy', 'yes')
    const subject = await stage.current('a')
    expect(subject).toMatchObject({
      state: 'answered',
      answer: {
        parsed_choice: 'YES',
        answered_by: 'cy',
        votes: [{ answered_by: 'ada' }, { answered_by: 'cy' }],
      },
      decision: { decision: 'CONTINUE' },
    })
    expect(subject.policy_token?.reply_event_hash).toBe(subject.replies[1]?.event_hash)
    const entries = await stage.entries()
    const [resolved] = entries.filter(({ type }) => type === 'REQUEST_RESOLVED')
    const replies = entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT').map(({ seq }) => seq)
    expect(resolved?.body).toMatchObject({ outcome: 'answered', causes: replies })
  })

  test('the first NO decides where there is a veto', async () => {
    await submit()
    await says('ada', 'yes')
    await says('bo', 'no')
    expect(await stage.current('a')).toMatchObject({ state: 'answered', answer: { parsed_choice: 'NO' } })
    expect((await stage.current('a')).policy_token).toBeNull()
  })

  test('everybody’s copy is closed at the end', async () => {
    await submit()
    await says('ada', 'yes')
    await stage.lane.drain()
    expect(stage.slack.closed).toEqual([])
    await says('bo', 'yes')
    await stage.lane.drain()
    expect((await stage.current('a')).deliveries.map(({ state }) => state)).toEqual([
      'closed',
      'closed',
      'closed',
    ])
  })

  test('a vote twice is already_voted and counts once', async () => {
    await submit()
    await says('ada', 'yes')
    expect(await says('ada', 'yes')).toMatchObject({ kind: 'rejected', reason: 'already_voted' })
    const subject = await stage.current('a')
    expect(subject.replies).toHaveLength(1)
  })

  test('silence after one YES is silence: the default holds, and the vote is told and good for nothing', async () => {
    await submit()
    await says('ada', 'yes')
    stage.clock.pass(601_000)
    const subject = await stage.current('a')
    expect(subject).toMatchObject({
      state: 'defaulted',
      answer: null,
      default_applied: true,
      policy_token: null,
    })
    expect(showCase(subject)).toMatchObject({ so_far: { votes: [{ answered_by: 'ada', choice: 'YES' }] } })
    expect(showCase(subject)).not.toHaveProperty('tally')
  })

  test('any order of votes by three people at once, on two lanes, ends in one outcome that replays', async () => {
    const other = stage.secondLane()
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...PEOPLE], { minLength: 3 }),
        fc.array(fc.constantFrom('yes', 'no'), { minLength: 3, maxLength: 3 }),
        async (order, words) => {
          const id = `race-${round++}`
          await submit({ request: approval(id) }, id)
          await Promise.all(
            order.map((who, index) =>
              says(who, words[index] ?? '', index % 2 === 0 ? stage.lane : other, id),
            ),
          )
          const entries = (await stage.entries()).filter(({ request_id }) => request_id === id)
          const resolved = entries.filter(({ type }) => type === 'REQUEST_RESOLVED')
          const voted = entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
          const choices = voted.map(({ body }) => ('parsed_choice' in body ? body.parsed_choice : null))
          expect(resolved).toHaveLength(1)
          // With a veto, what decides is the second YES or the first NO, whichever came first.
          expect(choices.slice(0, -1).filter(choice => choice === 'YES')).toHaveLength(choices.length - 1)
          expect(choices.at(-1) === 'NO' || choices.length === 2).toBe(true)
        },
      ),
      { numRuns: 20 },
    )
    const replayed = await replay(stage.store.ledger.lines(0), async id => await stage.store.shelf.raw(id))
    expect(replayed.problems).toEqual([])
  })
})

describe('a quorum that policy demands cannot be evaded', () => {
  test('by asking fewer people than must agree', async () => {
    expect(await refusalOf({ recipients: ['ada'] })).toBe('quorum_unreachable')
  })
  test('by asking for less', async () => {
    stage = await replaced(config(', quorum: { need: 3 }'))
    const subject = await submit({ quorum: { need: 2, veto: false } })
    expect(subject.terms).toMatchObject({ quorum: { need: 3, veto: true }, electorate: PEOPLE })
  })
  test('by a quorum over what is no approval', async () => {
    const asked = { request: question('q'), quorum: { need: 2 } }
    expect(await refusalOf(asked)).toBe('quorum_needs_yes_no')
  })
  test('by fewer or more than can be', async () => {
    for (const need of [1, 11, 2.5, '2'])
      expect(await refusalOf({ quorum: { need } })).toBe('invalid_request')
  })
})

async function replaced(text: string): Promise<Stage> {
  await stage.close()
  return await raise(configure(text))
}

describe('a vote that is handed on', () => {
  beforeEach(async () => {
    const people = ['ada', 'bo', 'cy', 'di'].map(
      one =>
        `  ${one}: { name: ${one}, slack: { team: T1, user: U${one.toUpperCase()} }${one === 'ada' ? ', delegates: [cy, di]' : ''} }`,
    )
    stage = await replaced(
      `recipients:\n${people.join('\n')}\nactions: { PUBLISH: { approvers: [ada, bo, cy, di] } }\n`,
    )
  })
  const VOTE = {
    recipients: ['ada', 'bo'],
    quorum: { need: 2, veto: false },
    ladder: [{ after_seconds: 300, do: 'add', recipients: ['cy'] }],
  }
  const handsOf = async (id: string) => (await stage.current(id)).hands

  test('goes to nobody who votes in their own right, though the ladder has not asked them yet', async () => {
    await submit(VOTE)
    const refused = await says('ada', 'DELEGATE cy')
    expect(refused).toMatchObject({ kind: 'rejected', reason: 'reply_not_in_schema' })
    expect(JSON.stringify(refused)).toContain('cy votes in their own right. You could say DELEGATE di.')
    await stage.lane.sendAway({ user_id: 'ada', until: stage.store.ledger.now() + 60_000, to: 'cy' }, 'key-1')
    await submit({ ...VOTE, request: approval('b') }, 'b')
    expect([await handsOf('a'), await handsOf('b')]).toEqual([[], []])
  })

  test('is one voice in one place: the delegate has it, and whoever handed it on has none', async () => {
    await submit(VOTE)
    expect(await says('ada', 'DELEGATE di')).toMatchObject({ kind: 'handed' })
    await stage.lane.drain()
    expect(await says('ada', 'yes')).toMatchObject({ reason: 'delegated_away' })
    await says('di' as Person, 'yes')
    await says('bo', 'yes')
    expect(await stage.current('a')).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'YES', votes: [{ answered_by: 'di' }, { answered_by: 'bo' }] },
    })
  })

  test('is not handed on once it was given', async () => {
    await submit(VOTE)
    await says('ada', 'yes')
    expect(await says('ada', 'DELEGATE di')).toMatchObject({ reason: 'already_voted' })
    expect(await handsOf('a')).toEqual([])
  })

  test('says on every copy how many must agree, and on a later one how it stands', async () => {
    await submit(VOTE)
    const rule = '2 of 3 people must say YES.'
    const told = () => stage.slack.copies.map(({ outbound }) => outbound.beside?.votes)
    expect(told()).toEqual([rule, rule])
    await says('bo', 'no')
    await says('ada', 'DELEGATE di')
    await stage.lane.drain()
    expect(told().at(-1)).toBe(`${rule} So far: 0 YES, 1 NO.`)
  })
})

describe('four eyes', () => {
  beforeEach(async () => {
    stage = await replaced(config(', four_eyes: true'))
  })
  const ADAS = { ...KEY, owner: 'ada' }

  test('a key that is nobody’s is refused', async () => {
    expect(await refusalOf({})).toBe('four_eyes')
  })
  test('whoever owns the key is left out, and nobody else to ask is refused', async () => {
    expect(await refusalOf({ recipients: ['ada'] }, ADAS)).toBe('four_eyes')
    const subject = await submit({}, 'a', ADAS)
    expect(subject.recipients.map(({ user_id }) => user_id)).toEqual(['bo', 'cy'])
    expect(subject.terms?.policy).toMatchObject({ four_eyes: true, owner: 'ada', approvers: PEOPLE })
  })
  test('the owner’s own YES is refused where the rule came after the question', async () => {
    stage = await replaced(config(''))
    await submit({}, 'a', ADAS)
    const later = stage.secondLane(configure(config(', four_eyes: true')))
    expect(await says('ada', 'yes', later)).toMatchObject({ kind: 'rejected', reason: 'four_eyes' })
    expect(await says('bo', 'yes', later)).toMatchObject({ kind: 'accepted' })
  })
})

test('whoever may no longer approve is refused, though they were asked while they might', async () => {
  await submit()
  const narrowed = config(', quorum: { need: 2 }').replace('[ada, bo, cy]', '[bo, cy]')
  const later = stage.secondLane(configure(narrowed))
  expect(await says('ada', 'yes', later)).toMatchObject({ kind: 'rejected', reason: 'no_longer_approver' })
  expect(await says('bo', 'yes', later)).toMatchObject({ kind: 'accepted' })
})

test('a proof that policy took then and takes no more is not enough', async () => {
  stage = await replaced(config(', proofs: [dmarc, slack_signed]'))
  await submit()
  const narrowed = stage.secondLane(configure(config(', proofs: [dmarc]')))
  expect(await says('ada', 'yes', narrowed)).toMatchObject({ kind: 'rejected', reason: 'proof_insufficient' })
})

test('a key without the right to be urgent is lowered, and the terms say so', async () => {
  const lowered = await submit({ urgency: 'high' })
  expect(lowered.terms).toMatchObject({ urgency: 'normal', urgency_asked: 'high' })
  const urgent = await submit({ urgency: 'high', request: approval('b') }, 'b', { ...KEY, urgent: true })
  expect(urgent.terms).toMatchObject({ urgency: 'high' })
  expect(urgent.terms).not.toHaveProperty('urgency_asked')
})
