// Ten thousand replies at once.
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import { until } from '../until.js'
import { connect, type Link } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { CONFIG, endAll, freshDirectory, launch } from './rig.js'

afterEach(endAll)

function tally<T>(all: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}

const rejections = (entries: readonly Entry[]): Map<string, number> =>
  tally(entries.flatMap(entry => (entry.type === 'INBOUND_REPLY_REJECTED' ? [entry.body.reason] : [])))

const limited = (tries: number): string =>
  CONFIG.replace('reply_attempts_per_delivery: 0', `reply_attempts_per_delivery: ${tries}`)

describe('replies at once, over HTTP', () => {
  test('10 000 to one request, YES and NO, from two deliveries on 128 connections: one is recorded, and it is the ledger’s answer', async () => {
    const REPLIES = 10_000
    const TRIES = 10
    const dataDir = join(freshDirectory(), 'data')
    const journal = new Journal()
    const lane = await launch({ dataDir, config: limited(TRIES) })
    const client = connect(lane.url, dataDir, journal, 128)
    await client.open('stormed', {}, ['operator', 'second'])
    const links = [await client.link('stormed'), await client.link('stormed', 'second')]
    const stamps = await Promise.all(links.map(client.stamp))

    const told = await Promise.all(
      Array.from({ length: REPLIES }, (_, n) => {
        const [link, stamp] = [links[n % 2] as Link, stamps[n % 2] ?? '']
        return client.reply(link, stamp, n % 4 < 2 ? 'yes' : 'no')
      }),
    )
    expect(client.ports.size).toBeGreaterThanOrEqual(100)
    const statuses = tally(told.map(({ status }) => status))
    expect(statuses.get(200)).toBe(1)
    // Until a link's tries are used up its bearer is told that it is answered, then only to stop.
    expect((statuses.get(409) ?? 0) + (statuses.get(429) ?? 0)).toBe(REPLIES - 1)
    const state = await client.call('GET', '/v1/requests/stormed')
    const recorded = told.find(({ status }) => status === 200)?.json.answer
    expect(state.json).toMatchObject({ state: 'answered', answer: recorded })
    client.leave()
    await lane.stop()

    const entries = await expectKept(journal, readLines(dataDir))
    const types = tally(entries.map(({ type }) => type))
    expect([types.get('HUMAN_REPLY_EVENT'), types.get('REQUEST_RESOLVED')]).toEqual([1, 1])
    expect(rejections(entries)).toEqual(
      new Map([
        ['already_resolved', 2 * TRIES],
        ['rate_limited', 2],
      ]),
    )
  }, 120_000)

  test('[LANE-045] 2 000 unreadable ones on a link that allows 5: five are judged, the rest is refused, and the link is dead', async () => {
    const REPLIES = 2_000
    const TRIES = 5
    const dataDir = join(freshDirectory(), 'data')
    const journal = new Journal()
    const lane = await launch({ dataDir, config: limited(TRIES) })
    const client = connect(lane.url, dataDir, journal, 128)
    await client.open('guessed')
    const link = await client.link('guessed')
    const stamp = await client.stamp(link)
    const told = await Promise.all(Array.from({ length: REPLIES }, () => client.reply(link, stamp, 'maybe')))
    expect(tally(told.map(({ status }) => status))).toEqual(
      new Map([
        [422, TRIES],
        [429, REPLIES - TRIES],
      ]),
    )
    expect((await client.reply(link, stamp, 'yes')).status).toBe(429)
    // The person is not locked out by it: a fresh link is sent, and answers.
    const fresh = await until('a fresh link', () =>
      client.links('guessed').find(one => one.link !== link.link),
    )
    expect((await client.reply(fresh, await client.stamp(fresh), 'yes')).status).toBe(200)
    client.leave()
    await lane.stop()

    const entries = await expectKept(journal, readLines(dataDir))
    expect(rejections(entries)).toEqual(
      new Map([
        ['reply_not_in_schema', TRIES],
        ['rate_limited', 1],
      ]),
    )
  }, 60_000)
})
