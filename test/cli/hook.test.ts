// A coding agent's use of a tool waits for a person's YES: the built command, run as the agents run it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { asked, entries } from '../mcp/agent.js'
import { until } from '../until.js'
import { answer, call, closedUrl, type Ended, lane, pageOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

/** Each agent's two events as it sends them, with all the fields it always sends. */
const CLAUDE = {
  session_id: 'session-1',
  transcript_path: '/work-of-somebody/.claude/t.jsonl',
  cwd: '/work-of-somebody/shop',
  permission_mode: 'default',
}
const CODEX = { ...CLAUDE, transcript_path: null, model: 'a-model', turn_id: 'turn-1' }
const BASH = { tool_name: 'Bash', tool_input: { command: 'npm publish', description: 'Publish it' } }
const asking = (base: object) => ({ ...base, hook_event_name: 'PermissionRequest', ...BASH })
const using = (base: object, tool_use_id: string) => ({
  ...base,
  hook_event_name: 'PreToolUse',
  ...BASH,
  tool_use_id,
})

/** What both agents take of a hook's output, as far as ours goes; no other member is allowed. */
const member = (name: string, properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: ['hookSpecificOutput'],
  properties: {
    hookSpecificOutput: {
      type: 'object',
      additionalProperties: false,
      required: ['hookEventName', ...required],
      properties: { hookEventName: { const: name }, ...properties },
    },
  },
})
const text = { type: 'string', minLength: 1 }
const SHAPES = {
  PermissionRequest: member(
    'PermissionRequest',
    {
      decision: {
        type: 'object',
        additionalProperties: false,
        required: ['behavior'],
        properties: { behavior: { enum: ['allow', 'deny'] }, message: text },
      },
    },
    ['decision'],
  ),
  PreToolUse: member(
    'PreToolUse',
    { permissionDecision: { enum: ['allow', 'deny'] }, permissionDecisionReason: text },
    ['permissionDecision', 'permissionDecisionReason'],
  ),
}
const ajv = new Ajv({ strict: true, allErrors: true })
const valid = {
  PermissionRequest: ajv.compile(SHAPES.PermissionRequest),
  PreToolUse: ajv.compile(SHAPES.PreToolUse),
}

/** The schemas that Codex itself publishes, of what it tells a hook and of what it takes from one. */
const published = (name: string) => {
  const path = fileURLToPath(new URL(`../vectors/hooks/codex/${name}.schema.json`, import.meta.url))
  return new Ajv({ strict: false }).compile(JSON.parse(readFileSync(path, 'utf8')))
}
const CODEX_SAYS = {
  PermissionRequest: published('permission-request.command.input'),
  PreToolUse: published('pre-tool-use.command.input'),
}
const CODEX_TAKES = {
  PermissionRequest: published('permission-request.command.output'),
  PreToolUse: published('pre-tool-use.command.output'),
}

/** The hook's one object, which has the shape of its event. */
function output({ code, stdout }: Ended, event: keyof typeof SHAPES): Record<string, unknown> {
  expect(code).toBe(0)
  const said = JSON.parse(stdout)
  for (const judge of [valid[event], CODEX_TAKES[event]]) {
    judge(said)
    expect(judge.errors ?? []).toEqual([])
  }
  return said.hookSpecificOutput
}
const deniedAs = (ended: Ended, event: keyof typeof SHAPES): string => {
  const said = output(ended, event) as {
    readonly decision?: { readonly behavior: string; readonly message: string }
    readonly permissionDecision?: string
    readonly permissionDecisionReason?: string
  }
  expect(said.decision?.behavior ?? said.permissionDecision).toBe('deny')
  return said.decision?.message ?? said.permissionDecisionReason ?? ''
}

let gateway: Gateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway.kill())

const agentOf = ({ url, agentKey }: Gateway) => ({ LANE_URL: url, LANE_API_KEY: agentKey })
const hook = (input: unknown, args: readonly string[] = [], env: Record<string, string> = agentOf(gateway)) =>
  call(['hook', 'permission', ...args], {
    env,
    stdin: typeof input === 'string' ? input : JSON.stringify(input),
  })
const nextAfter = (count: number): Promise<string> =>
  until('the next request', async () => (await asked(gateway))[count])

async function decide(input: unknown, said: string, args: readonly string[] = []): Promise<Ended> {
  const { length } = await asked(gateway)
  const { ended } = hook(input, args)
  expect(await answer(gateway, await nextAfter(length), said)).toBe(200)
  return await ended
}

describe('lane hook permission', () => {
  test('the events of these tests are such as Codex publishes that it sends', () => {
    expect([CODEX_SAYS.PermissionRequest(asking(CODEX)), CODEX_SAYS.PreToolUse(using(CODEX, 'u'))]).toEqual([
      true,
      true,
    ])
    expect([CODEX_SAYS.PermissionRequest(asking(CLAUDE)), CODEX_SAYS.PreToolUse(using(CLAUDE, 'u'))]).toEqual(
      [false, false],
    )
  })

  test('YES allows a PermissionRequest of either agent, and changes no input', async () => {
    for (const base of [CLAUDE, CODEX])
      expect(output(await decide(asking(base), 'yes'), 'PermissionRequest')).toEqual({
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'allow' },
      })
  })

  test('YES allows a PreToolUse: Claude Code is told so, Codex takes silence for it', async () => {
    expect(output(await decide(using(CLAUDE, 'use-1'), 'yes'), 'PreToolUse')).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'a person allowed this use',
    })
    expect(await decide(using(CODEX, 'use-2'), 'yes')).toMatchObject({ code: 0, stdout: '' })
  })

  test('NO denies each of the four, and says who', async () => {
    const why = 'Denied: operator answered over web: NO. Do not do what was asked about.'
    for (const base of [CLAUDE, CODEX]) {
      expect(deniedAs(await decide(asking(base), 'no'), 'PermissionRequest')).toBe(why)
      const use = using(base, `use-no-${'turn_id' in base}`)
      expect(deniedAs(await decide(use, 'no'), 'PreToolUse')).toBe(why)
    }
  })

  test('the person sees tool, input and directory; the request names what passes unasked', async () => {
    const { length } = await asked(gateway)
    const { ended } = hook(asking(CLAUDE), ['--allow', 'Read', '--allow', 'Bash(git status)'])
    const id = await nextAfter(length)
    const page = (await pageOf(gateway, id)).replaceAll('&quot;', '"')
    for (const part of ['Bash', '"command": "npm publish"', '/work-of-somebody/shop', 'Bash(git status)'])
      expect(page).toContain(part)
    expect(await answer(gateway, id, 'no')).toBe(200)
    deniedAs(await ended, 'PermissionRequest')
    const opened = (await entries(gateway)).find(
      ({ type, request_id }) => type === 'REQUEST_OPENED' && request_id === id,
    )
    expect(opened?.body.request).toMatchObject({
      action: 'USE_TOOL',
      default_action: 'DENY',
      deadline_seconds: 600,
      parameters: {
        tool: sha256(Buffer.from('Bash')),
        cwd: sha256(Buffer.from('/work-of-somebody/shop')),
        allowed_unasked: sha256(Buffer.from('Read\nBash(git status)')),
      },
    })
  })

  test('the same use is asked once; without an id of the use each is a question of its own', async () => {
    const { length } = await asked(gateway)
    expect(await hook(using(CLAUDE, 'use-1')).ended).toMatchObject({ code: 0 })
    expect(await asked(gateway)).toHaveLength(length)
    expect(deniedAs(await decide(asking(CLAUDE), 'no'), 'PermissionRequest')).toContain('NO')
  })

  test('silence denies', async () => {
    const ended = await hook(asking(CLAUDE), ['--deadline', '1s']).ended
    expect(deniedAs(ended, 'PermissionRequest')).toMatch(/^Denied: Nobody answered by .*; DENY holds\./)
  })

  test.each<[string, readonly string[], object]>([
    ['a listed tool', ['Read'], { ...asking(CLAUDE), tool_name: 'Read', tool_input: { file_path: '/etc' } }],
    ['a listed command', ['Bash(npm publish)'], asking(CLAUDE)],
  ])('%s passes, and nobody is asked', async (_, allow, input) => {
    const before = await asked(gateway)
    const ended = await hook(
      input,
      allow.flatMap(one => ['--allow', one]),
    ).ended
    expect(output(ended, 'PermissionRequest')).toMatchObject({ decision: { behavior: 'allow' } })
    expect(await asked(gateway)).toEqual(before)
  })

  test.each<[string, object]>([
    ['more behind the listed command', { command: 'npm publish; rm -rf /' }],
    ['the listed command in capitals', { command: 'NPM PUBLISH' }],
    ['a blank behind it', { command: 'npm publish ' }],
    ['a member that changes how it runs', { command: 'npm publish', dangerouslyDisableSandbox: true }],
    ['the command within a list', { command: ['npm publish'] }],
  ])('%s is asked about', async (_, tool_input) => {
    const ended = await decide({ ...asking(CLAUDE), tool_input }, 'no', ['--allow', 'Bash(npm publish)'])
    expect(deniedAs(ended, 'PermissionRequest')).toContain('NO')
  })

  test.each<[string, string]>([
    ['half-written JSON', '{"hook_event_name":"PreToolUse","tool_na'],
    ['nothing', ''],
    ['a list', '[]'],
    ['another event', JSON.stringify({ ...using(CLAUDE, 'u'), hook_event_name: 'PostToolUse' })],
    ['two events', `{"hook_event_name":"PreToolUse","hook_event_name":"PermissionRequest"}`],
  ])('%s is denied by exit code 2, with the reason, and nobody was asked', async (_, input) => {
    const before = await asked(gateway)
    const { code, stdout, stderr } = await hook(input).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Denied, nobody was asked: /)
    expect(await asked(gateway)).toEqual(before)
  })

  test.each<[string, object]>([
    ['no tool', { tool_name: undefined }],
    ['a tool that is a sentence', { tool_name: 'Bash now? Yes' }],
    ['an input that is a text', { tool_input: 'rm' }],
    ['no session', { session_id: '' }],
    ['no directory', { cwd: 7 }],
    ['an input of a megabyte', { tool_input: { command: 'x'.repeat(1024 * 1024) } }],
  ])('%s is denied in the words of the event, and nobody was asked', async (_, change) => {
    const before = await asked(gateway)
    const why = deniedAs(await hook({ ...using(CODEX, 'u'), ...change }).ended, 'PreToolUse')
    expect(why).toMatch(/nobody was asked|Nobody was asked/i)
    expect(await asked(gateway)).toEqual(before)
  })

  test('a lane that is not there, a wrong key, no key and a key that may do more are denied, with the reason', async () => {
    const reasons = await Promise.all(
      [
        { ...agentOf(gateway), LANE_API_KEY: `lane_${'x'.repeat(30)}` },
        { LANE_URL: gateway.url },
        { ...agentOf(gateway), LANE_API_KEY: gateway.operatorKey },
      ].map(async env => deniedAs(await hook(asking(CLAUDE), [], env).ended, 'PermissionRequest')),
    )
    expect(reasons[0]).toContain('unauthenticated')
    expect(reasons[1]).toContain('no API key')
    expect(reasons[2]).toContain('more than scope request')
    const lost = { LANE_URL: await closedUrl(), LANE_API_KEY: 'k'.repeat(30) }
    const why = deniedAs(await hook(asking(CLAUDE), ['--deadline', '1s'], lost).ended, 'PermissionRequest')
    expect(why).toContain('unreachable')
  })

  test('options it does not know are a denial too', async () => {
    expect(await hook(asking(CLAUDE), ['--alow', 'Bash']).ended).toMatchObject({ code: 2, stdout: '' })
    expect(await hook(asking(CLAUDE), ['--allow', 'Bash(']).ended).toMatchObject({ code: 2, stdout: '' })
  })

  test('an agent that ends the hook leaves nobody asked for nothing', async () => {
    const { length } = await asked(gateway)
    const { child, ended } = hook(asking(CLAUDE))
    const id = await nextAfter(length)
    child.kill('SIGTERM')
    expect(deniedAs(await ended, 'PermissionRequest')).toContain('the agent ended the hook')
    await until('the withdrawal', async () =>
      (await entries(gateway)).some(
        ({ type, request_id }) => type === 'REQUEST_WITHDRAWN' && request_id === id,
      ),
    )
  })
})

describe('lane hook install', () => {
  const PLACES = [
    ['claude-code', '.claude', 'settings.json'],
    ['codex', '.codex', 'hooks.json'],
  ] as const
  const at = (home: string, args: readonly string[], stdin = '') =>
    lane(['hook', 'install', ...args], { env: { HOME: home }, stdin })

  test.each(PLACES)(
    '%s: shown, changed after a yes, run by the agent, and taken out again',
    async (agent, folder, file) => {
      const home = freshDirectory()
      mkdirSync(join(home, folder))
      const path = join(home, folder, file)
      const own = { matcher: 'Bash', hooks: [{ type: 'command', command: 'mine.sh' }] }
      const before = `${JSON.stringify({ model: 'm', hooks: { PermissionRequest: [own] }, z: [1] }, null, 4)}\n`
      writeFileSync(path, before)

      const shown = await at(home, [agent, '--dry-run'])
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('hook permission') })
      for (const said of ['', 'no\n', 'y\n']) expect(await at(home, [agent], said)).toMatchObject({ code: 1 })
      expect(readFileSync(path, 'utf8')).toBe(before)

      expect(await at(home, [agent, '--allow', "Bash(echo 'a b')"], 'yes\n')).toMatchObject({ code: 0 })
      const { hooks, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
      expect(rest).toEqual({ model: 'm', z: [1] })
      expect(hooks.PermissionRequest[0]).toEqual(own)
      const [{ command, timeout }] = hooks.PermissionRequest[1].hooks
      expect(timeout).toBeGreaterThan(600)
      const input = { ...asking(CLAUDE), tool_input: { command: "echo 'a b'" } }
      const ran = spawnSync('sh', ['-c', command], { input: JSON.stringify(input), encoding: 'utf8' })
      expect(JSON.parse(ran.stdout).hookSpecificOutput.decision).toEqual({ behavior: 'allow' })

      expect((await at(home, [agent, '--deadline', '5m'], 'yes\n')).code).toBe(0)
      expect(readFileSync(path, 'utf8').match(/hook permission/g)).toHaveLength(1)
      expect((await at(home, [agent, '--remove'], 'yes\n')).code).toBe(0)
      expect(readFileSync(path, 'utf8')).toBe(before)
      expect(await at(home, [agent, '--remove'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('nothing to change'),
      })
    },
  )

  test('without settings they are made, after a yes and not before', async () => {
    const home = freshDirectory()
    expect((await at(home, ['codex'], 'no\n')).code).toBe(1)
    expect(await at(home, ['codex', '--event', 'PreToolUse', '--matcher', 'Bash'], 'yes\n')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('/hooks'),
    })
    const made = JSON.parse(readFileSync(join(home, '.codex/hooks.json'), 'utf8'))
    expect(made.hooks.PreToolUse[0].matcher).toBe('Bash')
  })

  test.each<[string, (path: string) => void]>([
    ['comments', path => writeFileSync(path, '{ // mine\n "model": "m" }')],
    ['hooks that are a list', path => writeFileSync(path, '{"hooks":[]}')],
    ['a link', path => symlinkSync('/etc/hostname', path)],
  ])('settings that are %s are left alone', async (_, make) => {
    const home = freshDirectory()
    mkdirSync(join(home, '.claude'))
    const path = join(home, '.claude/settings.json')
    make(path)
    const before = readFileSync(path, 'utf8')
    expect(await at(home, ['claude-code'], 'yes\n')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing was changed'),
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  test('an agent it does not know is a usage error that names the ones it does', async () => {
    expect(await at(freshDirectory(), ['claude'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/claude-code/),
    })
  })
})
