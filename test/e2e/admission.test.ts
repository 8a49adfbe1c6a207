// Whether this run may ask just now, whom, how often, and what the same request again means.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  approval,
  CONFIG,
  type LaneUnderTest,
  question,
  review,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'

const run = (run_id: string, more: Record<string, unknown> = {}) => ({
  run: { run_id, mood: 'DEFERENTIAL', ...more },
})
const openings = async (lane: LaneUnderTest): Promise<number> =>
  (await lane.ledger()).filter(({ type }) => type === 'REQUEST_OPENED').length

describe('who may ask, and whom', () => {
  let lane: LaneUnderTest
  beforeAll(async () => {
    lane = await startLane()
  })
  afterAll(() => lane.close())

  test.each(['CALM', 'CURIOUS', 'SKEPTICAL', 'PARANOID', 'BOLD', 'CONTRITE', 'PETTY'])(
    '[LANE-013] a run in mood %s may not ask, but may ask for an approval in its sub-mode',
    async mood => {
      const before = await openings(lane)
      for (const request of [question('no-1'), review('no-2'), approval('no-3')]) {
        const answer = await lane.submit(request, run(`moody-${mood}`, { mood }))
        expect([answer.status, answer.json.code]).toEqual([403, 'not_admitted'])
        expect(answer.json.detail).toContain('DEFERENTIAL')
      }
      const asking = run(`moody-${mood}`, { mood, sub_mode: 'approval' })
      expect((await lane.submit(question('no-4'), asking)).json.code).toBe('not_admitted')
      expect((await lane.submit(review('no-5'), asking)).json.code).toBe('not_admitted')
      expect(await openings(lane)).toBe(before)
      expect((await lane.submit(approval(`sub-${mood}`), asking)).status).toBe(201)
    },
  )

  test('[LANE-013] a mood that does not exist is no mood', async () => {
    const answer = await lane.submit(question('no-6'), run('moody', { mood: 'deferential' }))
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
  })

  test('[LANE-083] a run id is all the identity a caller needs; a work item id is kept when there is one', async () => {
    const bare = await lane.submit(question('bare-run'), run('anonymous'))
    expect(bare.status).toBe(201)
    expect(bare.json.run).toEqual({ run_id: 'anonymous', mood: 'DEFERENTIAL' })
    const named = await lane.submit(question('with-item'), run('anonymous', { work_item_id: 'wi-3' }))
    expect(named.json.run).toMatchObject({ run_id: 'anonymous', work_item_id: 'wi-3' })
    expect((await lane.story('with-item'))[0]).toMatchObject({ run_id: 'anonymous' })
  })

  test('an approver is not the caller’s choice: who is not configured for the action cannot be asked', async () => {
    const exporting = { action: 'EXPORT', default_action: 'DENY' }
    for (const recipients of [
      ['second'],
      ['operator', 'second'],
      [{ user_id: 'second', channels: ['web'] }],
    ]) {
      const answer = await lane.submit(approval('no-7', exporting), { recipients })
      expect([answer.status, answer.json.code]).toEqual([422, 'recipient_not_approver'])
    }
    expect((await lane.submit(approval('yes-7', exporting), { recipients: ['operator'] })).status).toBe(201)
  })

  test.each<[unknown, string]>([
    [['nobody'], '/recipients/0'],
    [['operator', 'constructor'], '/recipients/1'],
    [[{ user_id: 'operator', channels: ['slack'] }], '/recipients/0/channels/0'],
    [undefined, '/recipients'],
  ])('the recipients %j cannot be asked, and the ones that can are named', async (recipients, field) => {
    const answer = await lane.submit(question('no-8'), { ...run('unknown-people'), recipients })
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
    expect(answer.json.errors).toMatchObject([{ field }])
  })

  test('recipients are listed by id, name and channel, without any address', async () => {
    const listed = await lane.call('GET', '/v1/recipients')
    expect(listed.json.items).toEqual([
      { user_id: 'operator', name: 'Operator', channels: ['web'] },
      { user_id: 'second', name: 'Second person', channels: ['web'] },
    ])
  })

  test('[LANE-015] a fourth open question of one run is refused; an answer makes room again', async () => {
    for (const n of [1, 2, 3])
      expect((await lane.submit(question(`q${n}`), run('asks-much'))).status).toBe(201)
    const fourth = await lane.submit(question('q4'), run('asks-much'))
    expect([fourth.status, fourth.json.code]).toEqual([429, 'too_many_open_questions'])
    expect(await lane.story('q4')).toEqual([])
    expect((await lane.submit(question('q-other'), run('asks-little'))).status).toBe(201)
    expect((await lane.submit(review('r4'), run('asks-much'))).status).toBe(201)
    expect((await lane.submit(approval('a4'), run('asks-much'))).status).toBe(201)
    expect((await lane.submit(question('q1'), run('asks-much'))).status).toBe(200)
    expect((await lane.answer(await lane.link('q2'), 'NO')).status).toBe(200)
    expect((await lane.submit(question('q4'), run('asks-much'))).status).toBe(201)
  })

  test('[LANE-015] thirty questions of one run at once: exactly three are opened', async () => {
    const asked = await Promise.all(
      Array.from({ length: 30 }, (_, n) => lane.submit(question(`rush-${n}`), run('rush'))),
    )
    expect(asked.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(asked.filter(({ json }) => json.code === 'too_many_open_questions')).toHaveLength(27)
    const opened = (await lane.ledger()).filter(
      entry => entry.run_id === 'rush' && entry.type === 'REQUEST_OPENED',
    )
    expect(opened).toHaveLength(3)
  })
})

describe('the same request again', () => {
  let lane: LaneUnderTest
  beforeAll(async () => {
    lane = await startLane({ config: UNLIMITED })
  })
  afterAll(() => lane.close())

  const steady = ({ json }: { json: Record<string, unknown> }) => ({ ...json, deliveries: null })

  test('[LANE-021] the same id with the same content is the same request: 200, the same body, one entry', async () => {
    const first = await lane.submit(question('twice'))
    const again = await lane.submit(question('twice'))
    expect([first.status, again.status]).toEqual([201, 200])
    expect(steady(again)).toEqual(steady(first))
    await lane.link('twice')
    const opened = (await lane.story('twice')).filter(({ type }) => type === 'REQUEST_OPENED')
    expect(opened).toHaveLength(1)
  })

  test('[LANE-021] forty of the same at once: one is opened, all are told the same, one link is sent', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => lane.submit(question('storm'))))
    expect(all.map(({ status }) => status).sort()).toEqual([...Array(39).fill(200), 201])
    for (const one of all) expect(one.json.receipt).toEqual(all[0]?.json.receipt)
    await lane.link('storm')
    const types = (await lane.story('storm')).map(({ type }) => type)
    expect(types).toEqual(['REQUEST_OPENED', 'DELIVERY_STARTED', 'OUTBOUND_REQUEST_SENT'])
  })

  test('[LANE-021] after the answer the same request again gives the answer, and asks nobody a second time', async () => {
    await lane.submit(question('answered'))
    await lane.answer(await lane.link('answered'), 'yes')
    const again = await lane.submit(question('answered'))
    expect([again.status, again.json.state]).toEqual([200, 'answered'])
    expect((await lane.story('answered')).filter(({ type }) => type === 'DELIVERY_STARTED')).toHaveLength(1)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['another text', { question_text: 'Ship the release tomorrow?' }, {}],
    ['another deadline', { deadline_seconds: 601 }, {}],
    ['another default', { default_action: 'SPLIT' }, {}],
    ['another schema', { reply_schema: { kind: 'text', max_chars: 5 } }, {}],
    ['another run', {}, { run: { run_id: 'run-2', mood: 'DEFERENTIAL' } }],
    ['another work item', {}, { run: { run_id: 'run-1', mood: 'DEFERENTIAL', work_item_id: 'w' } }],
    ['another recipient', {}, { recipients: ['second'] }],
  ])(
    '[LANE-021] the same id with %s is refused, and shows nothing of the other',
    async (_, more, envelope) => {
      await lane.submit(question('mine', { impact: 'Known to its caller alone' }))
      const other = await lane.submit(
        question('mine', { impact: 'Known to its caller alone', ...more }),
        envelope,
      )
      expect([other.status, other.json.code]).toEqual([409, 'id_conflict'])
      expect(other.text).not.toMatch(/Known to|Ship|run-1|operator|sha256|2026/)
      expect((await lane.story('mine')).filter(({ type }) => type === 'REQUEST_OPENED')).toHaveLength(1)
    },
  )

  test('[LANE-021] one namespace for all types: a review cannot take a question’s id', async () => {
    await lane.submit(question('named'))
    expect((await lane.submit(review('named'))).json.code).toBe('id_conflict')
    expect((await lane.submit(approval('named'))).json.code).toBe('id_conflict')
  })

  test('[LANE-021] another key that sends exactly the same is told of a conflict, and nothing else', async () => {
    await lane.submit(question('owned'))
    const key = await lane.key('request')
    const body = {
      request: question('owned'),
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
    }
    const other = await lane.call('POST', '/v1/requests', { key, body })
    expect([other.status, other.json.code]).toEqual([409, 'id_conflict'])
    expect((await lane.call('GET', '/v1/requests/owned', { key })).status).toBe(404)
  })

  test('key order and white space do not make another request', async () => {
    await lane.submit(question('reordered'))
    const body = {
      recipients: ['operator'],
      run: { mood: 'DEFERENTIAL', run_id: 'run-1' },
      request: Object.fromEntries(Object.entries(question('reordered')).reverse()),
    }
    const again = await lane.call('POST', '/v1/requests', {
      raw: JSON.stringify(body, null, 3),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(again.status).toBe(200)
  })
})

test('[LANE-080] a caller’s hourly budget for one person is held, told, and its own', async () => {
  const config = CONFIG.replace('requests_per_recipient_per_hour: 0', 'requests_per_recipient_per_hour: 2')
  const lane = await startLane({ config })
  try {
    expect((await lane.submit(review('b1'))).status).toBe(201)
    expect((await lane.submit(review('b2'), { recipients: ['operator', 'second'] })).status).toBe(201)
    const third = await lane.submit(review('b3'))
    expect([third.status, third.json.code]).toEqual([429, 'recipient_budget'])
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(third.json.detail).toContain('operator')
    expect(await lane.story('b3')).toEqual([])
    expect((await lane.submit(review('b1'))).status).toBe(200)
    expect((await lane.submit(review('b4'), { recipients: ['second'] })).status).toBe(201)
    const both = await lane.submit(review('b5'), { recipients: ['second', 'operator'] })
    expect(both.json.code).toBe('recipient_budget')
    const key = await lane.key('request')
    const body = {
      request: review('b6'),
      run: { run_id: 'r', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
    }
    expect((await lane.call('POST', '/v1/requests', { key, body })).status).toBe(201)
    const rush = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        lane.call('POST', '/v1/requests', { key, body: { ...body, request: review(`b7-${n}`) } }),
      ),
    )
    expect(rush.filter(({ status }) => status === 201)).toHaveLength(1)
  } finally {
    await lane.close()
  }
})

test('with one person configured nobody needs to be named', async () => {
  const config = `
recipients: { only: { name: Only one, web: true } }
actions: { PUBLISH: { approvers: [only], proofs: [console] } }
`
  const lane = await startLane({ config })
  try {
    const body = { request: approval('solo'), run: { run_id: 'r', mood: 'DEFERENTIAL' } }
    expect((await lane.call('POST', '/v1/requests', { body })).status).toBe(201)
    expect((await lane.link('solo', 'only')).user_id).toBe('only')
  } finally {
    await lane.close()
  }
})
