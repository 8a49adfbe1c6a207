// The ledger in the words of the system this lane comes from: one envelope of six fields for each event, under
// lower-case, dot-delimited names. A view: it is made from entries alone, the same ones give the same envelopes, and
// nothing is ever read back from it.
//
// IC1  A refused AHDB delta never leaves under the name by which a projection would apply it.
// IC2  The id is derived from the entry's hash, so a second export of the same entry is recognised.
import { type Hash, sha256 } from '../canonical.js'
import { type Entry, type EntryOf, type EventType, LANE } from '../event.js'

type Source = 'user' | 'agent' | 'system'
export type ChoirEvent = {
  readonly id: string
  /** Unix milliseconds. */
  readonly timestamp: number
  readonly user_id: string
  readonly source: Source
  readonly event_type: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Most entries are one envelope; an answered question is also the receipt of a preference. */
export function envelopesOf(entry: Entry): readonly ChoirEvent[] {
  return told(entry).map(([event_type, payload]) => ({
    id: uuidOf(entry.hash, event_type),
    timestamp: Date.parse(entry.at),
    user_id: userOf(entry),
    source: sourceOf(entry),
    event_type,
    payload,
  }))
}

type Told = readonly [event_type: string, payload: Readonly<Record<string, unknown>>]

function told(entry: Entry): readonly Told[] {
  switch (entry.type) {
    case 'REQUEST_OPENED':
      return [[OPENED[entry.body.request.type], linked(entry)]]
    case 'AHDB_DELTA':
      return toldDelta(entry)
    case 'POLICY_TOKEN_ISSUED':
    case 'POLICY_TOKEN_SPENT':
    case 'POLICY_TOKEN_REVOKED':
      return [['receipt.policy.decision.tokens', { ...linked(entry), state: stateOf(entry.type) }]]
    default:
      return [[nameOf(entry.type), linked(entry)]]
  }
}

const OPENED = {
  REQUEST_QUESTION: 'note.request.help',
  REQUEST_REVIEW: 'note.request.verify',
  REQUEST_APPROVAL: 'request.opened',
} as const

const stateOf = (type: string): string => type.slice(type.lastIndexOf('_') + 1).toLowerCase()

/** `X_RECEIPT` is `receipt.x`; any other name keeps its order, in lower case, with dots. */
export function nameOf(type: EventType): string {
  const words = type.toLowerCase().split('_')
  return (words.at(-1) === 'receipt' ? ['receipt', ...words.slice(0, -1)] : words).join('.')
}

/** A delta is the bare object a projection applies; a refused one goes under a name it does not know (IC1). */
function toldDelta(entry: EntryOf<'AHDB_DELTA'>): readonly Told[] {
  const { field, state, delta } = entry.body
  if (state === 'refused') return [['ahdb.delta.refused', linked(entry)]]
  const applied: Told = ['receipt.ahdb.delta', { [field]: delta }]
  const preference = field === 'drive' && entry.body.by === LANE
  return preference ? [['receipt.preference.decision', linked(entry)], applied] : [applied]
}

/** The entry's body, with the members that lead back to it. */
const linked = ({ seq, hash, request_id, run_id, body }: Entry) => ({
  ...(request_id !== undefined && { request_id }),
  ...(run_id !== undefined && { run_id }),
  entry: { seq, hash },
  body,
})

/** The person, if there is one; else the key that acted, or the lane. */
function userOf(entry: Entry): string {
  if (entry.type === 'AHDB_DELTA') return answererOf(entry) ?? entry.body.by
  const { body } = entry
  if ('sender_identity' in body) return body.sender_identity.user_id
  if ('recipient' in body) return body.recipient
  if ('user_id' in body) return body.user_id
  if ('answer' in body && body.answer !== undefined) return body.answer.answered_by
  if ('opened_by' in body) return body.opened_by
  return 'by' in body ? body.by : LANE
}

function answererOf({ body }: EntryOf<'AHDB_DELTA'>): string | null {
  const [item] = body.delta as readonly { readonly answer?: { readonly answered_by?: unknown } }[]
  const by = body.by === LANE ? item?.answer?.answered_by : undefined
  return typeof by === 'string' ? by : null
}

const BY_PEOPLE: ReadonlySet<EventType> = new Set([
  'INBOUND_REPLY_RECEIVED',
  'HUMAN_REPLY_EVENT',
  'INBOUND_REPLY_REJECTED',
])
const BY_AGENTS: ReadonlySet<EventType> = new Set([
  'REQUEST_OPENED',
  'REQUEST_WITHDRAWN',
  'POLICY_TOKEN_SPENT',
])

function sourceOf({ type, body }: Entry): Source {
  if (BY_PEOPLE.has(type)) return 'user'
  const outside = (type === 'DIRECTOR_DECIDED' || type === 'AHDB_DELTA') && 'by' in body && body.by !== LANE
  return BY_AGENTS.has(type) || outside ? 'agent' : 'system'
}

/** UUID version 8 (RFC 9562): 122 bits of a hash of our own. */
function uuidOf(hash: Hash, eventType: string): string {
  const hex = sha256('lane/choir/v1\n', hash, '\n', eventType).slice(7)
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
