// Quiet hours over both changes of daylight saving, in four zones that do it differently: by an hour at two or three, by
// an hour at midnight, and by half an hour. The oracle is the machine's own calendar, read minute by minute.
import { describe, expect, test } from 'vitest'
import { isZone, localTime, type QuietHours, quietUntil } from '../../src/people/zone.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The instant of each change, and the local minutes it skips or repeats. */
const CHANGES = [
  { zone: 'Europe/Berlin', skips: '2026-03-29T01:00Z', repeats: '2026-10-25T01:00Z', at: ['02:30', '02:30'] },
  {
    zone: 'America/New_York',
    skips: '2026-03-08T07:00Z',
    repeats: '2026-11-01T06:00Z',
    at: ['02:30', '01:30'],
  },
  {
    zone: 'America/Havana',
    skips: '2026-03-08T05:00Z',
    repeats: '2026-11-01T05:00Z',
    at: ['00:30', '00:30'],
  },
  {
    zone: 'Australia/Lord_Howe',
    skips: '2026-10-03T15:30Z',
    repeats: '2026-04-04T15:00Z',
    at: ['02:15', '01:45'],
  },
] as const

const later = (instant: string, minutes: number): number => Date.parse(instant) + minutes * MINUTE_MS

describe.each(CHANGES)('quiet hours in $zone', ({ zone, skips, repeats, at: [skipped, repeated] }) => {
  test('that would end at an hour that does not exist end at the first instant after the gap', () => {
    const hours = { from: '22:00', to: skipped }
    expect(quietUntil(hours, zone, later(skips, -60))).toBe(Date.parse(skips))
    expect(quietUntil(hours, zone, later(skips, -1))).toBe(Date.parse(skips))
    expect(quietUntil(hours, zone, Date.parse(skips))).toBeNull()
  })

  test('that would begin at an hour that does not exist begin at the first instant after the gap', () => {
    const hours = { from: skipped, to: '07:00' }
    expect(quietUntil(hours, zone, later(skips, -1))).toBeNull()
    const end = quietUntil(hours, zone, Date.parse(skips))
    expect(end).not.toBeNull()
    expect(hourIn(zone, end ?? 0)).toBe('07:00')
  })

  test('that end at an hour that comes twice end at the later one', () => {
    const end = quietUntil({ from: '22:00', to: repeated }, zone, later(repeats, -1))
    expect(hourIn(zone, end ?? 0)).toBe(repeated)
    expect(end).toBeGreaterThanOrEqual(Date.parse(repeats))
  })

  test('that begin at an hour that comes twice begin at the later one', () => {
    const hours = { from: repeated, to: '07:00' }
    const begins = firstQuiet(hours, zone, later(repeats, -120))
    expect(hourIn(zone, begins)).toBe(repeated)
    expect(begins).toBeGreaterThanOrEqual(Date.parse(repeats))
  })
})

const HOURS: readonly QuietHours[] = [
  { from: '22:00', to: '07:00' },
  { from: '01:00', to: '02:00' },
  { from: '02:15', to: '02:45' },
  { from: '00:00', to: '06:30' },
  { from: '23:59', to: '00:01' },
]

describe.each(CHANGES)(
  'twelve hours around each change in $zone, walked by the minute',
  ({ zone, skips, repeats }) => {
    test.each(HOURS)('from $from to $to', hours => {
      for (const change of [skips, repeats]) {
        const minutes = Array.from({ length: 12 * 60 }, (_, index) => later(change, index - 6 * 60))
        const read = minutes.map(ms => hourIn(zone, ms))
        const faults: string[] = []
        let before: number | null = null
        for (const [index, ms] of minutes.entries()) {
          const until = quietUntil(hours, zone, ms)
          const hour = read[index] ?? ''
          if (until !== null && until <= ms) faults.push(`${hour}: they end in the past`)
          if (before !== null && ms < before && until !== before) faults.push(`${hour}: the end has moved`)
          // Around the repeated hour the clock is read twice; the tests above say which reading counts.
          const isOnce = Math.abs(ms - Date.parse(repeats)) > HOUR_MS
          if (isOnce && (until !== null) !== isWithin(hours, hour)) faults.push(`${hour}: ${until}`)
          before = until
        }
        expect([change, ...faults]).toEqual([change])
      }
    })
  },
)

const isWithin = ({ from, to }: QuietHours, hour: string): boolean =>
  from < to ? from <= hour && hour < to : from <= hour || hour < to

function firstQuiet(hours: QuietHours, zone: string, from: number): number {
  for (let ms = from; ms < from + 6 * HOUR_MS; ms += MINUTE_MS)
    if (quietUntil(hours, zone, ms) !== null) return ms
  throw new Error('they never begin')
}

const clocks = new Map(
  CHANGES.map(({ zone }) => [
    zone as string,
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  ]),
)
const hourIn = (zone: string, ms: number): string => clocks.get(zone)?.format(ms) ?? ''

describe('days', () => {
  const hours: QuietHours = { from: '22:00', to: '07:00', days: ['fri', 'sat'] }
  test('name those on which the quiet hours begin, where the person lives', () => {
    // 2026-11-20 is a Friday.
    expect(quietUntil(hours, 'Europe/Berlin', Date.parse('2026-11-20T20:59Z'))).toBeNull()
    const end = Date.parse('2026-11-21T06:00Z')
    expect(quietUntil(hours, 'Europe/Berlin', Date.parse('2026-11-20T21:00Z'))).toBe(end)
    expect(quietUntil(hours, 'Europe/Berlin', Date.parse('2026-11-21T05:59Z'))).toBe(end)
    expect(quietUntil(hours, 'Europe/Berlin', Date.parse('2026-11-21T22:00Z'))).toBe(
      Date.parse('2026-11-22T06:00Z'),
    )
    expect(quietUntil(hours, 'Europe/Berlin', Date.parse('2026-11-22T22:00Z'))).toBeNull()
  })
})

describe('zones', () => {
  test.each(['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'UTC'])('%s is one', name => {
    expect(isZone(name)).toBe(true)
  })
  test.each(['', 'Europe/Berlinn', '+01:00', 'CETX', 'Europe', '../etc'])('%j is none', name => {
    expect(isZone(name)).toBe(false)
  })
})

test('an instant is read as a person there reads it', () => {
  expect(localTime('2026-11-18T12:05:00.000Z', 'Europe/Berlin')).toBe('Wed 18 Nov 13:05 Europe/Berlin')
  expect(localTime('2026-07-01T23:30:00.000Z', 'Asia/Kathmandu')).toBe('Thu 2 Jul 05:15 Asia/Kathmandu')
})
