import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, question, startLane } from '../lane-under-test.js'

describe('one request through the whole lane', () => {
  let lane: LaneUnderTest
  beforeAll(async () => {
    lane = await startLane()
  })
  afterAll(() => lane.close())

  test('a question is asked, answered on the page, waited for and found in the ledger', async () => {
    const opened = await lane.submit(question('life-1'))
    expect(opened.status).toBe(201)
    const waiting = lane.call('GET', '/v1/requests/life-1/wait?timeout_seconds=20')
    const recorded = await lane.answer(await lane.link('life-1'), 'yes')
    expect(recorded.status).toBe(200)
    const outcome = await waiting
    expect(outcome.status).toBe(200)
    expect(outcome.json.state).toBe('answered')
    expect(outcome.json.answer).toMatchObject({
      parsed_choice: 'YES',
      answered_by: 'operator',
      proof: 'console',
    })
    const types = (await lane.ledger())
      .filter(entry => entry.request_id === 'life-1')
      .map(entry => entry.type)
    expect(types).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'OUTBOUND_REQUEST_SENT',
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
      'DIRECTOR_DECIDED',
      'AHDB_DELTA',
    ])
  })
})
