// A form before people: answered in parts, by several, whatever comes in between; and reasons beside answers.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endingOf } from '../../src/agenda/ending.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Entry, EntryOf } from '../../src/event.js'
import { showCase } from '../../src/http/case.js'
import { readBeside, wordsOf } from '../../src/ledger/beside.js'
import { parseEntry } from '../../src/ledger/entry.js'
import { replay } from '../../src/ledger/replay.js'
import type { Received } from '../../src/reply/receive.js'
import {
  approval,
  configure,
  DEPUTY,
  fromPhone,
  fromSlack,
  handleOf,
  question,
  raise,
  type Stage,
} from '../lane/stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  expect((await retold()).problems).toEqual([])
  await stage.close()
})

async function linesOf(): Promise<string[]> {
  const lines: string[] = []
  for await (const line of stage.store.ledger.lines(0)) lines.push(line)
  return lines
}
const retold = async () => replay(await linesOf(), id => stage.store.shelf.raw(id))

const FORM = {
  kind: 'form',
  decisions: [
    {
      id: 'd1',
      type: 'approval',
      prompt: 'Ship the release',
      required: true,
      reason: { when: 'on_no', max_chars: 80 },
    },
    {
      id: 'd2',
      type: 'choice',
      prompt: 'To whom',
      required: true,
      options: [
        { value: 'all', label: 'Everybody' },
        { value: 'few', label: 'A few' },
      ],
      reason: { when: 'optional', max_chars: 80 },
    },
    { id: 'd3', type: 'text', prompt: 'A note', required: false, default: 'none' },
  ],
} as const satisfies ReplySchema

const BOTH = [
  { user_id: 'owner', channels: ['slack'], route: 'first' },
  { user_id: 'deputy', channels: ['slack'], route: 'first' },
] as const

async function ask(schema: ReplySchema = FORM, make = question): Promise<{ owner: string; deputy: string }> {
  await stage.open({ ...make('f'), reply_schema: schema } as never, BOTH)
  await stage.lane.drain()
  return { owner: handleOf(stage.slack, 'owner'), deputy: handleOf(stage.slack, 'deputy') }
}

const reasonOf = (received: Received) => (received.kind === 'rejected' ? received.reason : received.kind)
const lastOf = async <T extends Entry['type']>(type: T) =>
  (await linesOf()).map(parseEntry).findLast((entry): entry is EntryOf<T> => entry.type === type)

describe('a form', () => {
  test('is partial until every required decision is answered, and names who answered each', async () => {
    const { owner, deputy } = await ask()
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'd1 yes')))).toBe('accepted')
    expect(await stage.current('f')).toMatchObject({ state: 'partial', answer: null })
    const second = fromSlack(deputy, 'd3 after lunch\nD2 b', { sender: DEPUTY })
    expect(reasonOf(await stage.lane.answer(second))).toBe('accepted')
    const { state, answer } = await stage.current('f')
    expect(state).toBe('answered')
    expect(answer).toMatchObject({
      parsed_choice: null,
      answered_by: 'deputy',
      parsed_payload: {
        decisions: [
          { decision_id: 'd1', approved: true, answered_by: 'owner', proof: 'slack_signed' },
          { decision_id: 'd2', selected: 'few', answered_by: 'deputy' },
          { decision_id: 'd3', value: 'after lunch', answered_by: 'deputy' },
        ],
      },
    })
    const resolved = await lastOf('REQUEST_RESOLVED')
    const replies = (await linesOf()).map(parseEntry).filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
    expect(resolved?.body.causes).toEqual(replies.map(({ seq }) => seq))
    expect(endingOf(await stage.current('f')).answered_by).toBe('owner and deputy')
  })

  test('takes the answers of two people at the same moment, each to a decision of their own', async () => {
    const { owner, deputy } = await ask()
    const told = await Promise.all([
      stage.lane.answer(fromSlack(owner, 'd1 yes')),
      stage.lane.answer(fromSlack(deputy, 'd2 all', { sender: DEPUTY })),
    ])
    expect(told.map(reasonOf)).toEqual(['accepted', 'accepted'])
    expect((await stage.current('f')).state).toBe('answered')
  })

  test('takes one of two answers to the same decision, and tells the other which is taken and what is open', async () => {
    const { owner, deputy } = await ask()
    const told = await Promise.all([
      stage.lane.answer(fromSlack(owner, 'd1 yes')),
      stage.lane.answer(fromSlack(deputy, 'd1 no: too early', { sender: DEPUTY })),
    ])
    expect(told.map(reasonOf).toSorted()).toEqual(['accepted', 'decision_answered'])
    const late = told.find(one => one.kind === 'rejected')
    expect(late).toMatchObject({ refusal: { read: 'd1', accepted: 'Still open: d2, d3.' } })
    expect((await stage.current('f')).state).toBe('partial')
  })

  test('refuses a reply of which one line is answered already, with all its lines', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'd1 yes\nd2 all')))).toBe('decision_answered')
    expect((await stage.current('f')).replies).toHaveLength(1)
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'd2 all')))).toBe('accepted')
  })

  test('survives a restart in parts: another lane on the same store goes on from there', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    const second = stage.secondLane()
    expect(reasonOf(await second.answer(fromSlack(owner, 'd2 all')))).toBe('accepted')
    expect((await stage.current('f')).state).toBe('answered')
  })

  test('that times out in parts ends by its default, and nobody has said no', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    stage.clock.pass(600_000)
    const { state, answer, default_applied, decision } = await stage.current('f')
    expect({ state, answer, default_applied }).toEqual({
      state: 'defaulted',
      answer: null,
      default_applied: true,
    })
    expect(decision?.decision).toBe('HALT')
    expect(await lastOf('AHDB_DELTA')).toBeUndefined()
    expect(endingOf(await stage.current('f'))).toMatchObject({ answered_by: null, partly: true })
  })

  test('that is withdrawn in parts is withdrawn', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    await stage.lane.withdraw('f', 'enough', 'key-1')
    expect(await stage.current('f')).toMatchObject({ state: 'withdrawn', answer: null })
  })

  test('in a question proposes one DRIVE delta, with the values alone', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 no: too early\nd2 all'))
    const deltas = (await linesOf()).map(parseEntry).filter(({ type }) => type === 'AHDB_DELTA')
    expect(deltas).toHaveLength(1)
    expect(deltas[0]?.body).toMatchObject({
      field: 'drive',
      delta: [
        {
          answer: {
            parsed_payload: { decisions: [{ decision_id: 'd1', approved: false }, { selected: 'all' }] },
          },
        },
      ],
    })
  })
})

describe('an approval by form', () => {
  test('is given once a person has approved every approval, and gives one policy token', async () => {
    const { owner, deputy } = await ask(FORM, approval)
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    expect((await stage.current('f')).policy_token).toBeNull()
    await stage.lane.answer(fromSlack(deputy, 'd2 all', { sender: DEPUTY }))
    const { decision, policy_token, replies } = await stage.current('f')
    expect(decision?.decision).toBe('CONTINUE')
    expect(policy_token?.reply_event_hash).toBe(replies.at(-1)?.event_hash)
  })

  test('is refused by one refusal', async () => {
    const { owner } = await ask(FORM, approval)
    await stage.lane.answer(fromSlack(owner, 'd1 no: wrong customer\nd2 all'))
    const { decision, policy_token, state } = await stage.current('f')
    expect({ state, policy_token, decision: decision?.decision }).toEqual({
      state: 'answered',
      policy_token: null,
      decision: 'HALT',
    })
  })
})

describe('a form that holds an approval, in a question', () => {
  test('is not answered by a proof that is enough for questions alone, nor by somebody who approves nothing', async () => {
    const people = [{ user_id: 'owner', channels: ['sms'], route: 'all' }] as const
    await stage.open({ ...question('f'), reply_schema: FORM } as never, people)
    await stage.lane.drain()
    const code = stage.sms.copies.at(-1)?.outbound.reply?.code ?? 'none'
    const told = await stage.lane.answer(fromPhone(code, 'd1 yes'))
    expect(told.kind).not.toBe('accepted')
    expect((await stage.current('f')).replies).toEqual([])
  })
})

describe('a reason', () => {
  const YES_NO = { kind: 'yes_no', reason: { when: 'on_no', max_chars: 40 } } as const

  test('stands behind NO, beside the ledger with a salt of its own, and in no entry', async () => {
    const { owner } = await ask(YES_NO)
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'no: wrong customer')))).toBe('accepted')
    const event = await lastOf('HUMAN_REPLY_EVENT')
    expect(event?.body).toMatchObject({
      parsed_choice: 'NO',
      parsed_payload: { reason_hash: expect.any(String) },
    })
    const raw = await stage.store.shelf.raw(event?.body.reply_id ?? '')
    const [remark] = readBeside(raw?.beside).remarks
    expect(remark).toMatchObject({ about: null, words: 'wrong customer' })
    expect(Buffer.from(remark?.salt ?? []).equals(Buffer.from(raw?.salt ?? []))).toBe(false)
    expect((await linesOf()).join('\n')).not.toContain('wrong customer')
  })

  test.each(['YES: if tested', 'yes: but', 'Y: fine', 'yes, because it is ready'])(
    'behind %j is a condition, and the reply is refused',
    async words => {
      const { owner } = await ask(YES_NO)
      expect(reasonOf(await stage.lane.answer(fromSlack(owner, words)))).toBe('reply_not_in_schema')
      expect((await stage.current('f')).state).toBe('pending')
    },
  )

  test('that is missing spends nothing: the person says it and is taken', async () => {
    const { owner } = await ask(YES_NO)
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'NO')))).toBe('reason_missing')
    expect(reasonOf(await stage.lane.answer(fromSlack(owner, 'NO: too dear')))).toBe('accepted')
  })

  test('of any other answer comes from a field of its own', async () => {
    const { owner } = await ask(YES_NO)
    const told = await stage.lane.answer(fromSlack(owner, 'YES', { fields: { reason: 'tested twice' } }))
    expect(reasonOf(told)).toBe('accepted')
    const event = await lastOf('HUMAN_REPLY_EVENT')
    expect(readBeside((await stage.store.shelf.raw(event?.body.reply_id ?? ''))?.beside)).toMatchObject({
      fields: { reason: 'tested twice' },
      remarks: [{ words: 'tested twice' }],
    })
  })

  test('is erased with the words of its reply, and the ledger still holds', async () => {
    const { owner } = await ask()
    const fields = { 'c.d2': 'only the friendly ones' }
    await stage.lane.answer(fromSlack(owner, 'd1 no: wrong customer\nd2 few', { fields }))
    await stage.lane.erase('f', 'key-1')
    const event = await lastOf('HUMAN_REPLY_EVENT')
    expect(await stage.store.shelf.raw(event?.body.reply_id ?? '')).toBeNull()
    expect(await retold()).toMatchObject({ ok: true, erased: 1 })
  })
})

test('a default is taken for an optional decision alone, and only where policy says so', async () => {
  await stage.close()
  stage = await raise(configure())
  const terms = { urgency: 'normal', policy: { proofs: ['slack_signed'], take_defaults: true } } as const
  await stage.open({ ...question('f'), reply_schema: FORM } as never, BOTH, terms)
  await stage.lane.drain()
  await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd1 yes\nd2 all'))
  const { answer } = await stage.current('f')
  expect(answer?.parsed_payload).toMatchObject({
    decisions: [
      { decision_id: 'd1' },
      { decision_id: 'd2' },
      { decision_id: 'd3', value: 'none', by: 'default', answered_by: null, proof: null },
    ],
  })
})

describe('the case, as callers see it', () => {
  const shown = async () => {
    const subject = await stage.current('f')
    return showCase(subject, { words: await wordsOf(stage.store.shelf, subject.replies) })
  }

  test('tells what was counted of a partial form, what is missing, and the comments in words', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 no: wrong customer'))
    const before = await shown()
    expect(before).toMatchObject({
      state: 'partial',
      answer: null,
      so_far: {
        decisions: [{ decision_id: 'd1', approved: false, comment: 'wrong customer', answered_by: 'owner' }],
        missing: ['d2'],
      },
    })
    stage.clock.pass(600_000)
    expect(await shown()).toMatchObject({ state: 'defaulted', answer: null, so_far: before.so_far })
  })

  test('has answer.reason in words, and null once they are erased', async () => {
    const { owner } = await ask({ kind: 'yes_no', reason: { when: 'optional', max_chars: 40 } })
    await stage.lane.answer(fromSlack(owner, 'no: too dear'))
    expect((await shown()).answer).toMatchObject({
      parsed_choice: 'NO',
      parsed_payload: null,
      reason: 'too dear',
    })
    await stage.lane.erase('f', 'key-1')
    expect((await shown()).answer).toMatchObject({ parsed_choice: 'NO', reason: null })
  })

  test('is listed as partial and as open, and not as pending', async () => {
    const { owner } = await ask()
    await stage.lane.answer(fromSlack(owner, 'd1 yes'))
    const { ledger } = stage.store
    const listed = async (filter: object) => (await ledger.list({ limit: 9, ...filter })).length
    expect(
      await Promise.all([{ state: 'partial' }, { open: true }, { state: 'pending' }].map(listed)),
    ).toEqual([1, 1, 0])
    await stage.lane.answer(fromSlack(owner, 'd2 all'))
    expect(
      await Promise.all([{ state: 'partial' }, { open: true }, { state: 'answered' }].map(listed)),
    ).toEqual([0, 0, 1])
  })

  test('the desk tells the person what is still open, and which lines were not understood', async () => {
    const { owner } = await ask()
    const desk = stage.desk('slack')
    expect(await desk.take(fromSlack(owner, 'd1 yes'))).toMatchObject({
      kind: 'recorded',
      missing: 'Still to be answered: d2.',
    })
    expect(await desk.take(fromSlack(owner, 'd2 perhaps\nd9 x'))).toMatchObject({
      kind: 'refused',
      reason: 'reply_not_in_schema',
      read: 'd2 perhaps',
      lines: [{ decision_id: 'd2' }, { decision_id: null, read: 'd9 x' }],
    })
  })
})
