// "Your reply could not be read", said once: two robots must not keep each other talking.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimNotice } from '../../src/delivery/notice.js'
import { REASONS, type Reason } from '../../src/reason.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import { fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const BOTH: readonly ResolvedRecipient[] = [
  { user_id: 'owner', channels: ['slack', 'email'], route: 'all' },
  { user_id: 'deputy', channels: ['slack'], route: 'first' },
]
async function ask(): Promise<void> {
  await stage.open(question('q'), BOTH)
  await stage.lane.drain()
}
const deliveryOf = (user: string, channel: 'slack' | 'email' = 'slack'): string =>
  stage[channel].copies.find(({ outbound }) => outbound.recipient.user_id === user)?.outbound.delivery_id ??
  ''
const claim = (user: string, reason: Reason, channel: 'slack' | 'email' = 'slack', lane = stage.lane) =>
  claimNotice(lane.recorder, 'q', { delivery_id: deliveryOf(user, channel), channel, reason, theirs: true })
const notices = async () =>
  (await stage.store.ledger.story('q')).flatMap(({ type, body }) => (type === 'NOTICE_SENT' ? [body] : []))

describe('a notice', () => {
  test('is claimed in the ledger before it is said', async () => {
    await ask()
    expect(await claim('owner', 'reply_not_in_schema')).toBe(true)
    expect(await notices()).toEqual([
      {
        delivery_id: deliveryOf('owner'),
        channel: 'slack',
        recipient: 'owner',
        reason: 'reply_not_in_schema',
      },
    ])
  })

  test('is said once per request and person, on whichever channel; each person has their own', async () => {
    await ask()
    const said = [
      await claim('owner', 'reply_not_in_schema'),
      await claim('owner', 'reply_too_long'),
      await claim('owner', 'already_resolved', 'email'),
      await claim('deputy', 'reply_not_in_schema'),
    ]
    expect(said).toEqual([true, false, false, true])
    expect((await notices()).map(({ recipient }) => recipient)).toEqual(['owner', 'deputy'])
  })

  test('is said again to somebody of whom a reply was counted since: a form is answered in parts', async () => {
    const decisions = ['d1', 'd2'].map(
      id => ({ id, type: 'approval', prompt: 'This', required: true }) as const,
    )
    await stage.open(question('q', { reply_schema: { kind: 'form', decisions } }), BOTH)
    await stage.lane.drain()
    expect(await claim('owner', 'reply_not_in_schema')).toBe(true)
    expect(await claim('deputy', 'reply_not_in_schema')).toBe(true)
    const { kind } = await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd1 yes'))
    expect(kind).toBe('accepted')
    expect([await claim('owner', 'decision_answered'), await claim('owner', 'reply_too_long')]).toEqual([
      true,
      false,
    ])
    expect(await claim('deputy', 'reply_not_in_schema')).toBe(false)
  })

  test('is given to one of many who ask at once, on two replicas', async () => {
    await ask()
    const second = stage.secondLane()
    const asking = Array.from({ length: 20 }, (_, index) =>
      claim('owner', 'reply_not_in_schema', 'slack', index % 2 === 0 ? stage.lane : second),
    )
    expect((await Promise.all(asking)).filter(Boolean)).toEqual([true])
    expect(await notices()).toHaveLength(1)
  })

  test('is never for somebody whose right was not proven', async () => {
    await ask()
    const HEARD = [
      'rate_limited',
      'proof_insufficient',
      'already_resolved',
      'deadline_passed',
      'code_mismatch',
      'delegated_away',
      'no_longer_approver',
      'four_eyes',
      'already_voted',
      'decision_answered',
      'reason_missing',
    ]
    const unheard = REASONS.filter(reason => !HEARD.includes(reason) && !reason.startsWith('reply_'))
    for (const reason of unheard) expect(await claim('owner', reason)).toBe(false)
    expect([unheard.length, await notices()]).toEqual([12, []])
  })

  test('that tries ran out is for whom they were made in the name of, and not for a stranger', async () => {
    await ask()
    const ran = { delivery_id: deliveryOf('owner'), channel: 'slack', reason: 'rate_limited' } as const
    expect(await claimNotice(stage.lane.recorder, 'q', { ...ran, theirs: false })).toBe(false)
    expect(await claimNotice(stage.lane.recorder, 'q', { ...ran, theirs: true })).toBe(true)
  })

  test('is not about a delivery the request has not', async () => {
    await ask()
    const notice = {
      delivery_id: 'd-unknown',
      channel: 'slack',
      reason: 'reply_too_long',
      theirs: true,
    } as const
    expect(await claimNotice(stage.lane.recorder, 'q', notice)).toBe(false)
  })

  test('is for whoever was late, left out the code, or may not decide this way', async () => {
    await ask()
    expect(await claim('owner', 'code_mismatch')).toBe(true)
    expect(await claim('deputy', 'proof_insufficient')).toBe(true)
    await stage.lane.withdraw('q', 'enough', 'key-1')
    expect(await claim('owner', 'already_resolved')).toBe(false)
  })
})
