// Answers bound by a code typed beside them: it counts only together with the number it came from, and a wrong one is a
// try that is counted somewhere, or codes could be searched for free.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Envelope } from '../../src/adapter.js'
import type { Entry, EntryOf } from '../../src/event.js'
import type { ResolvedRecipient } from '../../src/request/admit.js'
import { hashCode, hashHandle } from '../../src/token/reply-handle.js'
import { DEPUTY_PHONE, fromPhone, question, raise, type Stage } from '../lane/stage.js'

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

/** Opens a request on SMS; the envelopes that left for it, by person. */
async function ask(id: string, ...people: readonly string[]): Promise<Record<string, Envelope>> {
  await stage.open(question(id), bySms(...(people.length === 0 ? ['owner'] : people)))
  await stage.lane.drain()
  const sent = stage.sms.copies.filter(({ display }) => display.request_id === id)
  return Object.fromEntries(sent.map(({ envelope }) => [envelope.recipient.user_id, envelope]))
}
const codeOf = (envelopes: Record<string, Envelope>, user = 'owner'): string =>
  envelopes[user]?.reply?.code ?? ''

const rejections = async (id: string) =>
  (await stage.store.ledger.story(id)).filter(
    (entry: Entry): entry is EntryOf<'INBOUND_REPLY_REJECTED'> => entry.type === 'INBOUND_REPLY_REJECTED',
  )
const reasons = async (id: string) => (await rejections(id)).map(({ body }) => body.reason)
const wrong = (...right: readonly string[]): string =>
  ['AAAA', 'BBBB', 'CCCC', 'DDDD'].find(code => !right.includes(code)) ?? ''

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

  test('cannot be searched for: after five wrong ones the copy is dead, and a fresh one is sent', async () => {
    const first = await ask('q-1')
    const guess = wrong(codeOf(first))
    for (let tries = 0; tries < 6; tries++) await stage.lane.answer(fromPhone(guess, 'yes'))
    expect((await reasons('q-1')).at(-1)).toBe('rate_limited')
    expect(await stage.lane.answer(fromPhone(codeOf(first), 'yes'))).toMatchObject({
      kind: 'rejected',
      reason: 'rate_limited',
    })
    await stage.lane.drain()
    const fresh = stage.sms.copies.at(-1)?.envelope
    expect(fresh?.delivery_id).not.toBe(first.owner?.delivery_id)
    expect(await stage.lane.answer(fromPhone(fresh?.reply?.code ?? '', 'yes'))).toMatchObject({
      kind: 'accepted',
    })
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

  test('is remembered for the last twenty messages; an older one names nothing', async () => {
    const oldest = codeOf(await ask('q-0'))
    await stage.lane.withdraw('q-0', 'enough', 'key-1')
    expect(await stage.lane.answer(fromPhone(oldest, 'yes'))).toMatchObject({ reason: 'already_resolved' })
    for (let number = 1; number <= 20; number++) {
      await ask(`q-${number}`)
      await stage.lane.withdraw(`q-${number}`, 'enough', 'key-1')
    }
    expect(await stage.lane.answer(fromPhone(oldest, 'yes'))).toEqual({ kind: 'unknown' })
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

/** Another copy of the same delivery, with this code. */
async function twin({ owner }: Record<string, Envelope>, code: string): Promise<void> {
  const known = await stage.store.shelf.grant(hashHandle(owner?.reply?.handle ?? ''))
  if (known === null) throw new Error('nothing was sent')
  const handle_hash = hashHandle('0123456789abcdefghjkmnpqrs')
  const grant = { ...known, handle_hash, code_hash: hashCode(handle_hash, code) }
  await stage.store.ledger.append({
    decide: () => ({ kind: 'append', events: [], shelve: [{ put: 'grant', grant }] }),
  })
}
