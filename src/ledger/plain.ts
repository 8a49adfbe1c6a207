// The types that fill a ledger have bodies that are nearly always plain (../shortcut.ts). The schemas are those of
// event.ts, by the rules an entry was written under.

import { DELTA_CHARS, DELTA_ITEMS, type EventType, FIRST_PROOFS, flawOf, OUTCOMES } from '../event.js'
import { REASONS_OF } from '../reason.js'
import { CHANNELS, PROOFS } from '../request/channel.js'
import { DEFAULT_ACTIONS } from '../request/request.js'
import { URGENCIES } from '../request/terms.js'
import type { Rules } from '../rules.js'
import { fits, type Is, isCount, isHash, isName, oneOf, type Plain, plain } from '../shortcut.js'

const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isAt: Is = value => typeof value === 'string' && AT.test(value)
const isAttempt: Is = value => isCount(value) && value !== 0
const isFlag: Is = value => typeof value === 'boolean'
const isNull: Is = value => value === null
const isChoice: Is = value => value === null || (typeof value === 'string' && value.length <= 32)
const isDelta: Is = value =>
  Array.isArray(value) && value.length <= DELTA_ITEMS && JSON.stringify(value).length <= DELTA_CHARS
const listOf =
  (is: Is, atMost: number): Is =>
  value =>
    Array.isArray(value) && value.length <= atMost && value.every(is)

const object = (members: Readonly<Record<string, Is>>): Is => {
  const shape = plain(members)
  return value => fits(shape, value)
}

const channel = oneOf(...CHANNELS)
const default_action = oneOf(...DEFAULT_ACTIONS)
const attempted = { delivery_id: isName, attempt: isAttempt, channel, recipient: isName }
const claimed = { ...attempted, token_hash: isHash, display_hash: isHash, lease_until: isAt }
const about = { reply_id: isName, delivery_id: isName, channel }
const parsed = { parsed_choice: isChoice, parsed_payload: isNull }
/** More than the deliveries any request plans; longer lists are left to the schema. */
const MANY = 100

const recipient = plain({
  user_id: isName,
  channels: value => Array.isArray(value) && value.length > 0 && value.every(one => channel(one)),
  route: oneOf('first', 'all'),
})
const run = plain({ run_id: isName, mood: isName, work_item_id: isName }, ['work_item_id'])
const typed = oneOf('REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL')
const isTyped: Is = value =>
  typeof value === 'object' && value !== null && 'type' in value && typed(value.type)

const opened = {
  request: isTyped,
  request_hash: isHash,
  run: (value: unknown) => fits(run, value),
  recipients: (value: unknown) =>
    Array.isArray(value) && value.length > 0 && value.every(one => fits(recipient, one)),
  envelope_hash: isHash,
  deadline_at: isAt,
  opened_by: isName,
}
/** Terms with nothing but policy in them; others are left to the schema. */
const terms = object({
  urgency: oneOf(...URGENCIES),
  policy: object({ proofs: listOf(oneOf(...PROOFS), MANY) }),
})

type PlainBodies = Readonly<Partial<Record<EventType, Plain>>>

function commonBodies(reasons: readonly string[], proofs: readonly string[]) {
  const reason = oneOf(...reasons)
  const proof = oneOf(...proofs)
  const token_validation = listOf(object({ check: reason, ok: isFlag }), reasons.length)
  const rejected = { ...about, reason, token_validation, raw_text_hash: isHash }
  const shapes = {
    REQUEST_OPENED: plain(opened),
    DELIVERY_STARTED: plain(claimed),
    OUTBOUND_REQUEST_SENT: plain({ ...attempted, request_hash: isHash, token_hash: isHash }),
    DELIVERY_CLOSED: plain({ delivery_id: isName, edited: isFlag }),
    INBOUND_REPLY_RECEIVED: plain({ ...about, token_validation, event_hash: isHash }),
    HUMAN_REPLY_EVENT: plain(
      {
        ...about,
        ...parsed,
        request_id: isName,
        sender_identity: object({ user_id: isName, proof }),
        provider_message_id: isName,
        raw_text_hash: isHash,
        grammar: isName,
        receipts: object({ token_hash: isHash, received_at: isAt }),
      },
      ['provider_message_id'],
    ),
    INBOUND_REPLY_REJECTED: plain(rejected),
    TIMEOUT_RECEIPT: plain({
      request_hash: isHash,
      default_action,
      deadline_at: isAt,
      fired_at: isAt,
      deliveries: listOf(object({ delivery_id: isName, state: isName }), MANY),
    }),
    REQUEST_RESOLVED: plain(
      {
        outcome: oneOf(...OUTCOMES),
        causes: value => Array.isArray(value) && value.length === 1 && isCount(value[0]),
        answer: object({ ...parsed, answered_by: isName, channel, proof, at: isAt }),
        default_action,
      },
      ['answer', 'default_action'],
    ),
    // A change of mood has one member more and is left to the schema.
    DIRECTOR_DECIDED: plain({
      decision: oneOf('CONTINUE', 'SPLIT', 'HALT'),
      reason: isName,
      because: isCount,
      by: isName,
    }),
    AHDB_DELTA: plain({
      field: oneOf('drive', 'believe'),
      state: oneOf('proposed'),
      delta: isDelta,
      because: isCount,
      by: isName,
    }),
  } satisfies PlainBodies
  return { proof, rejected, shapes }
}

const first = commonBodies(REASONS_OF['1'], FIRST_PROOFS)
const second = commonBodies(REASONS_OF['2'], PROOFS)

const orNull =
  (is: Is): Is =>
  value =>
    value === null || is(value)
const someOf =
  (is: Is): Is =>
  value =>
    Array.isArray(value) && value.length > 0 && value.every(one => is(one))
const held = object({ handle: isHash, size: isCount, chars: orNull(isCount) })
const isRange: Is = value => Array.isArray(value) && value.length === 2 && value.every(isCount)
const shownContent = object({
  handle: isHash,
  name: orNull(isName),
  chars: orNull(isCount),
  shown: listOf(isRange, 2),
  shown_hash: isHash,
  whole: isFlag,
})

const PLAIN_OF: Readonly<Record<Rules, PlainBodies>> = {
  '1': first.shapes,
  '2': {
    ...second.shapes,
    REQUEST_OPENED: plain({ ...opened, asked_by: isName, terms, contents: someOf(held) }, ['contents']),
    // A delivery that announces has one member more and is left to the schema.
    DELIVERY_STARTED: plain({ ...claimed, kid: isName, contents: someOf(shownContent) }, ['contents']),
    INBOUND_REPLY_REJECTED: plain({ ...second.rejected, grammar: isName, proof: second.proof }),
  },
}

/** The first reason a body is not of its type, or null: by the short cut if the body is plain, else by the schema. */
export const flawOfBody = (type: string, body: unknown, rules: Rules): string | null =>
  isPlain(type, body, rules) ? null : flawOf(type, body, rules)

/** True only for a body in which its schema finds no flaw. */
export function isPlain(type: string, body: unknown, rules: Rules): boolean {
  const shapes = PLAIN_OF[rules]
  const shape = Object.hasOwn(shapes, type) ? shapes[type as EventType] : undefined
  return shape !== undefined && fits(shape, body)
}
