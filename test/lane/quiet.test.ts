// Twelve hours around each change of daylight saving, in four zones, through the whole lane on a clock set by hand: what
// comes in somebody's quiet hours is held to their end as the calendar there has it, and nothing leaves meanwhile.
import { afterEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/event.js'
import type { Ladder } from '../../src/request/terms.js'
import { TERMS } from '../terms.js'
import { configure, question, raise, type Stage } from './stage.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const STEP_MS = 30 * MINUTE_MS
const QUIET = { from: '22:00', to: '07:00' }
const REMINDERS: Ladder = Array.from({ length: 10 }, (_, at) => ({
  after_seconds: (at + 1) * 3_600 - 600,
  do: 'remind',
}))

const CHANGES = [
  ['Europe/Berlin', 'begins', '2027-03-28T01:00Z'],
  ['Europe/Berlin', 'ends', '2027-10-31T01:00Z'],
  ['America/New_York', 'begins', '2027-03-14T07:00Z'],
  ['America/New_York', 'ends', '2027-11-07T06:00Z'],
  ['America/Havana', 'begins', '2027-03-14T05:00Z'],
  ['America/Havana', 'ends', '2027-11-07T05:00Z'],
  ['Australia/Lord_Howe', 'begins', '2027-10-02T15:30Z'],
  ['Australia/Lord_Howe', 'ends', '2027-04-03T15:00Z'],
] as const

let stage: Stage
afterEach(async () => {
  const problems = await stage.problems()
  await stage.close()
  expect(problems).toEqual([])
})

/** The machine's own calendar. */
function oracle(zone: string) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const isQuiet = (ms: number): boolean => {
    const hour = clock.format(ms)
    return hour >= QUIET.from || hour < QUIET.to
  }
  const end = (ms: number): number => {
    let at = Math.floor(ms / MINUTE_MS) * MINUTE_MS
    while (isQuiet(at)) at += MINUTE_MS
    return at
  }
  return { isQuiet, end }
}

async function settle(ids: readonly string[]): Promise<void> {
  for (const id of ids) await stage.lane.advance(id)
  for (let round = 0; round < 4; round++) {
    await stage.lane.drain()
    await new Promise(resolve => setImmediate(resolve))
  }
}

describe.each(CHANGES)('in %s, where daylight saving %s', (zone, _, change) => {
  test('each copy and reminder is held to the end of the quiet hours, and leaves then', async () => {
    const { isQuiet, end } = oracle(zone)
    stage = await raise(
      configure(`recipients:
  sleeper: { name: Sleeper, email: sleeper@example.org, time_zone: ${zone}, quiet_hours: { from: "${QUIET.from}", to: "${QUIET.to}" } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`),
    )
    const sleeper = { user_id: 'sleeper', channels: ['email'], route: 'first' } as const
    stage.clock.pass(Date.parse(change) - 6 * HOUR_MS - stage.clock.wallMs)
    const ids: string[] = []
    for (let walked = 0; walked <= 12 * HOUR_MS; walked += STEP_MS) {
      const id = `q-${ids.length}`
      ids.push(id)
      await stage.open(question(id, { deadline_seconds: 172_800 }), [sleeper], {
        ...TERMS,
        ...(walked === 0 && { ladder: REMINDERS }),
      })
      await settle(ids)
      stage.clock.pass(STEP_MS)
    }
    const entries = await stage.entries()
    const at = ({ at: when }: Entry): number => Date.parse(when)
    const held = entries.filter(entry => entry.type === 'DELIVERY_HELD')
    expect(held.length).toBeGreaterThan(10)
    for (const entry of held)
      expect([entry.at, Date.parse(entry.body.until)]).toEqual([entry.at, end(at(entry))])
    const left = entries.filter(({ type }) => type === 'DELIVERY_STARTED' || type === 'REQUEST_REMINDED')
    expect(left.length).toBeGreaterThan(1)
    expect(left.filter(entry => isQuiet(at(entry)))).toEqual([])
    const last = stage.clock.wallMs - STEP_MS
    const expected = ids.filter((_id, n) => {
      const opened = Date.parse(change) - 6 * HOUR_MS + n * STEP_MS
      return !isQuiet(opened) || end(opened) <= last
    })
    const sent = new Set(left.filter(({ type }) => type === 'DELIVERY_STARTED').map(one => one.request_id))
    expect([...sent].sort()).toEqual(expected.sort())
  }, 30_000)
})
