// A sound ledger with every kind of ending, and with the entries that may still come after one.
import { instant } from '../../src/clock.js'
import { GENESIS } from '../../src/ledger/entry.js'
import { Craft, started } from './craft.js'
import { answeredApproval, Directed } from './directed.js'
import { question, Tale } from './tale.js'

export function soundLedger(): Craft {
  const craft = new Craft()
  craft.put(started)
  craft.put({ type: 'LEDGER_SEALED', body: { size: 0, hash: GENESIS } })
  craft.put({ type: 'KEY_ROTATED', body: { kid: 'k-1', purpose: 'reply', not_before: craft.at } })
  answeredTale(craft)
  timedOutTales(craft)
  withdrawnTale(craft)
  directedTales(craft)
  craft.put({ type: 'RAW_ERASED', body: { reply_id: 'r-q-1', by: 'key-2' } })
  craft.put({ type: 'KEY_REVOKED', body: { kid: 'k-1', by: 'key-2' } })
  craft.put({
    type: 'CODES_RESTED',
    body: { user_id: 'ada', channel: 'sms', until: instant(craft.ms + 900_000) },
  })
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
