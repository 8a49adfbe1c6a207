// What an operator and an auditor do: keys, erasure, backup, the ledger from four sides, the doctor, and serving.
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { answer, call, closedUrl, lane, operatorOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

const HEAD = /holds: (\d+ entries, head sha256:[0-9a-f]{64}), seals (.*)\n$/
const ask = (id: string): string[] => [
  ...['ask', 'Ship the release today?', '--impact', 'Decides whether the pipeline goes on', '--yes-no'],
  ...['--deadline', '10m', '--default', 'HALT', '--id', id],
]

let gateway: Gateway
let env: Record<string, string>
let beside: Record<string, string>
const cwd = freshDirectory()

beforeAll(async () => {
  gateway = await start()
  env = operatorOf(gateway)
  beside = { LANE_DATA_DIR: gateway.dataDir, PORT: String(gateway.port) }
  await lane(ask('audited'), { env })
  await answer(gateway, 'audited', ' Yes. ')
})
afterAll(() => gateway.kill())

describe('the ledger', () => {
  test('beside the data directory, over HTTP, from an export and from a backup it is the same one, and holds', async () => {
    // That a backup was taken stands in it.
    expect((await lane(['backup', 'backup.db'], { env, cwd })).code).toBe(0)
    expect((await lane(['ledger', 'export', 'ledger.ndjson'], { env: beside, cwd })).code).toBe(0)
    const ended = await Promise.all([
      lane(['ledger', 'verify'], { env: beside }),
      lane(['ledger', 'verify'], { env }),
      lane(['ledger', 'verify', 'ledger.ndjson'], { cwd }),
      lane(['ledger', 'verify', 'backup.db'], { cwd }),
    ])
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(4).fill({ code: 0, stderr: '' }),
    )
    expect(new Set(ended.map(({ stdout }) => HEAD.exec(stdout)?.[1])).size).toBe(1)
    expect(ended.map(({ stdout }) => HEAD.exec(stdout)?.[2])).toEqual([
      'checked',
      'not checked: a lane gives out none over HTTP',
      'not checked: an export has none',
      'not checked: the secret is not at hand, neither as LANE_SECRET nor as a file',
    ])
  })

  test('an export is exactly what the lane streams', async () => {
    const response = await fetch(`${gateway.url}/v1/ledger`, {
      headers: { authorization: `Bearer ${gateway.operatorKey}` },
    })
    const streamed = await response.text()
    expect((await lane(['ledger', 'export'], { env })).stdout).toBe(streamed)
    expect((await lane(['ledger', 'export'], { env: beside })).stdout).toBe(streamed)
  })

  test('[LANE-084] with --profile choir it is the same in other words, from each side', async () => {
    const response = await fetch(`${gateway.url}/v1/ledger?profile=choir`, {
      headers: { authorization: `Bearer ${gateway.operatorKey}` },
    })
    const streamed = await response.text()
    expect(streamed).toContain('"event_type":"receipt.preference.decision"')
    const choir = ['ledger', 'export', '--profile', 'choir']
    expect((await lane(choir, { env })).stdout).toBe(streamed)
    expect((await lane(choir, { env: beside })).stdout).toBe(streamed)
    expect((await lane([...choir, 'choir.ndjson'], { env: beside, cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'choir.ndjson'), 'utf8')).toBe(streamed)
    const wrong = await lane(['ledger', 'export', '--profile', 'chorus'], { env })
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--profile takes choir')])
  })

  test('replay reads every stored reply again, wherever it is read from; an export has no words to read', async () => {
    await lane(ask('unread'), { env })
    expect(await answer(gateway, 'unread', 'yes but')).toBe(422)
    expect((await lane(['backup', 'words.db'], { env, cwd })).code).toBe(0)
    const ended = await Promise.all([
      lane(['ledger', 'replay', '--json'], { env: beside }),
      lane(['ledger', 'replay', '--json'], { env }),
      lane(['ledger', 'replay', 'words.db', '--json'], { cwd }),
      lane(['ledger', 'replay', 'ledger.ndjson', '--json'], { cwd }),
    ])
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(4).fill({ code: 0, stderr: '' }),
    )
    const whole = { ok: true, cases: 2, replies: 2, erased: 0, absent: 0, problems: [], beyond: null }
    const results = ended.map(({ stdout }) => JSON.parse(stdout))
    expect(results).toEqual([whole, whole, whole, { ...whole, cases: 1, replies: 0, absent: 1 }])
  })

  test('words that were changed in a backup are found by replay: exit 1', async () => {
    copyFileSync(join(cwd, 'words.db'), join(cwd, 'changed.db'))
    const db = new Sqlite(join(cwd, 'changed.db'))
    db.prepare("UPDATE raw_replies SET raw = 'no' WHERE raw = ' Yes. '").run()
    db.close()
    expect((await lane(['ledger', 'verify', 'changed.db'], { cwd })).code).toBe(0)
    const replayed = await lane(['ledger', 'replay', 'changed.db'], { cwd })
    expect({ code: replayed.code, stdout: replayed.stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining('changed.db is broken'),
    })
    expect(replayed.stderr).toMatch(/entry \d+: /)
  })

  test('one changed byte breaks it: exit 1, and the entry is named', async () => {
    const text = readFileSync(join(cwd, 'ledger.ndjson'), 'utf8')
    writeFileSync(join(cwd, 'changed.ndjson'), text.replace('Ship the release', 'Skip the release'))
    const { code, stdout, stderr } = await lane(['ledger', 'verify', 'changed.ndjson'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('changed.ndjson is broken') })
    const seq = text.split('\n').findIndex(line => line.includes('Ship the release'))
    expect(stderr).toMatch(new RegExp(`entry ${seq}: .*\\(I1\\)`))
    const { ok, problems } = JSON.parse(
      (await lane(['ledger', 'verify', 'changed.ndjson', '--json'], { cwd })).stdout,
    )
    expect({ ok, first: problems[0] }).toMatchObject({ ok: false, first: { invariant: 'I1', seq } })
  })

  test('a file that cannot be read, and one that is no ledger, exit 1', async () => {
    expect(await lane(['ledger', 'verify', 'absent'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('absent cannot be read'),
    })
    writeFileSync(join(cwd, 'letter.txt'), 'Dear ledger,\n')
    expect((await lane(['ledger', 'verify', 'letter.txt'], { cwd })).code).toBe(1)
  })

  test('a reader that has seen enough is no error', async () => {
    const exported = call(['ledger', 'export'], { env })
    exported.child.stdout?.once('data', () => exported.child.stdout?.destroy())
    expect((await exported.ended).code).toBe(0)
  })

  test('neither a backup nor an export replaces a file, and both are their owner alone to read', async () => {
    for (const args of [
      ['backup', 'backup.db'],
      ['ledger', 'export', 'ledger.ndjson'],
    ]) {
      const { code, stderr } = await lane(args, { env, cwd })
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is not replaced') })
    }
    for (const name of ['backup.db', 'ledger.ndjson'])
      expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o600)
  })

  test('a key without scope audit is told which scope is needed', async () => {
    const agent = { LANE_URL: gateway.url, LANE_API_KEY: gateway.agentKey }
    expect(await lane(['ledger', 'verify'], { env: agent })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('(scope_missing)'),
    })
  })
})

describe('keys', () => {
  test('a key is shown once, works, is listed without itself, and is refused once revoked', async () => {
    const made = await lane(['keys', 'add', '--name', 'ci', '--scopes', 'request, audit'], { env })
    const [key = '', rest = ''] = made.stdout.split('\n')
    const keyId = rest.split(',')[0] ?? ''
    expect(key).toMatch(/^lane_[0-9a-z]{40}$/)
    const asCi = { LANE_URL: gateway.url, LANE_API_KEY: key }
    expect((await lane(['recipients'], { env: asCi })).code).toBe(0)
    const listed = await lane(['keys', 'list'], { env })
    expect(listed.stdout).toMatch(new RegExp(`${keyId} +ci +request,audit +\\S+ +valid`))
    expect(listed.stdout).not.toContain(key)
    expect((await lane(['keys', 'revoke', keyId], { env })).code).toBe(0)
    expect(await lane(['recipients'], { env: asCi })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('401 (unauthenticated)'),
    })
  })

  test('a link that was sent before the signing key was rotated can still be answered', async () => {
    await lane(ask('rotated'), { env })
    await until('rotated to be sent', async () =>
      (await lane(['show', 'rotated'], { env })).stdout.includes(' sent '),
    )
    expect((await lane(['keys', 'rotate'], { env })).code).toBe(0)
    expect(await answer(gateway, 'rotated', 'no')).toBe(200)
  })

  test('a signing key that is revoked answers nothing more, and what is open is sent anew', async () => {
    await lane(ask('renewed'), { env })
    const keys = (await (await fetch(`${gateway.url}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[]
    }
    const kid = keys.keys.at(-1)?.kid ?? ''
    const revoked = await lane(['keys', 'revoke', '--signing', kid], { env })
    expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining(`${kid} is revoked since `)])
    await until('a fresh copy', async () =>
      /web +sent +2 attempts/.test((await lane(['show', 'renewed'], { env })).stdout),
    )
    expect(await answer(gateway, 'renewed', 'no')).toBe(200)
    for (const args of [
      ['keys', 'revoke'],
      ['keys', 'revoke', 'key-1', '--signing', kid],
    ])
      expect(await lane(args, { env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('ID of an API key, or --signing KID'),
      })
  })

  test('scopes that do not exist, and a deed that does not, are refused', async () => {
    expect((await lane(['keys', 'add', '--name', 'x', '--scopes', 'root'], { env })).code).toBe(1)
    expect(await lane(['keys', 'add', '--name', 'x'], { env })).toMatchObject({ code: 2 })
    expect(await lane(['keys', 'revok'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean revoke?'),
    })
  })
})

describe('show and erase', () => {
  test('the words that were typed are shown to an auditor until they are erased, and the ledger still holds', async () => {
    const before = await lane(['show', 'audited'], { env })
    expect(before.stdout).toContain('Answer    YES')
    expect(before.stdout).toContain('Said      " Yes. "')
    expect(await lane(['erase', 'audited'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^erased the words of reply \S+\n$/),
    })
    expect((await lane(['show', 'audited'], { env })).stdout).not.toContain('Said')
    expect((await lane(['erase', 'audited'], { env })).stdout).toBe('nothing was left to erase\n')
    expect((await lane(['ledger', 'verify'], { env })).code).toBe(0)
  })

  test('an id that does not exist, or is no id at all, exits 1', async () => {
    for (const id of ['absent', '../keys', 'a b', '%2e%2e']) {
      const { code, stderr } = await lane(['show', id], { env })
      expect({ id, code, stderr }).toEqual({
        id,
        code: 1,
        stderr: expect.stringContaining('404 (not_found)'),
      })
    }
  })
})

describe('doctor', () => {
  test('finds a running lane well, and exits 0', async () => {
    const { code, stdout } = await lane(['doctor', '--json'], { env: beside })
    const findings: { check: string; status: string; remedy: string | null }[] = JSON.parse(stdout)
    // Where checkpoints are published is the operator's to say; until then the one warning stands.
    expect(findings.filter(({ status }) => status !== 'ok')).toMatchObject([
      { check: 'checkpoints', status: 'warn' },
    ])
    const checks = [
      'node',
      'variables',
      'configuration',
      'people',
      'data directory',
      'secrets',
      'disk',
      'ledger',
    ]
    const more = ['sqlite', 'journal', 'schema', 'last entry', 'seals', 'lane', 'clock', 'public url']
    expect([...new Set(findings.map(({ check }) => check))].sort()).toEqual(
      [...checks, ...more, 'checkpoints', 'signing in', 'passkeys'].sort(),
    )
    expect(code).toBe(0)
  })

  test('exits 1 when something failed, with a mark and a remedy', async () => {
    const key = join(gateway.dataDir, 'operator.key')
    chmodSync(key, 0o644)
    const nowhere = await closedUrl()
    const { code, stdout } = await lane(['doctor'], { env: { ...beside, PUBLIC_URL: nowhere } })
    chmodSync(key, 0o600)
    expect(code).toBe(1)
    expect(stdout).toContain(`→ chmod 600 ${key}`)
    expect(stdout).toMatch(/✗ public url /)
    expect(stdout).toContain(`${nowhere}/healthz is not reachable (ECONNREFUSED)`)
  })
})

describe('serve', () => {
  test('a second lane on the same data says who has it, and exits 1', async () => {
    const second = await lane(['serve'], { env: { LANE_DATA_DIR: gateway.dataDir, PORT: '0' } })
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`already running, pid ${gateway.pid}`),
    })
  })

  test('a port that is taken is said so', async () => {
    const dataDir = join(freshDirectory(), 'data')
    const second = await lane(['serve'], { env: { LANE_DATA_DIR: dataDir, PORT: String(gateway.port) } })
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('set PORT') })
  })

  test('a configuration that cannot be meant stops the start with its line', async () => {
    const directory = freshDirectory()
    const file = join(directory, 'lane.yaml')
    writeFileSync(file, 'recipients:\n  operator: { name: Operator, wab: true }\n')
    const env = { LANE_DATA_DIR: join(directory, 'data'), LANE_CONFIG: file, PORT: '0' }
    const { code, stderr } = await lane(['serve'], { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${file}:2:`) })
  })

  test('SIGTERM ends it with 0, and the next start keeps its keys to itself', async () => {
    const first = await start()
    expect(first.agentKey).toMatch(/^lane_/)
    expect(await first.stop()).toBe(0)
    const second = await start({ dataDir: first.dataDir })
    expect(second.output()).not.toContain('lane_')
    expect(second.operatorKey).toBe(first.operatorKey)
    await second.kill()
  })
})

describe('the table of commands', () => {
  test.each([
    [[], 2, /^$/, /lane \[--env FILE\] COMMAND/],
    [['--help'], 0, /lane \[--env FILE\] COMMAND/, /^$/],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['help', 'ask'], 0, /^lane ask TEXT --impact T REPLY --deadline D --default A/, /^$/],
    [['ledger', '--help'], 0, /^lane ledger verify \[FILE\]/, /^$/],
    [['aks'], 2, /^$/, /did you mean ask\?/],
    [['help', 'aks'], 2, /^$/, /did you mean ask\?/],
    [['toString'], 2, /^$/, /there is no command "toString"/],
    [['ask', 'x', '--jsn'], 2, /^$/, /did you mean --json\?/],
    [['mcp'], 1, /^$/, /no API key/],
    [['show'], 2, /^$/, /ID is missing/],
  ])('%j exits %i', async (args, code, stdout, stderr) => {
    const ended = await lane(args)
    expect(ended.code).toBe(code)
    expect(ended.stdout).toMatch(stdout)
    expect(ended.stderr).toMatch(stderr)
  })
})
