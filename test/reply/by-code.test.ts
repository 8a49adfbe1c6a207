// Answers bound by a code typed beside them: it counts only together with the number it came from, and a wrong one is a
// try that is counted somewhere, or codes could be searched for free.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Outbound } from '../../src/adapter/contract.js'
import type { Entry, EntryOf } from '../../src/event.js'
import type { ResolvedRecipient } from '../../src/request/recipient.js'
import { keepReplyCode } from '../../src/token/code.js'
import { hashHandle } from '../../src/token/reply-handle.js'
import {
  approval,
  DEPUTY_PHONE,
  fromPage,
  fromPhone,
  fromSlack,
  handleOf,
  pageHandle,
  question,
  raise,
  START,
  type Stage,
} from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(async () => {
  expect(await stage.problems()).toEqual([])
  await stage.close()
})

const bySms = (...people: readonly string[]): ResolvedRecipient[] =>
  people.map(user_id => ({ user_id, channels: ['sms'], route: 'first' }))

/** Opens a request on SMS; the outbounds that left for it, by person. */
async function ask(id: string, ...people: readonly string[]): Promise<Record<string, Outbound>> {
  await stage.open(question(id), bySms(...(people.length === 0 ? ['owner'] : people)))
  await stage.lane.drain()
  const sent = stage.sms.copies.filter(({ display }) => display.request_id === id)
  return Object.fromEntries(sent.map(({ outbound }) => [outbound.recipient.user_id, outbound]))
}
const codeOf = (outbounds: Record<string, Outbound>, user = 'owner'): string =>
  outbounds[user]?.reply?.code ?? ''

const rejections = async (id: string) =>
  (await stage.store.ledger.story(id)).filter(
    (entry: Entry): entry is EntryOf<'INBOUND_REPLY_REJECTED'> => entry.type === 'INBOUND_REPLY_REJECTED',
  )
const reasons = async (id: string) => (await rejections(id)).map(({ body }) => body.reason)
const wrong = (...right: readonly string[]): string =>
  ['AAAAAAA', 'BBBBBBB', 'CCCCCCC', 'DDDDDDD'].find(code => !right.includes(code)) ?? ''
const rested = async () =>
  (await stage.entries()).flatMap(entry => (entry.type === 'CODES_RESTED' ? [entry.body] : []))
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

describe('a code', () => {
  test('from the number it was sent to leads to its own request among several', async () => {
    const first = await ask('q-1')
    const second = await ask('q-2')
    const received = await stage.lane.answer(fromPhone(codeOf(first), 'yes'))
    expect(received).toMatchObject({ kind: 'accepted', subject: { request_id: 'q-1', state: 'answered' } })
    expect(await stage.lane.answer(fromPhone(codeOf(second).toLowerCase(), 'no'))).toMatchObject({
      kind: 'accepted',
      subject: { request_id: 'q-2', answer: { parsed_choice: 'NO', proof: 'sms_from' } },
    })
  })

  test('from another number names nothing, even where that person is asked something else', async () => {
    const owners = await ask('q-1')
    expect(await stage.lane.answer(fromPhone(codeOf(owners), 'yes', { sender: DEPUTY_PHONE }))).toEqual({
      kind: 'unknown',
    })
    const deputys = await ask('q-2', 'deputy')
    expect(codeOf(deputys, 'deputy')).not.toBe(codeOf(owners))
    const received = await stage.lane.answer(fromPhone(codeOf(owners), 'yes', { sender: DEPUTY_PHONE }))
    expect(received).toMatchObject({ kind: 'rejected', reason: 'code_mismatch' })
    expect([await reasons('q-1'), await reasons('q-2')]).toEqual([[], ['code_mismatch']])
  })

  test('of the one copy does not answer by the number of the other, though both have the request', async () => {
    const both = await ask('q-1', 'owner', 'deputy')
    const received = await stage.lane.answer(
      fromPhone(codeOf(both, 'owner'), 'yes', { sender: DEPUTY_PHONE }),
    )
    expect(received).toMatchObject({ reason: 'code_mismatch', delivery_id: both.deputy?.delivery_id })
    expect((await stage.lane.current('q-1'))?.state).toBe('pending')
  })

  test('from a number nobody has, or from none, names nothing and is not recorded', async () => {
    const code = codeOf(await ask('q-1'))
    const before = (await stage.entries()).length
    expect(await stage.lane.answer(fromPhone(code, 'yes', { sender: '+15559999999' }))).toEqual({
      kind: 'unknown',
    })
    const { sender: _sender, ...nobody } = fromPhone(code, 'yes')
    expect(await stage.lane.answer(nobody)).toEqual({ kind: 'unknown' })
    expect(await stage.entries()).toHaveLength(before)
  })

  test('[LANE-045] that is wrong is counted where the person was asked last, and the right one still counts', async () => {
    const first = await ask('q-1')
    const second = await ask('q-2')
    const guess = wrong(codeOf(first), codeOf(second))
    for (const code of [guess, '', 'not a code']) {
      expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({
        reason: 'code_mismatch',
        delivery_id: second.owner?.delivery_id,
      })
    }
    expect([await reasons('q-1'), (await reasons('q-2')).length]).toEqual([[], 3])
    expect(await stage.lane.answer(fromPhone(codeOf(second), 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('[LANE-044] of a settled request leads there: the late are refused as such, and told what holds', async () => {
    const code = codeOf(await ask('q-1'))
    await ask('q-2')
    expect(await stage.lane.answer(fromPhone(code, 'yes', { provider_message_id: 'SM1' }))).toMatchObject({
      kind: 'accepted',
    })
    const again = await stage.lane.answer(fromPhone(code, 'no'))
    expect(again).toMatchObject({ reason: 'already_resolved', subject: { request_id: 'q-1' } })
    const repeated = await stage.lane.answer(fromPhone(code, 'yes', { provider_message_id: 'SM1' }))
    expect(repeated).toMatchObject({ reason: 'duplicate_message', subject: { request_id: 'q-1' } })
    expect(await reasons('q-2')).toEqual([])
  })

  test('is remembered however many came after it', async () => {
    const oldest = codeOf(await ask('q-0'))
    await stage.lane.withdraw('q-0', 'enough', 'key-1')
    for (let number = 1; number <= 25; number++) {
      await ask(`q-${number}`)
      await stage.lane.withdraw(`q-${number}`, 'enough', 'key-1')
    }
    expect(await stage.lane.answer(fromPhone(oldest, 'yes'))).toMatchObject({ reason: 'already_resolved' })
  })

  test('has seven characters, and is kept by nothing that can be searched for', async () => {
    const outbounds = await ask('q-1')
    expect(codeOf(outbounds)).toMatch(/^[0-9A-HJKMNP-TV-Z]{7}$/)
    expect(outbounds.owner?.page.code).toBeNull()
    let bytes = ''
    for await (const chunk of stage.store.backup()) bytes += Buffer.from(chunk).toString('latin1')
    expect(bytes.includes(codeOf(outbounds))).toBe(false)
    expect(bytes.includes(keepReplyCode(stage.keyring().code, 'sms', 'owner', codeOf(outbounds)))).toBe(true)
  })

  test('of a request’s copies only the newest is good', async () => {
    stage.sms.will({ kind: 'failed', code: 'provider_unavailable', retryable: true })
    await ask('q-1')
    stage.clock.pass(5_000)
    await stage.lane.advance('q-1')
    await stage.lane.drain()
    const [older = '', newer = ''] = stage.sms.copies.map(({ outbound }) => outbound.reply?.code ?? '')
    expect(await stage.lane.answer(fromPhone(older, 'yes'))).toMatchObject({ reason: 'code_mismatch' })
    expect(await stage.lane.answer(fromPhone(newer, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('is given out for twenty open requests; the next copy announces, until one of them is settled', async () => {
    for (let number = 1; number <= 20; number++) await ask(`q-${number}`)
    const beyond = (await ask('q-21')).owner
    expect(beyond?.reply).toBeNull()
    expect(beyond?.page.code).toMatch(/^[0-9A-Z]{4}$/)
    const started = (await stage.store.ledger.story('q-21')).find(({ type }) => type === 'DELIVERY_STARTED')
    expect(started?.body).toMatchObject({ channel: 'sms', announces: true })
    const answer = fromPage(beyond === undefined ? '' : pageHandle(beyond), beyond?.page.code ?? null, 'yes')
    expect(await stage.lane.answer(answer)).toMatchObject({ kind: 'accepted' })
    await stage.lane.withdraw('q-1', 'enough', 'key-1')
    expect((await ask('q-22')).owner?.reply?.code).toMatch(/^[0-9A-Z]{7}$/)
    expect((await ask('q-23', 'deputy')).deputy?.reply?.code).toMatch(/^[0-9A-Z]{7}$/)
  })

  test('within the words of another answers neither, and is told to nobody', async () => {
    await stage.open(question('words', { reply_schema: { kind: 'text', max_chars: 80 } }), bySms('owner'))
    await stage.lane.drain()
    const own =
      stage.sms.copies.find(({ display }) => display.request_id === 'words')?.outbound.reply?.code ?? ''
    const other = codeOf(await ask('other'))
    for (const text of [`Ship it ${other}`, `${other.toLowerCase()}: ship it`, `Ship it ${own}`])
      await stage.lane.answer(fromPhone(own, text))
    expect([await reasons('words'), await reasons('other')]).toEqual([Array(3).fill('code_mismatch'), []])
    await stage.lane.answer(fromPhone(own, 'Ship it without AAAAAAA'))
    expect((await stage.lane.current('words'))?.state).toBe('answered')
  })

  test('that two open requests share by chance answers neither', async () => {
    const first = await ask('q-1')
    const second = await ask('q-2')
    await twin(second, codeOf(first))
    expect(await stage.lane.answer(fromPhone(codeOf(first), 'yes'))).toMatchObject({
      reason: 'code_mismatch',
      subject: { request_id: 'q-2' },
    })
    const states = [(await stage.lane.current('q-1'))?.state, (await stage.lane.current('q-2'))?.state]
    expect(states).toEqual(['pending', 'pending'])
  })
})

describe('codes that are guessed at', () => {
  /** One guess after the other; what the first of them came to, and the last. */
  async function guess(times: number, from = 0): Promise<void> {
    for (let time = from; time < from + times; time++) {
      const code = time.toString(16).toUpperCase().padStart(7, '0')
      await stage.lane.answer(fromPhone(code, 'yes', { provider_message_id: `guess-${time}` }))
    }
  }

  test('3 000 wrong ones leave ten entries and one rest, and the right one is not taken then', async () => {
    const code = codeOf(await ask('q-1'))
    await guess(3_000)
    expect(await reasons('q-1')).toEqual(Array.from({ length: 10 }, () => 'code_mismatch'))
    expect(await rested()).toEqual([{ user_id: 'owner', channel: 'sms', until: '2026-11-01T12:15:00.000Z' }])
    expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({
      kind: 'rejected',
      reason: 'rate_limited',
      theirs: true,
    })
    expect((await stage.lane.current('q-1'))?.state).toBe('pending')
  })

  test('all at once, and on two replicas, are not more than ten', async () => {
    const code = codeOf(await ask('q-1'))
    const second = stage.secondLane()
    const tries = Array.from({ length: 200 }, (_, index) => {
      const given = index.toString(16).toUpperCase().padStart(7, '0')
      return (index % 2 === 0 ? stage.lane : second).answer(fromPhone(given, 'yes'))
    })
    await until('ten entries', async () => (await reasons('q-1')).length, 10)
    expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({ reason: 'rate_limited' })
    await Promise.all(tries)
    expect(await reasons('q-1')).toHaveLength(10)
    expect(await rested()).toHaveLength(1)
  })

  test('do not hide behind a copy that is worn out: the try is recorded with one that is not, or counted without', async () => {
    const [first, second] = [await ask('q-1'), await ask('q-2')]
    for (let time = 0; time < 6; time++) await stage.lane.answer(fromPhone(codeOf(second), 'perhaps'))
    await stage.lane.drain()
    expect((await reasons('q-2')).at(-1)).toBe('rate_limited')
    stage.clock.pass(1)
    const before = (await reasons('q-2')).length
    await stage.lane.answer(fromPhone(wrong(codeOf(first), codeOf(second)), 'yes'))
    // The fresh copy of the second is the newest that can be answered.
    expect([await reasons('q-1'), (await reasons('q-2')).slice(before)]).toEqual([[], ['code_mismatch']])
  })

  test('are counted where every copy is worn out, too', async () => {
    await ask('q-1')
    for (let round = 0; round < 4; round++) {
      const code = stage.sms.copies.at(-1)?.outbound.reply?.code ?? ''
      for (let time = 0; time < 6; time++) await stage.lane.answer(fromPhone(code, 'perhaps'))
      await stage.lane.drain()
    }
    expect((await reasons('q-1')).filter(reason => reason === 'rate_limited')).toHaveLength(4)
    const size = (await stage.entries()).length
    await guess(30)
    expect((await stage.entries()).slice(size).map(({ type }) => type)).toEqual(['CODES_RESTED'])
  })

  test('do not hide behind a copy whose proof is not enough any more: the codes of the others rest all the same', async () => {
    const code = codeOf(await ask('q-1'))
    const { actions } = stage.config
    Object.assign(actions, { PUBLISH: { approvers: ['owner'], proofs: ['sms_from'] } })
    await stage.open(approval('a-1'), bySms('owner'))
    await stage.lane.drain()
    expect(stage.sms.copies.at(-1)?.outbound.reply?.code).toHaveLength(7)
    // The operator takes it off the list while the message is out.
    Object.assign(actions, { PUBLISH: { approvers: ['owner'], proofs: ['slack_signed'] } })
    await guess(30)
    expect(await reasons('a-1')).toEqual(Array(10).fill('proof_insufficient'))
    expect(await rested()).toHaveLength(1)
    expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({ reason: 'rate_limited' })
  })

  test('rest for that person on that channel alone: not the other’s, not Slack, not the page', async () => {
    const owners = await ask('q-1')
    const deputys = await ask('q-2', 'deputy')
    await stage.open(question('q-3'))
    await stage.lane.drain()
    await guess(20)
    expect(await stage.lane.answer(fromPhone(codeOf(owners), 'yes'))).toMatchObject({
      reason: 'rate_limited',
    })
    const others = fromPhone(codeOf(deputys, 'deputy'), 'yes', { sender: DEPUTY_PHONE })
    expect(await stage.lane.answer(others)).toMatchObject({ kind: 'accepted' })
    expect(await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'yes'))).toMatchObject({
      kind: 'accepted',
    })
    await stage.lane.drain()
    const copy = stage.sms.copies.findLast(({ display }) => display.request_id === 'q-1')?.outbound
    if (copy === undefined) throw new Error('nothing was sent')
    expect(copy.reply).toBeNull()
    expect(await stage.lane.answer(fromPage(pageHandle(copy), copy.page.code, 'yes'))).toMatchObject({
      kind: 'accepted',
      subject: { request_id: 'q-1', answer: { proof: 'link_code' } },
    })
  })

  test('are good again when the rest is over; the next one lasts twice as long, to a day', async () => {
    const id = { deadline_seconds: 2_592_000 }
    await stage.open(question('q-1', id), bySms('owner'))
    await stage.lane.drain()
    const code = stage.sms.copies[0]?.outbound.reply?.code ?? ''
    const lengths: number[] = []
    for (let round = 0; round < 9; round++) {
      const now = stage.store.ledger.now()
      await guess(10, 100 * round)
      const until = Date.parse((await rested()).at(-1)?.until ?? '')
      lengths.push((until - now) / MINUTE_MS)
      await stage.lane.drain()
      stage.clock.pass(until - now)
      await stage.store.ledger.append({ decide: () => ({ kind: 'append', events: [] }) })
    }
    expect(lengths).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440])
    stage.clock.pass(DAY_MS)
    const now = stage.store.ledger.now()
    await guess(10, 9_000)
    expect(Date.parse((await rested()).at(-1)?.until ?? '') - now).toBe(15 * MINUTE_MS)
    stage.clock.pass(15 * MINUTE_MS)
    // One copy led to the page meanwhile, and took nothing from the first.
    expect(stage.sms.copies.map(({ outbound }) => outbound.reply === null)).toEqual([false, true])
    expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('nine in an hour, again and again, are typos', async () => {
    const id = { deadline_seconds: 86_400 }
    await stage.open(question('q-1', id), bySms('owner'))
    await stage.lane.drain()
    for (let hour = 0; hour < 5; hour++) {
      await guess(9, 100 * hour)
      stage.clock.pass(HOUR_MS + 1)
    }
    expect(await rested()).toEqual([])
    const code = stage.sms.copies[0]?.outbound.reply?.code ?? ''
    expect(await stage.lane.answer(fromPhone(code, 'yes'))).toMatchObject({ kind: 'accepted' })
  })

  test('of somebody who has none open are nobody’s, and no rest begins', async () => {
    await guess(30)
    expect(await stage.entries()).toEqual([])
  })

  test('lead on: who is asked by text message is asked on the next channel, and told why', async () => {
    await stage.open(question('q-1'), [{ user_id: 'owner', channels: ['sms', 'email'], route: 'first' }])
    await stage.lane.drain()
    expect(stage.email.copies).toEqual([])
    await guess(10)
    await until('a mail', () => stage.email.copies.length, 1)
    await stage.lane.drain()
    expect(stage.sms.copies).toHaveLength(1)
    const rest = { channel: 'sms', until: '2026-11-01T12:15:00.000Z' }
    expect([stage.sms.copies[0]?.outbound.rested, stage.email.copies[0]?.outbound.rested]).toEqual([
      undefined,
      rest,
    ])
    const mailed = { channel: 'email', sender: 'owner@example.org', proof: 'dmarc' } as const
    const answer = fromSlack(handleOf(stage.email, 'owner'), 'yes', mailed)
    expect(await stage.lane.answer(answer)).toMatchObject({ kind: 'accepted' })
  })

  test('lead on to what is asked while they rest: the next channel first, the page where there is none', async () => {
    await ask('q-1')
    await guess(10)
    await stage.lane.drain()
    await stage.open(question('q-2'), [{ user_id: 'owner', channels: ['sms', 'email'], route: 'first' }])
    await stage.lane.drain()
    expect(stage.email.copies.map(({ display }) => display.request_id)).toEqual(['q-2'])
    expect((await ask('q-3')).owner).toMatchObject({ reply: null, page: { code: expect.any(String) } })
  })

  test('lead on after a crash that left nothing but the ledger: the request is due at once', async () => {
    await ask('q-1')
    await stage.lane.drain()
    await guess(9)
    const rest = { channel: 'sms', user_id: 'owner', until_ms: START + HOUR_MS, length_ms: HOUR_MS } as const
    await stage.store.ledger.append({
      decide: ({ ms }) => ({ kind: 'append', events: [], shelve: [{ put: 'rest', rest, since_ms: ms }] }),
    })
    expect(await stage.store.ledger.due(stage.store.ledger.now(), 10)).toEqual(['q-1'])
  })
})

/** Another copy of the same delivery, with this code. */
async function twin({ owner }: Record<string, Outbound>, code: string): Promise<void> {
  const known = await stage.store.shelf.grant(hashHandle(owner?.reply?.handle ?? ''))
  if (known === null) throw new Error('nothing was sent')
  const handle_hash = hashHandle('0123456789abcdefghjkmnpqrs')
  const grant = {
    ...known,
    handle_hash,
    code_hash: keepReplyCode(stage.keyring().code, 'sms', 'owner', code),
  }
  await stage.store.ledger.append({
    decide: () => ({ kind: 'append', events: [], shelve: [{ put: 'grant', grant }] }),
  })
}
