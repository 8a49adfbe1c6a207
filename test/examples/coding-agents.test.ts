// From an empty folder to an agent whose shell command waits for a person's YES: the three lines of the README, typed by a
// new user. With CI=true the agents are Claude Code and Codex themselves, as their makers publish them, with a stand-in for
// their models; every day one that does with its settings what both do.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, type Ended, pageOf } from '../cli/command-line.js'
import { cleanEnv, freshDirectory, type Gateway, start } from '../cli/gateway.js'
import { ALL } from '../faults/rig.js'
import { asked } from '../mcp/agent.js'
import { until } from '../until.js'
import { ROOT, run } from './installed.js'
import { type Model, startModel } from './model.js'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const [, section = ''] = /## A coding agent's shell[^\n]*\n([\s\S]*?)\n## /.exec(README) ?? []
const lines = section.split('\n').flatMap(line => /^ {4}(\S.*)$/.exec(line)?.[1] ?? [])
const COMMAND = 'echo hello > ran.txt'
/** As docs/agents.md names them. */
const CLAUDE_CODE = '2.1.326'
const CODEX = '0.169.0'

let gateway: Gateway
let model: Model
beforeAll(async () => {
  gateway = await start()
  model = await startModel(COMMAND)
})
afterAll(async () => {
  await gateway.kill()
  await model.close()
})

type User = { readonly home: string; readonly folder: string }

/** A user's home, with an agent among their commands, and the folder in which the first line has put the lane. */
function settle(agent: string, program: string): User {
  const home = freshDirectory()
  const folder = freshDirectory()
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', agent), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  symlinkSync(ROOT, join(folder, 'lane'))
  return { home, folder }
}

/** Types the second and the third line, with the address and key that the first has printed, and the yes it waits for. */
function type({ home, folder }: User, third = lines[2] ?? ''): Promise<Ended> {
  const [, second = ''] = lines
  const given = second.replace('http://127.0.0.1:8787', gateway.url).replace('<agent key>', gateway.agentKey)
  const env = cleanEnv({ HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` })
  const child = spawn('sh', ['-c', `${given}\n${third}`], { cwd: folder, env })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => {
    said.stdout += String(chunk)
  })
  child.stderr.on('data', chunk => {
    said.stderr += String(chunk)
  })
  child.stdin.end('yes\n')
  return new Promise(resolve => child.once('close', code => resolve({ code, ...said })))
}

/** The command is not run before somebody has answered, and after YES alone; what the agent said of it. */
async function decided(user: User, reply: 'yes' | 'no', third?: string): Promise<Ended> {
  const hasRun = (): boolean => existsSync(join(user.folder, 'ran.txt'))
  const known = await asked(gateway)
  const ended = type(user, third)
  const id = await until('the hook to ask', async () =>
    (await asked(gateway)).find(one => !known.includes(one)),
  )
  expect((await pageOf(gateway, id)).replaceAll('&gt;', '>')).toContain(COMMAND)
  expect(hasRun()).toBe(false)
  expect(await answer(gateway, id, reply)).toBe(200)
  const said = await ended
  expect([said.code, hasRun()], said.stderr).toEqual([0, reply === 'yes'])
  return said
}

test('the README has three lines, and the first starts a lane from an empty folder', () => {
  expect(lines).toHaveLength(3)
  expect(lines[0]).toMatch(/^git clone <this repository> lane && cd lane && npm ci && npm start\s+#/)
})

describe('an agent that keeps to its settings', () => {
  const program = `exec '${process.execPath}' '${join(ROOT, 'test/examples/stand-in-agent.mjs')}' '${COMMAND}'`

  test('runs the command after YES, and not after NO', async () => {
    await decided(settle('claude', program), 'yes')
    const said = await decided(settle('claude', program), 'no')
    expect(said.stdout).toContain('operator answered over web: NO')
  })
})

describe.skipIf(!ALL)('the agents themselves', () => {
  /** Where npm has put an agent; the tests fail where it cannot, since with CI=true nothing is left out. */
  async function fetched(name: string, version: string, command: string): Promise<string> {
    const cwd = freshDirectory()
    const ended = await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], { cwd })
    expect(ended.code, ended.stderr).toBe(0)
    return join(cwd, 'node_modules/.bin', command)
  }

  test('Claude Code: YES runs its command, NO is what its model is told', async () => {
    const claude = await fetched('@anthropic-ai/claude-code', CLAUDE_CODE, 'claude')
    const program = `ANTHROPIC_BASE_URL='${model.url}' ANTHROPIC_API_KEY=none CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \\
exec '${claude}' -p 'Run it.' < /dev/null`
    await decided(settle('claude', program), 'yes')
    await decided(settle('claude', program), 'no')
    expect(model.told.at(-1)).toContain('Denied: operator answered over web: NO')
  }, 300_000)

  test('Codex: YES runs its command, NO is what its model is told', async () => {
    const codex = await fetched('@openai/codex', CODEX, 'codex')
    const provider = `model_providers.stand-in={name="stand-in",base_url="${model.url}/v1",wire_api="responses"}`
    // Nobody is there to trust the hook by /hooks, and nobody to be asked about what the agent itself would ask about.
    const program = `exec '${codex}' exec --skip-git-repo-check --dangerously-bypass-hook-trust \\
--sandbox danger-full-access -c model_provider=stand-in -c '${provider}' 'Run it.' < /dev/null`
    const third = 'node lane/dist/src/cli/lane.js hook install codex --event PreToolUse && codex'
    await decided(settle('codex', program), 'yes', third)
    await decided(settle('codex', program), 'no', third)
    expect(model.told.at(-1)).toContain('Denied: operator answered over web: NO')
  }, 300_000)
})
