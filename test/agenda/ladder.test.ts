// A7: for any ladder, any restart and any order of events each step is done at most once, never before its moment without
// a reason, and none after the outcome.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import { nextReach } from '../../src/agenda/ladder.js'
import { type Duty, owed } from '../../src/agenda/owed.js'
import { instant } from '../../src/clock.js'
import type { Entry } from '../../src/event.js'
import type { Ladder } from '../../src/request/terms.js'
import { TERMS } from '../terms.js'
import { all, first, HASH, OPENED, POLICY, Story } from './story.js'

const SECONDS = 600

const step = (after_seconds: number, kind: number, place: number): Ladder[number] =>
  kind === 0
    ? { after_seconds, do: 'remind' }
    : kind === 1
      ? { after_seconds, do: 'next_channel' }
      : { after_seconds, do: 'add', recipients: [first(`added-${place}`, 'email', 'web')] }
const ladders = fc
  .uniqueArray(fc.integer({ min: 1, max: SECONDS - 1 }), { minLength: 1, maxLength: 6 })
  .map(times => times.toSorted((one, other) => one - other))
  .chain(times =>
    fc
      .array(fc.integer({ min: 0, max: 2 }), { minLength: times.length, maxLength: times.length })
      .map((kinds): Ladder => times.map((after, place) => step(after, kinds[place] ?? 0, place))),
  )

const deeds = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 200 }) }),
    fc.record({
      kind: fc.constantFrom(
        'do' as const,
        'fail' as const,
        'die' as const,
        'bounce' as const,
        'absent' as const,
        'restart' as const,
      ),
      seconds: fc.nat(20),
    }),
    fc.record({ kind: fc.constant('resolve' as const), seconds: fc.constant(0) }),
  ),
  { maxLength: 60 },
)

/** Quiet hours of everybody, in seconds from the opening. */
const nights = fc
  .tuple(fc.nat(SECONDS), fc.integer({ min: 1, max: 300 }))
  .map(([from, long]) => ({ from: OPENED + from * 1000, to: OPENED + (from + long) * 1000 }))

/** What a lane does that learns of a duty. One that dies has claimed it, and done no more. */
function perform(story: Story, duty: Duty, kind: 'do' | 'fail' | 'die'): void {
  switch (duty.kind) {
    case 'deliver':
      story.claim(duty)
      if (kind === 'fail') story.failed(duty, true)
      if (kind === 'do') story.sent(duty)
      break
    case 'hold':
      story.tell('DELIVERY_HELD', {
        delivery_id: duty.delivery_id,
        channel: duty.channel,
        recipient: duty.user_id,
        until: instant(duty.until),
      })
      break
    case 'remind':
      story.tell('REQUEST_REMINDED', {
        delivery_id: duty.delivery_id,
        step: duty.step,
        token_hash: HASH,
      })
      break
    case 'escalate':
      escalate(story, duty)
      break
    case 'time_out':
      story.resolve('defaulted')
      break
    default:
      break
  }
}

type Step = { readonly step: number; readonly early?: 'failed' | 'out_of_office' }
function escalate(story: Story, { step: at, early }: Step): void {
  const what = story.subject.terms?.ladder?.[at]
  if (what === undefined || what.do === 'remind') throw new Error('a reminder is no escalation')
  const to = (what.do === 'add' ? what.recipients : story.subject.asked).map(({ user_id }) => user_id)
  story.tell('REQUEST_ESCALATED', { step: at, do: what.do, to, ...(early !== undefined && { early }) })
}

/** The first of those asked is out of office, and their mailbox says so. */
function answerAbsent(story: Story): void {
  const [one] = story.subject.deliveries
  if (one === undefined || story.subject.resolved_seq !== null) return
  story.tell('INBOUND_REPLY_REJECTED', {
    reply_id: 'r',
    delivery_id: one.delivery_id,
    channel: one.channel,
    reason: 'automated_message',
    token_validation: [{ check: 'automated_message', ok: false }],
    raw_text_hash: HASH,
    grammar: '2',
    proof: 'dmarc',
  })
  const next = story.subject.absent.includes(one.user_id) ? null : nextReach(story.subject)
  if (next !== null) escalate(story, { step: next.step, early: 'out_of_office' })
}

test('each step is done at most once, not before its moment, and none after the outcome', () => {
  fc.assert(
    fc.property(ladders, deeds, nights, (ladder, todo, night) => {
      const people = [first('ann', 'slack', 'email'), all('bo', 'email', 'web')]
      const story = new Story(people, SECONDS, { ...TERMS, ladder })
      story.policy = {
        ...POLICY,
        quietUntil: (_, ms) => (night.from <= ms && ms < night.to ? night.to : null),
      }
      for (const { kind, seconds } of todo) {
        if (kind === 'pass') story.now += seconds * 1000
        if (kind === 'resolve' && story.subject.resolved_seq === null) story.resolve('withdrawn')
        const [one] = story.subject.deliveries
        if (kind === 'bounce' && one?.state === 'sent' && story.subject.resolved_seq === null)
          story.bounce(one.delivery_id)
        if (kind === 'restart') expect(again(story)).toEqual(story.owed().duties)
        if (kind === 'absent') answerAbsent(story)
        if (kind !== 'do' && kind !== 'fail' && kind !== 'die') continue
        const duty = story.owed().duties[seconds % 3]
        if (duty !== undefined) perform(story, duty, kind)
      }
      check(story, ladder)
    }),
    { numRuns: 400 },
  )
})

/** What a lane owes that has read the story anew. */
function again(story: Story): readonly Duty[] {
  const subject = fold(story.entries as unknown as readonly Entry[])
  if (subject === null) throw new Error('a story has a beginning')
  return owed(subject, story.now, story.policy).duties
}

function check(story: Story, ladder: Ladder): void {
  const seen = new Set<string>()
  let isOver = false
  for (const entry of story.entries) {
    if (entry.type === 'REQUEST_RESOLVED') isOver = true
    const isStep = entry.type === 'REQUEST_REMINDED' || entry.type === 'REQUEST_ESCALATED'
    if (!isStep) continue
    const about = entry.type === 'REQUEST_REMINDED' ? entry.body.delivery_id : 'ladder'
    const name = `${about} ${entry.body.step}`
    expect(isOver, `${name} after the outcome`).toBe(false)
    expect(seen.has(name), `${name} twice`).toBe(false)
    seen.add(name)
    const early = entry.type === 'REQUEST_ESCALATED' ? entry.body.early : undefined
    const moment = instant(OPENED + (ladder[entry.body.step]?.after_seconds ?? 0) * 1000)
    if (early === undefined) expect(entry.at >= moment, `${name} before its moment`).toBe(true)
  }
}

test('the agenda is asked at the moment of each step, whatever else is owed', () => {
  fc.assert(
    fc.property(ladders, ladder => {
      const story = new Story([first('ann', 'slack')], SECONDS, { ...TERMS, ladder })
      for (const duty of story.deliveries()) story.sent(story.claim(duty))
      const [next] = ladder
      const { alarm } = story.owed()
      expect(alarm).toBe(OPENED + (next?.after_seconds ?? 0) * 1000)
    }),
  )
})
