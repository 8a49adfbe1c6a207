// Two hundred artifacts, each with something wrong, missing or strange: every one is taken or refused with its place.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { agent, artifactOf, CONFIG, fieldsOf, type Json, sectionedOf } from './scene.js'

const MANY = 200

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())
const { post } = agent(() => lane)

/** The same two hundred each time: Park and Miller's generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return sides => {
    state = (state * 48_271) % 2_147_483_647
    return state % sides
  }
}

const STRANGE: readonly unknown[] = [
  null,
  '',
  ' ',
  'x'.repeat(3000),
  'a\u202eb',
  'two\nlines',
  '<script>alert(1)</script>',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '99999999999h',
  0,
  -1,
  1.5,
  1e308,
  true,
  false,
  [],
  {},
  [[[]]],
  [null],
  { id: {}, type: [], prompt: 1 },
]

type Place = readonly (string | number)[]
function placesIn(value: unknown, path: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [path]
  const names = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [path, ...[...names].flatMap(name => placesIn((value as Json)[name as string], [...path, name]))]
}

/** Put in its place, taken away, put twice, or joined by a member nobody knows. */
function mutate(artifact: Json, roll: (sides: number) => number): unknown {
  const places = placesIn(artifact).slice(1)
  const place = places[roll(places.length)] ?? []
  const copy = structuredClone(artifact)
  const name = place.at(-1) as string
  const holder = place.slice(0, -1).reduce<Json>((at, one) => at[one] as Json, copy)
  switch (roll(5)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(name), 1)
      else delete holder[name]
      return copy
    case 1:
      if (Array.isArray(holder)) holder.push(structuredClone(holder[Number(name)]))
      else holder[`${name}_too`] = 'a member nobody knows'
      return copy
    default:
      holder[name] = STRANGE[roll(STRANGE.length)]
      return copy
  }
}

/** Whether a pointer leads into the artifact, or to a member that is missing from an object in it. */
function leadsInto(artifact: unknown, pointer: string): boolean {
  const names = pointer
    .split('/')
    .slice(1, -1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  let at: unknown = artifact
  for (const name of names) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false
    at = (at as Json)[name]
  }
  return true
}

test('each is taken, passed over, or refused by the JSON pointer of a place in it; none is a fault of the lane', async () => {
  const roll = dice(20_260_216)
  const seen = new Map<number, number>()
  for (let turn = 0; turn < MANY; turn++) {
    const whole = turn % 4 === 3 ? sectionedOf(`mutant-${turn}`) : artifactOf(`mutant-${turn}`)
    const mutant = mutate(JSON.parse(JSON.stringify(whole)), roll)
    const answer = await post(mutant)
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    expect([turn, [201, 204, 422].includes(answer.status), answer.text]).toEqual([
      turn,
      true,
      expect.any(String),
    ])
    if (answer.status !== 422) continue
    expect([turn, answer.json.code, answer.text]).toEqual([turn, 'invalid_request', expect.any(String)])
    const fields = fieldsOf(answer)
    expect(fields.length).toBeGreaterThan(0)
    for (const field of fields)
      expect([turn, field, field.startsWith('/') && leadsInto(mutant, field)]).toEqual([turn, field, true])
  }
  expect([seen.get(201) ?? 0, seen.get(422) ?? 0].every(count => count > 20)).toBe(true)
  expect((await lane.call('GET', '/readyz', { key: null })).json).toMatchObject({ status: 'ready' })
})
