// A ladder climbed, quiet hours kept and a request handed on, through the whole lane on a clock set by hand.
import { afterEach, describe, expect, test } from 'vitest'
import type { Entry, EventType } from '../../src/event.js'
import type { Request } from '../../src/request/request.js'
import type { Ladder, Terms } from '../../src/request/terms.js'
import { TERMS } from '../terms.js'
import { approval, configure, DEPUTY, fromSlack, question, raise, type Stage } from './stage.js'

const CONFIG = `
recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, email: owner@example.org, channels: [slack, email], delegates: [deputy, third] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, telegram: 77, channels: [slack], delegates: [owner, third] }
  third: { name: Third, slack: { team: T1, user: UTHIRD }, channels: [slack] }
  sleeper: { name: Sleeper, email: sleeper@example.org, time_zone: UTC, quiet_hours: { from: "00:00", to: "23:00" } }
actions:
  PUBLISH: { approvers: [owner, deputy], proofs: [slack_signed] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
let stage: Stage
const begin = async (config = CONFIG): Promise<Stage> => {
  stage = await raise(configure(config))
  return stage
}
afterEach(async () => {
  const problems = await stage.problems()
  await stage.close()
  expect(problems).toEqual([])
})

const owner = { user_id: 'owner', channels: ['slack', 'email'], route: 'first' } as const
const deputy = { user_id: 'deputy', channels: ['slack'], route: 'first' } as const
const withLadder = (ladder: Ladder, more: Partial<Terms> = {}): Terms => ({ ...TERMS, ladder, ...more })
const REMIND = { after_seconds: 60, do: 'remind' } as const
const ADD = { after_seconds: 120, do: 'add', recipients: [deputy] } as const

async function at(ms: number): Promise<void> {
  stage.clock.pass(ms)
  await stage.lane.advance('q')
  await stage.lane.drain()
  await settle()
}
/** A duty that follows from another is begun after it. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await new Promise(resolve => setImmediate(resolve))
    await stage.lane.drain()
  }
}
const told = async <T extends EventType>(type: T): Promise<Entry['body'][]> =>
  (await stage.entries()).filter(entry => entry.type === type).map(({ body }) => body)
const handle = (place: number): string => stage.slack.copies[place]?.outbound.reply?.handle ?? ''

test('an alarm that rings for nothing is set to the next moment, without an entry: it does not ring on', async () => {
  await begin()
  const broken = { kind: 'failed', code: 'gone', retryable: false } as const
  stage.slack.will(broken)
  await stage.open(
    question('q'),
    [{ user_id: 'owner', channels: ['slack'], route: 'all' }],
    withLadder([REMIND]),
  )
  await settle()
  const { ledger } = stage.store
  const before = (await ledger.head()).size
  // Nothing stood before the reminder's moment, so there is nothing to remind of.
  stage.clock.pass(60_000)
  expect(await ledger.due(ledger.now(), 10)).toEqual(['q'])
  await stage.lane.ring('q')
  expect(await ledger.due(ledger.now(), 10)).toEqual([])
  expect(await ledger.nextAlarm()).toBe(Date.parse('2026-11-01T12:10:00.000Z'))
  expect((await ledger.head()).size).toBe(before)
  await at(540_000)
  expect(await stage.current('q')).toMatchObject({ state: 'undelivered' })
})

describe('steps', () => {
  test('a reminder comes at its moment and not before, once, and answers like its copy', async () => {
    await begin()
    await stage.open(question('q'), [owner], withLadder([REMIND]))
    await settle()
    await at(59_999)
    expect(stage.slack.copies).toHaveLength(1)
    await at(1)
    await at(10_000)
    expect(stage.slack.copies).toHaveLength(2)
    expect(stage.slack.copies[1]?.outbound.reminds).toEqual({ ref: 'slack-1', step: 0 })
    expect(await told('REQUEST_REMINDED')).toMatchObject([{ step: 0 }])
    expect(await stage.lane.answer(fromSlack(handle(1), 'yes'))).toMatchObject({ kind: 'accepted' })
    await settle()
    expect(stage.slack.closed.map(({ ref }) => ref).sort()).toEqual(['slack-1', 'slack-2'])
  })

  const {
    question_text: _text,
    impact: _impact,
    context_handles: _handles,
    question_id: _id,
    ...common
  } = question('q') as Extract<Request, { type: 'REQUEST_QUESTION' }>
  const review: Request = {
    ...common,
    type: 'REQUEST_REVIEW',
    review_id: 'q',
    target_handles: ['doc:x'],
    lens: 'clarity',
  }
  test.each(
    [question('q'), review, approval('q')].flatMap(request =>
      ['first', 'added'].map(winner => [request.type, winner, request] as const),
    ),
  )(
    '%s: added and first people can both answer, and the %s one wins who decides first',
    async (_, winner, request) => {
      await begin()
      await stage.open(request, [owner], withLadder([ADD]))
      await settle()
      await at(120_000)
      expect(await told('REQUEST_ESCALATED')).toEqual([{ step: 0, do: 'add', to: ['deputy'] }])
      expect(stage.slack.copies.map(({ outbound }) => outbound.recipient.user_id)).toEqual([
        'owner',
        'deputy',
      ])
      const replies = [fromSlack(handle(0), 'yes'), fromSlack(handle(1), 'no', { sender: DEPUTY })] as const
      const [one, other] = winner === 'first' ? replies : ([replies[1], replies[0]] as const)
      expect(await stage.lane.answer(one)).toMatchObject({ kind: 'accepted' })
      expect(await stage.lane.answer(other)).toMatchObject({ reason: 'already_resolved' })
    },
  )

  test('none is done after the outcome', async () => {
    await begin()
    await stage.open(question('q'), [owner], withLadder([REMIND, ADD]))
    await settle()
    await stage.lane.answer(fromSlack(handle(0), 'yes'))
    await at(130_000)
    expect([await told('REQUEST_REMINDED'), await told('REQUEST_ESCALATED')]).toEqual([[], []])
  })

  test('a step comes now when nothing can reach somebody any more, and its own moment adds nothing', async () => {
    await begin()
    stage.slack.will({ kind: 'failed', code: 'gone', retryable: false })
    stage.email.will({ kind: 'failed', code: 'gone', retryable: false })
    await stage.open(question('q'), [owner], withLadder([ADD]))
    await settle()
    expect(await told('REQUEST_ESCALATED')).toEqual([{ step: 0, do: 'add', to: ['deputy'], early: 'failed' }])
    await at(120_000)
    expect(await told('REQUEST_ESCALATED')).toHaveLength(1)
  })

  test('next_channel opens the next channel of everybody reached by preference', async () => {
    await begin()
    await stage.open(question('q'), [owner], withLadder([{ after_seconds: 60, do: 'next_channel' }]))
    await settle()
    expect(stage.email.copies).toHaveLength(0)
    await at(60_000)
    expect(await told('REQUEST_ESCALATED')).toEqual([{ step: 0, do: 'next_channel', to: ['owner'] }])
    expect([stage.slack.copies.length, stage.email.copies.length]).toEqual([1, 1])
  })

  test('whoever may no longer approve is not added: judged again at the step', async () => {
    await begin()
    await stage.open(approval('q'), [owner], withLadder([ADD]))
    await settle()
    const narrowed = stage.secondLane(configure(CONFIG.replace('[owner, deputy], proofs', '[owner], proofs')))
    stage.clock.pass(120_000)
    await narrowed.advance('q')
    await narrowed.drain()
    expect(await told('REQUEST_ESCALATED')).toEqual([{ step: 0, do: 'add', to: [] }])
  })

  test('killed between step and send, nothing is doubled: what was claimed is done once by whoever comes next', async () => {
    await begin()
    await stage.open(question('q'), [owner], withLadder([REMIND, ADD]))
    await settle()
    stage.slack.will(() => new Promise(() => undefined))
    stage.clock.pass(60_000)
    await stage.lane.advance('q')
    for (let round = 0; round < 50; round++) await new Promise(resolve => setImmediate(resolve))
    expect(await told('REQUEST_REMINDED')).toHaveLength(1)
    const second = stage.secondLane()
    for (let round = 0; round < 3; round++) {
      stage.clock.pass(20_000)
      await second.advance('q')
      await second.drain()
    }
    expect(await told('REQUEST_REMINDED')).toHaveLength(1)
    expect(await told('REQUEST_ESCALATED')).toHaveLength(1)
    expect(stage.slack.copies.filter(({ outbound }) => outbound.reminds !== undefined)).toHaveLength(1)
  }, 30_000)

  test('five lanes on one ledger do each step once', async () => {
    await begin()
    await stage.open(question('q'), [owner], withLadder([REMIND, ADD]))
    await settle()
    const lanes = [stage.lane, ...Array.from({ length: 4 }, () => stage.secondLane())]
    for (let round = 0; round < 3; round++) {
      stage.clock.pass(60_000)
      await Promise.all(lanes.map(lane => lane.advance('q')))
      await Promise.all(lanes.map(lane => lane.drain()))
      await settle()
    }
    expect([(await told('REQUEST_REMINDED')).length, (await told('REQUEST_ESCALATED')).length]).toEqual([
      1, 1,
    ])
    expect(stage.slack.copies).toHaveLength(3)
  })
})

describe('quiet hours', () => {
  const sleeper = { user_id: 'sleeper', channels: ['email'], route: 'first' } as const

  test('hold a copy until three quarters of the time have passed, visibly, and never lose it', async () => {
    await begin()
    await stage.open(question('q'), [sleeper])
    await settle()
    expect(stage.email.copies).toHaveLength(0)
    expect(await told('DELIVERY_HELD')).toHaveLength(1)
    expect((await stage.current('q')).deliveries).toMatchObject([{ state: 'held', attempts: 0 }])
    await at(449_999)
    expect(stage.email.copies).toHaveLength(0)
    await at(1)
    expect(stage.email.copies).toHaveLength(1)
  })

  test('hold nothing that is urgent', async () => {
    await begin()
    await stage.open(question('q'), [sleeper], { ...TERMS, urgency: 'high' })
    await settle()
    expect([stage.email.copies.length, (await told('DELIVERY_HELD')).length]).toEqual([1, 0])
  })
})

describe('a request is handed on', () => {
  test('by word: the other answers, whoever handed it on does not', async () => {
    await begin()
    await stage.open(question('q'), [owner])
    await settle()
    expect(await stage.lane.answer(fromSlack(handle(0), 'delegate Deputy'))).toMatchObject({
      kind: 'handed',
      to: 'deputy',
    })
    await settle()
    expect(stage.slack.copies[1]?.outbound).toMatchObject({
      recipient: { user_id: 'deputy' },
      beside: { handed_by: 'Owner' },
    })
    expect(await stage.lane.answer(fromSlack(handle(0), 'yes'))).toMatchObject({ reason: 'delegated_away' })
    expect(await stage.lane.answer(fromSlack(handle(1), 'yes', { sender: DEPUTY }))).toMatchObject({
      kind: 'accepted',
    })
    await settle()
    expect(stage.slack.closed.map(({ outcome }) => outcome.answered_by)).toEqual(
      Array(2).fill('deputy in place of owner'),
    )
  })

  test.each([
    ['to nobody of theirs', 'DELEGATE sleeper', 'That is none of your delegates.'],
    ['back', 'DELEGATE owner', 'That is none of your delegates.'],
  ])('%s: refused as words, with what stands against it', async (_, words, against) => {
    await begin()
    await stage.open(question('q'), [owner])
    await settle()
    const refused = await stage.lane.answer(fromSlack(handle(0), words))
    expect(refused).toMatchObject({ kind: 'rejected', reason: 'reply_not_in_schema' })
    expect(JSON.stringify(refused)).toContain(against)
  })

  test('not to somebody who held it before, nor to one who may not approve', async () => {
    await begin()
    await stage.open(approval('q'), [owner])
    await settle()
    expect(await stage.lane.answer(fromSlack(handle(0), 'DELEGATE third'))).toMatchObject({
      reason: 'reply_not_in_schema',
    })
    await stage.lane.answer(fromSlack(handle(0), 'DELEGATE deputy'))
    await settle()
    const back = await stage.lane.answer(fromSlack(handle(1), 'DELEGATE owner', { sender: DEPUTY }))
    expect(back).toMatchObject({ reason: 'reply_not_in_schema' })
    expect(JSON.stringify(back)).toContain('had it before')
  })

  test('not after one’s own answer: a part of a form that was answered stands', async () => {
    await begin()
    const decisions = ['d1', 'd2'].map(id => ({ id, type: 'number', prompt: 'How many?', required: true }))
    const form = { reply_schema: { kind: 'form', decisions } } as Partial<Request>
    await stage.open(question('q', form), [owner])
    await settle()
    await stage.lane.answer(fromSlack(handle(0), 'd1 7'))
    const refused = await stage.lane.answer(fromSlack(handle(0), 'DELEGATE deputy'))
    expect(refused).toMatchObject({ kind: 'rejected', reason: 'reply_not_in_schema' })
    expect(JSON.stringify(refused)).toContain('You have answered, and it stands.')
    expect((await stage.current('q')).hands).toEqual([])
  })

  test('not to somebody who is away, nor through more than three hands', async () => {
    await begin(`recipients:
  owner: { name: Owner, slack: { team: T1, user: UOWNER }, delegates: [deputy] }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY }, delegates: [third] }
  third: { name: Third, slack: { team: T1, user: UTHIRD }, delegates: [fourth] }
  fourth: { name: Fourth, slack: { team: T1, user: UFOURTH }, delegates: [fifth] }
  fifth: { name: Fifth, slack: { team: T1, user: UFIFTH } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`)
    await stage.lane.sendAway({ user_id: 'deputy', until: stage.store.ledger.now() + 1_000 }, 'key-1')
    await stage.open(question('q'), [owner])
    await settle()
    const away = await stage.lane.answer(fromSlack(handle(0), 'DELEGATE deputy'))
    expect(JSON.stringify(away)).toContain('deputy is away. There is nobody you could hand this to now.')
    stage.clock.pass(1_000)
    const words = [
      ['UOWNER', 'DELEGATE deputy'],
      ['UDEPUTY', 'DELEGATE third'],
      ['UTHIRD', 'DELEGATE fourth'],
      ['UFOURTH', 'DELEGATE fifth'],
    ] as const
    const told: unknown[] = []
    for (const [place, [user, said]] of words.entries()) {
      told.push(await stage.lane.answer(fromSlack(handle(place), said, { sender: { team: 'T1', user } })))
      await settle()
    }
    expect(told).toMatchObject([
      { kind: 'handed' },
      { kind: 'handed' },
      { kind: 'handed' },
      { reason: 'reply_not_in_schema' },
    ])
    expect(JSON.stringify(told[3])).toContain('It has gone through 3 hands.')
  })

  test('goes back when nothing can reach the other, with a fresh copy', async () => {
    await begin()
    await stage.open(question('q'), [owner])
    await settle()
    stage.slack.will({ kind: 'failed', code: 'gone', retryable: false })
    await stage.lane.answer(fromSlack(handle(0), 'DELEGATE deputy'))
    await settle()
    expect(await told('REQUEST_DELEGATED')).toMatchObject([
      { from: 'owner', to: 'deputy', by: 'person' },
      { from: 'deputy', to: 'owner', by: 'lane' },
    ])
    const last = stage.slack.copies.length - 1
    expect(stage.slack.copies[last]?.outbound.recipient.user_id).toBe('owner')
    expect(await stage.lane.answer(fromSlack(handle(last), 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('because they are away, in the append that opens it', async () => {
    await begin()
    await stage.lane.sendAway(
      { user_id: 'owner', until: stage.store.ledger.now() + 3_600_000, to: 'deputy' },
      'key-1',
    )
    await stage.open(question('q'), [owner])
    await settle()
    const types = (await stage.entries()).map(({ type }) => type)
    expect(types[types.indexOf('REQUEST_OPENED') + 1]).toBe('REQUEST_DELEGATED')
    expect(stage.slack.copies.map(({ outbound }) => outbound.recipient.user_id)).toEqual(['deputy'])
  })
})

test('an out-of-office mail that is theirs brings the next step forward, once', async () => {
  await begin()
  await stage.open(question('q'), [owner], withLadder([ADD, { after_seconds: 300, do: 'next_channel' }]))
  await settle()
  const absent = { automated: true, absent: true } as const
  const stranger = await stage.lane.answer(fromSlack(handle(0), 'away', { ...absent, sender: DEPUTY }))
  expect(stranger).toMatchObject({ reason: 'automated_message' })
  expect(await told('REQUEST_ESCALATED')).toEqual([])
  for (let mail = 0; mail < 2; mail++) await stage.lane.answer(fromSlack(handle(0), 'away', absent))
  expect(await told('REQUEST_ESCALATED')).toEqual([
    { step: 0, do: 'add', to: ['deputy'], early: 'out_of_office' },
  ])
})
