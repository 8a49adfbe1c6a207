// Well-formed requests of every type, each with every kind of reply.
import fc from 'fast-check'
import { DEFAULT_ACTIONS, LENSES } from '../../src/request/request.js'

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/)
const fixed = fc.stringMatching(/^[0-9a-f]{64}$/).map(hex => `sha256:${hex}`)
const named = fc.stringMatching(/^(doc|receipt|diff|run|artifact):[A-Za-z0-9._-]{1,30}$/)
const handles = (minLength: number) => fc.array(fc.oneof(fixed, named), { minLength, maxLength: 20 })
const line = fc.stringMatching(/^[A-Za-zéß漢字](?: ?[A-Za-zéß漢字.,!]){0,60}$/)
const label = fc.stringMatching(/^[A-Za-zé](?: ?[A-Za-zé]){0,30}$/)
const options = fc
  .uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_-]{1,10}$/), { minLength: 2, maxLength: 26 })
  .chain(values => fc.tuple(...values.map(value => label.map(text => ({ value, label: text })))))
const bounds = fc
  .tuple(fc.integer({ min: -9999, max: 9999 }), fc.nat(9999))
  .map(([min, span]) => ({ min, max: min + span }))

const replySchema = fc.oneof(
  fc.constant({ kind: 'yes_no' }),
  options.map(list => ({ kind: 'choice', options: list })),
  options.map(list => ({ kind: 'multi_choice', options: list, min: 1, max: list.length })),
  fc.integer({ min: 1, max: 500 }).map(max_chars => ({ kind: 'text', max_chars })),
  bounds.map(both => ({ kind: 'number', ...both, unit: 'chips' })),
  fc.constant({ kind: 'date', min: '2026-01-01' }),
)
const common = {
  deadline_seconds: fc.integer({ min: 1, max: 2_592_000 }),
  default_action: fc.constantFrom(...DEFAULT_ACTIONS),
  reply_schema: replySchema,
}
export const request = fc.oneof(
  fc.record({
    type: fc.constant('REQUEST_QUESTION'),
    question_id: id,
    question_text: line.map(text => `${text}?`),
    impact: line,
    context_handles: handles(0),
    ...common,
  }),
  fc.record({
    type: fc.constant('REQUEST_REVIEW'),
    review_id: id,
    target_handles: handles(1),
    lens: fc.constantFrom(...LENSES),
    ...common,
  }),
  fc.record({
    type: fc.constant('REQUEST_APPROVAL'),
    approval_id: id,
    action: fc.constantFrom('PUBLISH', 'PROMOTE', 'EXPORT'),
    parameters: fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,8}$/), fixed, {
      minKeys: 1,
      maxKeys: 20,
    }),
    ...common,
    default_action: fc.constantFrom('DENY', 'HALT', 'QUARANTINE_OUTPUTS'),
    reply_schema: fc.constant({ kind: 'yes_no' }),
  }),
)
