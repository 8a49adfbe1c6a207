// A request that was answered in part, as everybody outside sees it: callers who poll, wait, are called or follow the
// stream; the person on the page; the director and the right to act.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { until } from '../until.js'
import { type Receiver, receive } from '../waiter/receiver.js'
import { HTML, visitor } from './visitor.js'

const CONFIG = `${UNLIMITED.replace(
  'EXPORT: { approvers: [operator]',
  'EXPORT: { quorum: { need: 2 }, approvers: [operator, second]',
)}callbacks: { allow: [127.0.0.1] }
groups: { one: [operator], both: [operator, second] }
`
const FORM = {
  kind: 'form',
  decisions: [
    {
      id: 'd1',
      type: 'approval',
      prompt: 'Ship release 9',
      required: true,
      reason: { when: 'on_no', max_chars: 80 },
    },
    { id: 'd2', type: 'number', prompt: 'Which share', required: true, constraints: { min: 1, max: 100 } },
  ],
}
const FORMED = { reply_schema: FORM }

let lane: LaneUnderTest
let receiver: Receiver
beforeAll(async () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  lane = await startLane({ config: CONFIG, env: { LANE_WEBHOOK_SECRET: secret } })
})
afterAll(() => lane.close())
beforeEach(async () => {
  receiver = await receive()
})
afterEach(() => receiver.close())
const { open, stateOf } = visitor(() => lane)

async function ask(request: Record<string, unknown>, envelope: Record<string, unknown> = {}) {
  const { status, text } = await lane.submit(request, { callback_url: `${receiver.url}/cb`, ...envelope })
  if (status !== 201) throw new Error(text)
}
const says = async (id: string, words: string, who = 'operator', headers = {}) =>
  lane.answer(await lane.link(id, who), words, undefined, headers)
const typesOf = async (id: string) => (await lane.story(id)).map(({ type }) => type)
const calledWith = async (): Promise<Record<string, unknown>> => {
  const [call] = await receiver.called(1)
  return JSON.parse(call?.body ?? '{}').data
}
const withdraw = (id: string) =>
  lane.call('POST', `/v1/requests/${id}/withdraw`, { body: { reason: 'enough' } })

describe('a form of which a part is answered', () => {
  test('is open for whoever lists, polls and waits, with what was counted and what is missing', async () => {
    await ask(question('p-1', FORMED))
    expect((await says('p-1', 'd1 yes')).json).toMatchObject({ state: 'partial', answer: null })
    const waited = await lane.call('GET', '/v1/requests/p-1/wait?timeout_seconds=1')
    expect([waited.status, waited.json]).toMatchObject([
      202,
      {
        state: 'partial',
        answer: null,
        decision: null,
        so_far: { decisions: [{ decision_id: 'd1', approved: true }], missing: ['d2'] },
      },
    ])
    const listed = async (state: string) =>
      ((await lane.call('GET', `/v1/requests?state=${state}`)).json.items as { request_id: string }[]).map(
        ({ request_id }) => request_id,
      )
    expect([await listed('open'), await listed('partial'), await listed('pending')]).toEqual([
      expect.arrayContaining(['p-1']),
      ['p-1'],
      expect.not.arrayContaining(['p-1']),
    ])
    await withdraw('p-1')
  })

  test('calls back once, at the end, and wakes whoever waits then', async () => {
    await ask(question('p-2', FORMED))
    const waiting = lane.call('GET', '/v1/requests/p-2/wait?timeout_seconds=30')
    await says('p-2', 'd1 no: wrong customer')
    expect(receiver.calls).toEqual([])
    await says('p-2', 'd2 5')
    expect((await waiting).json).toMatchObject({ state: 'answered' })
    expect(await calledWith()).toMatchObject({
      state: 'answered',
      answer: {
        parsed_payload: { decisions: [{ approved: false, comment: 'wrong customer' }, { value: 5 }] },
      },
    })
    await until('its record', async () => (await typesOf('p-2')).includes('CALLBACK_ATTEMPTED'))
    expect(receiver.calls).toHaveLength(1)
  })

  test('that nobody finishes calls back as any default does: no answer, what was counted beside it', async () => {
    await ask(approval('p-3', { ...FORMED, deadline_seconds: 3 }))
    await says('p-3', 'd1 yes')
    expect(await calledWith()).toMatchObject({
      state: 'defaulted',
      answer: null,
      default_applied: true,
      so_far: { decisions: [{ decision_id: 'd1', approved: true }], missing: ['d2'] },
      decision: { decision: 'HALT' },
    })
    expect(await typesOf('p-3')).not.toContain('POLICY_TOKEN_ISSUED')
  })

  test('tells the stream each reply as it comes and one outcome, and never the words of a comment', async () => {
    let opened: () => void = () => undefined
    const standing = new Promise<void>(resolve => {
      opened = resolve
    })
    const streamed = lane.events(
      '?request_id=p-4',
      seen => seen.some(({ event }) => event === 'DIRECTOR_DECIDED'),
      { opened },
    )
    await standing
    await ask(question('p-4', FORMED))
    await says('p-4', 'd1 no: wrong customer')
    await says('p-4', 'd2 5')
    const seen = await streamed
    const told = seen.flatMap(({ event }) =>
      event === 'HUMAN_REPLY_EVENT' || event === 'REQUEST_RESOLVED' ? [event] : [],
    )
    expect(told).toEqual(['HUMAN_REPLY_EVENT', 'HUMAN_REPLY_EVENT', 'REQUEST_RESOLVED'])
    expect(JSON.stringify(seen)).not.toContain('wrong customer')
  })

  test('gives the right when its last part is given, once, and on exactly what was shown', async () => {
    const request = approval('p-5', FORMED)
    await ask(request)
    await says('p-5', 'd2 5')
    expect(await typesOf('p-5')).not.toContain('DIRECTOR_DECIDED')
    await says('p-5', 'd1 yes')
    const { decision } = (await lane.outcome('p-5')).json as { decision: { policy_token: string } }
    const body = { token: decision.policy_token, action: 'PUBLISH', parameters: request.parameters }
    const spend = async (spend_id: string) =>
      (await lane.call('POST', '/v1/policy-tokens/spend', { body: { ...body, spend_id } })).status
    expect([await spend('a'), await spend('a'), await spend('b')]).toEqual([200, 200, 409])
  })

  test('is told on the page by status: a decision twice is 409, a reason that is missing 422, as JSON and as a page', async () => {
    await ask(question('p-6', FORMED))
    await says('p-6', 'd2 5')
    const twice = await says('p-6', 'd2 6')
    expect([twice.status, twice.json.code]).toEqual([409, 'decision_answered'])
    const bare = await says('p-6', 'd1 no')
    expect([bare.status, bare.json.code]).toEqual([422, 'reason_missing'])
    const page = await says('p-6', 'd2 6', 'operator', HTML)
    expect([page.status, page.text]).toEqual([
      409,
      expect.stringContaining('What else you filled in is kept'),
    ])
    expect((await typesOf('p-6')).filter(type => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
    await withdraw('p-6')
  })
})

describe('a quorum of which a part has voted', () => {
  const both = { recipients: ['operator', 'second'], quorum: { need: 2 } }

  test('shows whoever has voted that the vote is counted, asks nothing more of them, and refuses a second', async () => {
    await ask(approval('v-1'), both)
    const mine = await lane.link('v-1')
    const before = await open(mine)
    const csrf = /name="csrf" value="([^"]*)"/.exec(before.text)?.[1] ?? ''
    await lane.answer(mine, 'yes')
    const page = await open(mine)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Your vote is counted')])
    expect(page.text).toContain('1 of 2 have said YES; one more is needed.')
    expect(page.text).not.toMatch(/<form|<input/)
    // From a tab that was open before.
    const again = await lane.call('POST', mine.link, {
      key: null,
      raw: new URLSearchParams({ reply: 'no', code: mine.code, csrf }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    })
    expect([again.status, again.json.code]).toEqual([409, 'already_voted'])
    expect((await open(await lane.link('v-1', 'second'))).text).toContain('<form')
    expect(await stateOf('v-1')).toBe('partial')
    await withdraw('v-1')
    expect(await calledWith()).toMatchObject({
      state: 'withdrawn',
      answer: null,
      so_far: { votes: [{ answered_by: 'operator', choice: 'YES' }] },
    })
  })

  test('that runs out gives nothing: the default holds, and the vote is told', async () => {
    await ask(approval('v-2', { deadline_seconds: 3 }), both)
    await says('v-2', 'yes')
    expect(await calledWith()).toMatchObject({
      state: 'defaulted',
      answer: null,
      so_far: { votes: [{ answered_by: 'operator', choice: 'YES' }] },
      decision: { decision: 'HALT' },
    })
    expect(await typesOf('v-2')).not.toContain('POLICY_TOKEN_ISSUED')
  })
})

describe('a quorum that policy demands', () => {
  const exported = (id: string, more: Record<string, unknown> = {}) =>
    approval(id, { action: 'EXPORT', ...more })
  const codeOf = async (request: Record<string, unknown>, envelope: Record<string, unknown>) => {
    const { status, json } = await lane.submit(request, envelope)
    return [status, json.code]
  }

  test('cannot be evaded by a form, by fewer people, by a group of one, or by a smaller number', async () => {
    const two = ['operator', 'second']
    expect(await codeOf(exported('x-1', FORMED), { recipients: two })).toEqual([422, 'quorum_needs_yes_no'])
    expect(await codeOf(exported('x-1'), { recipients: ['operator'] })).toEqual([422, 'quorum_unreachable'])
    expect(await codeOf(exported('x-1'), { recipients: ['group:one'] })).toEqual([422, 'quorum_unreachable'])
    const twice = { recipients: ['group:one', 'operator'] }
    expect((await codeOf(exported('x-1'), twice))[0]).toBe(422)
    expect(await codeOf(exported('x-1'), { recipients: two, quorum: { need: 1 } })).toEqual([
      422,
      'invalid_request',
    ])
    expect(await codeOf(exported('x-1'), { recipients: two, quorum: { need: 3 } })).toEqual([
      422,
      'quorum_unreachable',
    ])
    expect((await lane.call('GET', '/v1/requests/x-1')).status).toBe(404)
  })

  test('holds for a caller who does not speak of one, and for a group', async () => {
    await ask(exported('x-2'), { recipients: ['group:both'] })
    await says('x-2', 'yes')
    expect((await lane.call('GET', '/v1/requests/x-2')).json).toMatchObject({
      state: 'partial',
      tally: { need: 2, yes: 1, no: 0 },
    })
    await says('x-2', 'yes', 'second')
    expect((await lane.outcome('x-2')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
  })
})
