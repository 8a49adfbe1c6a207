// A coding agent's permission, answered by a person elsewhere: only YES, in time, for this use.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, closedUrl } from '../cli/command-line.js'
import { type Gateway, start } from '../cli/gateway.js'
import { until } from '../until.js'
import { type Agent, asked, entries, startAgent } from './agent.js'

const INPUT = { command: 'npm publish --access public', note: 'é\u202e' }

let gateway: Gateway
let agent: Agent
beforeAll(async () => {
  gateway = await start()
  agent = await startAgent(gateway, { args: ['--permission-deadline', '20s'] })
})
afterAll(async () => {
  await agent.close()
  await gateway.kill()
})

const prompt = async (args: Record<string, unknown>, by: Agent = agent): Promise<Record<string, unknown>> =>
  JSON.parse((await by.call('permission_prompt', args)).text)

const nextAfter = (count: number): Promise<string> =>
  until('the next request', async () => (await asked(gateway))[count])

async function decide(args: Record<string, unknown>, said: string): Promise<Record<string, unknown>> {
  const { length } = await asked(gateway)
  const decision = prompt(args)
  expect(await answer(gateway, await nextAfter(length), said)).toBe(200)
  return await decision
}

describe('permission_prompt', () => {
  test('YES allows, with the input as it was; the person could see the tool and open the input', async () => {
    const decision = await decide({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-1' }, 'yes')
    expect(decision).toEqual({ behavior: 'allow', updatedInput: INPUT })
    const opened = (await entries(gateway)).findLast(({ type }) => type === 'REQUEST_OPENED')
    const request = opened?.body.request as {
      question_text: string
      impact: string
      context_handles: string[]
    }
    expect(request).toMatchObject({
      question_text: 'May the agent use the tool Bash now?',
      default_action: 'HALT',
      reply_schema: { kind: 'yes_no' },
    })
    expect(request.impact).toBe(
      'YES runs it once with: {"command":"npm publish --access public","note":"\\u00e9\\u202e"}',
    )
    const content = await fetch(`${gateway.url}/v1/blobs/${request.context_handles[0]}`, {
      headers: { authorization: `Bearer ${gateway.agentKey}` },
    })
    expect(await content.text()).toBe(`Tool: Bash\nInput:\n${JSON.stringify(INPUT, null, 2)}\n`)
  })

  test('NO denies, and says who', async () => {
    const decision = await decide({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-2' }, 'no')
    expect(decision).toEqual({
      behavior: 'deny',
      message: 'Denied: operator answered over web: NO. Do not do what was asked about.',
    })
  })

  test('the same use again is told the same; another use with the same input is another question', async () => {
    const { length } = await asked(gateway)
    expect(await prompt({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-1' })).toMatchObject({
      behavior: 'allow',
    })
    expect(await asked(gateway)).toHaveLength(length)
    expect(await decide({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-3' }, 'no')).toMatchObject({
      behavior: 'deny',
    })
  })

  test('without an id of the use a yes is good for one use', async () => {
    const use = { tool_name: 'Edit', input: { file: 'a' } }
    expect(await decide(use, 'yes')).toMatchObject({ behavior: 'allow' })
    expect(await decide(use, 'no')).toMatchObject({ behavior: 'deny' })
  })

  test('a long input is cut where it is shown, and says so', async () => {
    await decide({ tool_name: 'Write', input: { text: 'x'.repeat(5000) }, tool_use_id: 'use-4' }, 'no')
    const opened = (await entries(gateway)).findLast(({ type }) => type === 'REQUEST_OPENED')
    expect(opened?.body.request).toMatchObject({
      impact: expect.stringMatching(/x… \(cut: open the content to read all of it\)$/),
    })
  })

  test('silence denies, with the reason', async () => {
    const brief = await startAgent(gateway, { args: ['--permission-deadline', '1s'] })
    const decision = await prompt({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-5' }, brief)
    expect(decision.behavior).toBe('deny')
    expect(decision.message).toMatch(/^Denied: Nobody answered by .*; HALT holds\. Do not go on\.$/)
    await brief.close()
  })

  test('a lane that is not there denies', async () => {
    const lost = await startAgent(
      { url: await closedUrl(), agentKey: 'k'.repeat(30) },
      { args: ['--permission-deadline', '1s'] },
    )
    const decision = await prompt({ tool_name: 'Bash', input: INPUT }, lost)
    expect(decision).toMatchObject({ behavior: 'deny', message: expect.stringContaining('unreachable') })
    await lost.close()
  })

  test.each<[string, Record<string, unknown>]>([
    ['nothing', {}],
    ['a name that is a sentence', { tool_name: 'Bash now? Yes', input: {} }],
    ['an input that is a list', { tool_name: 'Bash', input: [] }],
    ['an input that is missing', { tool_name: 'Bash' }],
  ])('%s is denied, and nobody was asked', async (_, args) => {
    const before = await asked(gateway)
    expect(await prompt(args)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('nobody was asked'),
    })
    expect(await asked(gateway)).toEqual(before)
  })

  test('an input too large to be shown is denied, and nobody was asked', async () => {
    const before = await asked(gateway)
    const decision = await prompt({ tool_name: 'Write', input: { text: 'x'.repeat(300_000) } })
    expect(decision).toMatchObject({ behavior: 'deny', message: expect.stringContaining('too_large') })
    expect(await asked(gateway)).toEqual(before)
  })
})
