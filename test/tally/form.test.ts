// The tally of a form against an oracle written apart from it: replies in any order, decisions named again, defaults.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Decision } from '../../src/compiler/reply-schema.js'
import { type Counted, tally } from '../../src/tally/tally.js'
import { verdictOf } from '../../src/tally/verdict.js'

const IDS = ['d0', 'd1', 'd2', 'd3'] as const
const forms = fc.array(fc.tuple(fc.constantFrom('approval', 'number'), fc.boolean(), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
})
const decisionOf = ([type, required, hasDefault]: [string, boolean, boolean], at: number): Decision =>
  ({
    id: IDS[at],
    type,
    prompt: 'This',
    required,
    ...(hasDefault && { default: type === 'number' ? 7 : true }),
  }) as Decision

type Said = { readonly by: string; readonly lines: readonly [number, boolean][] }
const said: fc.Arbitrary<Said> = fc.record({
  by: fc.constantFrom('ada', 'bo'),
  lines: fc.uniqueArray(fc.tuple(fc.nat(3), fc.boolean()), {
    minLength: 1,
    maxLength: 4,
    selector: ([at]) => at,
  }),
})

const countedOf =
  (decisions: readonly Decision[]) =>
  ({ by, lines }: Said, index: number): Counted =>
    ({
      seq: 10 + 2 * index,
      at: `2026-02-17T14:00:0${index}.000Z`,
      event_hash: `sha256:${'0'.repeat(64)}`,
      reply: {
        channel: 'slack',
        sender_identity: { user_id: by, proof: 'slack_signed' },
        parsed_choice: null,
        parsed_payload: {
          decisions: lines.flatMap(([at, yes]) => {
            const { id: decision_id, type } = decisions[at] ?? {}
            if (decision_id === undefined) return []
            return [type === 'number' ? { decision_id, value: yes ? 1 : 2 } : { decision_id, approved: yes }]
          }),
        },
      },
    }) as unknown as Counted

/** From the last reply back to the first, so that whoever came first is written last. */
function oracle(decisions: readonly Decision[], replies: readonly Counted[], takesDefaults: boolean) {
  const standing: Record<string, { who: string | null; what: unknown; seq: number }> = {}
  for (const { seq, reply } of [...replies].reverse()) {
    const { decisions: lines } = reply.parsed_payload as unknown as { decisions: Record<string, unknown>[] }
    for (const { decision_id, approved, value } of lines)
      standing[String(decision_id)] = { who: reply.sender_identity.user_id, what: approved ?? value, seq }
  }
  const said = decisions.filter(({ id }) => standing[id] !== undefined)
  if (said.length === 0 || decisions.some(({ id, required }) => required && standing[id] === undefined))
    return null
  const rows = decisions.flatMap(({ id, type, required, default: fallback }) => {
    const own = standing[id]
    if (own !== undefined) return [[id, own.what, own.who]]
    return takesDefaults && !required && type !== 'approval' && fallback !== undefined
      ? [[id, fallback, null]]
      : []
  })
  return { rows, causes: [...new Set(said.map(({ id }) => standing[id]?.seq ?? 0))].sort((a, b) => a - b) }
}

describe('the tally of a form', () => {
  it('equals the oracle over every order, and is open until every required decision is answered', () => {
    fc.assert(
      fc.property(forms, fc.array(said, { maxLength: 5 }), fc.boolean(), (shape, all, takesDefaults) => {
        const decisions = shape.map(decisionOf)
        const replies = all.map(countedOf(decisions)).filter(({ reply }) => {
          const payload = reply.parsed_payload
          return payload !== null && 'decisions' in payload && payload.decisions.length > 0
        })
        const policy = takesDefaults ? { take_defaults: true as const } : {}
        const come = tally({
          request: { reply_schema: { kind: 'form', decisions } },
          terms: { policy },
          replies,
        })
        const expected = oracle(decisions, replies, takesDefaults)
        if (expected === null) return void expect(come.kind).toBe('open')
        if (come.kind !== 'decided') throw new Error('not decided')
        const payload = come.answer.parsed_payload
        if (payload === null || !('decisions' in payload)) throw new Error('no decisions')
        const rows = payload.decisions.map(one => [
          one.decision_id,
          'approved' in one ? one.approved : 'value' in one ? one.value : one.selected,
          one.answered_by,
        ])
        expect(rows).toEqual(expected.rows)
        expect(come.causes).toEqual(expected.causes)
        expect(come.answer.answered_by).toBe(replies.at(-1)?.reply.sender_identity.user_id)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives an approval only where a person approved every one', () => {
    const by = {
      answered_by: 'ada',
      channel: 'slack',
      proof: 'slack_signed',
      at: '2026-02-17T14:00:00.000Z',
    } as const
    const verdict = (...approved: boolean[]) =>
      verdictOf({
        parsed_choice: null,
        parsed_payload: {
          decisions: approved.map((one, at) => ({ decision_id: `d${at}`, approved: one, ...by })),
        },
      })
    expect([verdict(true), verdict(true, true), verdict(true, false), verdict(false)]).toEqual([
      'given',
      'given',
      'refused',
      'refused',
    ])
    const choice = { decision_id: 'c', selected: 'YES', ...by }
    expect(verdictOf({ parsed_choice: null, parsed_payload: { decisions: [choice] } })).toBe('none')
  })
})
