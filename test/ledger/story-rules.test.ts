// Each crafted ledger has a sound chain of sound entries, and a story that cannot have happened: verify names the
// invariant and the entry at which it shows.
import { describe, expect, test } from 'vitest'
import { instant } from '../../src/clock.js'
import type { Invariant } from '../../src/ledger/invariant/invariants.js'
import { REASONS } from '../../src/reason.js'
import { Craft, found, hashed, started } from './craft.js'
import { checks, question, Tale } from './tale.js'

function breaks(
  invariant: Invariant,
  seq: number,
  what: string,
  tell: (tale: Tale, craft: Craft) => unknown,
  changes: Record<string, unknown> = {},
) {
  test(`${invariant} ${what}`, async () => {
    const craft = new Craft()
    tell(new Tale(craft, question(changes)), craft)
    expect(await found(craft)).toEqual([[invariant, seq]])
  })
}

const MINUTE = 60_000

describe('resolution', () => {
  breaks('I7', 0, 'refuses a resolution of nothing', tale =>
    tale.resolved({ outcome: 'withdrawn', causes: [0] }),
  )
  breaks('I7', 0, 'refuses a delivery of a request that was not opened', tale => tale.started())
  breaks('I7', 5, 'refuses a second resolution', tale => {
    tale.asked().withdrawn()
    tale.resolved({ outcome: 'withdrawn', causes: [3] })
  })
  test('I7 refuses a reply, a withdrawal and a time-out after the resolution', async () => {
    const after = [
      (tale: Tale) => tale.answered(),
      (tale: Tale) => tale.withdrawn(),
      (tale: Tale, craft: Craft) => {
        craft.later(MINUTE)
        return tale.timedOut('defaulted')
      },
    ]
    for (const tell of after) {
      const craft = new Craft()
      const tale = new Tale(craft).asked()
      tale.withdrawn()
      tell(tale, craft)
      const broken = await found(craft)
      expect(broken.length).toBeGreaterThan(0)
      expect(new Set(broken.map(([invariant]) => invariant))).toEqual(new Set(['I7']))
      expect(broken[0]).toEqual(['I7', 5])
    }
  })
  breaks('I8', 3, 'refuses a resolution by nothing', tale => tale.asked().resolved({ outcome: 'withdrawn' }))
  breaks('I8', 5, 'refuses two causes', tale => tale.asked().answered(tale.reply(), { causes: [3, 4] }))
  breaks('I8', 5, 'refuses a cause that comes later', tale =>
    tale.asked().answered(tale.reply(), { causes: [6] }),
  )
  breaks('I8', 5, 'refuses an announcement as the cause', tale =>
    tale.asked().answered(tale.reply(), { causes: [3] }),
  )
  test('I8 refuses the cause of another request', async () => {
    const craft = new Craft()
    const tale = new Tale(craft).asked()
    const other = new Tale(craft, question({ question_id: 'q-2' }), 'q-2').asked()
    tale.tell('REQUEST_WITHDRAWN', { reason: 'enough', by: 'key-1' })
    other.resolved({ outcome: 'withdrawn' })
    expect(await found(craft)).toEqual([
      ['I8', 6],
      ['I8', 7],
    ])
  })
  breaks('I8', 5, 'refuses an answer that was not given', tale => {
    tale.asked().answered(tale.reply(), { answer: { ...tale.answer(), parsed_choice: 'NO' } })
  })
  breaks('I8', 5, 'refuses an answer in the name of another', tale => {
    tale.asked().answered(tale.reply(), { answer: { ...tale.answer(), answered_by: 'bob' } })
  })
  breaks('I8', 5, 'refuses a default in place of an answer', tale =>
    tale.asked().answered(tale.reply(), { outcome: 'defaulted' }),
  )
  breaks('I8', 4, 'refuses a time-out told as a human no', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.receipt()
    tale.resolved({ outcome: 'answered', answer: { ...tale.answer(), parsed_choice: 'NO' } })
  })
  breaks('I8', 3, 'refuses a withdrawal that resolves nothing', (tale, craft) => {
    tale.asked().tell('REQUEST_WITHDRAWN', { reason: 'enough', by: 'key-1' })
    craft.put(started)
  })
  breaks('I9', 3, 'refuses an id that is opened again', tale => tale.asked().opened())
})

describe('deadline and default', () => {
  breaks('I10', 0, 'refuses another deadline than the declared one', (tale, craft) =>
    tale.opened({ deadline_at: instant(craft.ms + MINUTE + 1) }),
  )
  breaks('I10', 3, 'refuses a time-out before the deadline', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE - 1)
    tale.timedOut('defaulted')
  })
  breaks('I10', 3, 'refuses a time-out of another deadline', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.timedOut('defaulted', { deadline_at: instant(craft.ms - 1) })
  })
  breaks('I10', 3, 'refuses a time-out that says it fired at another time', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.timedOut('defaulted', { fired_at: instant(craft.ms - 1) })
  })
  breaks('I10', 4, 'refuses a reply accepted at the deadline', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.answered()
  })
  breaks('I10', 3, 'refuses a withdrawal at the deadline', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.withdrawn()
  })
  test('I10 lets a reply stand in the last millisecond, and a time-out in the next', async () => {
    const craft = new Craft()
    const early = new Tale(craft).asked()
    const late = new Tale(craft, question({ question_id: 'q-2' }), 'q-2').asked()
    craft.later(MINUTE - 1)
    early.answered()
    craft.later(1)
    late.timedOut('defaulted')
    expect(await found(craft)).toEqual([])
  })
  breaks('I12', 3, 'refuses a time-out with another default', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.timedOut('defaulted', { default_action: 'SPLIT' })
  })
  breaks('I12', 4, 'refuses a resolution with another default', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.receipt()
    tale.resolved({ outcome: 'defaulted', default_action: 'SPLIT' })
  })
  breaks('I12', 4, 'refuses undelivered though a delivery stood', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.timedOut('undelivered')
  })
  const revoked = (tale: Tale) =>
    tale.asked().tell('DELIVERY_STATUS', { delivery_id: 'd-q-1', status: 'key_revoked', stands: false })
  breaks('I12', 5, 'refuses defaulted though the key of the only copy was revoked', (tale, craft) => {
    revoked(tale)
    craft.later(MINUTE)
    tale.timedOut('defaulted')
  })
  test('a fresh copy after its key was revoked stands, and one that arrives too late does not', async () => {
    const craft = new Craft()
    const tale = new Tale(craft)
    revoked(tale)
    tale.started(2)
    tale.sent(2)
    craft.later(MINUTE)
    tale.timedOut('defaulted')
    expect(await found(craft)).toEqual([])
    const late = new Craft()
    const lost = new Tale(late)
    lost.opened()
    lost.started()
    lost.tell('DELIVERY_STATUS', { delivery_id: 'd-q-1', status: 'key_revoked', stands: false })
    lost.sent()
    late.later(MINUTE)
    lost.timedOut('undelivered', { deliveries: [{ delivery_id: 'd-q-1', state: 'queued' }] })
    expect(await found(late)).toEqual([])
  })
  breaks('I12', 5, 'refuses defaulted though the only delivery bounced', (tale, craft) => {
    tale.asked().tell('DELIVERY_STATUS', { delivery_id: 'd-q-1', status: 'bounced', stands: false })
    craft.later(MINUTE)
    tale.timedOut('defaulted')
  })
})

const COLOURS = {
  kind: 'choice',
  options: [
    { value: 'red', label: 'Red' },
    { value: 'blue', label: 'Blue' },
  ],
}
const MANY = { ...COLOURS, kind: 'multi_choice', min: 1, max: 2 }
const CHIPS = { kind: 'number', min: 0, max: 10, step: 0.5, unit: 'chips' }
const NOTE = { kind: 'text', max_chars: 4 }
const DAY = { kind: 'date', min: '2026-03-01' }

type Value = readonly [schema: object, choice: string | null, payload: object | null]
const answers = (tale: Tale, [, parsed_choice, payload]: Value) =>
  tale.asked().answered(tale.reply({ parsed_choice, parsed_payload: payload as null }))

describe('answers', () => {
  const outside: Record<string, Value> = {
    'maybe for yes or no': [{ kind: 'yes_no' }, 'MAYBE', null],
    'a text for yes or no': [{ kind: 'yes_no' }, null, { text: 'YES' }],
    'a value that is no option': [COLOURS, 'green', null],
    'a letter in place of its value': [COLOURS, 'A', null],
    'a selection out of order': [MANY, null, { selected: ['blue', 'red'] }],
    'a selection with a repeat': [MANY, null, { selected: ['red', 'red'] }],
    'a number above its bound': [CHIPS, null, { number: 11, unit: 'chips' }],
    'a number off its step': [CHIPS, null, { number: 0.25, unit: 'chips' }],
    'a number without its unit': [CHIPS, null, { number: 1 }],
    'a text that is too long': [NOTE, null, { text: 'abcde' }],
    'a text with a tag': [NOTE, null, { text: '<b>' }],
    'a date before its bound': [DAY, null, { date: '2026-02-28' }],
    'both a choice and a payload': [COLOURS, 'red', { text: 'red' }],
    'nothing at all': [COLOURS, null, null],
  }
  for (const [what, value] of Object.entries(outside)) {
    breaks('I13', 4, `refuses ${what}`, tale => answers(tale, value), { reply_schema: value[0] })
  }
  const inside: readonly Value[] = [
    [{ kind: 'yes_no' }, 'NO', null],
    [COLOURS, 'blue', null],
    [MANY, null, { selected: ['red', 'blue'] }],
    [CHIPS, null, { number: 9.5, unit: 'chips' }],
    [NOTE, null, { text: 'Möwe' }],
    [DAY, null, { date: '2026-03-01' }],
  ]
  for (const value of inside) {
    test(`I13 lets ${JSON.stringify(value[1] ?? value[2])} stand`, async () => {
      const craft = new Craft()
      answers(new Tale(craft, question({ reply_schema: value[0] })), value)
      expect(await found(craft)).toEqual([])
    })
  }
})

describe('the right to answer', () => {
  breaks('I14', 4, 'refuses a token that was never issued', (tale, craft) => {
    const receipts = { token_hash: hashed('forged'), received_at: craft.at }
    tale.asked().answered(tale.reply({ receipts }))
  })
  breaks('I14', 6, 'refuses a token that was issued to another recipient', tale => {
    const to = (user_id: string) => ({ user_id, channels: ['web'], route: 'first' }) as const
    const bob = { delivery_id: 'd-bob', recipient: 'bob', token_hash: hashed('bob') }
    tale.opened({ recipients: [to('ada'), to('bob')] })
    tale.started()
    tale.sent()
    tale.started(1, bob)
    tale.sent(1, bob)
    tale.answered(tale.reply({ sender_identity: { user_id: 'bob', proof: 'link_code' } }))
  })
  breaks('I14', 3, 'refuses a token that is issued twice', tale =>
    tale.asked().started(2, { token_hash: tale.token(1) }),
  )
  breaks('I14', 3, 'refuses a rejection on a delivery nobody made', tale =>
    tale.asked().rejected('code_mismatch', { delivery_id: 'd-x' }),
  )
  test('I14 lets the token of an earlier attempt stand', async () => {
    const craft = new Craft()
    const tale = new Tale(craft)
    tale.opened()
    tale.started(1)
    tale.started(2)
    tale.sent(2)
    tale.answered(tale.reply({ receipts: { token_hash: tale.token(1), received_at: craft.at } }))
    expect(await found(craft)).toEqual([])
  })
  breaks('I15', 10, 'refuses a provider message that answers twice', (tale, craft) => {
    tale.asked().answered(tale.reply({ provider_message_id: 'm-1' }))
    const other = new Tale(craft, question({ question_id: 'q-2' }), 'q-2').asked()
    other.answered(other.reply({ provider_message_id: 'm-1' }))
  })
  breaks('I15', 10, 'refuses a token that answers twice', (tale, craft) => {
    tale.asked().answered()
    const other = new Tale(craft, question({ question_id: 'q-2' }), 'q-2')
    other.opened()
    other.started(1, { token_hash: tale.token() })
    other.sent(1, { token_hash: tale.token() })
    other.answered(other.reply({ receipts: { token_hash: tale.token(), received_at: craft.at } }))
  })
  breaks('I16', 4, 'refuses an answer of somebody who was not asked', tale =>
    tale.asked().answered(tale.reply({ sender_identity: { user_id: 'eve', proof: 'slack_signed' } })),
  )
  breaks('I16', 1, 'refuses a delivery to somebody who was not asked', tale => {
    tale.opened()
    tale.started(1, { recipient: 'eve' })
  })
  breaks('I16', 1, 'refuses a delivery on a channel that was not planned', tale => {
    tale.opened()
    tale.started(1, { channel: 'sms' })
  })
  breaks('I24', 3, 'refuses a rejection whose checks lead elsewhere', tale =>
    tale.asked().rejected('code_mismatch', { token_validation: checks('token_expired') }),
  )
  breaks('I24', 3, 'refuses a rejection without a failed check', tale =>
    tale.asked().rejected('code_mismatch', { token_validation: checks(null) }),
  )
  breaks('I24', 3, 'refuses checks in another order', tale =>
    tale.asked().rejected('code_mismatch', { token_validation: checks('code_mismatch').reverse() }),
  )
  breaks('I24', 3, 'refuses an accepted reply with a check left out', tale => {
    tale.asked().received(tale.reply(), { token_validation: checks(null).slice(1) })
    tale.tell('HUMAN_REPLY_EVENT', tale.reply())
    tale.resolved({ outcome: 'answered', answer: tale.answer() })
  })
  breaks('I24', 4, 'refuses an event that is not the one announced', tale => {
    tale.asked().received(tale.reply({ parsed_choice: 'NO' }))
    tale.tell('HUMAN_REPLY_EVENT', tale.reply())
    tale.resolved({ outcome: 'answered', answer: tale.answer() })
  })
  breaks('I24', 3, 'refuses an event that was not announced', tale => {
    tale.asked().tell('HUMAN_REPLY_EVENT', tale.reply())
    tale.resolved({ outcome: 'answered', answer: tale.answer() })
  })
  breaks(
    'I24',
    6,
    'refuses an event whose announcement passed the checks of another request',
    (tale, craft) => {
      const other = new Tale(craft, question({ question_id: 'q-2' }), 'q-2')
      tale.asked()
      other.opened()
      other.started()
      other.received(tale.reply())
      tale.tell('HUMAN_REPLY_EVENT', tale.reply())
      tale.resolved({ outcome: 'answered', answer: tale.answer() })
    },
  )
  breaks('I24', 4, 'refuses an event of another delivery or channel than was announced', tale => {
    tale.asked().received(tale.reply(), { channel: 'email' })
    tale.tell('HUMAN_REPLY_EVENT', tale.reply())
    tale.resolved({ outcome: 'answered', answer: tale.answer() })
  })
  breaks('I24', 3, 'refuses an announcement that nothing follows', tale => {
    tale.asked().received()
    tale.withdrawn()
  })
  breaks('I24', 3, 'refuses an announcement that only a hand of the lane follows', tale => {
    tale.asked().received()
    tale.tell('REQUEST_DELEGATED', { from: 'ada', to: 'bo', by: 'away' })
  })
  test('I24 lets every reason stand with its own checks', async () => {
    const craft = new Craft()
    const tale = new Tale(craft).asked()
    for (const reason of REASONS) tale.rejected(reason, { reply_id: `r-${reason}` })
    expect(await found(craft)).toEqual([])
  })
})

describe('delivery', () => {
  breaks('I17', 0, 'refuses the request hash of another request', tale =>
    tale.opened({ request_hash: hashed('other') }),
  )
  breaks('I17', 2, 'refuses another request sent than opened', tale => {
    tale.opened()
    tale.started()
    tale.sent(1, { request_hash: hashed('other') })
  })
  breaks('I17', 2, 'refuses another token sent than claimed', tale => {
    tale.opened()
    tale.started()
    tale.sent(1, { token_hash: hashed('other') })
  })
  breaks('I17', 3, 'refuses a time-out of another request', (tale, craft) => {
    tale.asked()
    craft.later(MINUTE)
    tale.timedOut('defaulted', { request_hash: hashed('other') })
  })
  breaks('I25', 1, 'refuses a send that was not claimed', tale => {
    tale.opened()
    tale.sent()
  })
  breaks('I25', 3, 'refuses a send that is concluded twice', tale => tale.asked().failed())
  breaks('I25', 1, 'refuses a first attempt that is not the first', tale => {
    tale.opened()
    tale.started(2)
  })
  breaks('I25', 3, 'refuses an attempt that skips one', tale => tale.asked().started(3))
  breaks('I25', 2, 'refuses a delivery that changes its recipient', tale => {
    tale.opened({ recipients: ['ada', 'bob'].map(user_id => ({ user_id, channels: ['web'], route: 'all' })) })
    tale.started()
    tale.started(2, { recipient: 'bob' })
  })
  breaks('I25', 5, 'refuses a send claimed after the resolution', tale => {
    tale.asked().withdrawn()
    tale.started(2)
  })
  breaks('I25', 5, 'refuses a send concluded again after the resolution', tale => {
    tale.asked().withdrawn()
    tale.sent()
  })
  breaks('I25', 3, 'refuses the closing of a delivery nobody made', tale =>
    tale.asked().tell('DELIVERY_CLOSED', { delivery_id: 'd-x', edited: true }),
  )
})

describe('callbacks', () => {
  const failed = (craft: Craft, wait = 5_000) => ({
    ok: false,
    status: 500,
    code: 'refused',
    final: false,
    next_at: instant(craft.ms + wait),
  })
  const settled = (tale: Tale): void => {
    tale.opened()
    tale.registered()
    tale.withdrawn()
  }
  breaks('I27', 3, 'refuses one that is registered later', tale => {
    tale.asked().registered()
  })
  breaks('I27', 2, 'refuses one that is registered twice', tale => {
    tale.opened()
    tale.registered()
    tale.registered()
  })
  breaks('I27', 5, 'refuses a call nobody asked for', tale => {
    tale.asked().withdrawn()
    tale.called()
  })
  breaks('I27', 2, 'refuses a call before the resolution', tale => {
    tale.opened()
    tale.registered()
    tale.called()
  })
  breaks('I27', 4, 'refuses a first call that is called the second', tale => {
    settled(tale)
    tale.called(2)
  })
  breaks('I27', 5, 'refuses a call after the one that was taken', tale => {
    settled(tale)
    tale.called(1)
    tale.called(2)
  })
  breaks('I27', 5, 'refuses a call after the endpoint is gone', tale => {
    settled(tale)
    tale.called(1, { ok: false, status: 410, code: 'gone' })
    tale.called(2)
  })
  breaks('I27', 5, 'refuses a call a millisecond early', (tale, craft) => {
    settled(tale)
    tale.called(1, failed(craft))
    craft.later(4_999)
    tale.called(2)
  })
  breaks('I27', 5, 'refuses the same attempt told twice', (tale, craft) => {
    settled(tale)
    tale.called(1, failed(craft, 0))
    tale.called(1, failed(craft, 0))
  })
  test('I27 refuses what cannot all be so: taken and to be repeated, final with a next, failed without a reason', async () => {
    const impossible = [
      (craft: Craft) => ({ ...failed(craft), ok: true }),
      (craft: Craft) => ({ ...failed(craft), final: true }),
      () => ({ ok: false, status: 500, final: true }),
      () => ({ ok: false, status: 500, code: 'refused', final: false }),
      () => ({ code: 'refused' }),
    ]
    for (const body of impossible) {
      const craft = new Craft()
      const tale = new Tale(craft)
      settled(tale)
      tale.called(1, body(craft))
      expect(await found(craft)).toEqual([['I27', 4]])
    }
  })
  test('I27 lets a failed call be repeated when it is due, and the last one end in failure', async () => {
    const craft = new Craft()
    const tale = new Tale(craft)
    settled(tale)
    tale.called(1, failed(craft))
    craft.later(5_000)
    tale.called(2, { ok: false, status: null, code: 'timed_out', final: true })
    expect(await found(craft)).toEqual([])
  })
})

describe('answers by a passkey', () => {
  const registered = (craft: Craft, user_id = 'ada', by: 'person' | 'operator' = 'person') =>
    craft.put({ type: 'PASSKEY_REGISTERED', body: { user_id, credential_hash: hashed(user_id), by } })
  const byPasskey = (tale: Tale, proof: 'passkey' | 'passkey_by_operator' = 'passkey') =>
    tale.reply({ sender_identity: { user_id: 'ada', proof } })

  breaks('I35', 5, 'refuses one without its evidence', (tale, craft) => {
    registered(craft)
    tale.asked().answered(byPasskey(tale))
  })
  breaks('I35', 5, 'refuses one of somebody who has registered none', tale => {
    tale.asked().confirmed()
    tale.answered(byPasskey(tale))
  })
  breaks('I35', 6, 'refuses one with the passkey of another', (tale, craft) => {
    registered(craft, 'bo')
    tale.asked().confirmed()
    tale.answered(byPasskey(tale))
  })
  breaks('I35', 6, 'refuses as their own a passkey that an operator enrolled', (tale, craft) => {
    registered(craft, 'ada', 'operator')
    tale.asked().confirmed()
    tale.answered(byPasskey(tale))
  })
  breaks('I35', 6, 'refuses as an operator’s a passkey of their own', (tale, craft) => {
    registered(craft)
    tale.asked().confirmed()
    tale.answered(byPasskey(tale, 'passkey_by_operator'))
  })
  breaks('I35', 6, 'refuses evidence of an answer by another proof', (tale, craft) => {
    registered(craft)
    tale.asked().confirmed()
    tale.answered()
  })
  test('I35 refuses the evidence of another reply', async () => {
    const craft = new Craft()
    registered(craft)
    const tale = new Tale(craft).asked()
    tale.confirmed('r-other')
    tale.answered(byPasskey(tale))
    expect(await found(craft)).toEqual([
      ['I35', 4],
      ['I35', 6],
    ])
  })
  breaks('I35', 3, 'refuses evidence of nothing', tale => {
    tale.asked().confirmed()
    tale.withdrawn()
  })
  breaks('I35', 1, 'refuses a passkey that was registered before, for whomever', (_, craft) => {
    registered(craft)
    craft.put({
      type: 'PASSKEY_REGISTERED',
      body: { user_id: 'bo', credential_hash: hashed('ada'), by: 'person' },
    })
  })

  const revoked = (craft: Craft, user_id = 'ada', credential_hash = hashed(user_id)) =>
    craft.put({ type: 'PASSKEY_REVOKED', body: { user_id, credential_hash, by: 'person' } })
  breaks('I35', 7, 'refuses one with a passkey that was taken back before', (tale, craft) => {
    registered(craft)
    tale.asked()
    revoked(craft)
    tale.confirmed()
    tale.answered(byPasskey(tale))
  })
  breaks('I35', 2, 'refuses to take back a passkey twice', (_, craft) => {
    registered(craft)
    revoked(craft)
    revoked(craft)
  })
  breaks('I35', 0, 'refuses to take back what nobody had', (_, craft) => revoked(craft))
  breaks('I35', 1, 'refuses to take back another’s in somebody’s name', (_, craft) => {
    registered(craft, 'bo')
    revoked(craft, 'ada', hashed('bo'))
  })
  breaks('I35', 2, 'refuses to register again what was taken back', (_, craft) => {
    registered(craft)
    revoked(craft)
    registered(craft)
  })
  test('takes an answer of before, and one by another passkey of theirs', async () => {
    const craft = new Craft()
    registered(craft)
    const tale = new Tale(craft).asked()
    tale.confirmed()
    tale.answered(byPasskey(tale))
    revoked(craft)
    craft.put({
      type: 'PASSKEY_REGISTERED',
      body: { user_id: 'ada', credential_hash: hashed('another'), by: 'person' },
    })
    const next = new Tale(craft, question({ question_id: 'q-2' }), 'q-2').asked()
    next.confirmed(next.reply().reply_id)
    next.answered(byPasskey(next))
    expect(await found(craft)).toEqual([])
  })
})
