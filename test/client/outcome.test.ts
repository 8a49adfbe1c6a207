// Asking from a program, of a whole lane with a real page: each outcome is a value of its own, and none is lost.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Lane } from '../../src/client/index.js'
import { type LaneUnderTest, startLane, UNLIMITED } from '../lane-under-test.js'

const COMMON = {
  impact: 'Decides what is done next',
  deadlineSeconds: 600,
  default: 'HALT',
  to: ['operator'],
} as const
const YES_NO = { kind: 'yes_no' } as const
const REGIONS = {
  kind: 'choice',
  options: [
    { value: 'eu', label: 'Europe' },
    { value: 'us', label: 'United States' },
  ],
} as const

describe('a request from a program', () => {
  let gateway: LaneUnderTest
  let lane: Lane
  beforeAll(async () => {
    gateway = await startLane({ config: UNLIMITED })
    lane = connect({ url: `${gateway.url}/`, key: gateway.agentKey })
  })
  afterAll(() => gateway.close())

  const reply = async (id: string, text: string | readonly string[]): Promise<void> => {
    expect((await gateway.answer(await gateway.link(id), text)).status).toBe(200)
  }

  test('is answered in the types of its schema, with who, how and when', async () => {
    const asked = lane.ask({ ...COMMON, question: 'Which region first?', reply: REGIONS })
    await reply(asked.id, 'B')
    const outcome = await asked.wait()
    expect(outcome).toMatchObject({
      kind: 'answered',
      answer: 'us',
      by: 'operator',
      channel: 'web',
      proof: 'console',
    })
    expect(outcome.id).toBe(asked.id)
  })

  test.each([
    [YES_NO, 'n', 'NO'],
    [{ kind: 'multi_choice', options: REGIONS.options, min: 1, max: 2 } as const, 'us, eu', ['eu', 'us']],
    [{ kind: 'text', max_chars: 40 } as const, 'after the audit', 'after the audit'],
    [{ kind: 'number', min: 1, max: 100, unit: 'chips' } as const, '50 chips', 50],
    [{ kind: 'date' } as const, '2026-02-17', '2026-02-17'],
  ])('%o answered %s is %o', async (schema, said, meant) => {
    const asked = lane.ask({ ...COMMON, question: 'What now?', reply: schema })
    await reply(asked.id, said)
    expect(await asked.wait()).toMatchObject({ kind: 'answered', answer: meant })
  })

  test('a review and an approval are asked in the same way', async () => {
    const target = await lane.putContent('diff --git a b')
    const review = lane.review({ ...COMMON, targets: [target], lens: 'security', reply: YES_NO })
    const approval = lane.approve({
      ...COMMON,
      default: 'DENY',
      action: 'PUBLISH',
      parameters: { artifact: target },
    })
    await reply(review.id, 'yes')
    await reply(approval.id, 'no')
    expect(await review.wait()).toMatchObject({ kind: 'answered', answer: 'YES' })
    expect(await approval.wait()).toMatchObject({ kind: 'answered', answer: 'NO' })
  })

  test('YES to an approval gives a right that holds for exactly this, and is spent once', async () => {
    const parameters = { artifact: await lane.putContent('the page') }
    const asked = lane.approve({ ...COMMON, default: 'DENY', action: 'PUBLISH', parameters })
    await reply(asked.id, 'yes')
    const outcome = await asked.wait()
    const token = outcome.kind === 'answered' ? (outcome.policyToken ?? '') : ''
    expect(await lane.assertApproved(token, 'PUBLISH', parameters)).toMatchObject({
      req: asked.id,
      act: 'PUBLISH',
    })
    await expect(lane.assertApproved(token, 'EXPORT', parameters)).rejects.toMatchObject({
      code: 'action_mismatch',
    })
    const other = { artifact: await lane.putContent('another page') }
    await expect(lane.assertApproved(token, 'PUBLISH', other)).rejects.toMatchObject({
      code: 'parameters_mismatch',
    })
    const spending = { token, action: 'PUBLISH', parameters, spendId: 'first' }
    expect(await lane.spend({ ...spending, parameters: other })).toMatchObject({ code: 'policy_mismatch' })
    const spent = await lane.spend(spending)
    expect(spent.kind).toBe('spent')
    expect(await lane.spend(spending)).toEqual(spent)
    expect(await lane.spend({ ...spending, spendId: 'second' })).toMatchObject({
      kind: 'not_spent',
      code: 'already_spent',
    })
  })

  test('nobody answered: defaulted, with the default that holds', async () => {
    const asked = lane.ask({ ...COMMON, question: 'Is anybody there?', reply: YES_NO, deadlineSeconds: 1 })
    expect(await asked.wait()).toMatchObject({ kind: 'defaulted', defaultAction: 'HALT' })
  })

  test('taken back: withdrawn; taken back too late: the answer stands', async () => {
    const open = lane.ask({ ...COMMON, question: 'Still needed?', reply: YES_NO })
    expect(await open.withdraw('no longer needed')).toMatchObject({ kind: 'withdrawn' })
    expect(await open.wait()).toMatchObject({ kind: 'withdrawn' })
    const answered = lane.ask({ ...COMMON, question: 'Fast enough?', reply: YES_NO })
    await reply(answered.id, 'yes')
    expect(await answered.withdraw('too slow')).toMatchObject({ kind: 'answered', answer: 'YES' })
  })

  test('what the lane does not admit is refused with its fields, and nobody was asked', async () => {
    const asked = lane.ask({ ...COMMON, id: 'two', question: 'Ship? Or wait?', reply: YES_NO })
    const outcome = await asked.wait()
    expect(outcome).toMatchObject({ kind: 'refused', code: 'invalid_request' })
    expect(outcome.kind === 'refused' && outcome.errors[0]?.field).toBe('/request/question_text')
    expect(await gateway.story('two')).toEqual([])
  })

  test('the same id again is the same request, and another question under it is refused', async () => {
    const draft = { ...COMMON, id: 'once', question: 'Ship it?', reply: YES_NO }
    const [first, second] = [lane.ask(draft), lane.ask(draft)]
    await reply('once', 'yes')
    expect([(await first.wait()).kind, (await second.wait()).kind]).toEqual(['answered', 'answered'])
    expect((await gateway.story('once')).filter(({ type }) => type === 'REQUEST_OPENED')).toHaveLength(1)
    expect(await lane.ask({ ...draft, question: 'Stop it?' }).wait()).toMatchObject({
      kind: 'refused',
      code: 'id_conflict',
    })
  })

  test('a caller that was restarted takes it up again by its id, in the same types', async () => {
    const asked = lane.ask({ ...COMMON, id: 'resumed', question: 'Which region?', reply: REGIONS })
    expect((await asked.opened()).kind).toBe('opened')
    const after = connect({ url: gateway.url, key: gateway.agentKey })
    const resumed = after.resume('resumed', REGIONS)
    await reply('resumed', 'eu')
    expect(await resumed.wait()).toMatchObject({ kind: 'answered', answer: 'eu' })
    expect(
      await after.ask({ ...COMMON, id: 'resumed', question: 'Which region?', reply: REGIONS }).wait(),
    ).toMatchObject({
      kind: 'answered',
      answer: 'eu',
    })
  })

  test('resumed with another schema, or under an id that nobody asked, the outcome is unknown and never a yes', async () => {
    await lane.ask({ ...COMMON, id: 'typed', question: 'Which region?', reply: REGIONS }).opened()
    expect(await lane.resume('typed', YES_NO).wait()).toMatchObject({
      kind: 'unknown',
      code: 'schema_mismatch',
    })
    expect(await lane.resume('nobody-asked').wait()).toMatchObject({ kind: 'unknown', code: 'not_found' })
  })

  test('whoever waits for some seconds is told that it is pending; an abort ends the waiting and not the request', async () => {
    const asked = lane.ask({ ...COMMON, id: 'patient', question: 'Any news?', reply: YES_NO })
    const pending = await asked.wait({ seconds: 1 })
    expect(pending).toMatchObject({ kind: 'pending', id: 'patient', case: { state: 'pending' } })
    const leaving = new AbortController()
    const waiting = asked.wait({ signal: leaving.signal })
    leaving.abort(new Error('the caller has gone'))
    await expect(waiting).rejects.toThrow('the caller has gone')
    await reply('patient', 'yes')
    expect(await asked.wait()).toMatchObject({ kind: 'answered', answer: 'YES' })
  })

  test('a wrong key is refused at once: there is nothing to wait for', async () => {
    const stranger = connect({ url: gateway.url, key: 'lane_wrong' })
    const outcome = await stranger.ask({ ...COMMON, question: 'May I?', reply: YES_NO }).wait()
    expect(outcome).toMatchObject({ kind: 'refused', code: 'unauthenticated' })
  })

  test('content that cannot be kept throws, with the reason', async () => {
    await expect(lane.putContent('')).rejects.toThrow('invalid_request')
    await expect(lane.putContent('x'.repeat(256 * 1024 + 1))).rejects.toThrow('too_large')
  })
})

test('a request that could not be put before anybody is undelivered, not defaulted', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lane-client-'))
  // Where a directory stands, the outbox cannot be written: no link leaves the lane.
  mkdirSync(join(dataDir, 'outbox.ndjson'))
  const gateway = await startLane({ dataDir })
  const lane = connect({ url: gateway.url, key: gateway.agentKey })
  const asked = lane.ask({ ...COMMON, question: 'Does this reach you?', reply: YES_NO, deadlineSeconds: 2 })
  expect(await asked.wait()).toMatchObject({ kind: 'undelivered', defaultAction: 'HALT' })
  await gateway.close()
  rmSync(dataDir, { recursive: true, force: true })
})

describe('connect', () => {
  test('without a key, or at an address that is none, is a mistake of the program', () => {
    expect(() => connect({ url: 'http://127.0.0.1:1' })).toThrow('LANE_API_KEY')
    expect(() => connect({ url: 'ftp://lane.example.org', key: 'k' })).toThrow('http or https')
  })
})
