// A ladder through the whole door: given by a caller, resolved, recorded, climbed and shown.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'

/** An hour of the day, so many hours from now. */
function hour(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13).concat(':00')
}

const END = hour(3)

const CONFIG = `recipients:
  ann: { name: Ann, web: true, delegates: [bo] }
  cy: { name: Cy, web: true, time_zone: UTC, quiet_hours: { from: "${hour(-1)}", to: "${END}" } }
  bo: { name: Bo, web: true }
groups: { both: [ann, bo] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())

test('a step adds the people of a group at its moment, and the case says so', async () => {
  const ladder = [{ after_seconds: 1, do: 'add', recipients: ['group:both'] }]
  const opened = await lane.submit(question('q-1'), { recipients: ['ann'], ladder })
  expect(opened.status).toBe(201)
  const escalations = await until(
    'the step',
    async () => (await lane.call('GET', '/v1/requests/q-1')).json.escalations,
  )
  expect(escalations).toMatchObject([{ step: 0, do: 'add', to: ['bo'] }])
})

test('a request is handed on from the page, and the case names both', async () => {
  await lane.submit(question('q-2'), { recipients: ['ann'] })
  const answered = await lane.answer(await lane.link('q-2', 'ann'), 'DELEGATE bo')
  expect(answered.status).toBe(200)
  const { json } = await lane.call('GET', '/v1/requests/q-2')
  expect(json.delegations).toMatchObject([{ from: 'ann', to: 'bo', by: 'person' }])
  expect(json.state).toBe('pending')
})

test('what is held in quiet hours says so and until when, unless a key that may says it is urgent', async () => {
  const held = await lane.submit(question('q-3', { deadline_seconds: 86_400 }), { recipients: ['cy'] })
  expect(held.status).toBe(201)
  const delivery = await until('it is held', async () => {
    const { json } = await lane.call('GET', '/v1/requests/q-3')
    const all = json.deliveries as { state: string; until: string }[]
    return all.find(one => one.state === 'held')
  })
  expect(delivery.until.slice(11, 16)).toBe(END)
  const made = { name: 'pager', scopes: ['request'], urgent: true }
  const { json: key } = await lane.call('POST', '/v1/keys', { key: lane.operatorKey, body: made })
  const body = {
    request: question('q-4'),
    run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
    recipients: ['cy'],
    urgency: 'high',
  }
  expect((await lane.call('POST', '/v1/requests', { key: key.key as string, body })).status).toBe(201)
  await lane.link('q-4', 'cy')
  const lowered = { ...body, request: question('q-5') }
  expect((await lane.call('POST', '/v1/requests', { body: lowered })).status).toBe(201)
  const [opening] = await lane.story('q-5')
  expect(opening?.body.terms).toMatchObject({ urgency: 'normal', urgency_asked: 'high' })
})
