// A gate in a shell: the built command against the built lane.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { answer, call, closedUrl, lane, operatorOf } from './command-line.js'
import { cleanEnv, freshDirectory, type Gateway, LANE, start } from './gateway.js'

const FIXED = `sha256:${'b'.repeat(64)}`
const ask = (id: string, ...more: string[]): string[] => [
  ...['ask', 'Ship the release today?', '--impact', 'Decides whether the pipeline goes on'],
  ...[
    '--default',
    'HALT',
    '--id',
    id,
    ...(more.includes('--deadline') ? [] : ['--deadline', '10m']),
    ...more,
  ],
]

describe('lane ask, review and approve', () => {
  let gateway: Gateway
  let env: Record<string, string>
  beforeAll(async () => {
    gateway = await start()
    env = operatorOf(gateway)
  })
  afterAll(() => gateway.kill())

  const events = async (requestId: string): Promise<string[]> => {
    const response = await fetch(`${gateway.url}/v1/ledger`, {
      headers: { authorization: `Bearer ${gateway.operatorKey}` },
    })
    const entries = (await response.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    return entries.filter(entry => entry.request_id === requestId).map(entry => entry.type)
  }

  test('YES exits 0, says so in the first line, and nothing else stands on standard output', async () => {
    const asked = call(ask('yes', '--yes-no', '--wait'), { env })
    expect(await answer(gateway, 'yes', 'y')).toBe(200)
    const { code, stdout, stderr } = await asked.ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^YES\nanswered by operator over web, proof console, /)
    expect(stderr).toMatch(/^yes {2}pending until /)
  })

  test('NO exits 10', async () => {
    const asked = call(ask('no', '--yes-no', '--wait'), { env })
    expect(await answer(gateway, 'no', 'no')).toBe(200)
    expect(await asked.ended).toMatchObject({ code: 10, stdout: expect.stringMatching(/^NO\n/) })
  })

  test('a reply that is not understood does not end the wait; the answer after it does', async () => {
    const asked = call(ask('unclear', '--yes-no', '--wait'), { env })
    expect(await answer(gateway, 'unclear', 'yes but')).toBe(422)
    expect(await answer(gateway, 'unclear', 'no')).toBe(200)
    expect((await asked.ended).code).toBe(10)
  })

  test('silence exits 20 and names what holds', async () => {
    const { code, stdout } = await lane(ask('silent', '--yes-no', '--wait', '--deadline', '1s'), { env })
    expect({ code, first: stdout.split('\n')[0] }).toEqual({ code: 20, first: 'HALT' })
  })

  test('a request that is taken back exits 22', async () => {
    const asked = call(ask('back', '--yes-no', '--wait', '--json'), { env })
    await until('the request to be known', async () => (await lane(['show', 'back'], { env })).code, 0)
    const taken = await lane(['withdraw', 'back', '--reason', 'the release is off'], { env })
    expect(taken).toMatchObject({ code: 0, stdout: expect.stringMatching(/^back {2}withdrawn\n/) })
    const { code, stdout } = await asked.ended
    expect(code).toBe(22)
    expect(JSON.parse(stdout)).toMatchObject({ request_id: 'back', state: 'withdrawn', answer: null })
    expect(await lane(['withdraw', 'back'], { env })).toMatchObject({ code: 0 })
  })

  test('with --json standard output is the body as the lane sent it, and standard error is empty', async () => {
    const asked = call(
      ask('json', '--option', 'now=Ship now', '--option', 'later=Wait', '--wait', '--json'),
      { env },
    )
    expect(await answer(gateway, 'json', 'b')).toBe(200)
    const { code, stdout, stderr } = await asked.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ state: 'answered', answer: { parsed_choice: 'later' } })
    const shown = await lane(['show', 'json', '--json'], { env })
    const response = await fetch(`${gateway.url}/v1/requests/json`, {
      headers: { authorization: `Bearer ${gateway.operatorKey}` },
    })
    expect(shown.stdout).toBe(`${await response.text()}\n`)
  })

  test('it never reads standard input: what is meant for the next command is still there', async () => {
    const words = ask('stdin', '--yes-no', '--wait').map(word => `'${word}'`)
    const script = `"${process.execPath}" "${LANE}" ${words.join(' ')} >/dev/null 2>&1; echo "exit $?"; cat`
    const shell = spawn('sh', ['-c', script], { env: cleanEnv(env), stdio: ['pipe', 'pipe', 'inherit'] })
    shell.stdin.end('yes\nfor the next command\n')
    const printed: string[] = []
    shell.stdout.on('data', chunk => printed.push(String(chunk)))
    expect(await answer(gateway, 'stdin', 'no')).toBe(200)
    await new Promise(resolve => shell.once('close', resolve))
    expect(printed.join('')).toBe('exit 10\nyes\nfor the next command\n')
  })

  test('the same id and content is the same request; other content is refused and changes nothing', async () => {
    const same = ['--yes-no', '--run', 'run-same']
    expect((await lane(ask('same', ...same), { env })).code).toBe(0)
    expect((await lane(ask('same', ...same), { env })).code).toBe(0)
    const other = await lane(ask('same', '--text', '20', '--run', 'run-same'), { env })
    expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('(id_conflict)') })
    expect((await events('same')).filter(type => type === 'REQUEST_OPENED')).toHaveLength(1)
  })

  test('what the lane refuses is told field by field, on standard error', async () => {
    const args = ask('refused', '--yes-no', '--context', 'the whole diff', '--to', 'nobody')
    const { code, stdout, stderr } = await lane(args, { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('422 (invalid_request)')
    expect(stderr).toMatch(/\/request\/context_handles\/0: read "the whole diff"; accepted: a pointer/)
  })

  test("with --json a refusal is the lane's own problem, on standard error", async () => {
    const { code, stdout, stderr } = await lane(ask('refused', '--text', '9000', '--json'), { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ status: 422, code: 'invalid_request' })
  })

  test('an approval is answered yes or no, a review as its schema says', async () => {
    const approved = call(
      [
        ...['approve', 'PUBLISH', '--param', `artifact=${FIXED}`, '--deadline', '5m', '--default', 'DENY'],
        ...['--id', 'approve-1', '--to', 'operator', '--channel', 'web', '--wait'],
      ],
      { env },
    )
    const reviewed = call(
      [
        ...['review', '--target', FIXED, '--lens', 'security', '--number', '0..10', '--unit', 'findings'],
        ...['--deadline', '5m', '--default', 'QUARANTINE_OUTPUTS', '--id', 'review-1', '--wait'],
      ],
      { env },
    )
    expect(await answer(gateway, 'approve-1', 'yes')).toBe(200)
    expect(await answer(gateway, 'review-1', '3 findings')).toBe(200)
    expect(await approved.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^YES\n/) })
    expect(await reviewed.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 findings\n/) })
  })

  test('a file that is named says where the lane is, and the environment overrides it', async () => {
    const cwd = freshDirectory()
    writeFileSync(join(cwd, 'my.env'), `LANE_URL=${gateway.url}\nLANE_API_KEY=${gateway.operatorKey}\n`)
    for (const named of [['--env', 'my.env'], ['--env=my.env']])
      expect(await lane([...named, 'recipients'], { cwd })).toMatchObject({
        code: 0,
        stdout: 'USER      NAME      CHANNELS\noperator  Operator  web\n',
      })
    const nowhere = await closedUrl()
    const elsewhere = await lane(['--env', 'my.env', 'recipients'], { cwd, env: { LANE_URL: nowhere } })
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`no lane answers at ${nowhere}`),
    })
  })

  test.each([
    [['--env', 'none.env', 'recipients'], 'read none.env, which is not there'],
    [['--env'], 'read nothing'],
  ])('%j names no file', async (args, said) => {
    expect(await lane(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
  })

  test("an agent's key sees what it asked itself, and may not operate", async () => {
    const agent = { LANE_URL: gateway.url, LANE_API_KEY: gateway.agentKey }
    expect((await lane(ask('own', '--yes-no'), { env: agent })).code).toBe(0)
    const { stdout } = await lane(['pending'], { env: agent })
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^REQUEST/),
      expect.stringMatching(/^own /),
    ])
    expect(await lane(['show', 'same'], { env: agent })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('404 (not_found)'),
    })
    expect(await lane(['keys', 'list'], { env: agent })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(scope_missing)'),
    })
  })
})

describe('when the lane goes away', () => {
  test('a wait outlives a kill and a restart, and the person was asked once', async () => {
    const before = await start()
    const env = operatorOf(before)
    const asked = call(ask('outage', '--yes-no', '--wait'), { env })
    await until('outage to be sent', async () =>
      (await lane(['show', 'outage'], { env })).stdout.includes(' sent '),
    )
    await before.kill()
    await new Promise(resolve => setTimeout(resolve, 600))
    expect(asked.child.exitCode).toBeNull()
    const after = await start({ dataDir: before.dataDir, port: before.port })
    expect(await answer(after, 'outage', 'yes')).toBe(200)
    expect((await asked.ended).code).toBe(0)
    const story = await lane(['ledger', 'export'], { env: { LANE_DATA_DIR: before.dataDir } })
    const opened = story.stdout.split('\n').filter(line => line.includes('"type":"REQUEST_OPENED"'))
    expect(opened).toHaveLength(1)
    expect(await after.stop()).toBe(0)
  })

  test('a link that could not be put before anybody exits 21, not 20', async () => {
    const dataDir = join(freshDirectory(), 'data')
    // Where a directory stands, the outbox cannot be written: no link leaves the lane.
    mkdirSync(join(dataDir, 'outbox.ndjson'), { recursive: true, mode: 0o700 })
    const gateway = await start({ dataDir })
    const asked = await lane(ask('unsent', '--yes-no', '--wait', '--deadline', '2s'), {
      env: operatorOf(gateway),
    })
    expect({ code: asked.code, first: asked.stdout.split('\n').slice(0, 1) }).toEqual({
      code: 21,
      first: ['HALT'],
    })
    await gateway.kill()
  })
})
