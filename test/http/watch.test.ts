// What is written of those who were turned away: where they came from, never what they tried.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Watch } from '../../src/http/watch.js'
import { type Gateway, start as startGateway } from '../cli/gateway.js'
import { until } from '../until.js'

function start() {
  const clock = { now: 1_000_000 }
  const lines: object[] = []
  return {
    clock,
    lines,
    watch: new Watch(
      () => clock.now,
      about => lines.push(about),
    ),
  }
}
const stranger = (address: string) => ({ address, why: 'unknown_key' as const, route: '/v1/keys' })

describe('a log cannot be buried', () => {
  test('by one address, or one network: ten lines a minute, and then how many were left out', () => {
    const { clock, lines, watch } = start()
    for (let n = 0; n < 500; n++) watch.turnedAway(stranger(`2001:db8::${n.toString(16)}`))
    watch.turnedAway(stranger('192.0.2.1'))
    expect(lines).toHaveLength(11)
    clock.now += 60_000
    watch.turnedAway(stranger('192.0.2.1'))
    expect(lines.slice(11)).toEqual([{ untold: 490 }, stranger('192.0.2.1')])
  })

  test('by many addresses: a hundred lines a minute', () => {
    const { lines, watch } = start()
    for (let n = 0; n < 1_000; n++) watch.turnedAway(stranger(`192.0.${n >> 8}.${n & 255}`))
    expect(lines).toHaveLength(100)
  })
})

describe('a running lane', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  const get = async (path: string, key: string, method = 'GET') =>
    await fetch(`${gateway.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
  const lines = (): Record<string, unknown>[] =>
    gateway
      .output()
      .split('\n')
      .filter(line => line.includes('turned away'))
      .map(line => JSON.parse(line))

  test('a wrong key, a revoked one and one without the scope are lines with address and key id, without the secret', async () => {
    const wrong = `lane_${'7'.repeat(40)}`
    expect((await get('/v1/keys', wrong)).status).toBe(401)
    const { key_id: agent } = (await (await get('/v1/keys/self', gateway.agentKey)).json()) as {
      key_id: string
    }
    expect((await get('/v1/keys', gateway.agentKey)).status).toBe(403)
    await get(`/v1/keys/${agent}`, gateway.operatorKey, 'DELETE')
    expect((await get('/v1/requests', gateway.agentKey)).status).toBe(401)
    await until('three lines', () => lines().length >= 3)
    const about = { address: '127.0.0.1', msg: 'a caller was turned away' }
    expect(lines()).toMatchObject([
      { ...about, why: 'unknown_key', route: '/v1/keys' },
      { ...about, why: 'scope_missing', route: '/v1/keys', key_id: agent },
      { ...about, why: 'revoked_key', route: '/v1/requests', key_id: agent },
    ])
    expect(lines()[0]).not.toHaveProperty('key_id')
    const said = JSON.stringify(lines())
    expect([wrong, gateway.agentKey].filter(secret => said.includes(secret.slice(5)))).toEqual([])
  })
})
