// Silence: the default at the deadline, exactly once, across races, restarts and an outbox nobody can write.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { approval, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { until } from '../until.js'

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const ending = (types: readonly { type: string }[]): string[] =>
  types.map(({ type }) => type).filter(type => /TIMEOUT|RESOLVED|HUMAN/.test(type))

describe('at the deadline', () => {
  let lane: LaneUnderTest
  beforeAll(async () => {
    lane = await startLane({ config: UNLIMITED })
  })
  afterAll(() => lane.close())

  test('[LANE-067] [LANE-068] the default is emitted without being asked for, and its receipt says from what and when', async () => {
    const opened = await lane.submit(question('silent', { deadline_seconds: 2, default_action: 'SPLIT' }))
    await lane.link('silent')
    // Nobody reads the request: only the ledger is watched.
    const story = await until(
      'its end',
      () => lane.story('silent'),
      entries => entries.some(({ type }) => type === 'REQUEST_RESOLVED'),
    )
    const [receipt, resolved] = story.slice(-3)
    const { deadline_at, request_hash } = opened.json as { deadline_at: string; request_hash: string }
    expect(receipt).toMatchObject({
      type: 'TIMEOUT_RECEIPT',
      body: {
        request_hash,
        default_action: 'SPLIT',
        deadline_at,
        fired_at: receipt?.at,
        deliveries: [{ state: 'sent' }],
      },
    })
    expect(Date.parse(receipt?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(deadline_at))
    expect(resolved).toMatchObject({
      type: 'REQUEST_RESOLVED',
      body: { outcome: 'defaulted', default_action: 'SPLIT', causes: [receipt?.seq] },
    })
    expect(JSON.stringify(resolved)).not.toMatch(/"NO"|answered_by|parsed_choice/)
  })

  test.concurrent('a timeout of an approval is never recorded as a person’s no', async () => {
    await lane.submit(approval('silent-approval', { deadline_seconds: 2 }))
    const { json } = await lane.outcome('silent-approval')
    expect(json).toMatchObject({
      state: 'defaulted',
      answer: null,
      default_action: 'DENY',
      default_applied: true,
      decision: { decision: 'HALT', by: 'lane', reason: 'nobody answered in time' },
    })
    expect(ending(await lane.story('silent-approval'))).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
  })

  test.concurrent('[LANE-070] a reply after the timeout is refused and recorded, and the default stands', async () => {
    await lane.submit(question('too-late', { deadline_seconds: 2 }))
    const reply = await lane.link('too-late')
    await lane.outcome('too-late')
    const late = await lane.answer(reply, 'yes')
    expect([late.status, late.json.code]).toEqual([410, 'deadline_passed'])
    expect(late.json.detail).toContain('HALT')
    const story = await lane.story('too-late')
    expect(ending(story)).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
    expect(story.at(-1)).toMatchObject({
      type: 'INBOUND_REPLY_REJECTED',
      body: { reason: 'already_resolved', raw_text_hash: expect.stringMatching(/^sha256:/) },
    })
    expect((await lane.call('GET', '/v1/requests/too-late')).json).toMatchObject({
      state: 'defaulted',
      answer: null,
    })
  })

  test.concurrent('[LANE-069] replies that arrive around the deadline: exactly one ending each, and who was told "recorded" is the answer', {
    skip: !ALL,
  }, async () => {
    const ids = Array.from({ length: 24 }, (_, n) => `edge-${n}`)
    await Promise.all(ids.map(id => lane.submit(question(id, { deadline_seconds: 2 }))))
    const told = await Promise.all(
      ids.map(async (id, n) => {
        const reply = await lane.link(id)
        const { deadline_at } = (await lane.call('GET', `/v1/requests/${id}`)).json as { deadline_at: string }
        await sleep(Math.max(0, Date.parse(deadline_at) - Date.now() - 60 + n * 5))
        return lane.answer(reply, 'yes')
      }),
    )
    for (const [n, id] of ids.entries()) {
      const { json } = await lane.outcome(id)
      const story = ending(await lane.story(id))
      const recorded = told[n]?.status === 200
      expect(json.state).toBe(recorded ? 'answered' : 'defaulted')
      expect(story).toEqual([recorded ? 'HUMAN_REPLY_EVENT' : 'TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
      if (!recorded) expect([403, 410]).toContain(told[n]?.status)
      // From the deadline on only the default can win, however close the reply was.
      if (recorded) expect(String(json.resolved_at) < String(json.deadline_at)).toBe(true)
    }
  })

  test.concurrent('[LANE-069] a withdrawal and the timer at the same moment: exactly one ending', {
    skip: !ALL,
  }, async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `taken-${n}`)
    await Promise.all(ids.map(id => lane.submit(question(id, { deadline_seconds: 2 }))))
    const told = await Promise.all(
      ids.map(async (id, n) => {
        await sleep(1_970 + n * 4)
        return lane.call('POST', `/v1/requests/${id}/withdraw`, { body: { reason: 'late change of mind' } })
      }),
    )
    for (const [n, id] of ids.entries()) {
      const { json } = await lane.outcome(id)
      expect(json.state).toBe(told[n]?.status === 200 ? 'withdrawn' : 'defaulted')
      const story = await lane.story(id)
      expect(story.filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(1)
    }
  })

  test.concurrent('a page opened before the deadline and read after it shows only that it is closed', async () => {
    await lane.submit(question('shut', { deadline_seconds: 2 }))
    const reply = await lane.link('shut')
    await lane.outcome('shut')
    const page = await lane.call('GET', reply.link, { key: null })
    expect(page.text).not.toMatch(/<form|Ship the release/)
  })
})

test('[LANE-071] deadlines survive a restart: what fell due while it was down fires once at the start, the rest in time', async () => {
  const lane = await startLane({ config: UNLIMITED })
  await lane.submit(question('while-down', { deadline_seconds: 2 }))
  await lane.submit(question('after', { deadline_seconds: 5 }))
  await lane.submit(question('patient', { deadline_seconds: 600 }))
  for (const id of ['while-down', 'after', 'patient']) await lane.link(id)
  const before = await lane.ledger()
  const again = await lane.restart(() => sleep(2_200))
  try {
    const settled = await again.outcome('while-down')
    expect(settled.json).toMatchObject({ state: 'defaulted', default_applied: true })
    const twice = await again.restart()
    const stories = await twice.story('while-down')
    expect(ending(stories)).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
    const receipt = stories.find(({ type }) => type === 'TIMEOUT_RECEIPT')
    expect(Date.parse(String(receipt?.body.fired_at))).toBeGreaterThan(
      Date.parse(String(receipt?.body.deadline_at)),
    )
    expect((await twice.outcome('after')).json.state).toBe('defaulted')
    expect(ending(await twice.story('after'))).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
    // Nothing was forgotten, nothing repeated: the old entries stand, and nobody was sent a second link.
    expect((await twice.ledger()).slice(0, before.length)).toEqual(before)
    for (const id of ['while-down', 'after', 'patient']) {
      expect((await twice.story(id)).filter(({ type }) => type === 'DELIVERY_STARTED')).toHaveLength(1)
    }
    expect((await twice.answer(await twice.link('patient'), 'yes')).status).toBe(200)
    await twice.close()
  } finally {
    await again.close()
    rmSync(lane.dataDir, { recursive: true, force: true })
  }
})

test('[LANE-072] what could not be put before anybody ends in the default, recorded as undelivered', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lane-'))
  mkdirSync(join(dataDir, 'outbox.ndjson'))
  const lane = await startLane({ dataDir, config: UNLIMITED })
  try {
    await lane.submit(question('unsent', { deadline_seconds: 2 }))
    const settled = await lane.outcome('unsent')
    expect(settled.json).toMatchObject({ state: 'undelivered', answer: null, default_applied: true })
    const story = await lane.story('unsent')
    const failures = story.filter(({ type }) => type === 'DELIVERY_FAILED')
    expect(failures.length).toBeGreaterThanOrEqual(1)
    expect(failures[0]?.body).toMatchObject({ code: 'outbox_unwritable', final: false })
    expect(story.some(({ type }) => type === 'OUTBOUND_REQUEST_SENT')).toBe(false)
    expect(ending(story)).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
    expect(story.at(-2)?.body).toMatchObject({ outcome: 'undelivered', default_action: 'HALT' })
    expect(story.at(-1)?.body).toMatchObject({ decision: 'HALT', reason: 'nobody could be reached in time' })

    // The outbox comes back before the deadline: the same request is delivered after all.
    await lane.submit(question('sent-late', { deadline_seconds: 60 }))
    await until(
      'a failed delivery',
      () => lane.story('sent-late'),
      entries => entries.some(({ type }) => type === 'DELIVERY_FAILED'),
    )
    rmSync(join(dataDir, 'outbox.ndjson'), { recursive: true })
    expect((await lane.answer(await lane.link('sent-late'), 'yes')).status).toBe(200)
    const links = (await lane.story('sent-late')).filter(({ type }) => type === 'OUTBOUND_REQUEST_SENT')
    expect(links).toHaveLength(1)
  } finally {
    await lane.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
