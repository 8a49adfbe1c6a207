// What a run does next: by the lane, or by a director of its own that reads the stream and posts its decisions.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DOCTRINE } from '../../src/director/doctrine.js'
import { verify } from '../../src/ledger/verify.js'
import {
  type Answer,
  approval,
  type LaneUnderTest,
  question,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'

let lane: LaneUnderTest
let direct: string
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  direct = await lane.key('direct')
})
afterAll(() => lane.close())

type Json = Record<string, unknown>
const inRun = (run_id: string, more: Json = {}) => ({ run: { run_id, mood: 'DEFERENTIAL', ...more } })
const run = (id: string, key?: string): Promise<Answer> =>
  lane.call('GET', `/v1/runs/${id}`, key === undefined ? {} : { key })
const decide = (runId: string, body: unknown, key = direct): Promise<Answer> =>
  lane.call('POST', `/v1/runs/${runId}/decisions`, { key, body })
const decisionOf = async (id: string) =>
  (await lane.call('GET', `/v1/requests/${id}`)).json.decision as Json | null
const codeOf = ({ status, json }: Answer) => [status, json.code]
async function ask(request: Json, runId: string, reply: string | null): Promise<string> {
  const id = (request.question_id ?? request.approval_id) as string
  await lane.submit(request, inRun(runId))
  if (reply !== null) await lane.answer(await lane.link(id), reply)
  return id
}

describe('[LANE-065] the lane as director', () => {
  test.each([
    ['CONTINUE', question('d-go'), 'yes', { decision: 'CONTINUE', reason: 'the question was answered' }],
    ['HALT', approval('d-halt'), 'no', { decision: 'HALT', reason: 'the approval was refused' }],
  ])('%s', async (_name, request, reply, expected) => {
    const id = await ask(request, 'run-lane', reply)
    expect(await decisionOf(id)).toMatchObject({ ...expected, by: 'lane' })
    const [decided] = (await lane.story(id)).filter(({ type }) => type === 'DIRECTOR_DECIDED')
    expect(decided?.body).toMatchObject(expected)
  })

  test('CHANGE_MOOD and SPLIT, on silence', async () => {
    await lane.submit(
      question('d-mood', { deadline_seconds: 3, default_action: 'DOWNGRADE_TO_HYPOTHESIS' }),
      inRun('run-quiet'),
    )
    await lane.outcome('d-mood')
    expect(await decisionOf('d-mood')).toMatchObject({ decision: 'CHANGE_MOOD', mood: 'SKEPTICAL' })
    expect((await run('run-quiet')).json.mood).toBe('SKEPTICAL')
    await lane.submit(
      question('d-split', { deadline_seconds: 3, default_action: 'SPLIT' }),
      inRun('run-quiet', { work_item_id: 'wi-7' }),
    )
    await lane.outcome('d-split')
    expect(await decisionOf('d-split')).toMatchObject({ decision: 'SPLIT', work_item_id: 'wi-7' })
  })

  test('a configuration may decide otherwise', async () => {
    const own = await startLane({
      config: `${UNLIMITED}director: { decisions: { question_answered: { mood: BOLD } } }\n`,
    })
    try {
      await own.submit(question('bold'))
      await own.answer(await own.link('bold'), 'yes')
      const { json } = await own.call('GET', '/v1/requests/bold')
      expect(json.decision).toMatchObject({ decision: 'CHANGE_MOOD', mood: 'BOLD' })
    } finally {
      await own.close()
    }
  })
})

describe('a director of its own', () => {
  test('[LANE-065] it reads the stream, posts its decisions, and the lane is silent for its run', async () => {
    await ask(question('o-1'), 'run-own', null)
    const opened = await lane.events(
      '?from=0&run_id=run-own&type=REQUEST_OPENED',
      seen => seen.some(({ entry }) => entry !== null),
      { key: direct },
    )
    const request_id = opened.at(-1)?.entry?.request_id
    const steered = await decide('run-own', { request_id, decision: 'CHANGE_MOOD', mood: 'DEFERENTIAL' })
    expect(steered.status).toBe(201)
    await lane.answer(await lane.link('o-1'), 'yes')
    expect((await lane.call('GET', '/v1/requests/o-1')).json).toMatchObject({
      state: 'answered',
      decision: null,
    })

    const decided = await decide('run-own', { request_id, decision: 'SPLIT', work_item_id: 'wi-1' })
    expect(decided.json).toMatchObject({ run_id: 'run-own', request_id, decision: 'SPLIT', ahdb: [] })
    expect(await decisionOf('o-1')).toMatchObject({ decision: 'SPLIT', work_item_id: 'wi-1' })
    expect((await decisionOf('o-1'))?.by).toMatch(/^key-/)

    const again = await decide('run-own', { request_id, decision: 'HALT' })
    expect(codeOf(again)).toEqual([409, 'already_decided'])
    expect((await run('run-own', direct)).json).toMatchObject({
      outside_director: true,
      decisions: [{ decision: 'CHANGE_MOOD' }, { decision: 'SPLIT' }],
    })
    await ask(question('o-2'), 'run-own', 'yes')
    expect(await decisionOf('o-2')).toBeNull()
    await ask(question('elsewhere'), 'run-other', 'yes')
    expect(await decisionOf('elsewhere')).toMatchObject({ by: 'lane' })
  })

  test('an approval goes on only by a YES: its director cannot make one up, and gives the right with its CONTINUE', async () => {
    await ask(approval('o-no'), 'run-boss', null)
    await decide('run-boss', { request_id: 'o-no', decision: 'HALT' })
    expect(codeOf(await decide('run-boss', { request_id: 'o-no', decision: 'CONTINUE' }))).toEqual([
      409,
      'not_approved',
    ])
    await lane.answer(await lane.link('o-no'), 'no')
    expect(codeOf(await decide('run-boss', { request_id: 'o-no', decision: 'CONTINUE' }))).toEqual([
      409,
      'not_approved',
    ])
    await ask(approval('o-yes'), 'run-boss', 'yes')
    expect(await decisionOf('o-yes')).toBeNull()
    expect((await decide('run-boss', { request_id: 'o-yes', decision: 'CONTINUE' })).text).not.toContain(
      'eyJ',
    )
    const { policy_token: token } = (await decisionOf('o-yes')) ?? {}
    const body = { token, action: 'PUBLISH', parameters: approval('x').parameters, spend_id: 's' }
    expect((await lane.call('POST', '/v1/policy-tokens/spend', { body })).status).toBe(200)
  })

  test.each<[string, unknown, string]>([
    ['no decision', { request_id: 'o-1' }, '/decision'],
    ['one that is none', { request_id: 'o-1', decision: 'RUN' }, '/decision'],
    ['no request', { decision: 'HALT' }, '/request_id'],
    ['CHANGE_MOOD without a mood', { request_id: 'o-1', decision: 'CHANGE_MOOD' }, '/mood'],
    ['a mood that is none', { request_id: 'o-1', decision: 'CHANGE_MOOD', mood: 'GLAD' }, '/mood'],
    ['a mood with HALT', { request_id: 'o-1', decision: 'HALT', mood: 'CALM' }, '/mood'],
    ['a work item with HALT', { request_id: 'o-1', decision: 'HALT', work_item_id: 'w' }, '/work_item_id'],
    ['an unknown field', { request_id: 'o-1', decision: 'HALT', reason: 'I say so' }, '/reason'],
    ['an unknown key of AHDB', { request_id: 'o-1', decision: 'HALT', ahdb: { desire: [] } }, '/ahdb/desire'],
    ['a delta that is no list', { request_id: 'o-1', decision: 'HALT', ahdb: { drive: {} } }, '/ahdb/drive'],
    [
      'a delta too long',
      { request_id: 'o-1', decision: 'HALT', ahdb: { drive: ['x'.repeat(9000)] } },
      '/ahdb/drive',
    ],
    [
      'a delta with a token in it',
      {
        request_id: 'o-1',
        decision: 'HALT',
        ahdb: { drive: ['eyJhbGciOiJFZERTQSJ9.eyJhbGciOiJFZERTQSJ9.x'] },
      },
      '/ahdb/drive',
    ],
  ])('%s is 422, and nothing is changed', async (_name, body, field) => {
    // Copies of earlier requests may still be recorded as sent meanwhile.
    const told = async () =>
      (await lane.ledger()).filter(({ type }) => type === 'DIRECTOR_DECIDED' || type === 'AHDB_DELTA').length
    const before = await told()
    const refused = await decide('run-own', body)
    expect(codeOf(refused)).toEqual([422, 'invalid_request'])
    expect((refused.json.errors as { field: string }[]).map(one => one.field)).toContain(field)
    expect(await told()).toBe(before)
  })

  test('unknown runs and requests are 404, other scopes 403', async () => {
    await ask(question('o-3'), 'run-own', null)
    const body = { request_id: 'o-3', decision: 'HALT' }
    expect(codeOf(await decide('run-none', body))).toEqual([404, 'not_found'])
    expect(codeOf(await decide('run-own', { ...body, request_id: 'none' }))).toEqual([404, 'not_found'])
    expect(codeOf(await decide('run-own', body, lane.agentKey))).toEqual([403, 'scope_missing'])
    expect(codeOf(await run('run-none'))).toEqual([404, 'not_found'])
    expect(codeOf(await run('run-none', direct))).toEqual([404, 'not_found'])
  })
})

describe('AHDB', () => {
  const deltas = async (id: string) =>
    (await lane.story(id)).filter(({ type }) => type === 'AHDB_DELTA').map(({ body }) => body)

  test('[LANE-058] an answered question proposes a DRIVE delta only, and the run shows the last one whole', async () => {
    await ask(question('a-1'), 'run-ahdb', 'yes')
    await ask(question('a-2', { reply_schema: { kind: 'number', min: 0, max: 99 } }), 'run-ahdb', '50')
    expect(await deltas('a-1')).toMatchObject([{ field: 'drive', state: 'proposed', by: 'lane' }])
    expect((await deltas('a-2')).map(({ field }) => field)).toEqual(['drive'])
    const { json } = await run('run-ahdb')
    expect(json.ahdb).toMatchObject({
      drive: [{ question_id: 'a-2', answer: { parsed_payload: { number: 50 }, answered_by: 'operator' } }],
      believe: [],
    })
    expect((json.ahdb as { drive: unknown[] }).drive).toHaveLength(1)
    await ask(approval('a-3'), 'run-ahdb', 'yes')
    expect(await deltas('a-3')).toEqual([])
  })

  test('[LANE-059] BELIEVE is proposed only where the policy allows it', async () => {
    const own = await startLane({ config: `${UNLIMITED}director: { believe: true }\n` })
    try {
      await own.submit(question('b-1', { reply_schema: { kind: 'number', min: 0, max: 99 } }))
      await own.answer(await own.link('b-1'), '50')
      const { json } = await own.call('GET', '/v1/runs/run-1')
      expect(json.ahdb).toMatchObject({ believe: [{ answer: { parsed_payload: { number: 50 } } }] })
    } finally {
      await own.close()
    }
  })

  test('[LANE-061] [LANE-062] a director is refused ASSERT and HYPOTHESIZE: the decision stands, the refusals are recorded', async () => {
    await ask(question('a-4'), 'run-eager', null)
    const ahdb = {
      drive: [{ prefer: 'short' }],
      believe: ['x'],
      assert: ['it works'],
      hypothesize: ['maybe'],
    }
    const decided = await decide('run-eager', { request_id: 'a-4', decision: 'CONTINUE', ahdb })
    expect(decided.status).toBe(201)
    expect((decided.json.ahdb as Json[]).map(({ field, state }) => [field, state])).toEqual([
      ['drive', 'proposed'],
      ['believe', 'refused'],
      ['assert', 'refused'],
      ['hypothesize', 'refused'],
    ])
    expect((await deltas('a-4')).filter(({ state }) => state === 'refused')).toMatchObject([
      { field: 'believe', reason: 'the policy does not let a reply update BELIEVE' },
      { field: 'assert', delta: ['it works'], reason: 'a reply never updates ASSERT' },
      { field: 'hypothesize', delta: ['maybe'], reason: 'a reply never updates HYPOTHESIZE' },
    ])
    expect((await run('run-eager')).json.ahdb).toEqual({ drive: [{ prefer: 'short' }], believe: [] })
  })
})

describe('a run', () => {
  test('[LANE-083] is known by its id and its work item alone, and shown to who asked in it', async () => {
    await ask(question('r-1'), 'run-mine', null)
    const { json, status } = await run('run-mine')
    expect(status).toBe(200)
    expect(json).toEqual({
      run_id: 'run-mine',
      mood: 'DEFERENTIAL',
      open_requests: ['r-1'],
      decisions: [],
      ahdb: { drive: [], believe: [] },
      outside_director: false,
      older_left_out: false,
    })
    const stranger = await lane.key('request')
    expect(codeOf(await run('run-mine', stranger))).toEqual([404, 'not_found'])
    expect((await run('run-mine', direct)).json).toEqual(json)
    expect(codeOf(await run('run-mine', await lane.key('audit')))).toEqual([403, 'scope_missing'])
  })

  test('of more than 200 requests the newest are read, and that is said', async () => {
    const ids = Array.from({ length: 201 }, (_, n) => `many-${n}`)
    for (const id of ids) await lane.submit(approval(id), inRun('run-many'))
    const { json } = await run('run-many')
    expect(json.older_left_out).toBe(true)
    expect(json.open_requests).toEqual(ids.slice(1))
  })
})

describe('for others', () => {
  test('[LANE-086] the doctrine is served to anybody as a block ready for a prompt', async () => {
    const { status, headers, text } = await lane.call('GET', '/v1/doctrine', { key: null })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toBe(DOCTRINE)
    expect(text.split('\n')[0]).toBe('HUMANS ARE INTERRUPTS, NOT CO-PROCESSORS.')
    for (const line of [
      'TYPED REQUESTS ONLY',
      'STRING → COMPILE → TYPED EVENT',
      'NO IMPLICIT AUTHORITY',
      'TIMEOUTS ARE SAFE',
    ])
      expect(text).toContain(line)
  })

  test('[LANE-084] [LANE-085] the ledger is exported in the words of Choir', async () => {
    await ask(question('c-1'), 'run-choir', 'yes')
    const { text, headers } = await lane.call('GET', '/v1/ledger?profile=choir', { key: lane.operatorKey })
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const envelopes = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Json)
    for (const envelope of envelopes)
      expect(Object.keys(envelope)).toEqual(['id', 'timestamp', 'user_id', 'source', 'event_type', 'payload'])
    const names = new Set(envelopes.map(({ event_type }) => event_type))
    for (const name of [
      'receipt.timeout',
      'human.reply.event',
      'receipt.ahdb.delta',
      'receipt.preference.decision',
    ])
      expect(names).toContain(name)
    const one = await lane.call('GET', '/v1/ledger?profile=choir&limit=1', { key: lane.operatorKey })
    expect(one.text.trim()).toBe(JSON.stringify(envelopes[0]))
    const none = await lane.call('GET', '/v1/ledger?profile=chorus', { key: lane.operatorKey })
    expect(codeOf(none)).toEqual([400, 'malformed_query'])
    expect(codeOf(await lane.call('GET', '/v1/ledger?profile=choir', { key: direct }))).toEqual([
      403,
      'scope_missing',
    ])
  })

  test('after all of this the ledger holds', async () => {
    const { text } = await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })
    expect((await verify(text.trimEnd().split('\n'))).problems).toEqual([])
  })
})
