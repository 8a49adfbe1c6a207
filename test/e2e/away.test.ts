// Somebody is away: said by an operator, in the ledger, to one of their own delegates and to nobody else.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'

const CONFIG = `recipients:
  ann: { name: Ann, web: true, delegates: [bo] }
  bo: { name: Bo, web: true, delegates: [ann, cy] }
  cy: { name: Cy, web: true }
`
const UNTIL = '2999-01-01T00:00:00.000Z'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())

const away = (who: string, body: unknown, key = lane.operatorKey) =>
  lane.call('POST', `/v1/recipients/${who}/away`, { key, body })
const recorded = async () => {
  const entries = await lane.ledger()
  return entries.filter(({ type }) => type === 'RECIPIENT_AWAY').map(({ body }) => body)
}

describe('POST /v1/recipients/:id/away', () => {
  test('is recorded as it stands, with the deed and whose it was', async () => {
    const { key_id: by } = (await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })).json
    const answer = await away('bo', { from: '2998-12-24T19:00:00+01:00', until: UNTIL, to: 'cy' })
    expect(answer.status).toBe(200)
    const told = { user_id: 'bo', from: '2998-12-24T18:00:00.000Z', until: UNTIL, to: 'cy' }
    expect(answer.json).toEqual(told)
    expect((await recorded()).at(-1)).toEqual({ ...told, by })
    const deed = (await lane.ledger()).at(-1)
    expect(deed).toMatchObject({
      type: 'OPERATOR_ACTED',
      body: { deed: 'away_set', about: 'bo', by },
    })
  })

  test('with nobody in their place, and back again', async () => {
    const answer = await away('cy', { until: UNTIL })
    expect([answer.status, answer.json.to]).toEqual([200, null])
    const back = await away('cy', { until: '2020-01-01T00:00:00Z' })
    expect(back.json).toMatchObject({ from: '2020-01-01T00:00:00.000Z', until: '2020-01-01T00:00:00.000Z' })
  })

  test.each([
    ['somebody who is none of their delegates', 'ann', { until: UNTIL, to: 'cy' }, '/to', 'one of bo'],
    ['a deputy of somebody who has none', 'cy', { until: UNTIL, to: 'ann' }, '/to', 'they have no delegates'],
    ['an end before the beginning', 'ann', { from: UNTIL, until: UNTIL }, '/until', 'a time after from'],
    [
      'a time without its offset',
      'ann',
      { until: '2999-01-01T00:00:00' },
      '/until',
      'a time with its offset',
    ],
    ['no end', 'ann', {}, '/until', 'a time with its offset'],
    ['an unknown field', 'ann', { until: UNTIL, note: 'x' }, '/note', '{"until"'],
  ])('refuses %s', async (_, who, body, field, accepted) => {
    const before = (await recorded()).length
    const answer = await away(who, body)
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
    const [error] = answer.json.errors as { field: string; accepted: string }[]
    expect(error?.field).toBe(field)
    expect(error?.accepted).toContain(accepted)
    expect((await recorded()).length).toBe(before)
  })

  test('refuses a deputy who is away too, with nobody in their place', async () => {
    expect((await away('cy', { until: UNTIL })).status).toBe(200)
    const refused = await away('bo', { until: UNTIL, to: 'cy' })
    expect([refused.status, refused.json.code]).toEqual([422, 'invalid_request'])
    expect(refused.text).toContain('who is not away too')
    expect((await away('cy', { until: '2020-01-01T00:00:00Z' })).status).toBe(200)
    expect((await away('bo', { until: '2020-01-01T00:00:00Z' })).status).toBe(200)
  })

  test('refuses a circle: two who are away in favour of each other are nobody', async () => {
    expect((await away('ann', { until: UNTIL, to: 'bo' })).status).toBe(200)
    const circle = await away('bo', { until: UNTIL, to: 'ann' })
    expect([circle.status, circle.json.code]).toEqual([422, 'invalid_request'])
    expect(circle.text).toContain('who is not away in favour of bo')
  })

  test('is the operator’s alone, and about people there are', async () => {
    expect((await away('ann', { until: UNTIL }, lane.agentKey)).status).toBe(403)
    expect((await away('zoe', { until: UNTIL })).status).toBe(404)
  })
})
