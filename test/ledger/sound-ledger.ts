// A sound ledger with every kind of ending, and with the entries that may still come after one.
import { canonical, sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { GRAMMAR } from '../../src/compiler/compile.js'
import type { Body } from '../../src/event.js'
import { GENESIS, leafOfLine } from '../../src/ledger/entry.js'
import type { Proof } from '../../src/request/channel.js'
import { rowsWithin } from '../../src/request/content/exhibit.js'
import { TERMS } from '../terms.js'
import { Craft, hashed, started } from './craft.js'
import { answeredApproval, Directed } from './directed.js'
import { question, saltOf, shownBy, Tale } from './tale.js'
import { grownOf } from './tree/grown.js'

const LOG_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
/** The root of the tree over the first entries of it, as base64. */
export const rootAt = (craft: Craft, size: number): string =>
  Buffer.from(grownOf(craft.lines.map(leafOfLine)).root(size)).toString('base64')

export function soundLedger(): Craft {
  const craft = new Craft()
  craft.put(started)
  craft.put({ type: 'LEDGER_SEALED', body: { size: 0, hash: GENESIS } })
  craft.put({ type: 'KEY_ROTATED', body: { kid: 'k-1', purpose: 'reply', not_before: craft.at } })
  answeredTale(craft)
  timedOutTales(craft)
  withdrawnTale(craft)
  directedTales(craft)
  climbedTale(craft)
  handedTale(craft)
  shownTale(craft)
  confirmedTales(craft)
  craft.put({ type: 'RAW_ERASED', body: { reply_id: 'r-q-1', by: 'key-2' } })
  craft.put({ type: 'KEY_REVOKED', body: { kid: 'k-1', by: 'key-2' } })
  craft.put({
    type: 'CODES_RESTED',
    body: { user_id: 'ada', channel: 'sms', until: instant(craft.ms + 900_000) },
  })
  craft.put({
    type: 'RECIPIENT_AWAY',
    body: { user_id: 'ada', from: craft.at, until: instant(craft.ms + 86_400_000), to: 'bo', by: 'key-2' },
  })
  craft.put({
    type: 'KEY_ROTATED',
    body: { kid: 'c74f20a3', purpose: 'checkpoint', not_before: craft.at, vkey: LOG_KEY },
  })
  const size = craft.seq - 1
  craft.put({ type: 'CHECKPOINT_SIGNED', body: { size, root: rootAt(craft, size), kid: 'c74f20a3' } })
  craft.put({ type: 'OPERATOR_ACTED', body: { deed: 'key_added', about: 'key-3', by: 'key-2' } })
  return craft
}

function answeredTale(craft: Craft): void {
  const tale = new Tale(craft)
  tale.opened()
  tale.started()
  tale.failed(1, { final: false, code: 'timeout', retry_at: instant(craft.ms + 1000) })
  craft.later(1000)
  tale.started(2)
  tale.sent(2)
  tale.rejected()
  tale.tell('NOTICE_SENT', {
    delivery_id: 'd-q-1',
    channel: 'web',
    recipient: 'ada',
    reason: 'reply_not_in_schema',
  })
  craft.later(5)
  tale.answered(tale.reply({ provider_message_id: 'm-1' }))
  new Directed(craft, tale).decided({ reason: 'the question was answered' })
  tale.rejected('already_resolved', { reply_id: 'r-q-1-late' })
  tale.tell('DELIVERY_CLOSED', { delivery_id: 'd-q-1', edited: true })
}

const LADDER: NonNullable<Body<'REQUEST_OPENED'>['terms']['ladder']> = [
  { after_seconds: 10, do: 'remind' },
  { after_seconds: 20, do: 'add', recipients: [{ user_id: 'bo', channels: ['web'], route: 'first' }] },
  { after_seconds: 30, do: 'next_channel' },
]

function climbedTale(craft: Craft): void {
  const tale = new Tale(craft, question({ question_id: 'q-10' }), 'q-10')
  tale.opened({ terms: { ...TERMS, ladder: LADDER } })
  const until = instant(craft.ms + 5_000)
  tale.tell('DELIVERY_HELD', { delivery_id: 'd-q-10', channel: 'web', recipient: 'ada', until })
  craft.later(5_000)
  tale.started()
  tale.sent()
  craft.later(6_000)
  const token_hash = hashed('reminder')
  tale.tell('REQUEST_REMINDED', { delivery_id: 'd-q-10', step: 0, token_hash })
  tale.rejected('automated_message')
  tale.tell('REQUEST_ESCALATED', { step: 1, do: 'add', to: ['bo'], early: 'out_of_office' })
  const second = { delivery_id: 'd-q-10-bo', recipient: 'bo', token_hash: hashed('bo') }
  tale.started(1, second)
  tale.sent(1, second)
  craft.later(20_000)
  tale.tell('REQUEST_ESCALATED', { step: 2, do: 'next_channel', to: ['ada'] })
  tale.answered(tale.reply({ receipts: { token_hash, received_at: craft.at } }))
  new Directed(craft, tale).decided({ reason: 'the question was answered' })
}

/** From ada to bo, by her own reply. */
export function handBy(tale: Tale, proof: Proof): Required<Body<'REQUEST_DELEGATED'>> {
  const reply_id = `r-${tale.id}-hand`
  return {
    from: 'ada',
    to: 'bo',
    by: 'person',
    reply_id,
    delivery_id: `d-${tale.id}`,
    channel: 'web',
    proof,
    grammar: GRAMMAR,
    raw_text_hash: sha256(saltOf(reply_id), 'DELEGATE bo'),
    token_hash: tale.token(),
  }
}

function handedTale(craft: Craft): void {
  const tale = new Tale(craft, question({ question_id: 'q-11' }), 'q-11').asked()
  const hand = handBy(tale, 'console')
  tale.received(tale.reply({ reply_id: hand.reply_id }), { event_hash: sha256(canonical(hand)) })
  tale.tell('REQUEST_DELEGATED', hand)
  tale.tell('REQUEST_DELEGATED', { from: 'bo', to: 'cy', by: 'away' })
  tale.tell('REQUEST_DELEGATED', { from: 'cy', to: 'bo', by: 'lane' })
  const second = { delivery_id: 'd-q-11-bo', recipient: 'bo', token_hash: hashed('bo-11') }
  tale.started(1, second)
  tale.sent(1, second)
  const receipts = { token_hash: second.token_hash, received_at: craft.at }
  const sender_identity = { user_id: 'bo', proof: 'console' } as const
  tale.answered(tale.reply({ delivery_id: second.delivery_id, sender_identity, receipts }))
  new Directed(craft, tale).decided({ reason: 'the question was answered' })
}

/** Answered with a passkey of their own, and handed on with one that an operator enrolled. */
function confirmedTales(craft: Craft): void {
  for (const [user_id, by] of [
    ['ada', 'person'],
    ['ada', 'operator'],
  ] as const)
    craft.put({ type: 'PASSKEY_REGISTERED', body: { user_id, credential_hash: hashed(`by ${by}`), by } })
  const answered = new Tale(craft, question({ question_id: 'q-13' }), 'q-13').asked()
  answered.confirmed(answered.reply().reply_id)
  answered.answered(answered.reply({ sender_identity: { user_id: 'ada', proof: 'passkey' } }))
  new Directed(craft, answered).decided({ reason: 'the question was answered' })
  const tale = new Tale(craft, question({ question_id: 'q-14' }), 'q-14').asked()
  const hand = handBy(tale, 'passkey_by_operator')
  tale.confirmed(hand.reply_id)
  tale.received(tale.reply({ reply_id: hand.reply_id }), { event_hash: sha256(canonical(hand)) })
  tale.tell('REQUEST_DELEGATED', hand)
  craft.put({
    type: 'PASSKEY_REVOKED',
    body: { user_id: 'ada', credential_hash: hashed('by operator'), by: 'operator' },
  })
}

const HALTED = { decision: 'HALT', reason: 'the default holds' } as const

function timedOutTales(craft: Craft): void {
  const unanswered = new Tale(craft, question({ question_id: 'q-2' }), 'q-2')
  const unreached = new Tale(craft, question({ question_id: 'q-3' }), 'q-3')
  unanswered.opened()
  unreached.opened()
  unanswered.started()
  unreached.started()
  unanswered.sent(1, { uncertain: true })
  unreached.sent()
  unreached.tell('DELIVERY_STATUS', { delivery_id: 'd-q-3', status: 'bounced', stands: false })
  craft.put({
    type: 'CLOCK_SUSPECT',
    body: { state: 'suspected', wall: instant(craft.ms + 3_600_000), expected: craft.at },
  })
  craft.later(60_000)
  craft.put({ type: 'CLOCK_SUSPECT', body: { state: 'cleared', wall: craft.at, expected: craft.at } })
  craft.put({ type: 'RECIPIENT_LINKED', body: { user_id: 'operator', channel: 'telegram' } })
  unanswered.timedOut('defaulted', { deliveries: [{ delivery_id: 'd-q-2', state: 'uncertain' }] })
  new Directed(craft, unanswered).decided(HALTED)
  unreached.timedOut('undelivered', { deliveries: [{ delivery_id: 'd-q-3', state: 'failed' }] })
  new Directed(craft, unreached).decided(HALTED)
}

function withdrawnTale(craft: Craft): void {
  const tale = new Tale(craft, question({ question_id: 'q-4' }), 'q-4')
  tale.opened()
  tale.registered()
  tale.started()
  tale.withdrawn()
  new Directed(craft, tale).decided(HALTED)
  // What became of a send that was under way is told whatever else has happened.
  tale.sent()
  const next_at = instant(craft.ms + 5_000)
  tale.called(1, { ok: false, status: 500, code: 'refused', final: false, next_at })
  craft.later(5_000)
  tale.called(2)
}

/** With a content that was shown in part, and has been erased since. */
function shownTale(craft: Craft): void {
  const text = `${'x'.repeat(400)}; DROP TABLE users`
  const handle = sha256(text)
  const tale = new Tale(craft, question({ question_id: 'q-shown', context_handles: [handle] }), 'q-shown')
  const opening = tale.opening({ contents: [{ handle, size: text.length, chars: text.length }] })
  const contents = rowsWithin([{ handle, name: null, size: text.length, text }], 200)
  tale.opened(opening)
  tale.started(1, { contents, display_hash: shownBy(opening, contents) })
  tale.sent()
  tale.withdrawn()
  new Directed(craft, tale).decided(HALTED)
  tale.tell('CONTENT_ERASED', { handle, by: 'key-2' })
}

function directedTales(craft: Craft): void {
  const spent = answeredApproval(craft, 'a-1')
  spent.decided()
  spent.issued()
  craft.later(1000)
  spent.spent()
  const revoked = answeredApproval(craft, 'a-2')
  revoked.decided({ decision: 'CHANGE_MOOD', mood: 'CALM', by: 'key-3' })
  revoked.issued()
  revoked.proposed({ field: 'assert', state: 'refused', by: 'key-3', reason: 'never' })
  revoked.revoked()
  const asked = new Tale(craft, question({ question_id: 'q-9' }), 'q-9').asked()
  asked.answered()
  const preference = new Directed(craft, asked)
  preference.decided({ reason: 'the question was answered' })
  preference.proposed()
}
