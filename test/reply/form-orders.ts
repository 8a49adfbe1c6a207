// Deeds about one form that race each other, and a second reading of what became of it, from the entries alone.
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Decision, FormSchema } from '../../src/compiler/reply-schema.js'
import type { Entry, EntryOf } from '../../src/event.js'
import type { Lane } from '../../src/lane/lane.js'
import { DEPUTY, fromSlack, OWNER } from '../lane/stage.js'

export const PEOPLE = [
  { user_id: 'owner', channels: ['slack'], route: 'first' },
  { user_id: 'deputy', channels: ['slack'], route: 'first' },
] as const
type Person = 'owner' | 'deputy'

const decision = fc.tuple(fc.constantFrom('approval', 'number'), fc.boolean())
const forms = fc.array(decision, { minLength: 1, maxLength: 4 }).map(
  (all): FormSchema => ({
    kind: 'form',
    decisions: all.map(
      ([type, required], at) => ({ id: `d${at}`, type, prompt: 'This', required }) as Decision,
    ),
  }),
)

type Deed =
  | { readonly kind: 'answer'; readonly by: Person; readonly lines: readonly number[]; readonly yes: boolean }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'time' }
const answers = fc.record({
  kind: fc.constant('answer' as const),
  by: fc.constantFrom<Person>('owner', 'deputy'),
  lines: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }),
  yes: fc.boolean(),
})
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: answers },
  { weight: 1, arbitrary: fc.constant({ kind: 'withdraw' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'time' as const }) },
)
export const races = fc.record({ form: forms, deeds: fc.array(deed, { minLength: 1, maxLength: 6 }) })

/** The words of an answer; lines beyond the form's end fall away, and one line always stands. */
export function wordsOf(
  { decisions }: FormSchema,
  { lines, yes }: Extract<Deed, { kind: 'answer' }>,
): string {
  const named = [...new Set(lines.map(line => line % decisions.length))]
  return named
    .map(at => `d${at} ${decisions[at]?.type === 'number' ? (yes ? 1 : 2) : yes ? 'yes' : 'no'}`)
    .join('\n')
}

export async function perform(
  lane: Lane,
  requestId: string,
  form: FormSchema,
  handle: (person: Person) => string,
  deed: Exclude<Deed, { kind: 'time' }>,
): Promise<void> {
  if (deed.kind === 'withdraw') return void (await lane.withdraw(requestId, 'enough', 'key-1'))
  const sender = deed.by === 'owner' ? OWNER : DEPUTY
  const told = await lane.answer(fromSlack(handle(deed.by), wordsOf(form, deed), { sender }))
  expect(['accepted', 'rejected']).toContain(told.kind)
}

export const isOf =
  <T extends Entry['type']>(type: T) =>
  (entry: Entry): entry is EntryOf<T> =>
    entry.type === type

/** Exactly one outcome, and it is the one that the accepted replies, in their order, come to. */
export function checkStory(form: FormSchema, story: readonly Entry[]): string {
  const endings = story.filter(isOf('REQUEST_RESOLVED'))
  expect(endings).toHaveLength(1)
  const [ending] = endings
  const first = new Map<string, { by: string; seq: number }>()
  const required = new Set(form.decisions.flatMap(({ id, required }) => (required ? [id] : [])))
  const counted: number[] = []
  for (const { seq, body } of story.filter(isOf('HUMAN_REPLY_EVENT'))) {
    const payload = body.parsed_payload
    if (payload === null || !('decisions' in payload)) throw new Error('not a form')
    counted.push(seq)
    for (const { decision_id } of payload.decisions) {
      expect(first.has(decision_id)).toBe(false)
      first.set(decision_id, { by: body.sender_identity.user_id, seq })
      required.delete(decision_id)
    }
    const isEnough = required.size === 0
    expect(ending?.seq === seq + 1).toBe(isEnough)
  }
  const isAnswered = first.size > 0 && required.size === 0
  expect(ending?.body.outcome === 'answered').toBe(isAnswered)
  if (!isAnswered) expect(ending?.body.answer).toBeUndefined()
  else {
    expect(ending?.body.causes).toEqual(counted)
    const payload = ending?.body.answer?.parsed_payload
    if (payload == null || !('decisions' in payload)) throw new Error('no decisions')
    expect(payload.decisions.map(one => [one.decision_id, one.answered_by])).toEqual(
      form.decisions.flatMap(({ id }) => (first.has(id) ? [[id, first.get(id)?.by]] : [])),
    )
  }
  return ending?.body.outcome ?? 'none'
}
