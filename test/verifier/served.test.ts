// A ledger as the lane of today writes it, through its own doors, in the eyes of both verifiers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { approval, type LaneUnderTest, question, review, startLane, UNLIMITED } from '../lane-under-test.js'
import { agreed, tampered } from './agreement.js'
import { entriesOf, excerptsOf } from './ledger.js'
import { maySkip, Second, without } from './second.js'

const OPTIONS = [
  { value: 'ship', label: 'Ship it – ausliefern' },
  { value: 'wait', label: 'Wait' },
  { value: 'drop', label: 'Drop it' },
]
/** A question of every kind, and a reply to each: refused, then taken. */
const KINDS: Readonly<
  Record<string, readonly [schema: Record<string, unknown>, refused: string, taken: string]>
> = {
  yes_no: [{ kind: 'yes_no' }, 'do not', 'No.'],
  choice: [{ kind: 'choice', options: OPTIONS }, 'D', 'b'],
  multi_choice: [{ kind: 'multi_choice', options: OPTIONS, min: 1, max: 2 }, 'a,b,c', 'drop, A'],
  text: [{ kind: 'text', max_chars: 40 }, 'see example.com', 'Der Zug kommt um 9, nicht früher'],
  number: [
    { kind: 'number', min: -1, max: 10, step: 0.1, unit: 'chips', lead: 'max spend' },
    '11',
    'max spend 0.3 chips',
  ],
  date: [{ kind: 'date', min: '2026-02-17' }, '2026-02-16', '2026-02-17T23:30:00-05:00'],
}
const DEEDS = ALL ? 1_000 : 100

async function everyKind(lane: LaneUnderTest): Promise<void> {
  for (const [kind, [reply_schema, refused, taken]] of Object.entries(KINDS)) {
    const id = `q-${kind}`
    await lane.submit(question(id, { reply_schema }))
    const link = await lane.link(id)
    expect((await lane.answer(link, refused)).status).toBe(422)
    expect((await lane.answer(link, taken)).status).toBe(200)
  }
}

async function everyEnding(lane: LaneUnderTest): Promise<void> {
  await lane.submit(review('r-silent', { deadline_seconds: 1 }))
  await lane.submit(approval('a-no'))
  await lane.answer(await lane.link('a-no'), 'no', 'WRNG')
  await lane.answer(await lane.link('a-no'), 'no')
  await lane.submit(question('q-withdrawn'))
  await lane.call('POST', '/v1/requests/q-withdrawn/withdraw', { body: { reason: 'überholt' } })
  const action = 'PUBLISH'
  const parameters = { artifact: `sha256:${'b'.repeat(64)}` }
  await lane.submit(approval('a-yes', { action, parameters }))
  await lane.answer(await lane.link('a-yes'), 'yes')
  const { decision } = (await lane.call('GET', '/v1/requests/a-yes')).json as {
    decision: { policy_token: string }
  }
  const body = { token: decision.policy_token, action, parameters, spend_id: 's-1' }
  expect((await lane.call('POST', '/v1/policy-tokens/spend', { body })).status).toBe(200)
  await lane.outcome('r-silent')
}

describe.skipIf(maySkip)(`a ledger written by this lane, judged by both verifiers${without}`, () => {
  let second: Second
  let lane: LaneUnderTest
  beforeAll(async () => {
    second = new Second()
    lane = await startLane({ config: UNLIMITED })
    await everyKind(lane)
    await everyEnding(lane)
    const key = lane.operatorKey
    await lane.call('POST', '/v1/requests/q-text/erase', { key })
    await lane.call('POST', '/v1/signing-keys/rotate', { key })
    lane = await lane.restart()
    await lane.submit(question('q-open'))
    await lane.link('q-open')
  })
  afterAll(async () => {
    second.end()
    await lane.close()
  })

  const exported = async (): Promise<string> =>
    (await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })).text

  test('holds', async () => {
    const text = await exported()
    expect(await agreed(second, Buffer.from(text), 'served')).toMatchObject({ ok: true, first: null })
  })

  test(`tampered with ${DEEDS} times, is told alike`, { timeout: 600_000 }, async () => {
    const bases = excerptsOf(entriesOf(await exported()), 20)
    const met = await tampered(second, bases, DEEDS)
    expect(met.size).toBeGreaterThan(10)
  })
})
