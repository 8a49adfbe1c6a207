// A coding agent's permission, answered by a person elsewhere: only YES, in time, for this use.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { answer, closedUrl, pageOf } from '../cli/command-line.js'
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

/** What the page shows of the last approval that was asked, with its markup taken back. */
const shown = async (id: string): Promise<string> =>
  (await pageOf(gateway, id)).replaceAll('&quot;', '"').replaceAll('&amp;', '&')

const lastRequest = async () =>
  (await entries(gateway)).findLast(({ type }) => type === 'REQUEST_OPENED')?.body.request as {
    readonly parameters: Readonly<Record<string, string>>
  }

describe('permission_prompt', () => {
  test('YES allows, with the input as it was; the person saw the tool and the input on the page', async () => {
    const { length } = await asked(gateway)
    const decision = prompt({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-1' })
    const id = await nextAfter(length)
    const page = await shown(id)
    for (const part of ['Approve USE_TOOL', '│ Bash', '"command": "npm publish --access public"'])
      expect(page).toContain(part)
    expect(page).toContain('"note": "é⟨U+202E⟩"')
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect(await decision).toEqual({ behavior: 'allow', updatedInput: INPUT })
    expect(await lastRequest()).toMatchObject({
      type: 'REQUEST_APPROVAL',
      action: 'USE_TOOL',
      default_action: 'DENY',
      reply_schema: { kind: 'yes_no' },
      parameters: { tool: sha256(Buffer.from('Bash')), input: expect.stringMatching(/^sha256:/) },
    })
  })

  test.each<[string, object]>([
    ['is long', { note: 'x'.repeat(50_000), command: 'rm -rf /' }],
    ['is a number and long', { 0: 'x'.repeat(50_000), command: 'rm -rf /' }],
    ['holds a long one itself', { args: { padding: 'x'.repeat(50_000), command: 'rm -rf /' } }],
  ])('a permission prompt whose first key %s still shows the command, before it', async (_, input) => {
    const { length } = await asked(gateway)
    const decision = prompt({ tool_name: 'Bash', input })
    const page = await shown(await nextAfter(length))
    expect(page.indexOf('"command": "rm -rf /"')).toBeGreaterThan(0)
    expect(page.indexOf('"command": "rm -rf /"')).toBeLessThan(page.indexOf('xxxx'))
    expect(page).toContain('x'.repeat(50_000))
    expect(await answer(gateway, await nextAfter(length), 'no')).toBe(200)
    expect(await decision).toMatchObject({ behavior: 'deny' })
  })

  test('a permission prompt takes the proofs of its action, not those of a question', async () => {
    const config = `recipients:
  operator: { name: Operator, web: true }
actions:
  USE_TOOL: { approvers: [operator], proofs: [console] }
questions: { proofs: [web_session] }
`
    const apart = await start({ config })
    const other = await startAgent(apart, { args: ['--permission-deadline', '20s'] })
    const decision = prompt({ tool_name: 'Bash', input: INPUT }, other)
    const id = await until('the request', async () => (await asked(apart))[0])
    expect(await answer(apart, id, 'yes')).toBe(200)
    expect(await decision).toMatchObject({ behavior: 'allow' })
    await other.close()
    await apart.kill()
  })

  test('nobody is asked to approve a command the lane does not hold', async () => {
    const approval_id = 'blind-1'
    const response = await fetch(`${gateway.url}/v1/requests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.agentKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        request: {
          type: 'REQUEST_APPROVAL',
          approval_id,
          action: 'USE_TOOL',
          parameters: { tool: sha256(Buffer.from('Bash')), input: sha256(Buffer.from('never stored')) },
          deadline_seconds: 600,
          default_action: 'DENY',
          reply_schema: { kind: 'yes_no' },
        },
        run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      }),
    })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      422,
      'content_missing',
    ])
  })

  test('without the action in the configuration it is denied, and says what to add', async () => {
    const plain = await start({ config: 'recipients:\n  operator: { name: Operator, web: true }\n' })
    const lacking = await startAgent(plain)
    const decision = await prompt({ tool_name: 'Bash', input: INPUT }, lacking)
    expect(decision).toMatchObject({ behavior: 'deny', message: expect.stringContaining('nobody was asked') })
    expect(decision.message).toContain('"USE_TOOL: { approvers: [<who may allow a tool>] }"')
    await lacking.close()
    await plain.kill()
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

  test('silence denies, with the reason', async () => {
    const brief = await startAgent(gateway, { args: ['--permission-deadline', '1s'] })
    const decision = await prompt({ tool_name: 'Bash', input: INPUT, tool_use_id: 'use-5' }, brief)
    expect(decision.behavior).toBe('deny')
    expect(decision.message).toMatch(
      /^Denied: Nobody answered by .*; DENY holds\. Do not perform the action\.$/,
    )
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
