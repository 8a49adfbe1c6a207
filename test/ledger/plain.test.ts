// The short cut of verify against the schemas it stands in for.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flawOf } from '../../src/event.js'
import { isPlain } from '../../src/ledger/plain.js'
import { NEWEST_RULES, RULES } from '../../src/rules.js'
import { soundLedger } from './sound-ledger.js'

/** As a canonical line holds it: members in order. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, member]) => [key, ordered(member)]))
}

const bodies = soundLedger().entries.map(({ type, body }) => ({ type, body: ordered(body) }))

test('the bodies that fill a ledger are plain', () => {
  const slow = new Set(
    bodies.filter(({ type, body }) => !isPlain(type, body, NEWEST_RULES)).map(({ type }) => type),
  )
  expect([...slow].sort()).toEqual([
    'AHDB_DELTA',
    'CALLBACK_ATTEMPTED',
    'CALLBACK_REGISTERED',
    'CHECKPOINT_SIGNED',
    'CLOCK_SUSPECT',
    'CODES_RESTED',
    'CONTENT_ERASED',
    'DELIVERY_FAILED',
    'DELIVERY_HELD',
    'DELIVERY_STATUS',
    'DIRECTOR_DECIDED',
    'KEY_REVOKED',
    'KEY_ROTATED',
    'LANE_STARTED',
    'LEDGER_SEALED',
    'NOTICE_SENT',
    'OPERATOR_ACTED',
    'OUTBOUND_REQUEST_SENT',
    'PASSKEY_REGISTERED',
    'PASSKEY_REVOKED',
    'POLICY_TOKEN_ISSUED',
    'POLICY_TOKEN_REVOKED',
    'POLICY_TOKEN_SPENT',
    'RAW_ERASED',
    'RECIPIENT_AWAY',
    'RECIPIENT_LINKED',
    'REPLY_EVIDENCE',
    'REQUEST_DELEGATED',
    'REQUEST_ESCALATED',
    // With a ladder; without one it is plain.
    'REQUEST_OPENED',
    'REQUEST_REMINDED',
    'REQUEST_WITHDRAWN',
  ])
})

type Place = { readonly path: readonly string[]; readonly value: unknown }
function places(value: unknown, path: readonly string[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }]
  return [
    { path, value },
    ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key])),
  ]
}

type Edit = { readonly kind: 'set' | 'drop' | 'add'; readonly key: string; readonly value: unknown }
function edited(value: unknown, [key, ...rest]: readonly string[], edit: Edit): unknown {
  if (key === undefined) {
    if (edit.kind === 'add' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ...value, [edit.key]: edit.value }
    }
    return edit.kind === 'drop' ? undefined : edit.value
  }
  const member = edited((value as Record<string, unknown>)[key], rest, edit)
  if (Array.isArray(value))
    return member === undefined ? value.toSpliced(Number(key), 1) : value.with(Number(key), member)
  const { [key]: _, ...others } = value as Record<string, unknown>
  return member === undefined ? others : { ...others, [key]: member }
}

const words = ['', 'YES', 'a'.repeat(33), 'a'.repeat(257), 'web', 'console', 'HALT', 'answered', 'first']
const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    2 ** 53,
    [],
    {},
    [0],
    [0, 1],
    { text: 'a' },
    ...words,
  ),
  fc.jsonValue(),
)
const edits = fc.record({
  kind: fc.constantFrom<Edit['kind']>('set', 'drop', 'add'),
  key: fc.constantFrom(
    'answer',
    'default_action',
    'uncertain',
    'provider_message_id',
    'unit',
    'zz',
    'a',
    '__proto__',
  ),
  value: values,
})

test('a body that is plain has no flaw, whatever was done to it', () => {
  const property = fc.property(
    fc.constantFrom(...bodies),
    fc.array(fc.tuple(fc.nat(), edits), { minLength: 1, maxLength: 3 }),
    ({ type, body }, changes) => {
      let after: unknown = body
      for (const [at, edit] of changes) {
        const spots = places(after)
        after = edited(after, spots[at % spots.length]?.path ?? [], edit)
      }
      const read = JSON.parse(JSON.stringify(ordered(after)) ?? 'null')
      for (const rules of RULES) {
        if (isPlain(type, read, rules)) expect(flawOf(type, read, rules)).toBeNull()
      }
    },
  )
  fc.assert(property, { numRuns: 20_000 })
})
