// An artifact on a clock set by hand: escalated at its moment, answered by whoever is first, expired at its deadline.
import { afterEach, expect, test } from 'vitest'
import { canonical } from '../../src/canonical.js'
import type { Entry } from '../../src/event.js'
import { ask } from '../../src/interop/aah/ask.js'
import { type Artifact, readArtifact, readRequest } from '../../src/interop/aah/read.js'
import { statusOfStory } from '../../src/interop/aah/status.js'
import { responsesTo } from '../../src/interop/aah/write.js'
import { configure, DEPUTY, fromSlack, handleOf, raise, START, type Stage } from '../lane/stage.js'
import { artifactOf, DECISIONS } from './scene.js'

const CONFIG = `
recipients:
  owner: { name: Owner, role: product_owner, slack: { team: T1, user: UOWNER } }
  deputy: { name: Deputy, slack: { team: T1, user: UDEPUTY } }
forms: { approvers: [owner, deputy] }
limits: { requests_per_recipient_per_hour: 0 }
`
const HOUR_MS = 3_600_000
const KEY = { key_id: 'key-1', name: 'agent', owner: null, urgent: false }
const DECIDED = DECISIONS.slice(0, 2)

let stage: Stage
afterEach(async () => {
  const problems = await stage.problems()
  await stage.close()
  expect(problems).toEqual([])
})

/** Opened as the door does it; with what it was made of. */
async function begin(after: string, hours: number): Promise<Artifact> {
  stage = await raise(configure(CONFIG))
  const deadline = new Date(START + hours * HOUR_MS).toISOString()
  const given = artifactOf('timed', {
    data: { decisions: DECIDED, deadline, escalation: { after, to: 'manager@example.com' } },
    handoff: { response_deadline: deadline },
  })
  const read = readArtifact(given)
  if (read.kind !== 'read') throw new Error('the artifact is one')
  const { artifact } = read
  const asked = readRequest(artifact, (given.content as { body: unknown }).body)
  if (!asked.ok) throw new Error('it asks something')
  const made = ask(artifact, asked.data, {
    route: { to: ['owner'] },
    escalate: { 'manager@example.com': 'deputy' },
    now: START,
  })
  if (!made.ok) throw new Error('it can be asked')
  const origin = { system: 'aah' as const, ref: artifact.id, hash: artifact.hash }
  const opened = await stage.lane.submit(made.body, KEY, { origin, text: canonical(artifact.given) })
  expect(opened.kind).toBe('opened')
  await settle()
  return artifact
}

/** A duty that follows from another is begun after it. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await new Promise(resolve => setImmediate(resolve))
    await stage.lane.drain()
  }
}
async function pass(ms: number): Promise<void> {
  stage.clock.pass(ms)
  await stage.lane.advance('timed')
  await settle()
}
const story = async (): Promise<readonly Entry[]> => stage.store.ledger.story('timed')
const status = async (): Promise<string> => statusOfStory(await story())
const responses = async (artifact: Artifact) =>
  responsesTo({
    story: await story(),
    artifact,
    words: new Map(),
    people: stage.config.recipients,
    profile: 'decisions',
  }).map(one => one.artifact as { source: { agent_id: string }; content: { body: { data: unknown } } })

test.each([
  ['24h', 24, 31],
  ['2d', 48, 60],
  ['1w', 168, 200],
])(
  '[AAH-174, AAH-178] escalation after %s comes at that instant and not before; until a reply counts it is escalated',
  async (after, hours, deadline) => {
    await begin(after, deadline)
    await pass(hours * HOUR_MS - 1)
    expect([await status(), stage.slack.copies.length]).toEqual(['pending', 1])
    await pass(1)
    expect(await status()).toBe('escalated')
    expect(stage.slack.copies.map(({ outbound }) => outbound.recipient.user_id)).toEqual(['owner', 'deputy'])
    const step = (await story()).find(({ type }) => type === 'REQUEST_ESCALATED')
    expect(Date.parse(step?.at ?? '') - START).toBe(hours * HOUR_MS)
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd1 yes'))
    expect(await status()).toBe('partial')
    await pass((deadline - hours) * HOUR_MS)
    expect(await status()).toBe('expired')
  },
)

test('[AAH-181] whoever it was escalated to and whoever was asked first can both answer; the first answer to each decision stands', async () => {
  const artifact = await begin('24h', 31)
  await pass(24 * HOUR_MS)
  await stage.lane.answer(fromSlack(handleOf(stage.slack, 'deputy'), 'd1 yes', { sender: DEPUTY }))
  const late = await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd1 no'))
  expect(late).toMatchObject({ kind: 'rejected', reason: 'decision_answered' })
  await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd2 no'))
  expect(await status()).toBe('resolved')
  const all = await responses(artifact)
  expect(all.map(one => one.source.agent_id)).toEqual(['human:deputy', 'human:owner'])
  expect(all.at(-1)?.content.body.data).toMatchObject({
    overall_status: 'partial',
    responses: [
      { decision_id: 'd1', approved: true },
      { decision_id: 'd2', approved: false },
    ],
  })
})

test('[AAH-182] a responder without authority is refused and recorded: who was not asked, and who is nobody here', async () => {
  await begin('24h', 31)
  const handle = handleOf(stage.slack, 'owner')
  const said = async (reply: Parameters<Stage['lane']['answer']>[0]): Promise<unknown> =>
    stage.lane.answer(reply)
  expect(await said(fromSlack(handle, 'd1 yes', { sender: DEPUTY }))).toMatchObject({
    kind: 'rejected',
    reason: 'wrong_recipient',
  })
  const stranger = { ...DEPUTY, user: 'UNOBODY' }
  expect(await said(fromSlack(handle, 'd1 yes', { sender: stranger }))).toMatchObject({
    kind: 'rejected',
    reason: 'unknown_sender',
  })
  const rejected = (await story()).filter(({ type }) => type === 'INBOUND_REPLY_REJECTED')
  expect(rejected.map(({ body }) => 'reason' in body && body.reason)).toEqual([
    'wrong_recipient',
    'unknown_sender',
  ])
  expect(await status()).toBe('pending')
})

test('at the deadline the lane itself responds, with what was said by then and nothing more', async () => {
  const artifact = await begin('24h', 31)
  await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner'), 'd2 yes'))
  await pass(31 * HOUR_MS)
  const all = await responses(artifact)
  expect(all.map(one => one.source)).toEqual([
    { agent_id: 'human:owner', agent_name: 'Owner', agent_role: 'product_owner' },
    { agent_id: 'lane' },
  ])
  expect(all.at(-1)?.content.body.data).toMatchObject({
    overall_status: 'pending',
    responses: [{ decision_id: 'd2' }],
  })
})
