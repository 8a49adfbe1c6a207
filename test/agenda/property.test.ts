// A1–A5 over arbitrary stories: a model that again and again asks the agenda, does some of what is owed with any
// outcome whatever, lets time pass, and lets people and providers do what they do.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isOpen } from '../../src/agenda/case.js'
import { isWornOut, stands } from '../../src/agenda/delivery.js'
import { owed } from '../../src/agenda/owed.js'
import { nobodyRests, plan } from '../../src/agenda/plan.js'
import { CHANNELS, type Channel } from '../../src/request/channel.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import { ALL } from '../faults/rig.js'
import { type Deliver, LEASE_MS, POLICY, Story } from './story.js'

const recipients = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .chain(users =>
    fc.tuple(
      ...users.map(user_id =>
        fc.record({
          user_id: fc.constant(user_id),
          channels: fc.uniqueArray(fc.constantFrom<Channel>(...CHANNELS), { minLength: 1, maxLength: 4 }),
          route: fc.constantFrom<ResolvedRecipient['route']>('first', 'all'),
        }),
      ),
    ),
  )

type Act = (story: Story, pick: number) => void
const picked = <T>(list: readonly T[], pick: number): T[] =>
  list.slice(pick % Math.max(1, list.length)).slice(0, 1)
const attempt =
  (conclude: (story: Story, duty: Deliver) => void): Act =>
  (story, pick) => {
    for (const duty of picked(story.deliveries(), pick)) conclude(story, story.claim(duty))
  }
const conclusion =
  (conclude: (story: Story, duty: Deliver) => void): Act =>
  (story, pick) => {
    for (const duty of picked(story.underWay, pick)) conclude(story, duty)
  }
const copies = (story: Story, pick: number) => picked(story.subject.deliveries, pick)
const inTime = ({ subject, now }: Story): boolean => isOpen(subject) && now < subject.deadline_ms

const DEEDS: Readonly<Record<string, Act>> = {
  send: attempt((story, duty) => story.sent(duty)),
  'send uncertainly': attempt((story, duty) => story.sent(duty, true)),
  'fail for now': attempt((story, duty) => story.failed(duty, false)),
  'fail finally': attempt((story, duty) => story.failed(duty, true)),
  'find nobody linked': attempt((story, duty) => story.unlinked(duty)),
  'claim only': attempt(() => undefined),
  'conclude well': conclusion((story, duty) => story.sent(duty)),
  'conclude badly': conclusion((story, duty) => story.failed(duty, false)),
  'conclude finally': conclusion((story, duty) => story.failed(duty, true)),
  'wait for the alarm': story => {
    story.now = Math.max(story.now, story.owed().alarm ?? 0)
  },
  'wait a little': (story, pick) => {
    story.now += pick
  },
  'wait for a lease': story => {
    story.now += LEASE_MS
  },
  'use up a handle': (story, pick) => {
    for (const { delivery_id } of copies(story, pick)) if (inTime(story)) story.exhaust(delivery_id)
  },
  link: (story, pick) => {
    for (const { delivery_id } of copies(story, pick)) story.link(delivery_id)
  },
  bounce: (story, pick) => {
    for (const copy of copies(story, pick))
      if (stands(copy) && copy.state !== 'closed') story.bounce(copy.delivery_id)
  },
  'revoke the key': (story, pick) => {
    for (const { delivery_id, state } of copies(story, pick))
      if (inTime(story) && ['sending', 'sent', 'uncertain'].includes(state)) story.void(delivery_id)
  },
  answer: story => {
    if (inTime(story)) story.resolve('answered')
  },
  withdraw: story => {
    if (inTime(story)) story.resolve('withdrawn')
  },
  'time out': story => {
    if (story.owed().duties[0]?.kind !== 'time_out') return
    story.resolve(story.subject.deliveries.some(stands) ? 'defaulted' : 'undelivered')
  },
  close: story => {
    const duty = story.owed().duties[0]
    if (duty?.kind === 'close') story.close(duty.delivery_id)
  },
}
const often = (deed: string): number => (deed === 'answer' || deed === 'withdraw' ? 1 : 12)
const deeds = fc.array(
  fc.record({
    deed: fc.oneof(
      ...Object.keys(DEEDS).map(deed => ({ weight: often(deed), arbitrary: fc.constant(deed) })),
    ),
    pick: fc.nat({ max: 1_000 }),
  }),
  { minLength: 20, maxLength: 120 },
)

/** Tells a story and judges the agenda after every event. */
const always = (judge: (story: Story, pick: number) => void): void => {
  fc.assert(
    fc.property(recipients, deeds, (people, steps) => {
      const story = new Story(people)
      judge(story, 0)
      for (const step of steps) {
        DEEDS[step.deed]?.(story, step.pick)
        judge(story, step.pick)
      }
    }),
    { numRuns: ALL ? 400 : 150 },
  )
}

const untouched = (story: Story, id: string): boolean =>
  !story.told.some(
    ({ type, body }) =>
      (type === 'DELIVERY_STATUS' && body.delivery_id === id) ||
      (type === 'INBOUND_REPLY_REJECTED' && body.delivery_id === id),
  )

describe('the agenda, over arbitrary stories', () => {
  test('the model reaches every outcome and every deed: the properties below are not empty', () => {
    const reached = new Set<string>()
    always(story => {
      reached.add(story.subject.state)
      for (const delivery of story.subject.deliveries) {
        reached.add(delivery.state)
        if (isWornOut(delivery)) reached.add('exhausted')
        if (delivery.attempts > 3) reached.add('a fourth attempt')
        if (delivery.voided > 0 && stands(delivery)) reached.add('sent anew')
      }
      for (const duty of story.owed().duties) reached.add(`owes ${duty.kind}`)
    })
    for (const one of [
      'answered',
      'withdrawn',
      'defaulted',
      'undelivered',
      'sending',
      'queued',
      'failed',
      'closed',
    ])
      expect(reached).toContain(one)
    for (const one of [
      'exhausted',
      'a fourth attempt',
      'sent anew',
      'owes deliver',
      'owes close',
      'owes time_out',
    ])
      expect(reached).toContain(one)
  })

  test('A1: an open request past its deadline owes exactly its default', () => {
    always(story => {
      if (!isOpen(story.subject)) return
      const overdue = story.now >= story.subject.deadline_ms
      const kinds = story.owed().duties.map(duty => duty.kind)
      if (overdue) expect(kinds).toEqual(['time_out'])
      else expect(kinds).not.toContain('time_out')
      expect(story.owed(story.subject.deadline_ms).duties).toEqual([{ kind: 'time_out' }])
    })
  })

  test('A2: before the deadline every planned delivery that can be attempted is, and no other', () => {
    always(story => {
      if (!isOpen(story.subject) || story.now >= story.subject.deadline_ms) return
      const free = plan(story.subject, nobodyRests, POLICY.channelsOf).filter(({ delivery_id, user_id }) => {
        const known = story.delivery(delivery_id)
        const person = story.subject.recipients.find(one => one.user_id === user_id)
        const served =
          person?.route === 'first' &&
          story.subject.deliveries.some(one => one.user_id === user_id && stands(one) && !isWornOut(one))
        if (served) return false
        if (known === undefined) return true
        if (stands(known) || known.final || isWornOut(known)) return false
        return (known.state === 'sending' ? (known.lease_until ?? 0) : (known.retry_at ?? 0)) <= story.now
      })
      expect(story.deliveries().map(duty => duty.delivery_id)).toEqual(free.map(one => one.delivery_id))
    })
  })

  test('A2: an attempt has the number after the last one made, and goes only to somebody asked, where they are asked', () => {
    always(story => {
      for (const duty of story.deliveries()) {
        expect(duty.attempt).toBe((story.delivery(duty.delivery_id)?.attempts ?? 0) + 1)
        const person = story.subject.recipients.find(one => one.user_id === duty.user_id)
        expect(person?.channels).toContain(duty.channel)
      }
    })
  })

  test('A3: a person reached by preference owes nothing more once one of their copies stands', () => {
    always(story => {
      const reached = story.subject.recipients.filter(
        ({ user_id, route }) =>
          route === 'first' &&
          story.subject.deliveries.some(one => one.user_id === user_id && stands(one) && !isWornOut(one)),
      )
      const owing = story.deliveries().map(duty => duty.user_id)
      for (const { user_id } of reached) expect(owing).not.toContain(user_id)
    })
  })

  test('A3: a later channel is tried only when every one before it has failed, finally or three times', () => {
    always(story => {
      for (const duty of story.deliveries()) {
        const person = story.subject.recipients.find(one => one.user_id === duty.user_id)
        if (person?.route !== 'first') continue
        for (const channel of person.channels.slice(0, person.channels.indexOf(duty.channel))) {
          const tried = story.subject.deliveries.filter(
            one => one.user_id === duty.user_id && one.channel === channel,
          )
          const failures = story.told.filter(
            ({ type, body }) =>
              (type === 'DELIVERY_FAILED' || type === 'DELIVERY_STARTED') &&
              body.channel === channel &&
              body.recipient === duty.user_id,
          )
          expect(tried.at(-1)?.final === true || failures.length >= 3).toBe(true)
        }
      }
    })
  })

  test('A4: a resolved request owes the closing of each standing copy that can be edited, and nothing else', () => {
    always(story => {
      if (isOpen(story.subject)) return
      const copies = story.subject.deliveries.filter(
        ({ channel, state }) => POLICY.closable.has(channel) && (state === 'sent' || state === 'uncertain'),
      )
      expect(story.owed().duties).toEqual(
        copies.map(({ delivery_id, channel }) => ({ kind: 'close', delivery_id, channel })),
      )
    })
  })

  test('A5: while open there is an alarm, never later than the deadline, and nothing new is owed before it', () => {
    always((story, pick) => {
      const { duties, alarm } = story.owed()
      if (!isOpen(story.subject)) return
      expect(alarm).not.toBeNull()
      if (alarm === null) return
      expect(alarm).toBeLessThanOrEqual(story.subject.deadline_ms)
      const before = story.now + Math.floor(((alarm - 1 - story.now) * pick) / 1_000)
      if (before > story.now) expect(story.owed(before).duties).toEqual(duties)
      if (alarm > story.now) expect(story.owed(alarm - 1).duties).toEqual(duties)
    })
  })

  test('A5: with no alarm nothing will ever be owed again; with one and nothing owed yet, it is owed when it rings', () => {
    always((story, pick) => {
      const { duties, alarm } = story.owed()
      if (alarm === null) expect(story.owed(story.now + pick * 1e9)).toEqual({ duties: [], alarm: null })
      else if (duties.length === 0) expect(story.owed(alarm).duties).not.toEqual([])
    })
  })

  test('asking twice, or a copy of the same facts, gives the same', () => {
    always(story => {
      expect(story.owed()).toEqual(story.owed())
      expect(owed(structuredClone(story.subject), story.now, POLICY)).toEqual(story.owed())
    })
  })

  test('a copy that was told sent is not sent again, unless it bounced or its handle died', () => {
    always(story => {
      const sent = story.told.flatMap(({ type, body }) =>
        type === 'OUTBOUND_REQUEST_SENT' ? [body.delivery_id] : [],
      )
      const owing = story.deliveries().map(duty => duty.delivery_id)
      for (const id of sent) {
        if (!untouched(story, id)) continue
        const later = story.delivery(id)
        // A second attempt may have been claimed before the first was told; it is not claimed a third time early.
        if (later?.state !== 'sending') expect(owing).not.toContain(id)
      }
    })
  })

  test('nobody gets more than three fresh deliveries on a channel, and a dead handle is never sent again', () => {
    always(story => {
      const counts = new Map<string, number>()
      for (const { user_id, channel } of story.subject.deliveries) {
        const key = `${user_id}/${channel}`
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      for (const count of counts.values()) expect(count).toBeLessThanOrEqual(4)
      const owing = story.deliveries().map((duty: Deliver) => duty.delivery_id)
      for (const delivery of story.subject.deliveries)
        if (isWornOut(delivery)) expect(owing).not.toContain(delivery.delivery_id)
    })
  })
})
