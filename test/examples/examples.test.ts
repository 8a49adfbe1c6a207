// The examples do what their pages say, against a real lane, in a project that has installed the package.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { answer, closedUrl, lane, operatorOf, pageOf } from '../cli/command-line.js'
import { cleanEnv, type Gateway, start } from '../cli/gateway.js'
import { asked } from '../mcp/agent.js'
import { until } from '../until.js'
import { maySkip, without } from '../verifier/second.js'
import { agentEnv, compile, install, ROOT, run } from './installed.js'

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex')

describe('approve', () => {
  const page = readFileSync(join(ROOT, 'examples/approve/README.md'), 'utf8')
  const lines = page.split('\n').flatMap(line => /^ {4}(npx lane approve .*)$/.exec(line)?.[1] ?? [])
  let shop: Gateway
  beforeAll(async () => {
    shop = await start({ config: readFileSync(join(ROOT, 'examples/approve/lane.yaml'), 'utf8') })
  })
  afterAll(() => shop.kill())

  test.each([
    ['a deploy diff', 0, ['+    image: registry.example.org/checkout:4.2.0', '@@ -12,6 +12,7 @@ services:']],
    ['a refund with amount and customer', 1, ['50.00 EUR', 'Ada Example, no. 20417']],
    ['an SQL statement', 2, [' WHERE customer_id = 20417', 'billing']],
    ['a mail to be sent', 3, ['To: all customers of plan Basic (4 812 people)', 'Your support team']],
  ])('%s is asked for by one line, and stands on the page to be judged', async (_, place, shown) => {
    const id = `line-${place}`
    const cwd = install('examples/approve')
    const env = agentEnv(shop)
    const asked = await run('sh', ['-c', `${lines[place]} --id ${id}`], { cwd, env })
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining(id)])
    const html = await pageOf(shop, id)
    for (const line of shown) expect(html).toContain(`│ ${line}`)
    const why = /--why "([^"]*)"/.exec(lines[place] ?? '')?.[1] ?? ''
    expect(html).toContain(why)
    expect(await answer(shop, id, 'yes')).toBe(200)
  })

  test('four lines are all there are, and without its content nobody is asked', async () => {
    expect(lines).toHaveLength(4)
    const args = ['approve', 'REFUND', '--param', `amount=sha256:${'a'.repeat(64)}`, '--id', 'blind']
    const blind = await lane([...args, '--deadline', '1h', '--default', 'DENY'], { env: agentEnv(shop) })
    expect(blind.code).toBe(1)
    expect(blind.stderr).toContain('/request/parameters/amount')
  })
})

describe('deploy', () => {
  function prepare(content: string, deadline = '10m') {
    const cwd = install('examples/deploy')
    writeFileSync(join(cwd, 'release.txt'), content)
    mkdirSync(join(cwd, 'target'))
    const env = { ...agentEnv(gateway), TARGET: join(cwd, 'target'), DEADLINE: deadline }
    const id = `deploy-${hashOf(content).slice(0, 32)}-1`
    const deployed = (): boolean => existsSync(join(cwd, 'target/release.txt'))
    return { cwd, id, deployed, deploy: () => run('./deploy.sh', ['release.txt'], { cwd, env }) }
  }

  test('YES deploys the file; the script started again needs no second answer', async () => {
    const { id, deployed, deploy } = prepare('one')
    const ended = deploy()
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect((await ended).code).toBe(0)
    expect(deployed()).toBe(true)
    expect((await deploy()).code).toBe(0)
    expect((await asked(gateway)).filter(one => one === id)).toHaveLength(1)
  })

  test('an approval that was taken back deploys nothing any more', async () => {
    const { id, deploy, cwd } = prepare('five')
    const ended = deploy()
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect((await ended).code).toBe(0)
    rmSync(join(cwd, 'target/release.txt'))
    const env = operatorOf(gateway)
    expect(await lane(['withdraw', id, '--reason', 'taken back'], { env })).toMatchObject({ code: 0 })
    const again = await deploy()
    expect([again.code, existsSync(join(cwd, 'target/release.txt'))]).toEqual([1, false])
    expect(again.stderr).toContain('the YES gives no right to act any more')
    expect((await lane(['show', id], { env })).stdout).toMatch(/Right +none: spent, taken back/)
  })

  test('without a place to deploy to nobody is asked', async () => {
    const cwd = install('examples/deploy')
    writeFileSync(join(cwd, 'release.txt'), 'six')
    const ended = await run('./deploy.sh', ['release.txt'], { cwd, env: agentEnv(gateway) })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('TARGET is where') })
    expect(await asked(gateway)).not.toContain(`deploy-${hashOf('six').slice(0, 32)}-1`)
  })

  test('NO, and silence, deploy nothing', async () => {
    const refused = prepare('two')
    const ended = refused.deploy()
    expect(await answer(gateway, refused.id, 'no')).toBe(200)
    expect((await ended).code).toBe(10)
    const silent = prepare('three', '1s')
    expect((await silent.deploy()).code).toBe(20)
    expect([refused.deployed(), silent.deployed()]).toEqual([false, false])
  })

  test('a file that was changed after it was approved is not deployed', async () => {
    const { cwd, id, deployed, deploy } = prepare('four')
    const ended = deploy()
    // Asked is asked: the hash was taken before.
    await until(
      `${id} to be asked`,
      () => asked(gateway),
      ids => ids.includes(id),
    )
    writeFileSync(join(cwd, 'release.txt'), 'four, and more')
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect((await ended).code).toBe(1)
    expect(deployed()).toBe(false)
  })
})

describe('agent', () => {
  let cwd: string
  beforeAll(async () => {
    cwd = install('examples/agent')
    expect(await compile(cwd)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('asks where, asks for the right, and publishes; started again it asks nobody and publishes nothing twice', async () => {
    writeFileSync(join(cwd, 'page.html'), '<p>one</p>')
    const name = hashOf('<p>one</p>').slice(0, 16)
    const env = agentEnv(gateway)
    const ended = run(process.execPath, ['agent.js', 'page.html'], { cwd, env })
    expect(await answer(gateway, `where-${name}`, 'public')).toBe(200)
    expect(await answer(gateway, `publish-${name}`, 'yes')).toBe(200)
    expect(await ended).toEqual({ code: 0, stdout: 'published page.html on the public site\n', stderr: '' })
    expect(await run(process.execPath, ['agent.js', 'page.html'], { cwd, env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('the right was used before'),
    })
    expect((await asked(gateway)).filter(id => id?.endsWith(name))).toHaveLength(2)
  })

  test('NO publishes nothing', async () => {
    writeFileSync(join(cwd, 'page.html'), '<p>two</p>')
    const name = hashOf('<p>two</p>').slice(0, 16)
    const ended = run(process.execPath, ['agent.js', 'page.html'], { cwd, env: agentEnv(gateway) })
    expect(await answer(gateway, `where-${name}`, 'A')).toBe(200)
    expect(await answer(gateway, `publish-${name}`, 'no')).toBe(200)
    expect(await ended).toEqual({ code: 1, stdout: '', stderr: 'operator said no\n' })
  })
})

describe.skipIf(maySkip)(`python${without}`, () => {
  const env = (): Record<string, string> => ({
    ...agentEnv(gateway),
    PYTHONPATH: join(ROOT, 'clients/python'),
  })
  function prepare(page: string) {
    const cwd = install('examples/python')
    writeFileSync(join(cwd, 'page.html'), page)
    const start = () => run('python3', ['-B', 'agent.py', 'page.html'], { cwd, env: env() })
    return { id: `publish-${hashOf(page).slice(0, 16)}`, start }
  }

  test('shows the page, and after YES publishes it once; started again it asks nobody', async () => {
    const { id, start } = prepare('<p>of Python</p>')
    const ended = start()
    expect(await pageOf(gateway, id)).toContain('│ &lt;p&gt;of Python&lt;/p&gt;')
    expect(await answer(gateway, id, 'yes')).toBe(200)
    expect(await ended).toEqual({ code: 0, stdout: 'published page.html\n', stderr: '' })
    expect(await start()).toMatchObject({ code: 1, stderr: expect.stringContaining('used before') })
    expect((await asked(gateway)).filter(one => one === id)).toHaveLength(1)
  })

  test('NO publishes nothing', async () => {
    const { id, start } = prepare('<p>of Python, refused</p>')
    const ended = start()
    expect(await answer(gateway, id, 'no')).toBe(200)
    expect(await ended).toEqual({ code: 1, stdout: '', stderr: 'operator said no\n' })
  })
})

describe('mcp', () => {
  test('a client that reads the configuration has the tools, and can ask', async () => {
    const cwd = install('examples/mcp')
    const given: Record<string, string> = { ...agentEnv(gateway), LANE_RUN_ID: 'run-of-the-example' }
    const text = readFileSync(join(cwd, 'mcp.json'), 'utf8').replace(
      /\$\{(\w+)\}/g,
      (_, name) => given[name] ?? '',
    )
    const { command, args, env } = JSON.parse(text).mcpServers.lane
    const client = new Client({ name: 'an-agent', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command, args, cwd, env: cleanEnv(env) }))
    const ask = {
      ...{
        question_text: 'Go on?',
        impact: 'x',
        deadline_seconds: 600,
        default_action: 'HALT',
        key: 'from-mcp',
      },
    }
    const result = client.callTool({ name: 'ask_question', arguments: ask })
    expect(await answer(gateway, 'from-mcp', 'yes')).toBe(200)
    expect((await result).structuredContent).toMatchObject({ state: 'answered', answer: 'YES' })
    await client.close()
  })
})

describe('ci', () => {
  type Step = { readonly name?: string; readonly run?: string }
  const { jobs } = parse(readFileSync(join(ROOT, 'examples/ci/release.yml'), 'utf8'))
  /** What a runner knows, put where the workflow names it. */
  const filled = (text: string, runId: string): string => {
    const known: Record<string, string> = {
      'github.run_id': runId,
      'github.run_attempt': '1',
      'vars.LANE_URL': gateway.url,
      'secrets.LANE_API_KEY': gateway.agentKey,
    }
    return text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, name) => known[name] ?? '')
  }

  /** As a runner does: the steps in order, with the job's environment, until one fails. */
  async function job(
    cwd: string,
    runId: string,
  ): Promise<{ readonly code: number | null; readonly out: string }> {
    const env = Object.fromEntries(
      Object.entries<string>(jobs.release.env).map(([name, value]) => [name, filled(value, runId)]),
    )
    // As it is named by whoever made the tag: in the script itself it would be run.
    Object.assign(env, { GITHUB_REF_NAME: 'v1.2.0-$(false)' })
    let out = ''
    for (const { name, run: script } of jobs.release.steps as readonly Step[]) {
      if (name === undefined || script === undefined) continue
      const ended = await run('bash', ['-e', '-c', filled(script, runId)], { cwd, env })
      out += ended.stdout
      if (ended.code !== 0) return { code: ended.code, out }
    }
    return { code: 0, out }
  }

  function prepare(): string {
    const cwd = install('examples/ci')
    writeFileSync(join(cwd, 'package.json'), '{"private":true,"scripts":{"release":"echo released"}}')
    return cwd
  }

  test('YES releases', async () => {
    const ended = job(prepare(), '1001')
    expect(await answer(gateway, 'release-1001-1', 'yes')).toBe(200)
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('released') })
  })

  test('a tag that is named like a command is asked about and not run', async () => {
    const ended = job(prepare(), '1003')
    expect(await answer(gateway, 'release-1003-1', 'yes')).toBe(200)
    await ended
    const headers = { authorization: `Bearer ${gateway.agentKey}` }
    const response = await fetch(`${gateway.url}/v1/requests/release-1003-1`, { headers })
    const { request } = (await response.json()) as { request: { question_text: string } }
    expect(request.question_text).toBe('Release v1.2.0-$(false) now?')
  })

  test('NO ends the job before the release', async () => {
    const ended = job(prepare(), '1002')
    expect(await answer(gateway, 'release-1002-1', 'no')).toBe(200)
    const { code, out } = await ended
    expect(code).toBe(10)
    expect(out).not.toContain('released')
  })
})

describe('ail', () => {
  type Step = {
    readonly id: string
    readonly context: { readonly shell: string }
    readonly on_result?: readonly { readonly exit_code: number | 'any'; readonly action: string }[]
  }
  /** As `ail` does: each step by /bin/sh, then the first branch that matches its exit code. */
  async function pipeline(cwd: string, env: Record<string, string>): Promise<readonly string[]> {
    const ran: string[] = []
    const { pipeline: steps } = parse(readFileSync(join(cwd, '.ail.yaml'), 'utf8')) as { pipeline: Step[] }
    for (const { id, context, on_result: branches = [] } of steps) {
      const { code } = await run('/bin/sh', ['-c', context.shell], { cwd, env })
      ran.push(`${id} ${code}`)
      const branch = branches.find(({ exit_code }) => (exit_code === 'any' ? code !== 0 : exit_code === code))
      if (branch?.action === 'abort_pipeline') break
    }
    return ran
  }
  const newest = (known: readonly (string | undefined)[]): Promise<string> =>
    until('a gate to be asked', async () =>
      (await asked(gateway)).find(id => id?.startsWith('gate-') && !known.includes(id)),
    )

  test('has no gate that the linter finds fault with', async () => {
    const cwd = install('examples/ail')
    const env = agentEnv(gateway)
    expect(await run('npx', ['lane', 'ail', 'lint', '.ail.yaml'], { cwd, env })).toMatchObject({
      code: 0,
      stdout: '0 errors, 0 warnings\n',
    })
  })

  test('[AIL-230] YES deploys; NO, silence and a lane that is away do not', async () => {
    const cwd = install('examples/ail')
    const env = agentEnv(gateway)
    const known = await asked(gateway)
    const refused = pipeline(cwd, env)
    const first = await newest(known)
    expect(await answer(gateway, first, 'no')).toBe(200)
    expect(await refused).toEqual(['build 0', 'leave 10'])
    expect(await pipeline(cwd, { ...env, DEADLINE: '1s' })).toEqual(['build 0', 'leave 20'])
    expect(await pipeline(cwd, { ...env, LANE_URL: await closedUrl() })).toEqual(['build 0', 'leave 69'])
    expect(existsSync(join(cwd, 'deployed.txt'))).toBe(false)
    const before = await asked(gateway)
    const ended = pipeline(cwd, env)
    expect(await answer(gateway, await newest(before), 'yes')).toBe(200)
    expect(await ended).toEqual(['build 0', 'leave 0', 'deploy 0'])
    expect(existsSync(join(cwd, 'deployed.txt'))).toBe(true)
  }, 60_000)
})
