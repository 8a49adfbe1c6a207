// Attempts run out: the link dies, a fresh one is sent, and whoever guesses is told to stop.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  CONFIG,
  type Entry,
  type LaneUnderTest,
  question,
  type Reply,
  startLane,
} from '../lane-under-test.js'
import { until } from '../until.js'
import { wrongCode } from './visitor.js'

describe('attempts run out', () => {
  const limited = CONFIG.replace('reply_attempts_per_delivery: 5', 'reply_attempts_per_delivery: 2')
  const others = (replies: readonly Reply[]) => new Set(replies.map(({ link }) => link)).size

  const fresh = (sample: LaneUnderTest, id: string, old: Reply): Promise<Reply> =>
    until(
      `a fresh link of ${id}`,
      () => sample.link(id),
      ({ link }) => link !== old.link,
    )

  test('[LANE-045] [LANE-080] the handle dies, one entry says so, a fresh link is sent, at most three times', async () => {
    const sample = await startLane({ config: limited })
    try {
      await sample.submit(question('tried'))
      const used: Reply[] = [await sample.link('tried')]
      for (let round = 0; round < 4; round++) {
        const reply = used.at(-1) as Reply
        expect((await sample.answer(reply, 'maybe')).status).toBe(422)
        expect((await sample.answer(reply, 'yes', wrongCode(reply))).status).toBe(403)
        const dead = await sample.answer(reply, 'yes')
        expect([dead.status, dead.json.code]).toEqual([429, 'rate_limited'])
        for (let more = 0; more < 3; more++) expect((await sample.answer(reply, 'yes')).status).toBe(429)
        expect((await sample.call('GET', reply.link, { key: null })).status).toBe(429)
        if (round < 3) used.push(await fresh(sample, 'tried', reply))
      }
      expect(others(used)).toBe(4)
      const story = await sample.story('tried')
      const limits = story.filter(({ body }) => body.reason === 'rate_limited')
      expect(limits).toHaveLength(4)
      expect(story.filter(({ type }) => type === 'OUTBOUND_REQUEST_SENT')).toHaveLength(4)
      const lines = readFileSync(join(sample.dataDir, 'outbox.ndjson'), 'utf8').trim().split('\n')
      expect(lines).toHaveLength(4)
      expect((await sample.call('GET', '/v1/requests/tried')).json.state).toBe('pending')
    } finally {
      await sample.close()
    }
  })

  test('the fresh link answers; the dead one does not come back', async () => {
    const sample = await startLane({ config: limited })
    try {
      await sample.submit(question('replaced'))
      const old = await sample.link('replaced')
      for (let n = 0; n < 3; n++) await sample.answer(old, 'maybe')
      const next = await fresh(sample, 'replaced', old)
      expect((await sample.answer(old, 'yes')).status).toBe(429)
      expect((await sample.answer(next, 'yes')).status).toBe(200)
    } finally {
      await sample.close()
    }
  })

  test('a dead link opens nothing: neither the request nor what it points at', async () => {
    const sample = await startLane({ config: limited })
    try {
      const put = await sample.call('PUT', '/v1/blobs', {
        raw: 'for those who may still answer',
        headers: { 'content-type': 'text/plain' },
      })
      const handle = put.json.handle as string
      await sample.submit(question('dead', { context_handles: [handle] }))
      const old = await sample.link('dead')
      const content = () => sample.call('GET', `${old.link}/blobs/${handle}`, { key: null })
      expect((await content()).text).toContain('for those who may still answer')
      for (let n = 0; n < 3; n++) await sample.answer(old, 'maybe')
      const [page, blob] = [await sample.call('GET', old.link, { key: null }), await content()]
      expect([page.status, blob.status]).toEqual([429, 429])
      expect(`${page.text}${blob.text}`).not.toMatch(/Ship the release|may still answer|sha256:/)
    } finally {
      await sample.close()
    }
  })

  test('[LANE-080] whoever guesses handles is told to stop, with the time to wait; nothing of it is recorded', async () => {
    const sample = await startLane()
    try {
      await sample.submit(question('beside'))
      const reply = await sample.link('beside')
      // The link is out a moment before the ledger says so.
      const isSent = ({ type }: Entry): boolean => type === 'OUTBOUND_REQUEST_SENT'
      const before = await until(
        'its sending',
        () => sample.ledger(),
        entries => entries.some(isSent),
      )
      let stopped: Answer | null = null
      for (let n = 0; n < 80 && stopped === null; n++) {
        const guess = `/r/${String(n).padStart(26, '0')}`
        const answer = await sample.call(n % 2 ? 'POST' : 'GET', guess, {
          key: null,
          headers: { accept: 'application/json' },
        })
        if (answer.status === 429) stopped = answer
        else expect(answer.json.code).toBe('not_found')
      }
      expect(stopped?.json.code).toBe('rate_limited')
      expect(Number(stopped?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await sample.ledger()).toEqual(before)
      const metrics = await sample.call('GET', '/metrics', { key: sample.operatorKey })
      expect(metrics.text).toMatch(/lane_strangers_total\{why="unknown_handle"\} [6-8]\d/)
      // From the same address: who has a link, or a key, has no need to guess and is not locked out.
      expect((await sample.answer(reply, 'yes')).status).toBe(200)
    } finally {
      await sample.close()
    }
  })
})
