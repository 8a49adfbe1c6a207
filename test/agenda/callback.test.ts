// When whoever asked is called: after the end, by the schedule of Standard Webhooks, until it is taken.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callAgainAt } from '../../src/agenda/callback.js'
import { instant } from '../../src/clock.js'
import { first, HASH, OPENED, Story } from './story.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** As the specification prints it. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map(hours => hours * HOUR)]

function asked(): Story {
  const story = new Story([first('a', 'web')])
  story.tell('CALLBACK_REGISTERED', { url_hash: HASH })
  return story
}
function resolved(): Story {
  const story = asked()
  story.resolve('withdrawn')
  return story
}
/** The attempt that is owed, or null. */
const call = (story: Story): number | null => {
  const [duty, ...others] = story.owed().duties
  expect(others).toEqual([])
  return duty?.kind === 'call_back' ? duty.attempt : null
}
function fail(story: Story, waitAtLeast?: number): number | null {
  const attempt = call(story) ?? 0
  const next = callAgainAt('q', attempt, story.now, waitAtLeast)
  const told = { attempt, ok: false, status: 500, code: 'refused' }
  if (next === null) story.tell('CALLBACK_ATTEMPTED', { ...told, final: true })
  else story.tell('CALLBACK_ATTEMPTED', { ...told, final: false, next_at: instant(next) })
  return next
}

describe('a callback is owed', () => {
  test('not while the request is open', () => {
    expect(
      asked()
        .owed()
        .duties.map(duty => duty.kind),
    ).toEqual(['deliver'])
  })

  test.each(['answered', 'defaulted', 'undelivered', 'withdrawn'] as const)(
    'at once when it is %s',
    outcome => {
      const story = asked()
      story.resolve(outcome)
      expect(call(story)).toBe(1)
    },
  )

  test('never where nobody asked for one', () => {
    const story = new Story([first('a', 'web')])
    story.resolve('withdrawn')
    expect(story.owed()).toEqual({ duties: [], alarm: null })
  })

  test('until it is taken', () => {
    const story = resolved()
    story.tell('CALLBACK_ATTEMPTED', { attempt: 1, ok: true, status: 200, final: true })
    expect(story.owed()).toEqual({ duties: [], alarm: null })
  })

  test('until the endpoint is gone', () => {
    const story = resolved()
    story.tell('CALLBACK_ATTEMPTED', { attempt: 1, ok: false, status: 410, code: 'gone', final: true })
    expect(story.owed()).toEqual({ duties: [], alarm: null })
  })

  test('again, if whoever was to call died: the question is repeated after the longest call', () => {
    const story = resolved()
    const { alarm } = story.owed()
    expect(alarm).toBe(story.now + 20 * SECOND)
    story.now = alarm ?? 0
    expect(call(story)).toBe(1)
  })

  test('beside the closing of copies, whichever alarm is first', () => {
    const story = new Story([first('a', 'slack')])
    story.tell('CALLBACK_REGISTERED', { url_hash: HASH })
    const [duty] = story.deliveries()
    if (duty === undefined) throw new Error('nothing to deliver')
    story.sent(story.claim(duty))
    story.resolve('answered')
    expect(story.owed().duties.map(({ kind }) => kind)).toEqual(['close', 'call_back'])
    expect(story.owed().alarm).toBe(story.now + 5 * SECOND)
    story.close(duty.delivery_id)
    expect(story.owed().duties.map(({ kind }) => kind)).toEqual(['call_back'])
  })
})

describe('the schedule', () => {
  test('is that of Standard Webhooks: ten attempts, each pause at most a tenth longer, then no more', () => {
    const story = resolved()
    const pauses: number[] = []
    for (let next = fail(story); next !== null; next = fail(story)) {
      pauses.push(next - story.now)
      expect(story.owed()).toEqual({ duties: [], alarm: next })
      expect(story.owed(next - 1).duties).toEqual([])
      story.now = next
    }
    expect(pauses).toHaveLength(PAUSES.length)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(PAUSES[index] ?? 0)
      expect(pause).toBeLessThanOrEqual((PAUSES[index] ?? 0) * 1.1 + 1)
    }
    expect(story.subject.callback).toMatchObject({ attempts: 10, over: true })
    expect(story.owed()).toEqual({ duties: [], alarm: null })
  })

  test('spreads what failed together', () => {
    const due = Array.from({ length: 100 }, (_, index) => callAgainAt(`q-${index}`, 2, OPENED))
    expect(new Set(due).size).toBeGreaterThan(90)
  })

  test('waits as long as it is asked to, at most a day, and never shorter than planned', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 1_000 * HOUR }),
        (attempt, asking) => {
          const plain = callAgainAt('q', attempt, OPENED) ?? 0
          const next = callAgainAt('q', attempt, OPENED, asking) ?? 0
          expect(next).toBe(Math.max(plain, OPENED + Math.min(asking, 24 * HOUR)))
        },
      ),
    )
  })
})
