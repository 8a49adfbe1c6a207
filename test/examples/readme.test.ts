// The README is true where it can be run.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer } from '../cli/command-line.js'
import { type Gateway, LANE, start } from '../cli/gateway.js'
import { agentEnv, compile, install, ROOT, run } from './installed.js'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

test('its TypeScript compiles as strictly as ours, asks a person, and prints the answer', async () => {
  const cwd = install('examples/agent')
  writeFileSync(join(cwd, 'agent.ts'), /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? '')
  expect(await compile(cwd)).toEqual({ code: 0, stdout: '', stderr: '' })
  const ended = run(process.execPath, ['agent.js'], { cwd, env: agentEnv(gateway) })
  expect(await answer(gateway, 'release-42-region', 'eu')).toBe(200)
  expect(await ended).toEqual({ code: 0, stdout: 'operator chose eu\n', stderr: '' })
})

test('its line for the shell asks, and exits 0 after YES', async () => {
  const cwd = install('examples/deploy')
  const line = /^ {4}(npx lane ask (?:.*\\\n)*.*)$/m.exec(README)?.[1] ?? ''
  const ended = run('bash', ['-c', `${line} --id from-the-readme`], { cwd, env: agentEnv(gateway) })
  expect(await answer(gateway, 'from-the-readme', 'yes')).toBe(200)
  expect((await ended).code).toBe(0)
})

test('the built command can be run as it stands: in the checkout `npx lane` runs nothing else', async () => {
  const { code, stdout } = await run(LANE, ['--version'], { cwd: ROOT, env: {} })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
})

test('its configuration for an agent is JSON, and names the command', () => {
  const text = /^ {4}(\{ "mcpServers"[\s\S]*?)\n\n/m.exec(README)?.[1] ?? ''
  expect(JSON.parse(text).mcpServers.lane).toMatchObject({ command: 'npx', args: ['--no', 'lane', 'mcp'] })
})

test('every page and picture it names is there, and no picture is heavy', () => {
  const named = [...README.matchAll(/\]\((?!http)([^)#]+)\)|src="([^"]+)"/g)].map(
    ([, page, picture]) => page ?? picture,
  )
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) {
    const { size } = statSync(join(ROOT, name ?? ''))
    if (name?.endsWith('.png')) expect(size).toBeLessThanOrEqual(150_000)
  }
})
