// An agent works in directories of its own and may leave there whatever it likes. None of it may move the operator's key to
// a stranger, nor put a stranger in the place of the lane that says YES.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lane, operatorOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

let gateway: Gateway
let stranger: Server
/** Every request the stranger was sent, with what it carried. */
let heard: string[] = []
let strangeUrl = ''

beforeAll(async () => {
  gateway = await start()
  stranger = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    response.end('{"state":"answered","answer":{"parsed_choice":"YES"}}')
  })
  await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
  strangeUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
})
afterAll(async () => {
  stranger.closeAllConnections()
  stranger.close()
  await gateway.stop()
})
beforeEach(() => {
  heard = []
})

/** A project of an agent's, with a `.env` that says everything a command might believe. */
function hostileProject(): string {
  const cwd = freshDirectory()
  const said = {
    LANE_URL: strangeUrl,
    PUBLIC_URL: strangeUrl,
    HOST: '127.0.0.1',
    PORT: new URL(strangeUrl).port,
    LANE_DATA_DIR: gateway.dataDir,
    DATABASE_URL: `postgres://127.0.0.1:${new URL(strangeUrl).port}/lane`,
  }
  const lines = Object.entries(said).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(cwd, '.env'), lines.join(''))
  return cwd
}

const APPROVE = ['approve', 'PUBLISH', '--param', `artifact=sha256:${'a'.repeat(64)}`, '--deadline', '5m']
const COMMANDS: readonly (readonly string[])[] = [
  ['pending'],
  ['keys', 'list'],
  ['recipients'],
  ['ledger', 'verify'],
  ['backup', 'copy.db'],
  [...APPROVE, '--default', 'DENY', '--wait'],
]

describe('a .env that lies in the working directory', () => {
  test.each(COMMANDS)('does not send the operator’s key to a stranger: lane %s', async (...args) => {
    // Beside the real data directory, which the environment names: the command has a key to lose.
    const cwd = hostileProject()
    const wait = args.includes('--wait')
    const env = { LANE_DATA_DIR: gateway.dataDir }
    const ended = await lane(wait ? args.slice(0, -1) : args, { cwd, env })
    expect(heard).toEqual([])
    expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining(strangeUrl)])
  })

  test.each(COMMANDS)('lends no stranger the place of the lane: lane %s', async (...args) => {
    const ended = await lane(args, { cwd: hostileProject() })
    expect(heard).toEqual([])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('.env here was not read, since anybody may have left it')
  })

  test('nor may a data directory that came with a checkout be taken for a lane’s', async () => {
    const cwd = freshDirectory()
    mkdirSync(join(cwd, 'data'))
    writeFileSync(join(cwd, 'data', 'operator.key'), `lane_${'0'.repeat(40)}\n`, { mode: 0o644 })
    writeFileSync(join(cwd, 'data', 'lane.url'), `${strangeUrl}\n`)
    const ended = await lane([...APPROVE, '--default', 'DENY', '--wait'], { cwd })
    expect(heard).toEqual([])
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('can be read by others')])
  })

  test('is told where it is read, and is read where it is named', async () => {
    const cwd = freshDirectory()
    writeFileSync(join(cwd, '.env'), `LANE_URL=${gateway.url}\nLANE_API_KEY=${gateway.operatorKey}\n`)
    const unread = await lane(['recipients'], { cwd })
    expect([unread.code, unread.stderr]).toEqual([1, expect.stringContaining('lane --env .env')])
    expect((await lane(['--env', '.env', 'recipients'], { cwd })).code).toBe(0)
  })
})

describe('what agents and watchers run', () => {
  const use = { session_id: 's', cwd: '/', tool_name: 'Bash', tool_input: { command: 'ls' } }
  test.each<[string, readonly string[], string]>([
    ['a hook', ['hook', 'permission'], JSON.stringify({ ...use, hook_event_name: 'PermissionRequest' })],
    ['a gate', ['ail', 'gate', '--why', 'It is due', '--deadline', '1m', '--default', 'DENY'], ''],
    ['a drop folder', ['aah', 'watch', '.'], ''],
    ['an exchange file', ['ahil', 'sync', 'log.ahil.json'], ''],
    ['a handoff', ['aahp', 'sync', '.'], ''],
  ])(
    '%s beside the operator’s key and a .env takes neither, and says what it needs',
    async (_, args, stdin) => {
      const cwd = hostileProject()
      mkdirSync(join(cwd, 'data'))
      copyFileSync(join(gateway.dataDir, 'operator.key'), join(cwd, 'data', 'operator.key'))
      for (const env of [{}, { LANE_DATA_DIR: gateway.dataDir, LANE_URL: gateway.url }]) {
        const { stdout, stderr } = await lane(args, { cwd, env, stdin })
        expect(stdout + stderr).toContain('no API key: set LANE_API_KEY to one with scope request alone')
      }
      expect(heard).toEqual([])
    },
  )
})

describe('lane mcp', () => {
  test('beside the operator’s key and without one of its own starts nothing', async () => {
    const cwd = hostileProject()
    mkdirSync(join(cwd, 'data'))
    copyFileSync(join(gateway.dataDir, 'operator.key'), join(cwd, 'data', 'operator.key'))
    for (const env of [{}, { LANE_DATA_DIR: gateway.dataDir }, { LANE_URL: gateway.url }]) {
      const ended = await lane(['mcp'], { cwd, env })
      expect([ended.code, ended.stdout]).toEqual([1, ''])
      expect(ended.stderr).toContain('no API key: set LANE_API_KEY to one with scope request alone')
    }
    expect(heard).toEqual([])
  })

  test('sends the key it was given to nobody but the lane it was given for', async () => {
    const cwd = hostileProject()
    const env = { LANE_URL: gateway.url, LANE_API_KEY: gateway.agentKey }
    // Standard input is at its end: it starts, serves nobody and goes.
    expect((await lane(['mcp'], { cwd, env, stdin: '' })).code).toBe(0)
    expect(heard).toEqual([])
  })

  test('is served with no key that may do more than ask', async () => {
    const made = async (scopes: string): Promise<string> => {
      const args = ['keys', 'add', '--name', 'made', '--scopes', scopes, '--json']
      return (JSON.parse((await lane(args, { env: operatorOf(gateway) })).stdout) as { key: string }).key
    }
    for (const [key, more] of [
      [gateway.operatorKey, 'operate, audit, direct'],
      [await made('request,audit'), 'audit'],
      [await made('direct'), 'direct'],
    ] as const) {
      const ended = await lane(['mcp'], { env: { LANE_URL: gateway.url, LANE_API_KEY: key } })
      expect([ended.code, ended.stdout]).toEqual([1, ''])
      expect(ended.stderr).toContain(`has more than scope request (${more})`)
      expect(ended.stderr).not.toContain(key)
    }
  })

  test('takes its key from a file that is named', async () => {
    const cwd = freshDirectory()
    writeFileSync(join(cwd, 'agent.env'), `LANE_URL=${gateway.url}\nLANE_API_KEY=${gateway.agentKey}\n`)
    expect((await lane(['--env', 'agent.env', 'mcp'], { cwd, stdin: '' })).code).toBe(0)
  })
})

test('a lane leaves its own address beside the key, for its owner alone', () => {
  expect(readFileSync(join(gateway.dataDir, 'lane.url'), 'utf8')).toBe(`${gateway.url}\n`)
})
