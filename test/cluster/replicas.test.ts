// Many lanes, one ledger: whoever takes a request, a reply, a key or a withdrawal, all the others have it too.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, type Client, linksIn } from '../faults/client.js'
import { delivered } from '../faults/life.js'
import { ALL, CONFIG, sleep } from '../faults/rig.js'
import { until } from '../until.js'
import { type Cluster, noCluster, type Replica } from './cluster.js'
import { follow } from './follower.js'
import { killable } from './postgres.js'
import { LATE_AT_MOST_MS, sceneForEach } from './scene.js'

const JSON_TYPE = { 'content-type': 'application/json' }

describe.skipIf(noCluster !== null && !ALL)(`replicas${noCluster ? ` (skipped: ${noCluster})` : ''}`, () => {
  const scene = sceneForEach()
  const { meet, kept } = scene

  /** Two replicas and who calls each of them. */
  async function two(options?: Parameters<Cluster['replica']>[0]) {
    const lanes = await Promise.all([scene.cluster.replica(options), scene.cluster.replica(options)])
    const [here, there] = lanes.map(meet) as [Client, Client]
    return { lanes: lanes as [Replica, Replica], here, there }
  }
  const callWith = async (lane: Replica, key: string, method = 'GET', path = '/v1/requests') => {
    const response = await fetch(`${lane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    })
    await response.arrayBuffer()
    return response.status
  }

  test('[LANE-081] opened here, answered there: a waiter here and a follower there have it; a second answer is told it is decided', async () => {
    const { lanes, here, there } = await two()
    await here.open('q', {}, ['operator', 'second'])
    await delivered(there, 'q')
    const waiting = here.call('GET', '/v1/requests/q/wait?timeout_seconds=20')
    const events = follow(lanes[1].url, 'request_id=q&from=0')
    const [first, second] = [await here.link('q', 'operator'), await here.link('q', 'second')]
    const stamps = [await here.stamp(first), await there.stamp(second)]
    expect((await there.reply(first, stamps[0] ?? '', 'yes')).status).toBe(200)
    expect((await waiting).json).toMatchObject({ state: 'answered', answer: { answered_by: 'operator' } })
    expect((await here.reply(second, stamps[1] ?? '', 'no')).status).toBe(409)
    expect(await events.find('REQUEST_RESOLVED')).toMatchObject({ body: { outcome: 'answered' } })
    events.leave()
    await kept()
  })

  test('withdrawn there, and asked again there: the waiter here knows, and nobody is asked twice', async () => {
    const { here, there } = await two()
    const opened = await here.open('q')
    expect((await there.open('q')).json.receipt).toEqual(opened.json.receipt)
    const waiting = here.call('GET', '/v1/requests/q/wait?timeout_seconds=20')
    expect((await there.withdraw('q')).status).toBe(200)
    expect((await waiting).json.state).toBe('withdrawn')
    const entries = await kept()
    expect(entries.filter(({ type }) => type === 'REQUEST_OPENED')).toHaveLength(1)
  })

  test('[LANE-067] [LANE-068] with nobody asking, the default is applied once at its deadline, by whichever replica', async () => {
    const { here, there } = await two()
    await here.open('q', { deadline_seconds: 1 })
    await there.open('other', { deadline_seconds: 2 })
    await until(
      'both timeouts',
      async () => (await scene.cluster.lines()).filter(line => line.includes('"TIMEOUT_RECEIPT"')),
      lines => lines.length === 2,
    )
    const entries = await kept()
    for (const { at, body } of entries.filter(({ type }) => type === 'TIMEOUT_RECEIPT')) {
      const { deadline_at, default_action } = body as { deadline_at: string; default_action: string }
      expect(default_action).toBe('HALT')
      expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(deadline_at))
      expect(Date.parse(at) - Date.parse(deadline_at)).toBeLessThan(LATE_AT_MOST_MS)
    }
    expect(entries.filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(2)
  })

  test('[LANE-070] a reply on another replica after the timeout is refused and recorded, and the default stands', {
    skip: !ALL,
  }, async () => {
    const { here, there } = await two()
    await here.open('q', { deadline_seconds: 5 })
    const link = await here.link('q')
    const stamp = await here.stamp(link)
    expect(await here.outcome('q')).toBe('defaulted')
    expect((await there.reply(link, stamp, 'yes')).status).toBe(410)
    const entries = await kept()
    const rejected = entries.filter(({ type }) => type === 'INBOUND_REPLY_REJECTED')
    expect(rejected.map(({ body }) => (body as { reason: string }).reason)).toEqual(['already_resolved'])
  })

  test('[LANE-071] what fell due while all were down fires once when they come back, the rest in time', {
    skip: !ALL,
  }, async () => {
    const { lanes, here } = await two()
    await here.open('overdue', { deadline_seconds: 1 })
    await here.open('ahead', { deadline_seconds: 6 })
    await delivered(here, 'ahead')
    await Promise.all(lanes.map(lane => lane.kill()))
    await sleep(1_200)
    const [again] = await scene.cluster.replicas(2)
    if (again === undefined) throw new Error('two were started')
    const client = meet(again)
    expect(await client.outcome('overdue')).toMatch(/defaulted|undelivered/)
    expect(await client.outcome('ahead')).toBe('defaulted')
    const entries = await kept()
    expect(entries.filter(({ type }) => type === 'TIMEOUT_RECEIPT')).toHaveLength(2)
  })

  test('[LANE-072] what no replica can deliver ends in the default, recorded as undelivered', async () => {
    mkdirSync(join(scene.cluster.dataDir, 'outbox.ndjson'))
    const { here, there } = await two()
    await here.open('unsent', { deadline_seconds: 2 })
    expect(await there.outcome('unsent')).toBe('undelivered')
    const entries = await kept()
    expect(entries.some(({ type }) => type === 'DELIVERY_FAILED')).toBe(true)
    expect(entries.some(({ type }) => type === 'OUTBOUND_REQUEST_SENT')).toBe(false)
  })

  test('[LANE-080] limits per run, per recipient and per sender hold across replicas', async () => {
    const limits =
      'limits: { open_questions_per_run: 3, requests_per_recipient_per_hour: 5, reply_attempts_per_delivery: 4 }'
    const { here, there } = await two({ config: CONFIG.replace(/^limits:.*$/m, limits) })
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? here : there).open(`q${n}`)),
    )
    expect(asked.filter(({ status }) => status === 201)).toHaveLength(3)
    expect(new Set(asked.filter(({ status }) => status !== 201).map(({ json }) => json.code))).toEqual(
      new Set(['too_many_open_questions']),
    )
    const [id = ''] = scene.journal.opened.keys()
    const link = await here.link(id)
    const stamp = await here.stamp(link)
    const guesses: number[] = []
    for (let n = 0; n < 6; n++)
      guesses.push((await (n % 2 === 0 ? here : there).reply(link, stamp, 'maybe')).status)
    expect(guesses.slice(0, 4)).toEqual([422, 422, 422, 422])
    expect(guesses[4]).toBe(429)
    const entries = await kept()
    const reasons = entries.flatMap(({ type, body }) =>
      type === 'INBOUND_REPLY_REJECTED' ? [(body as { reason: string }).reason] : [],
    )
    expect(reasons.filter(reason => reason === 'rate_limited')).toHaveLength(1)
  })

  test('a key made here opens doors there at once; revoked here, it is refused there within seconds', async () => {
    const { lanes, here } = await two()
    const body = JSON.stringify({ name: 'agent', scopes: ['request'] })
    const { json } = await here.call('POST', '/v1/keys', { headers: JSON_TYPE, body })
    const key = String(json.key)
    expect(await callWith(lanes[1], key)).toBe(200)
    expect(await callWith(lanes[1], 'lane_nobody_has_made_this_one')).toBe(401)
    expect((await here.call('DELETE', `/v1/keys/${json.key_id}`)).status).toBe(200)
    expect(await callWith(lanes[0], key)).toBe(401)
    await until('the key to be refused there', () => callWith(lanes[1], key), 401)
  })

  test('a signing key revoked here signs and verifies nothing there; each open request comes to its person anew', async () => {
    const { lanes, here, there } = await two()
    const opened = await Promise.all(
      Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? here : there).open(`q${n}`)),
    )
    expect(opened.map(({ status }) => status)).toEqual(Array(6).fill(201))
    const ids = opened.map((_, n) => `q${n}`)
    const before = await Promise.all(ids.map(id => here.link(id)))
    const published = async ({ url }: { readonly url: string }) =>
      ((await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }).keys.map(
        ({ kid }) => kid,
      )
    const [kid = ''] = await published(lanes[0])
    expect((await here.call('DELETE', `/v1/signing-keys/${kid}`)).status).toBe(200)
    await until('the key to be gone there', async () => (await published(lanes[1])).includes(kid), false)
    const [old] = before
    if (old === undefined) throw new Error('there are six')
    expect((await there.reply(old, await there.stamp(old), 'yes')).status).toBe(403)
    for (const [n, id] of ids.entries()) {
      const fresh = await until(`a fresh link of ${id}`, async () => {
        const link = await here.link(id)
        return link.link !== before[n]?.link ? link : undefined
      })
      expect((await there.reply(fresh, await there.stamp(fresh), 'yes')).status).toBe(200)
    }
    const entries = await kept()
    expect(entries.filter(({ type }) => type === 'KEY_REVOKED')).toHaveLength(1)
    expect(entries.filter(({ type }) => type === 'DELIVERY_STATUS')).toHaveLength(6)
  })

  test('a signing key rotated here verifies there before anybody signs with it: no reply is turned away', {
    skip: !ALL,
  }, async () => {
    const { lanes, here, there } = await two()
    await here.open('before')
    const before = await here.link('before')
    const { json } = await here.call('POST', '/v1/signing-keys/rotate')
    const answers: number[] = []
    for (let n = 0; n < 25; n++) {
      await here.open(`q${n}`)
      const link = await here.link(`q${n}`)
      answers.push((await there.reply(link, await there.stamp(link), 'yes')).status)
      await sleep(150)
    }
    expect(new Set(answers)).toEqual(new Set([200]))
    expect((await there.reply(before, await there.stamp(before), 'yes')).status).toBe(200)
    for (const { url } of lanes) {
      const jwks = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] }
      expect(jwks.keys.map(({ kid }) => kid)).toContain(json.kid)
    }
    await kept()
  })

  test('started together for the first time: one prints keys, all take them, all sign with one key', async () => {
    const lanes = await Promise.all(
      Array.from({ length: 3 }, () => scene.cluster.replica({ env: { LANE_API_KEY: '' } })),
    )
    const printed = lanes.map(lane => /operator +(lane_\S+)/.exec(lane.output())?.[1]).filter(Boolean)
    expect(printed).toHaveLength(1)
    for (const lane of lanes) expect(await callWith(lane, printed[0] ?? '', 'GET', '/v1/keys')).toBe(200)
    const entries = (await scene.cluster.lines()).map(line => JSON.parse(line))
    const rotated = entries.filter(({ type }) => type === 'KEY_ROTATED').map(({ body }) => body.purpose)
    expect(rotated.sort()).toEqual(['checkpoint', 'reply-token'])
    expect(entries.filter(({ type }) => type === 'LANE_STARTED')).toHaveLength(3)
  })

  test('stopped one after the other and started anew while it is asked and answered: nobody notices', {
    skip: !ALL,
    timeout: 120_000,
  }, async () => {
    let lanes = await scene.cluster.replicas(2)
    let done = false
    /** As a proxy does: who does not take it, another is asked. */
    async function anyOf(ask: (client: Client) => Promise<Answer>): Promise<void> {
      for (let n = 0; ; n++) {
        const client = (lanes[n % lanes.length] as Replica).client(scene.journal)
        const answer = await ask(client).catch(() => null)
        client.leave()
        if (answer !== null && answer.status < 500) return
        await sleep(50)
      }
    }
    const work = async (name: string): Promise<void> => {
      for (let n = 0; !done; n++) {
        const id = `${name}-${n}`
        await anyOf(client => client.open(id))
        const link = await until(`the link of ${id}`, () => linksIn(scene.cluster.dataDir, id)[0])
        await anyOf(async client => client.reply(link, await client.stamp(link), n % 2 ? 'yes' : 'no'))
      }
    }
    const working = ['a', 'b', 'c'].map(work)
    for (let round = 0; round < 4; round++) {
      for (const old of lanes) {
        const fresh = await scene.cluster.replica()
        lanes = [...lanes.filter(lane => lane !== old), fresh]
        expect(await old.stop()).toEqual({ code: 0, signal: null })
      }
    }
    done = true
    await Promise.all(working)
    expect(scene.journal.endings.size).toBeGreaterThan(5)
    await kept()
  })

  test.runIf(ALL && killable)(
    '[LANE-078] [LANE-079] PostgreSQL dies the moment a replica has said 201: it is there when it comes back, and so are the replicas',
    async () => {
      const { here, there } = await two()
      for (let round = 0; round < 10; round++) {
        expect((await here.open(`q${round}`)).status).toBe(201)
        await scene.cluster.postgres.kill()
        expect((await there.open(`down-${round}`)).status).toBe(503)
        await scene.cluster.postgres.start()
        await until('the other to be ready', async () => (await there.call('GET', '/readyz')).status, 200)
        expect((await there.call('GET', `/v1/requests/q${round}`)).status).toBe(200)
        const link = await here.link(`q${round}`)
        await until(
          'the answer to be taken',
          async () => (await there.reply(link, await there.stamp(link), 'yes')).status,
          200,
        )
      }
      await kept()
    },
    120_000,
  )

  test('/readyz tells of a Redis that is gone, and the lane stays ready', { skip: !ALL }, async () => {
    const { here } = await two({ env: { REDIS_URL: 'redis://127.0.0.1:1' } })
    const look = () => here.call('GET', '/readyz', { key: false })
    await until('the lane to say it is degraded', async () => (await look()).json.status, 'degraded')
    const { status, json } = await look()
    expect([status, json.checks]).toEqual([
      200,
      { ledger: 'ok', clock: 'ok', alarms: expect.stringMatching(/Redis/), seals: 'ok' },
    ])
    await here.open('q', { deadline_seconds: 3 })
    expect(await here.outcome('q')).toBe('defaulted')
    await kept()
  })
})
