// Telling who asked: waiting, listing, taking back, and the ledger as a stream.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { type LaneUnderTest, question, review, startLane, UNLIMITED } from '../lane-under-test.js'
import { until } from '../until.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

describe('waiting', () => {
  test('an open request is 202 when the time is up, the outcome is 200 as soon as it is there', async () => {
    await lane.submit(question('wait-1'))
    const open = await lane.call('GET', '/v1/requests/wait-1/wait?timeout_seconds=1')
    expect([open.status, open.json.state]).toEqual([202, 'pending'])
    const waiting = [1, 2, 3].map(() => lane.call('GET', '/v1/requests/wait-1/wait?timeout_seconds=60'))
    await lane.answer(await lane.link('wait-1'), 'no')
    for (const outcome of await Promise.all(waiting)) {
      expect([outcome.status, outcome.json.state]).toEqual([200, 'answered'])
      expect(outcome.json.answer).toMatchObject({ parsed_choice: 'NO' })
    }
    expect((await lane.call('GET', '/v1/requests/wait-1/wait')).status).toBe(200)
  })

  test.each(['0', '61', '-1', '1.5', 'x', '', '1e1', '٣'])(
    'timeout_seconds=%s is refused with what is accepted',
    async seconds => {
      await lane.submit(question('wait-2'))
      const answer = await lane.call('GET', `/v1/requests/wait-2/wait?timeout_seconds=${seconds}`)
      expect([answer.status, answer.json.code]).toEqual([400, 'malformed_query'])
      expect(answer.json.detail).toContain('1 to 60')
    },
  )

  test('a withdrawal and a timeout wake a waiter too', async () => {
    await lane.submit(question('wait-3', { deadline_seconds: 2 }))
    await lane.submit(question('wait-4'))
    const both = ['wait-3', 'wait-4'].map(id =>
      lane.call('GET', `/v1/requests/${id}/wait?timeout_seconds=30`),
    )
    await lane.call('POST', '/v1/requests/wait-4/withdraw', { body: { reason: 'enough' } })
    const [timed, taken] = await Promise.all(both)
    expect([timed?.status, timed?.json.state]).toEqual([200, 'defaulted'])
    expect([taken?.status, taken?.json.state]).toEqual([200, 'withdrawn'])
  })

  test('a caller that goes away is waited for no longer', async () => {
    await lane.submit(question('wait-5'))
    const gone = new AbortController()
    const waiting = fetch(`${lane.url}/v1/requests/wait-5/wait?timeout_seconds=60`, {
      headers: { authorization: `Bearer ${lane.agentKey}` },
      signal: gone.signal,
    }).catch(() => null)
    const waiters = async () => {
      const { text } = await lane.call('GET', '/metrics', { key: lane.operatorKey })
      return Number(/^lane_waiters (\d+)$/m.exec(text)?.[1])
    }
    await until('one waiter', waiters, 1)
    gone.abort()
    await waiting
    await until('no waiter', waiters, 0)
    expect((await lane.call('GET', '/v1/requests/wait-5')).json.state).toBe('pending')
  })
})

describe('taking back', () => {
  test('withdrawn once, and the same again; the reason is recorded', async () => {
    await lane.submit(question('back-1'))
    const first = await lane.call('POST', '/v1/requests/back-1/withdraw', {
      body: { reason: 'solved otherwise' },
    })
    expect([first.status, first.json.state]).toEqual([200, 'withdrawn'])
    expect(first.json).toMatchObject({ answer: null, default_applied: false })
    const again = await lane.call('POST', '/v1/requests/back-1/withdraw', {
      body: { reason: 'another reason' },
    })
    expect(again.status).toBe(200)
    expect(again.json.resolved_at).toBe(first.json.resolved_at)
    const story = (await lane.story('back-1')).filter(({ type }) => /WITHDRAWN|RESOLVED/.test(type))
    expect(story.map(({ type }) => type)).toEqual(['REQUEST_WITHDRAWN', 'REQUEST_RESOLVED'])
    expect(story[0]?.body.reason).toBe('solved otherwise')
  })

  test('what was otherwise resolved is not taken back', async () => {
    await lane.submit(question('back-2'))
    await lane.answer(await lane.link('back-2'), 'yes')
    const late = await lane.call('POST', '/v1/requests/back-2/withdraw', { body: { reason: 'oops' } })
    expect([late.status, late.json.code]).toEqual([409, 'already_resolved'])
    expect((await lane.call('GET', '/v1/requests/back-2')).json.state).toBe('answered')
    await lane.submit(question('back-3', { deadline_seconds: 2 }))
    await lane.outcome('back-3')
    const timed = await lane.call('POST', '/v1/requests/back-3/withdraw', { body: { reason: 'oops' } })
    expect([timed.status, timed.json.code]).toEqual([409, 'already_resolved'])
  })

  test.each([
    {},
    { reason: '' },
    { reason: 7 },
    { reason: 'x'.repeat(501) },
    { reason: 'x', force: true },
    [],
    null,
  ])('the body %j is refused and takes nothing back', async body => {
    await lane.submit(question('back-4'))
    const answer = await lane.call('POST', '/v1/requests/back-4/withdraw', { body })
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
    expect((await lane.call('GET', '/v1/requests/back-4')).json.state).toBe('pending')
  })

  test('withdrawing without a body is refused; what does not exist is not found', async () => {
    const empty = await lane.call('POST', '/v1/requests/back-4/withdraw')
    expect([empty.status, empty.json.code]).toEqual([422, 'invalid_request'])
    const none = await lane.call('POST', '/v1/requests/nowhere/withdraw', { body: { reason: 'x' } })
    expect([none.status, none.json.code]).toEqual([404, 'not_found'])
  })
})

describe('listing', () => {
  test('newest first, fifty a page, each once, to the end', async () => {
    const sample = await startLane({ config: UNLIMITED })
    try {
      const ids = Array.from({ length: 123 }, (_, n) => `l-${n}`)
      for (const id of ids) {
        const answer = await sample.submit(review(id), {
          run: { run_id: `run-${id.length}`, mood: 'DEFERENTIAL' },
        })
        expect(answer.status).toBe(201)
      }
      const seen: string[] = []
      const pages: number[] = []
      let cursor: string | null = null
      do {
        const page = await sample.call('GET', `/v1/requests${cursor === null ? '' : `?cursor=${cursor}`}`)
        const items = page.json.items as { request_id: string }[]
        pages.push(items.length)
        seen.push(...items.map(({ request_id }) => request_id))
        cursor = page.json.next_cursor as string | null
        // What is opened meanwhile does not shift the pages behind it.
        await sample.submit(review(`later-${pages.length}`))
      } while (cursor !== null)
      expect(pages).toEqual([50, 50, 23])
      expect(seen).toEqual(ids.toReversed())
      const filtered = await sample.call('GET', '/v1/requests?run_id=run-3')
      expect((filtered.json.items as unknown[]).length).toBe(10)
      expect(filtered.json.next_cursor).toBeNull()
    } finally {
      await sample.close()
    }
  })

  test('by state and by run', async () => {
    const run = { run: { run_id: 'listed', mood: 'DEFERENTIAL' } }
    await lane.submit(question('s-1'), run)
    await lane.submit(question('s-2'), run)
    await lane.answer(await lane.link('s-1'), 'yes')
    const ids = async (query: string) =>
      (
        (await lane.call('GET', `/v1/requests?run_id=listed${query}`)).json.items as { request_id: string }[]
      ).map(({ request_id }) => request_id)
    expect(await ids('')).toEqual(['s-2', 's-1'])
    expect(await ids('&state=answered')).toEqual(['s-1'])
    expect(await ids('&state=pending')).toEqual(['s-2'])
    expect(await ids('&state=withdrawn')).toEqual([])
  })

  test('a listing shows no request as pending whose deadline has passed', async () => {
    await lane.submit(question('overdue', { deadline_seconds: 2 }), {
      run: { run_id: 'due', mood: 'DEFERENTIAL' },
    })
    await lane.outcome('overdue')
    const pending = await lane.call('GET', '/v1/requests?run_id=due&state=pending')
    expect(pending.json.items).toEqual([])
  })

  test.each([
    'state=',
    'cursor=x',
    'cursor=-1',
    'limit=5',
    'State=pending',
    'state=pending&state=answered',
    'run_id=a&run_id=b',
    'cursor=1&cursor=2',
    '__proto__=x',
  ])('the query %s is refused with what is accepted', async query => {
    const answer = await lane.call('GET', `/v1/requests?${query}`)
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_query'])
  })
})

describe('the stream', () => {
  test('from=0 gives everything in order, as the ledger has it; a key sees its own stories only', async () => {
    await lane.submit(question('e-1'))
    await lane.link('e-1')
    const whole = await lane.ledger()
    const all = await lane.events('?from=0', seen => seen.length >= whole.length, { key: lane.operatorKey })
    // What was committed since the ledger was read comes after it.
    expect(all.slice(0, whole.length).map(({ entry }) => entry)).toEqual(whole)
    for (const { id, event, entry } of all) expect([id, event]).toEqual([String(entry?.seq), entry?.type])
    const other = await lane.key('request')
    const body = {
      request: question('e-2'),
      run: { run_id: 'other', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
    }
    await lane.call('POST', '/v1/requests', { key: other, body })
    await lane.link('e-2')
    const theirs = await lane.events('?from=0', seen => seen.length >= 2, { key: other })
    expect(theirs.every(({ entry }) => entry?.request_id === 'e-2')).toBe(true)
  })

  test('it resumes after Last-Event-ID with nothing lost and nothing twice', async () => {
    await lane.submit(question('e-3'))
    await lane.link('e-3')
    const first = await lane.events('?from=0&request_id=e-3', seen => seen.length >= 2)
    const last = first.at(-1)?.id ?? ''
    await lane.answer(await lane.link('e-3'), 'yes')
    const rest = await lane.events('?request_id=e-3', seen => seen.at(-1)?.event === 'AHDB_DELTA', {
      lastEventId: last,
    })
    const story = await lane.story('e-3')
    expect([...first, ...rest].map(({ entry }) => entry)).toEqual(story)
    const ignored = await lane.events('?from=0&request_id=e-3', seen => seen.length >= 1, {
      lastEventId: last,
    })
    expect(Number(ignored[0]?.id)).toBeGreaterThan(Number(last))
  })

  test('without a place it begins now; what is committed while it is open comes at once', async () => {
    const query = '?type=REQUEST_OPENED,REQUEST_RESOLVED&run_id=live'
    let open = 0
    const stream = lane.events(query, seen => seen.length >= 2, { opened: () => open++ })
    await until('the stream', () => open)
    await lane.submit(question('e-4'), { run: { run_id: 'live', mood: 'DEFERENTIAL' } })
    await lane.submit(question('e-5'), { run: { run_id: 'elsewhere', mood: 'DEFERENTIAL' } })
    await lane.answer(await lane.link('e-4'), 'yes')
    const seen = await stream
    expect(seen.map(({ event }) => event)).toEqual(['REQUEST_OPENED', 'REQUEST_RESOLVED'])
    expect(seen.every(({ entry }) => entry?.request_id === 'e-4')).toBe(true)
  })

  test('an idle, filtered stream still advances: an empty event carries the newest seq', {
    timeout: 40_000,
    skip: !ALL,
  }, async () => {
    const newest = (await lane.ledger()).length - 1
    const seen = await lane.events('?type=KEY_ROTATED', all => all.length >= 1)
    expect(seen).toEqual([{ id: expect.any(String), event: null, entry: null }])
    expect(Number(seen[0]?.id)).toBeGreaterThanOrEqual(newest)
  })

  test.each([
    '?type=NOPE',
    '?type=',
    '?from=-1',
    '?from=x',
    '?type=REQUEST_OPENED&type=KEY_ROTATED',
    '?run_id=a&run_id=b',
    '?typ=x',
  ])('the query %s is refused, not ignored', async query => {
    const answer = await lane.call('GET', `/v1/events${query}`)
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_query'])
  })

  test('a key that is revoked sees nothing more, on a stream it had open either', async () => {
    const made = await lane.call('POST', '/v1/keys', {
      key: lane.operatorKey,
      body: { name: 'watcher', scopes: ['audit'] },
    })
    const { key, key_id } = made.json as { key: string; key_id: string }
    let open = 0
    const watched = lane.events('?type=REQUEST_OPENED', () => false, { key, opened: () => open++ })
    await until('the stream', () => open)
    await lane.submit(question('watched-1'))
    await lane.call('DELETE', `/v1/keys/${key_id}`, { key: lane.operatorKey })
    await lane.submit(question('watched-2'))
    const ids = (await watched).map(({ entry }) => entry?.request_id)
    expect(ids).not.toContain('watched-2')
  })

  test('there is no HEAD of a stream, and a stop of the lane ends every stream', async () => {
    expect((await lane.call('HEAD', '/v1/events')).status).toBe(404)
    const sample = await startLane()
    let open = 0
    const streams = Array.from({ length: 12 }, () =>
      sample.events('?from=0', () => false, { key: sample.operatorKey, opened: () => open++ }),
    )
    await until('all streams', () => open, 12)
    await sample.submit(question('ending'))
    await sample.link('ending')
    await sample.stop()
    for (const stream of streams) {
      expect((await stream).map(({ event }) => event)).toContain('REQUEST_OPENED')
    }
    await sample.close()
  })

  test('a Last-Event-ID that is no seq is refused', async () => {
    const answer = await lane.call('GET', '/v1/events', { headers: { 'last-event-id': 'abc' } })
    expect([answer.status, answer.json.code]).toEqual([400, 'malformed_query'])
  })
})
