// The ledger in the words of the system it comes from.
import { describe, expect, test } from 'vitest'
import { EVENT_TYPES, type EventType } from '../../src/event.js'
import { type ChoirEvent, envelopesOf, nameOf } from '../../src/interop/choir.js'
import { Craft } from '../ledger/craft.js'
import { Directed } from '../ledger/directed.js'
import { soundLedger } from '../ledger/sound-ledger.js'
import { question, Tale } from '../ledger/tale.js'

const { entries } = soundLedger()
const envelopes = entries.flatMap(envelopesOf)
const of = (type: EventType): ChoirEvent[] =>
  entries.filter(entry => entry.type === type).flatMap(envelopesOf)

describe('[LANE-084] every envelope', () => {
  test('has exactly the six fields, and a dot-delimited name in lower case', () => {
    expect(envelopes.length).toBeGreaterThanOrEqual(entries.length)
    for (const envelope of envelopes) {
      expect(Object.keys(envelope).sort()).toEqual(
        ['event_type', 'id', 'payload', 'source', 'timestamp', 'user_id'].sort(),
      )
      expect(envelope.event_type).toMatch(/^[a-z]+(\.[a-z]+)*$/)
      expect(envelope.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(['user', 'agent', 'system']).toContain(envelope.source)
      expect(Number.isSafeInteger(envelope.timestamp)).toBe(true)
      expect(envelope.user_id).not.toBe('')
    }
  })

  test('has an id of its own, the same each time', () => {
    expect(new Set(envelopes.map(({ id }) => id)).size).toBe(envelopes.length)
    expect(soundLedger().entries.flatMap(envelopesOf)).toEqual(envelopes)
  })

  test('bears the name the contract has for it', () => {
    expect(of('TIMEOUT_RECEIPT').map(({ event_type }) => event_type)).toContain('receipt.timeout')
    const names = Object.fromEntries(EVENT_TYPES.map(type => [type, nameOf(type)]))
    expect(names).toMatchObject({
      TIMEOUT_RECEIPT: 'receipt.timeout',
      HUMAN_REPLY_EVENT: 'human.reply.event',
      OUTBOUND_REQUEST_SENT: 'outbound.request.sent',
      INBOUND_REPLY_RECEIVED: 'inbound.reply.received',
    })
    for (const type of ['POLICY_TOKEN_ISSUED', 'POLICY_TOKEN_SPENT', 'POLICY_TOKEN_REVOKED'] as const) {
      expect(of(type)[0]).toMatchObject({
        event_type: 'receipt.policy.decision.tokens',
        payload: { state: type.slice(13).toLowerCase() },
      })
    }
    expect(new Set(of('REQUEST_OPENED').map(({ event_type }) => event_type))).toEqual(
      new Set(['note.request.help', 'request.opened']),
    )
  })

  test('says who it is about and whose doing it was', () => {
    expect(of('HUMAN_REPLY_EVENT')[0]).toMatchObject({ user_id: 'ada', source: 'user' })
    expect(of('OUTBOUND_REQUEST_SENT')[0]).toMatchObject({ user_id: 'ada', source: 'system' })
    expect(of('REQUEST_OPENED')[0]).toMatchObject({ user_id: 'key-1', source: 'agent' })
    const deciders = of('DIRECTOR_DECIDED').map(({ source }) => source)
    expect(deciders.filter(source => source === 'agent')).toHaveLength(1)
    expect(new Set(deciders)).toEqual(new Set(['system', 'agent']))
    expect(of('LANE_STARTED')[0]).toMatchObject({ user_id: 'lane', source: 'system' })
    expect(of('RECIPIENT_LINKED')[0]).toMatchObject({ user_id: 'operator', source: 'system' })
  })
})

describe('AHDB deltas', () => {
  function answeredBy(...fields: ['drive' | 'assert', 'proposed' | 'refused', string][]) {
    const craft = new Craft()
    const tale = new Tale(craft, question()).asked()
    tale.answered()
    const directed = new Directed(craft, tale)
    const delta = [{ question_id: 'q-1', question_text: 'Shall it?', answer: tale.answer() }]
    return fields.flatMap(([field, state, by]) => envelopesOf(directed.proposed({ field, state, by, delta })))
  }

  test('[LANE-085] an answered question is the receipt of a preference, and the delta it proposes', () => {
    const [preference, delta] = answeredBy(['drive', 'proposed', 'lane'])
    expect(preference).toMatchObject({
      event_type: 'receipt.preference.decision',
      user_id: 'ada',
      payload: { request_id: 'q-1', body: { delta: [{ answer: { parsed_choice: 'YES' } }] } },
    })
    expect(delta).toMatchObject({ event_type: 'receipt.ahdb.delta', user_id: 'ada' })
    expect(Object.keys(delta?.payload ?? {})).toEqual(['drive'])
    expect(Array.isArray(delta?.payload.drive)).toBe(true)
  })

  test('what a director prefers is nobody’s receipt', () => {
    expect(answeredBy(['drive', 'proposed', 'key-3']).map(({ event_type }) => event_type)).toEqual([
      'receipt.ahdb.delta',
    ])
  })

  test('IC1: what was refused does not leave under the name by which it would be applied', () => {
    const [refused, ...more] = answeredBy(['assert', 'refused', 'key-3'])
    expect(more).toEqual([])
    expect(refused?.event_type).toBe('ahdb.delta.refused')
    expect(refused?.payload).not.toHaveProperty('assert')
  })
})
