// Many decisions, reasons and more than one voter, for a program that asks through the client.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Lane } from '../../src/client/index.js'
import { type LaneUnderTest, startLane, UNLIMITED } from '../lane-under-test.js'

const COMMON = { deadlineSeconds: 600, to: ['operator'] } as const
const FORM = {
  kind: 'form',
  decisions: [
    {
      id: 'd1',
      type: 'approval',
      prompt: 'Ship release 9',
      required: true,
      reason: { when: 'on_no', max_chars: 80 },
    },
    { id: 'd2', type: 'number', prompt: 'Which share', required: true },
  ],
} as const
const ARTIFACT = { artifact: `sha256:${'b'.repeat(64)}` }

let gateway: LaneUnderTest
let lane: Lane
beforeAll(async () => {
  gateway = await startLane({ config: UNLIMITED })
  lane = connect({ url: gateway.url, key: gateway.agentKey })
})
afterAll(() => gateway.close())

const says = async (id: string, text: string, who = 'operator'): Promise<void> => {
  expect((await gateway.answer(await gateway.link(id, who), text)).status).toBe(200)
}

test('a form is its decisions, each with who gave it, and a comment as data', async () => {
  const asked = lane.approve({
    ...COMMON,
    default: 'DENY',
    action: 'PUBLISH',
    parameters: ARTIFACT,
    reply: FORM,
  })
  await says(asked.id, 'd2 25')
  await says(asked.id, 'd1 no: wrong customer')
  const outcome = await asked.wait()
  expect(outcome).toMatchObject({
    kind: 'answered',
    answer: [
      { decision_id: 'd1', approved: false, comment: 'wrong customer', answered_by: 'operator' },
      { decision_id: 'd2', value: 25 },
    ],
  })
  expect(outcome).not.toHaveProperty('policyToken')
})

test('a form that is given gives the right', async () => {
  const asked = lane.approve({
    ...COMMON,
    default: 'DENY',
    action: 'PUBLISH',
    parameters: ARTIFACT,
    reply: FORM,
  })
  await says(asked.id, 'd1 yes\nd2 1')
  expect(await asked.wait()).toMatchObject({ kind: 'answered', policyToken: expect.any(String) })
})

test('a reason stands beside the answer', async () => {
  const reply = { kind: 'yes_no', reason: { when: 'on_no', max_chars: 40 } } as const
  const asked = lane.ask({ ...COMMON, default: 'HALT', impact: 'Goes on', question: 'Ship it?', reply })
  await says(asked.id, 'no: too dear')
  expect(await asked.wait()).toMatchObject({ kind: 'answered', answer: 'NO', reason: 'too dear' })
})

test('a quorum is answered when enough agree, and the case names every vote', async () => {
  const asked = lane.approve({
    ...COMMON,
    to: ['operator', 'second'],
    default: 'DENY',
    action: 'PUBLISH',
    parameters: ARTIFACT,
    quorum: { need: 2 },
  })
  await says(asked.id, 'yes')
  expect(await asked.wait({ seconds: 1 })).toMatchObject({
    kind: 'pending',
    case: { state: 'partial' },
  })
  await says(asked.id, 'yes', 'second')
  const outcome = await asked.wait()
  expect(outcome).toMatchObject({ kind: 'answered', answer: 'YES', policyToken: expect.any(String) })
  expect(outcome.kind === 'answered' && outcome.case.answer?.votes).toMatchObject([
    { answered_by: 'operator', choice: 'YES' },
    { answered_by: 'second', choice: 'YES' },
  ])
})
