// The lane as a channel sees it: whatever the desk promises is in the ledger or on the shelf when it says so.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Inbound } from '../../src/adapter/contract.js'
import { invite } from '../../src/people/invitation.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import {
  configure,
  DEPUTY,
  DEPUTY_PHONE,
  fromPhone,
  fromSlack,
  handleOf,
  OWNER_PHONE,
  question,
  raise,
  type Stage,
} from '../lane/stage.js'
import { until } from '../until.js'

const LINKING = configure(`
recipients:
  owner: { name: Owner, telegram: link, slack: { team: T1, user: UOWNER } }
  deputy: { name: Deputy, telegram: 77, slack: { team: T1, user: UDEPUTY } }
`)

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

async function ask(id = 'q', recipients?: readonly ResolvedRecipient[]): Promise<void> {
  await stage.open(question(id), recipients)
  await stage.lane.drain()
}
const types = async (id = 'q') => (await stage.store.ledger.story(id)).map(({ type }) => type)
const handle = (): string => handleOf(stage.slack, 'owner')
const slack = () => stage.desk('slack')
const take = (text: string, more: Partial<Inbound> = {}, cursor?: string) =>
  slack().take(fromSlack(handle(), text, more), cursor)

describe('take', () => {
  test('says what was recorded, when, and as whose', async () => {
    await ask()
    stage.clock.pass(1_000)
    expect(await take('yes')).toEqual({
      kind: 'recorded',
      answer: 'YES',
      at: '2026-11-01T12:00:01.000Z',
      answered_by: 'owner',
      missing: null,
      shown: {
        request_id: 'q',
        state: 'answered',
        deadline_at: '2026-11-01T12:10:00.000Z',
        resolved_at: '2026-11-01T12:00:01.000Z',
        answer: { parsed_choice: 'YES', parsed_payload: null },
        default_action: 'HALT',
        default_applied: false,
      },
    })
    expect(await types()).toContain('HUMAN_REPLY_EVENT')
  })

  test('says of words that were not understood what was read and what would have been', async () => {
    await ask()
    const delivery_id = stage.slack.copies[0]?.outbound.delivery_id
    expect(await take('perhaps')).toEqual({
      kind: 'refused',
      reason: 'reply_not_in_schema',
      request_id: 'q',
      delivery_id,
      theirs: true,
      read: 'perhaps',
      accepted: 'Reply YES or NO.',
      ending: null,
    })
  })

  test('says to whoever is late what holds', async () => {
    await ask()
    stage.clock.pass(600_000)
    expect(await take('yes')).toMatchObject({
      kind: 'refused',
      reason: 'already_resolved',
      ending: { outcome: 'defaulted', default_action: 'HALT', answered_by: null },
    })
  })

  test('counts what names no delivery, records nothing, and says nothing that depends on it', async () => {
    await ask()
    const before = (await stage.entries()).length
    const stranger = fromSlack('0'.repeat(26), 'yes')
    expect(await slack().take(stranger)).toEqual({ kind: 'unknown' })
    expect([stage.strangers, (await stage.entries()).length]).toEqual([['slack'], before])
  })

  test('keeps the place of a pulled channel with the reply, whatever became of the reply', async () => {
    await ask()
    const place = () => stage.store.shelf.cursor('slack')
    const kept: (string | null)[] = []
    await take('perhaps', { provider_message_id: 'm-1' }, '1')
    kept.push(await place())
    await slack().take(fromSlack('0'.repeat(26), 'yes'), '2')
    kept.push(await place())
    await take('perhaps', { provider_message_id: 'm-1' }, '3')
    await take('perhaps', { provider_message_id: 'm-1' }, '4')
    kept.push(await place())
    await take('yes', {}, '5')
    kept.push(await place())
    expect(kept).toEqual(['1', '2', '4', '5'])
    expect(await stage.store.shelf.cursor('telegram')).toBeNull()
  })
})

describe('report', () => {
  const SMS_FIRST: readonly ResolvedRecipient[] = [
    { user_id: 'owner', channels: ['sms', 'email'], route: 'first' },
  ]
  const states = async (id: string) =>
    (await stage.lane.current(id))?.deliveries.map(({ channel, state }) => `${channel} ${state}`)

  test('by the reference of the copy, and by the handle that travelled', async () => {
    await ask('q-1', SMS_FIRST)
    await ask('q-2', SMS_FIRST)
    const [, second] = stage.sms.copies
    const desk = stage.desk('sms')
    await desk.report({
      channel: 'sms',
      about: { kind: 'ref', ref: 'sms-1' },
      status: 'delivered',
      stands: true,
    })
    const about = { kind: 'handle', handle: (second?.outbound.reply?.handle ?? '').toUpperCase() } as const
    await desk.report({ channel: 'sms', about, status: 'undelivered', stands: false })
    expect(await types('q-1')).toContain('DELIVERY_STATUS')
    await until('the mail of q-2', async () => (await states('q-2'))?.includes('email sent') === true)
    expect([await states('q-1'), await states('q-2')]).toEqual([['sms sent'], ['sms failed', 'email sent']])
  })

  test('by the sender takes away every open copy of that person on that channel, and no other', async () => {
    const both: readonly ResolvedRecipient[] = [
      ...SMS_FIRST,
      { user_id: 'deputy', channels: ['sms'], route: 'first' },
    ]
    await ask('q-1', both)
    await ask('q-2', SMS_FIRST)
    await ask('q-3', [{ user_id: 'owner', channels: ['slack'], route: 'first' }])
    const about = { kind: 'sender', sender: OWNER_PHONE } as const
    await stage.desk('sms').report({ channel: 'sms', about, status: 'opted_out', stands: false })
    await until('a second mail', () => stage.email.copies.length, 2)
    await stage.lane.drain()
    expect(await states('q-1')).toEqual(['sms failed', 'sms sent', 'email sent'])
    expect(await states('q-2')).toEqual(['sms failed', 'email sent'])
    expect(await states('q-3')).toEqual(['slack sent'])
    const first = (await stage.lane.current('q-1'))?.deliveries[0]
    expect(first).toMatchObject({ user_id: 'owner', status: 'opted_out', bounced: true })
  })

  test('late, about the copy of an attempt that was made anew, takes nothing away from the copy that stands', async () => {
    stage.sms.will({ kind: 'failed', code: 'http_503', retryable: true })
    await ask('q-1', SMS_FIRST)
    stage.clock.pass(5_000)
    await stage.lane.advance('q-1')
    await stage.lane.drain()
    const [first, second] = stage.sms.copies.map(({ outbound }) => outbound)
    expect([first?.delivery_id === second?.delivery_id, await states('q-1')]).toEqual([true, ['sms sent']])
    const failed = (travelled = '') =>
      stage.desk('sms').report({
        channel: 'sms',
        about: { kind: 'handle', handle: travelled },
        status: 'failed',
        stands: false,
      })
    await failed(first?.reply?.handle)
    expect([await states('q-1'), await types('q-1')]).toEqual([
      ['sms sent'],
      expect.not.arrayContaining(['DELIVERY_STATUS']),
    ])
    await failed(second?.reply?.handle)
    await until('the mail of q-1', async () => (await states('q-1'))?.includes('email sent') === true)
  })

  test('about what is another channel’s, or nobody’s, changes nothing', async () => {
    await ask('q-1', SMS_FIRST)
    const size = (await stage.entries()).length
    const travelled = stage.sms.copies[0]?.outbound.reply?.handle ?? ''
    for (const about of [
      { kind: 'handle', handle: travelled },
      { kind: 'ref', ref: 'sms-1' },
      { kind: 'sender', sender: OWNER_PHONE },
    ] as const) {
      await stage.desk('email').report({ channel: 'email', about, status: 'bounced', stands: false })
    }
    for (const about of [
      { kind: 'handle', handle: 'not a handle' },
      { kind: 'ref', ref: 'sms-9' },
      { kind: 'code', code: 'AAAA' },
      { kind: 'sender', sender: '+15559999999' },
    ] as const) {
      await stage.desk('sms').report({ channel: 'sms', about, status: 'failed', stands: false })
    }
    expect(await stage.entries()).toHaveLength(size)
  })
})

describe('look', () => {
  test('shows what is asked, and whether this sender could answer it; nothing is recorded or counted', async () => {
    await ask()
    const before = (await stage.entries()).length
    for (let looks = 0; looks < 10; looks++) {
      expect(await slack().look(fromSlack(handle(), ''))).toMatchObject({
        display: { request_id: 'q', headline: 'Ship it?', asked_by: 'agent' },
        reason: null,
        ending: null,
      })
    }
    expect(await slack().look(fromSlack(handle(), '', { sender: DEPUTY }))).toMatchObject({
      reason: 'wrong_recipient',
    })
    expect(await slack().look(fromSlack('0'.repeat(26), ''))).toBeNull()
    expect(await stage.entries()).toHaveLength(before)
    expect(await take('yes')).toMatchObject({ kind: 'recorded' })
    expect(await slack().look(fromSlack(handle(), ''))).toMatchObject({
      reason: 'already_resolved',
      ending: { outcome: 'answered', answer: 'YES' },
    })
  })
})

describe('notice', () => {
  test('is given once, for the delivery the refusal names, on this channel', async () => {
    await ask('q', [{ user_id: 'deputy', channels: ['sms'], route: 'first' }])
    const desk = stage.desk('sms')
    const code = stage.sms.copies[0]?.outbound.reply?.code ?? ''
    const verdict = await desk.take(fromPhone(code, 'perhaps', { sender: DEPUTY_PHONE }))
    if (verdict.kind !== 'refused') throw new Error(verdict.kind)
    expect([await desk.notice(verdict), await desk.notice(verdict)]).toEqual([true, false])
    const [entry] = (await stage.entries()).filter(({ type }) => type === 'NOTICE_SENT')
    expect(entry?.body).toMatchObject({ channel: 'sms', recipient: 'deputy', reason: 'reply_not_in_schema' })
  })
})

describe('link', () => {
  beforeEach(async () => {
    await stage.close()
    stage = await raise(LINKING)
  })
  const desk = () => stage.desk('telegram')
  const linked = async () => (await stage.entries()).filter(({ type }) => type === 'RECIPIENT_LINKED').length

  test('is accepted once, and the address is the person’s from then on', async () => {
    const { code, expires_at } = await invite(stage.store, 'owner', 'telegram', 'key-1')
    expect(expires_at).toBe('2026-11-02T12:00:00.000Z')
    expect([await desk().link(code, 41), await desk().link(code, 42)]).toEqual(['owner', null])
    expect(await stage.store.shelf.links()).toEqual([
      { user_id: 'owner', channel: 'telegram', address: '41' },
    ])
    expect(await linked()).toBe(1)
  })

  test('is refused for an unknown, expired or foreign invitation, and for somebody else’s address', async () => {
    const { code } = await invite(stage.store, 'owner', 'telegram', 'key-1')
    const written = await invite(stage.store, 'deputy', 'telegram', 'key-1')
    expect(await desk().link('no such code', 41)).toBeNull()
    expect(await stage.desk('slack').link(code, 41)).toBeNull()
    expect(await desk().link(written.code, 41)).toBeNull()
    expect(await desk().link(code, 77)).toBeNull()
    stage.clock.pass(24 * 60 * 60 * 1000)
    expect(await desk().link(code, 41)).toBeNull()
    expect([await linked(), await stage.store.shelf.links()]).toEqual([0, []])
  })
})

test('now is the ledger’s clock', async () => {
  stage.clock.pass(5_000)
  expect(slack().now()).toBe(stage.store.ledger.now())
})
