// What is owed, story by story. The properties over arbitrary stories are in property.test.ts.
import { describe, expect, test } from 'vitest'
import { stands } from '../../src/agenda/delivery.js'
import { deliveryId } from '../../src/agenda/plan.js'
import { all, type Deliver, first, LEASE_MS, OPENED, Story } from './story.js'

const only = (story: Story): Deliver => {
  const duties = story.deliveries()
  expect(duties).toHaveLength(1)
  return duties[0] as Deliver
}
const channels = (story: Story): string[] => story.deliveries().map(duty => `${duty.user_id}/${duty.channel}`)
/** Fails the one due delivery, and waits for its repetition. */
function failOnce(story: Story): void {
  const duty = story.claim(only(story))
  story.failed(duty, false)
  story.now = story.owed().alarm ?? 0
}

describe('whom a request is put before', () => {
  test('by preference: each person on the first of their channels', () => {
    expect(channels(new Story([first('a', 'slack', 'email'), first('b', 'sms')]))).toEqual([
      'a/slack',
      'b/sms',
    ])
  })

  test('by name: a person on every channel the request names', () => {
    expect(channels(new Story([all('a', 'slack', 'email'), first('b', 'sms')]))).toEqual([
      'a/slack',
      'a/email',
      'b/sms',
    ])
  })

  test('the same facts give the same delivery id, other facts another', () => {
    const ids = [
      deliveryId('q', 'a', 'slack', 0),
      deliveryId('q', 'a', 'slack', 1),
      deliveryId('q', 'a', 'email', 0),
      deliveryId('q', 'b', 'slack', 0),
      deliveryId('r', 'a', 'slack', 0),
    ]
    expect(new Set(ids).size).toBe(5)
    expect(deliveryId('q', 'a', 'slack', 0)).toBe(ids[0])
    // Parts cannot be shifted between the fields.
    expect(deliveryId('q', 'ab', 'slack', 0)).not.toBe(deliveryId('qa', 'b', 'slack', 0))
  })
})

describe('a copy whose token’s key was revoked', () => {
  test.each([false, true])(
    'does not stand (uncertain: %s), and a fresh one is owed at once, on the same channel',
    uncertain => {
      const story = new Story([first('a', 'slack', 'email')])
      const duty = story.claim(only(story))
      story.sent(duty, uncertain)
      story.void(duty.delivery_id)
      expect(only(story)).toMatchObject({ attempt: 2, channel: 'slack', delivery_id: duty.delivery_id })
      expect(story.subject.deliveries.some(stands)).toBe(false)
      story.sent(story.claim(only(story)), false)
      expect(story.deliveries()).toEqual([])
    },
  )

  test('that was on its way then does not stand when it arrives, nor fail for good', () => {
    for (const end of ['sent', 'failed'] as const) {
      const story = new Story([first('a', 'slack')])
      const duty = story.claim(only(story))
      story.void(duty.delivery_id)
      if (end === 'sent') story.sent(duty, false)
      else story.failed(duty, true)
      expect(only(story)).toMatchObject({ attempt: 2, channel: 'slack' })
    }
  })

  test('is owed a fresh one on every channel that the request names', () => {
    const story = new Story([all('a', 'slack', 'email')])
    const duties = story.deliveries().map(duty => story.claim(duty))
    for (const duty of duties) story.sent(duty, false)
    for (const duty of duties) story.void(duty.delivery_id)
    expect(story.deliveries().map(({ attempt, channel }) => [attempt, channel])).toEqual([
      [2, 'slack'],
      [2, 'email'],
    ])
  })
})

describe('an attempt', () => {
  test('that was claimed is not owed again while its lease holds, and is once it is over', () => {
    const story = new Story([first('a', 'slack')])
    story.claim(only(story))
    expect(story.owed()).toEqual({ duties: [], alarm: OPENED + LEASE_MS })
    story.now += LEASE_MS - 1
    expect(story.deliveries()).toEqual([])
    story.now += 1
    expect(only(story)).toMatchObject({ attempt: 2, channel: 'slack' })
  })

  test.each([false, true])('that stands (uncertain: %s) is not repeated', uncertain => {
    const story = new Story([first('a', 'slack', 'email')])
    story.sent(story.claim(only(story)), uncertain)
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('that failed for now is repeated when its wait is over, not before', () => {
    const story = new Story([first('a', 'slack')])
    story.failed(story.claim(only(story)), false)
    const { duties, alarm } = story.owed()
    expect(duties).toEqual([])
    story.now = (alarm ?? 0) - 1
    expect(story.deliveries()).toEqual([])
    story.now += 1
    expect(only(story).attempt).toBe(2)
  })

  test('that the provider told to wait is repeated no sooner than it said', () => {
    const story = new Story([first('a', 'slack')])
    story.failed(story.claim(only(story)), false, 240_000)
    expect(story.owed().alarm).toBe(OPENED + 240_000)
  })

  test('told to wait past the deadline leaves the alarm at the deadline', () => {
    const story = new Story([first('a', 'slack')])
    story.failed(story.claim(only(story)), false, 86_400_000)
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('that finally failed is not repeated', () => {
    const story = new Story([first('a', 'slack')])
    story.failed(story.claim(only(story)), true)
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('whose failure is told after a later one was sent takes that one not back', () => {
    const story = new Story([first('a', 'slack')])
    const lost = story.claim(only(story))
    story.now += LEASE_MS
    story.sent(story.claim(only(story)))
    story.failed(lost, false)
    expect(story.owed().duties).toEqual([])
    expect(story.subject.deliveries[0]).toMatchObject({ state: 'sent', attempts: 2 })
  })

  test('that fails after an earlier one was told sent leaves that one standing', () => {
    const story = new Story([first('a', 'slack', 'email')])
    const slow = story.claim(only(story))
    story.now += LEASE_MS
    const again = story.claim(only(story))
    story.sent(slow)
    story.failed(again, true)
    story.now += 300_000
    expect(story.owed().duties).toEqual([])
    expect(story.subject.deliveries[0]).toMatchObject({ state: 'sent', final: false })
  })

  test('whose failure is told while a later one is under way does not end that one', () => {
    const story = new Story([first('a', 'slack', 'email')])
    const lost = story.claim(only(story))
    story.now += LEASE_MS
    story.claim(only(story))
    story.failed(lost, true)
    expect(story.owed().duties).toEqual([])
    expect(story.subject.deliveries[0]).toMatchObject({ state: 'sending', attempts: 2, final: false })
  })
})

describe('what failed because no address was linked', () => {
  test('is owed again once one is, and once', () => {
    const story = new Story([all('a', 'telegram')])
    story.unlinked(story.claim(only(story)))
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
    const { delivery_id } = story.subject.deliveries[0] ?? { delivery_id: '' }
    story.link(delivery_id)
    story.sent(story.claim(only(story)))
    story.link(delivery_id)
    expect(story.owed().duties).toEqual([])
    expect(story.subject.deliveries).toMatchObject([{ delivery_id, state: 'sent', attempts: 2 }])
  })

  test('is owed again too where the link came between the look for an address and the word that there was none', () => {
    const story = new Story([all('a', 'telegram')])
    const blind = story.claim(only(story))
    story.link(blind.delivery_id)
    expect(story.owed().duties).toEqual([])
    story.unlinked(blind)
    expect(only(story).attempt).toBe(2)
    story.unlinked(story.claim(only(story)))
    expect(story.owed().duties).toEqual([])
  })

  test('is not owed to somebody who was reached by preference meanwhile', () => {
    const story = new Story([first('a', 'telegram', 'web')])
    story.unlinked(story.claim(only(story)))
    const elsewhere = story.claim(only(story))
    story.sent(elsewhere)
    story.link(story.subject.deliveries[0]?.delivery_id ?? '')
    expect(story.owed().duties).toEqual([])
    story.bounce(elsewhere.delivery_id)
    expect(channels(story)).toEqual(['a/telegram'])
  })

  test('for another reason is not owed because an address is linked', () => {
    const story = new Story([all('a', 'telegram')])
    story.failed(story.claim(only(story)), true)
    story.link(story.subject.deliveries[0]?.delivery_id ?? '')
    expect(story.owed().duties).toEqual([])
  })
})

describe('failing over', () => {
  test('to the next channel at once when one has finally failed', () => {
    const story = new Story([first('a', 'slack', 'email', 'sms')])
    story.failed(story.claim(only(story)), true)
    expect(channels(story)).toEqual(['a/email'])
    story.failed(story.claim(only(story)), true)
    expect(channels(story)).toEqual(['a/sms'])
    story.failed(story.claim(only(story)), true)
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('after three failures, while the first channel goes on being tried', () => {
    const story = new Story([first('a', 'slack', 'email')])
    failOnce(story)
    failOnce(story)
    expect(channels(story)).toEqual(['a/slack'])
    story.failed(story.claim(only(story)), false)
    expect(channels(story)).toEqual(['a/email'])
    story.now = (story.owed().alarm ?? 0) + 5_000
    expect(channels(story)).toEqual(['a/slack', 'a/email'])
  })

  test('is not taken back while the first channel is being tried a fourth time', () => {
    const story = new Story([first('a', 'slack', 'email')])
    failOnce(story)
    failOnce(story)
    failOnce(story)
    story.now += 5_000
    const [slack] = story.deliveries()
    story.claim(slack as Deliver)
    expect(channels(story)).toEqual(['a/email'])
  })

  test('ends as soon as either channel stands', () => {
    const story = new Story([first('a', 'slack', 'email')])
    for (let failures = 0; failures < 3; failures++) failOnce(story)
    const email = story.deliveries().find(duty => duty.channel === 'email') as Deliver
    story.sent(story.claim(email))
    story.now += 300_000
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('follows a bounce: what stood no longer stands', () => {
    const story = new Story([first('a', 'email', 'sms')])
    const duty = story.claim(only(story))
    story.sent(duty)
    story.bounce(duty.delivery_id)
    expect(channels(story)).toEqual(['a/sms'])
  })

  test('is no matter of a person asked on all named channels: each is tried by itself', () => {
    const story = new Story([all('a', 'slack', 'email')])
    const [slack, email] = story.deliveries() as [Deliver, Deliver]
    story.sent(story.claim(slack))
    story.failed(story.claim(email), false)
    story.now = story.owed().alarm ?? 0
    expect(channels(story)).toEqual(['a/email'])
  })
})

describe('a dead reply handle', () => {
  test('is replaced by a fresh delivery, at most three times', () => {
    const story = new Story([first('a', 'slack', 'email')])
    const seen = new Set<string>()
    for (let round = 0; round < 4; round++) {
      const duty = only(story)
      seen.add(duty.delivery_id)
      expect(duty).toMatchObject({ channel: 'slack', attempt: 1 })
      story.sent(story.claim(duty))
      expect(story.deliveries()).toEqual([])
      story.exhaust(duty.delivery_id)
    }
    expect(seen.size).toBe(4)
    // Whoever wore it out has not shut the person out.
    expect(only(story)).toMatchObject({ channel: 'email', attempt: 1 })
    story.sent(story.claim(only(story)))
    expect(story.owed()).toEqual({ duties: [], alarm: story.subject.deadline_ms })
  })

  test('of the page is nothing to a copy that is answered where it stands', () => {
    const story = new Story([first('a', 'slack', 'email')])
    const duty = story.claim(only(story))
    story.sent(duty)
    story.exhaust(duty.delivery_id, 'link_code')
    expect(story.deliveries()).toEqual([])
  })

  test('of the page is all there is of a copy that announces', () => {
    const story = new Story([first('a', 'slack')])
    const duty = story.claim(only(story), { announces: true })
    story.sent(duty)
    story.exhaust(duty.delivery_id, 'slack_signed')
    expect(story.deliveries()).toEqual([])
    story.exhaust(duty.delivery_id, 'link_code')
    expect(only(story).delivery_id).not.toBe(duty.delivery_id)
  })

  test('is not sent again: nobody could answer it', () => {
    const story = new Story([all('a', 'slack')])
    const lost = story.claim(only(story))
    story.exhaust(lost.delivery_id)
    const fresh = only(story)
    expect(fresh.delivery_id).not.toBe(lost.delivery_id)
    story.sent(story.claim(fresh))
    story.now += LEASE_MS
    expect(story.deliveries()).toEqual([])
  })

  test('is not replaced where another channel stands for the same person', () => {
    const story = new Story([first('a', 'slack', 'email')])
    for (let failures = 0; failures < 3; failures++) failOnce(story)
    const [slack, email] = story.deliveries() as [Deliver, Deliver]
    story.sent(story.claim(email))
    story.exhaust(slack.delivery_id)
    expect(story.deliveries()).toEqual([])
  })
})

describe('the end', () => {
  test('from the deadline on the default is the one thing owed, however much else was', () => {
    const story = new Story([all('a', 'slack', 'email'), first('b', 'sms')])
    const deadline = story.subject.deadline_ms
    expect(story.owed(deadline - 1).duties).toHaveLength(3)
    expect(story.owed(deadline)).toEqual({ duties: [{ kind: 'time_out' }], alarm: deadline })
    expect(story.owed(deadline + 1e9)).toEqual({ duties: [{ kind: 'time_out' }], alarm: deadline })
  })

  test('a resolved request owes the closing of each copy that can be edited, once', () => {
    const story = new Story([all('a', 'slack', 'email', 'telegram', 'sms')])
    const [slack, email, telegram, sms] = story.deliveries() as [Deliver, Deliver, Deliver, Deliver]
    story.sent(story.claim(slack))
    story.sent(story.claim(email))
    story.sent(story.claim(telegram), true)
    story.failed(story.claim(sms), false)
    story.resolve('answered')
    expect(story.owed()).toEqual({
      duties: [
        { kind: 'close', delivery_id: slack.delivery_id, channel: 'slack' },
        { kind: 'close', delivery_id: telegram.delivery_id, channel: 'telegram' },
      ],
      alarm: expect.any(Number),
    })
    expect(story.owed().alarm).toBeGreaterThan(story.now)
    story.close(slack.delivery_id)
    story.close(telegram.delivery_id)
    expect(story.owed()).toEqual({ duties: [], alarm: null })
  })

  test('a send that was under way when the request was resolved is closed when it has arrived', () => {
    const story = new Story([first('a', 'slack')])
    const duty = story.claim(only(story))
    story.resolve('withdrawn')
    expect(story.owed()).toEqual({ duties: [], alarm: null })
    story.sent(duty)
    expect(story.owed().duties).toEqual([{ kind: 'close', delivery_id: duty.delivery_id, channel: 'slack' }])
  })
})
