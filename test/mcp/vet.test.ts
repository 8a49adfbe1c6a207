// An agent's server holds a key that only asks, whenever it learns which key it was given.
import { afterAll, expect, test } from 'vitest'
import { type Gateway, start } from '../cli/gateway.js'
import { type Agent, asked, startAgent } from './agent.js'

let gateway: Gateway
let agent: Agent
afterAll(async () => {
  await agent?.close()
  await gateway?.stop()
})

const QUESTION = {
  question_text: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  reply_schema: { kind: 'yes_no' },
  deadline_seconds: 600,
  default_action: 'HALT',
  wait_seconds: 1,
}

test('an operator’s key is not used for an agent, though the lane was away when its server started', async () => {
  const first = await start()
  await first.stop()
  const { dataDir, port, url, operatorKey } = first
  agent = await startAgent({ url, agentKey: operatorKey })
  gateway = { ...(await start({ dataDir, port })), operatorKey }
  const refused = expect.stringContaining('has more than scope request (operate, audit, direct)')
  for (const [tool, args] of [
    ['ask_question', QUESTION],
    ['await_outcome', { request_id: 'none', wait_seconds: 1 }],
    ['withdraw', { request_id: 'none', reason: 'tested' }],
    ['list_pending', {}],
  ] as const)
    expect(await agent.call(tool, args)).toMatchObject({ isError: true, text: refused })
  const { text } = await agent.call('permission_prompt', { tool_name: 'Bash', input: { command: 'ls' } })
  expect(JSON.parse(text)).toEqual({ behavior: 'deny', message: refused })
  expect(await asked(gateway)).toEqual([])
})
