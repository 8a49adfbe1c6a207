// The examples on other people's packages, which npm fetches: a graph of LangGraph, a tool of the Vercel AI SDK. Where a
// registry does not give them the tests say so and are skipped. LangGraph is large, and left to CI=true.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, pageOf } from '../cli/command-line.js'
import { type Gateway, start } from '../cli/gateway.js'
import { ALL } from '../faults/rig.js'
import { asked } from '../mcp/agent.js'
import { until } from '../until.js'
import { agentEnv, compile, installWithPackages, run } from './installed.js'

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

/** The example, compiled, and how it is started; why it could not be had, where it could not. */
async function prepare(example: string, program: string) {
  const installed = await installWithPackages(example)
  if (!installed.ok) return installed
  const cwd = installed.directory
  expect(await compile(cwd)).toEqual({ code: 0, stdout: '', stderr: '' })
  const begin = (...args: readonly string[]) =>
    run(process.execPath, [program, ...args], { cwd, env: agentEnv(gateway) })
  return { ok: true, begin } as const
}
type Prepared = Awaited<ReturnType<typeof prepare>>
const INSTALLING_MS = 180_000

describe.skipIf(!ALL)('langgraph', () => {
  let example: Prepared
  beforeAll(async () => {
    example = await prepare('examples/langgraph', 'graph.js')
  }, INSTALLING_MS)
  const newest = (known: readonly (string | undefined)[]): Promise<string> =>
    until('the interrupt to be asked', async () => (await asked(gateway)).find(id => !known.includes(id)))

  test('an interrupt of the graph is a request; YES resumes it with a right that is used once', async ctx => {
    if (!example.ok) return ctx.skip(example.why)
    const known = await asked(gateway)
    const ended = example.begin('thread-yes', 'Of spring')
    const id = await newest(known)
    expect(await pageOf(gateway, id)).toContain('│ &lt;h1&gt;Of spring&lt;/h1&gt;')
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect(await ended).toEqual({ code: 0, stdout: 'published <h1>Of spring</h1>\n', stderr: '' })
    const again = await example.begin('thread-yes', 'Of spring')
    expect([again.code, again.stdout]).toEqual([
      1,
      'not published: the right was used before or has expired\n',
    ])
    expect(await asked(gateway)).toEqual([...known, id])
  })

  test('after NO the graph goes on, and publishes nothing', async ctx => {
    if (!example.ok) return ctx.skip(example.why)
    const known = await asked(gateway)
    const ended = example.begin('thread-no', 'Of autumn')
    expect(await answer(gateway, await newest(known), 'no')).toBe(200)
    expect(await ended).toEqual({ code: 1, stdout: 'not published: operator said no\n', stderr: '' })
  })
})

describe('ai-sdk', () => {
  let example: Prepared
  beforeAll(async () => {
    example = await prepare('examples/ai-sdk', 'agent.js')
  }, INSTALLING_MS)

  test('a tool that needs approval is run after YES, with the input that was shown', async ctx => {
    if (!example.ok) return ctx.skip(example.why)
    const ended = example.begin('echo "was run"', 'call-yes')
    expect((await pageOf(gateway, 'call-yes')).replaceAll('&quot;', '"')).toContain('echo \\"was run\\"')
    expect(await answer(gateway, 'call-yes', 'yes')).toBe(200)
    expect(await ended).toEqual({ code: 0, stdout: '{"type":"text","value":"was run\\n"}\n', stderr: '' })
  })

  test('after NO it is not run, and the model is told why', async ctx => {
    if (!example.ok) return ctx.skip(example.why)
    const ended = example.begin('echo "was run"', 'call-no')
    expect(await answer(gateway, 'call-no', 'no')).toBe(200)
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining('operator said NO') })
    expect((await ended).stdout).not.toContain('was run\\n')
  })
})
