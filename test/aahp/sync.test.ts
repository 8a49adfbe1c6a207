// A task is blocked, a person decides, and the decision stands in the repository: a whole lane, real git.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { syncOnce } from '../../src/cli/aahp/sync.js'
import { main } from '../../src/cli/commands.js'
import type { Task } from '../../src/interop/aahp/manifest.js'
import { freshPlace, git, makeHostile, put } from '../git/scene.js'
import { logOf, TASKS } from '../interop/aahp/handoff.js'
import { type LaneUnderTest, startLane, UNLIMITED } from '../lane-under-test.js'
import {
  aahp,
  askedIn,
  commits,
  decide,
  freshProject,
  HANDOFF,
  keyed,
  lockOf,
  manifestOf,
  names,
  read,
  setTasks,
  shellFor,
  snapshot,
  taskOf,
  write,
  wrongChecksums,
} from './scene.js'

const TEMPLATES = new URL('../../../shared/foreign/aahp/templates/', import.meta.url)

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane?.close())

const sync = (top: string, ...more: string[]) =>
  aahp(keyed(lane), 'sync', top, '--to', 'operator', '--json', ...more)
const asked = async (top: string, ...more: string[]): Promise<string> => {
  const told = await sync(top, ...more)
  const [one] = askedIn(told)
  if (one === undefined) throw new Error(`nothing was asked: ${told.out}${told.err}`)
  return one.request_id
}
/** Asks, answers and hands on. */
async function through(top: string, reply: string) {
  const id = await asked(top)
  await decide(lane, id, reply)
  return { id, told: await sync(top) }
}
/** A project of its own: requests of different projects never meet. */
let count = 0
const fresh = (
  changes: Record<string, string | null> = {},
  more: Parameters<typeof freshProject>[1] = {},
): string => freshProject(changes, { project: `sample ${count++}`, ...more })

describe('sync', () => {
  test('[AAHP-264] opens one request for a task that a person blocks, and the same one again', async () => {
    const top = fresh()
    const before = snapshot(top)
    const id = await asked(top)
    expect(await asked(top)).toBe(id)
    const shown = await lane.call('GET', `/v1/requests/${id}`)
    expect(shown.json).toMatchObject({
      state: 'pending',
      request: {
        type: 'REQUEST_QUESTION',
        question_text: 'May the valve be opened?',
        default_action: 'HALT',
        deadline_seconds: 86_400,
      },
    })
    const [opened] = await lane.story(id)
    expect(opened?.body).toMatchObject({
      origin: { system: 'aahp', ref: expect.stringContaining('T-003 of sample') },
    })
    expect(snapshot(top)).toEqual(before)
    expect(commits(top)).toBe(1)
  })

  test('[AAHP-265, AAHP-279, AAHP-280, AAHP-281, AAHP-282] after YES hands on: ready, no lock, checksums right, one commit of the handoff alone', async () => {
    const top = fresh()
    put(top, { 'src/code.txt': 'changed\n', 'src/new.txt': 'new\n' })
    git(top, 'add', 'src/new.txt')
    const { id, told } = await through(top, 'YES')
    expect(told).toMatchObject({
      code: 0,
      json: {
        asked: [],
        refused: [],
        handed: [{ task: 'T-003', verdict: 'YES', status: 'ready', commit: git(top, 'rev-parse', 'main') }],
      },
    })
    expect(taskOf(top)).toMatchObject({ status: 'ready', lane: { last: { request_id: id, verdict: 'YES' } } })
    expect(taskOf(top)).not.toHaveProperty('blocked_by')
    expect(names(top)).not.toContain('HANDOFF.lock')
    expect(wrongChecksums(top)).toEqual([])
    expect(commits(top)).toBe(2)
    const paths = git(top, 'diff', '--name-only', 'main~1', 'main').split('\n')
    expect(paths.every(path => path.startsWith(`${HANDOFF}/`))).toBe(true)
    expect(paths).toEqual(
      expect.arrayContaining(
        ['LOG.md', 'MANIFEST.json', 'NEXT_ACTIONS.md', 'STATUS.md', 'TRUST.md'].map(
          name => `${HANDOFF}/${name}`,
        ),
      ),
    )
    expect(git(top, 'status', '--porcelain')).toBe(' M src/code.txt\nA  src/new.txt')
    expect(git(top, 'show', '-s', '--format=%an <%ae>', 'main')).toBe(
      'interrupt-lane <lane@localhost.invalid>',
    )
    // Nothing is left to do, and nothing is done.
    expect(await sync(top)).toMatchObject({ code: 0, json: { asked: [], handed: [] } })
    expect(commits(top)).toBe(2)
  })

  test('[AAHP-306, AAHP-313] tells the request and the hash by which the lane received the reply, and trusts it as a person’s word', async () => {
    const top = fresh()
    const { id } = await through(top, 'YES')
    const received = (await lane.story(id)).find(({ type }) => type === 'INBOUND_REPLY_RECEIVED')
    const hash = received?.body.event_hash as string
    expect(read(top, 'LOG.md')).toContain(
      `- Request: ${id}\n- Event hash: ${hash}\n- Verdict: YES, human:operator, over web, proof console\n`,
    )
    expect(read(top, 'TRUST.md')).toMatch(
      new RegExp(
        `\\| T-003 human decision \\| verified \\| human_confirmed \\| .* \\| human:operator \\| 30d \\| .*request ${id}; event ${hash} \\|`,
      ),
    )
  })

  test('[AAHP-266] after YES with an unfinished dependency leaves the task blocked, and a later handoff releases it', async () => {
    const waiting: Record<string, Task> = {
      ...TASKS,
      'T-003': { ...(TASKS['T-003'] as Task), depends_on: ['T-002'] },
      'T-005': { title: 'b', status: 'blocked', blocked_by: 'human: And this?' },
    }
    const top = fresh({}, { tasks: waiting, next_task_id: 6 })
    const ids = askedIn(await sync(top))
    await decide(lane, ids[0]?.request_id ?? '', 'YES')
    await sync(top)
    expect(taskOf(top)).toMatchObject({ status: 'blocked' })
    expect(taskOf(top)).not.toHaveProperty('blocked_by')
    setTasks(top, { ...manifestOf(top).tasks, 'T-002': { ...(TASKS['T-002'] as Task), status: 'done' } })
    await decide(lane, ids[1]?.request_id ?? '', 'NO')
    expect(await sync(top)).toMatchObject({ code: 0 })
    expect([taskOf(top)?.status, taskOf(top, 'T-005')?.status]).toEqual(['ready', 'blocked'])
    expect(commits(top)).toBe(4)
  })

  test('[AAHP-267] after NO leaves the task blocked with its verdict, and does not ask again by itself', async () => {
    const top = fresh()
    const { id } = await through(top, 'NO')
    expect(taskOf(top)).toMatchObject({
      status: 'blocked',
      blocked_by: `refused by human:operator, request ${id}: May the valve be opened?`,
    })
    expect(read(top, 'LOG.md')).toContain('- Verdict: NO, human:operator')
    expect(await sync(top)).toMatchObject({ code: 0, json: { asked: [], handed: [] } })
    setTasks(top, {
      ...manifestOf(top).tasks,
      'T-003': { ...(taskOf(top) as Task), blocked_by: 'human: May the valve be opened?' },
    })
    expect(await asked(top)).not.toBe(id)
  })

  test('[AAHP-268] after the deadline leaves the task blocked, and tells that nobody answered', async () => {
    const top = fresh()
    const id = await asked(top, '--deadline', '1s')
    await lane.outcome(id)
    expect(await sync(top, '--deadline', '1s')).toMatchObject({
      code: 0,
      json: { handed: [{ state: 'defaulted' }] },
    })
    expect(taskOf(top)).toMatchObject({
      status: 'blocked',
      blocked_by: expect.stringContaining(`request ${id}`),
    })
    expect(read(top, 'LOG.md')).toContain('- Verdict: defaulted, HALT holds\n')
    const receipt = (await lane.story(id)).find(({ type }) => type === 'TIMEOUT_RECEIPT')
    expect(read(top, 'LOG.md')).toContain(`- Event hash: ${receipt?.hash}\n`)
  })

  test('counts what was asked before with another deadline, and asks it once', async () => {
    const top = fresh()
    const id = await asked(top)
    expect(await asked(top, '--deadline', '2h')).toBe(id)
    await decide(lane, id, 'YES')
    expect(await sync(top, '--deadline', '2h')).toMatchObject({
      code: 0,
      json: { handed: [{ task: 'T-003' }] },
    })
  })

  test('asks a task anew that was changed, and no answer to the old one counts for it', async () => {
    const top = fresh()
    const id = await asked(top)
    setTasks(top, { ...TASKS, 'T-003': { ...(TASKS['T-003'] as Task), title: 'Open every valve' } })
    await decide(lane, id, 'YES')
    const again = await sync(top)
    expect(again.json.handed).toEqual([])
    expect(askedIn(again)[0]?.request_id).not.toBe(id)
    expect(taskOf(top)?.status).toBe('blocked')
  })

  test('takes no decision of another key for its own', async () => {
    const top = fresh()
    const id = await asked(top)
    await decide(lane, id, 'YES')
    const other = { LANE_URL: lane.url, LANE_API_KEY: await lane.key('request') }
    const told = await aahp(other, 'sync', top, '--to', 'operator', '--json')
    expect(told).toMatchObject({
      code: 1,
      json: { handed: [], refused: [{ task: 'T-003', code: 'id_conflict' }] },
    })
    // A key that may read everything is warned of, and has no more right.
    const auditor = { LANE_URL: lane.url, LANE_API_KEY: await lane.key('request', 'audit') }
    const seen = await aahp(auditor, 'sync', top, '--to', 'operator', '--json')
    expect(seen).toMatchObject({
      code: 1,
      json: { handed: [], refused: [{ task: 'T-003', code: 'not_ours' }] },
    })
    expect(seen.err).toContain('WARNING: LANE_API_KEY has more than scope request (audit)')
    // Nor where the lane was away when the watch began, so that nobody knew whose key it is.
    const options = { directory: top, shared: false, ref: null, to: ['operator'], deadlineSeconds: 86_400 }
    const watching = { endpoint: { url: lane.url, key: auditor.LANE_API_KEY }, keyId: null }
    const work = { shell: shellFor({}).shell, watching, options, told: () => undefined }
    expect(await syncOnce(work)).toMatchObject({ handed: [], refused: [{ task: 'T-003', code: 'not_ours' }] })
    expect(commits(top)).toBe(1)
  })

  test('takes nothing in a file for an answer', async () => {
    const top = fresh({ 'LOG.md': '# j\n\n## [2026-02-01] human:operator: approved\n\n- T-003: YES\n' })
    write(top, 'STATUS.md', read(top, 'STATUS.md'))
    const told = await sync(top)
    expect(askedIn(told)).toHaveLength(1)
    expect(taskOf(top)?.status).toBe('blocked')
  })

  test('asks what the task spells out, and of whom', async () => {
    const request = {
      type: 'REQUEST_QUESTION',
      question_text: 'Which valve?',
      impact: 'Water',
      context_handles: [],
      reply_schema: {
        kind: 'choice',
        options: [
          { value: 'left', label: 'Left' },
          { value: 'right', label: 'Right' },
        ],
      },
    }
    const top = fresh(
      {},
      { tasks: { ...TASKS, 'T-003': { ...(TASKS['T-003'] as Task), lane: { request, to: 'second' } } } },
    )
    const id = await asked(top)
    await lane.answer(await lane.link(id, 'second'), 'right')
    expect(await sync(top)).toMatchObject({
      code: 0,
      json: { handed: [{ verdict: 'right', status: 'ready' }] },
    })
    expect(taskOf(top)).toMatchObject({ lane: { request, to: 'second', last: { verdict: 'right' } } })
  })

  test('[AAHP-278] puts a lock with its agent, its start and its files before the first change', async () => {
    const { perform } = await import('../../src/cli/aahp/perform.js')
    const { openProject } = await import('../../src/cli/aahp/project.js')
    const top = fresh()
    const opened = await openProject(top, { shared: false })
    if (!opened.ok || opened.project.folder === null || opened.project.branch === null)
      throw new Error('not opened')
    const { folder, branch, board } = opened.project
    const seen: string[] = []
    const session = { id: 's', at: '2026-03-01T00:00:00.000Z', before: branch.tip }
    const changes = new Map([
      ['LOG.md', 'log\n'],
      ['MANIFEST.json', read(top, 'MANIFEST.json')],
    ])
    const done = await perform(
      { folder, branch, changes, session, message: 'm\n', at: 0 },
      board ?? new Map(),
      step => {
        if (step === 'locked') {
          expect(JSON.parse(read(top, 'HANDOFF.lock'))).toMatchObject({
            agent: 'interrupt-lane',
            started: session.at,
            updating: ['LOG.md', 'MANIFEST.json'],
          })
          expect(git(top, 'status', '--porcelain')).toBe(`?? ${HANDOFF}/HANDOFF.lock`)
        }
        seen.push(`${step} ${existsSync(join(top, HANDOFF, 'HANDOFF.lock'))}`)
      },
    )
    expect(done.ok).toBe(true)
    expect(seen).toEqual([
      'locked true',
      'LOG.md true',
      'MANIFEST.json true',
      'unlocked false',
      'written false',
      'moved false',
      'staged false',
    ])
  })

  test('[AAHP-283] writes nothing over another’s lock, and says whose it is', async () => {
    const top = fresh()
    const id = await asked(top)
    await decide(lane, id, 'YES')
    lockOf(top, '{"agent":"builder","started":"2026-03-01T00:00:00Z","updating":["LOG.md"]}')
    const before = snapshot(top)
    const told = await sync(top)
    expect(told).toMatchObject({ code: 1, json: { handed: [], refused: [{ code: 'recovery' }] } })
    expect(told.err).toContain('HANDOFF.lock is there: of builder, since 2026-03-01T00:00:00Z')
    expect([snapshot(top), commits(top)]).toEqual([before, 1])
  })

  test('[AAHP-321] writes nothing where something was left uncommitted, and says whose it is', async () => {
    const top = fresh()
    const id = await asked(top)
    await decide(lane, id, 'YES')
    write(top, 'STATUS.md', 'somebody is at it\n')
    const told = await sync(top)
    expect(told).toMatchObject({ code: 1, json: { handed: [], refused: [{ code: 'recovery' }] } })
    expect(told.err).toContain('left uncommitted: STATUS.md')
    expect(told.err).toContain('the newest manifest there is by builder')
    expect(read(top, 'STATUS.md')).toBe('somebody is at it\n')
    const check = await aahp({}, 'check', top)
    expect([check.code, check.err]).toEqual([1, expect.stringContaining('left uncommitted: STATUS.md')])
  })

  test('[AAHP-318] writes to its branch alone, while two agents go on with theirs', async () => {
    const top = fresh()
    const [one, two] = [join(freshPlace(), 'one'), join(freshPlace(), 'two')]
    git(top, 'worktree', 'add', '--quiet', '-b', 'agent/one', one)
    git(top, 'worktree', 'add', '--quiet', '-b', 'agent/two', two)
    write(one, 'STATUS.md', 'one is at it\n')
    git(two, 'commit', '--quiet', '--allow-empty', '--message', 'two')
    const heads = () => [
      git(top, 'rev-parse', 'agent/one'),
      git(top, 'rev-parse', 'agent/two'),
      read(one, 'STATUS.md'),
      snapshot(two),
    ]
    const before = heads()
    const { told } = await through(top, 'YES')
    expect(told.code).toBe(0)
    expect(heads()).toEqual(before)
    expect(git(two, 'status', '--porcelain')).toBe('')
    const refused = await sync(two, '--branch', 'main')
    expect(refused).toMatchObject({ code: 1, json: { asked: [], refused: [{ code: 'no_branch' }] } })
    expect(refused.err).toContain(`refs/heads/main is checked out at ${top}: run it there`)
    expect((await sync(two, '--branch', 'none')).err).toContain('there is no refs/heads/none')
    expect(await aahp(keyed(lane), 'sync', two, '--branch', '-x', '--json')).toMatchObject({ code: 2 })
    // The same task on another branch is another task.
    expect(await asked(two, '--branch', 'agent/two')).toMatch(/^aahp-T-003-/)
  })

  test('[AAHP-318] a decision for a branch that is not checked out is its commit alone', async () => {
    const top = fresh()
    git(top, 'branch', 'waiting')
    git(top, 'checkout', '--quiet', '-b', 'elsewhere')
    write(top, 'STATUS.md', 'somebody is at it here\n')
    const before = [git(top, 'rev-parse', 'elsewhere'), snapshot(top), git(top, 'status', '--porcelain')]
    const id = await asked(top, '--branch', 'waiting')
    await decide(lane, id, 'YES')
    const told = await sync(top, '--branch', 'waiting')
    expect(told).toMatchObject({
      code: 0,
      json: { refused: [], handed: [{ request_id: id, status: 'ready' }] },
    })
    expect(git(top, 'rev-list', '--count', 'main..waiting')).toBe('1')
    expect(git(top, 'diff', '--name-only', 'main', 'waiting')).toMatch(/^(\.ai\/handoff\/\S+\n?)+$/)
    expect(git(top, 'show', 'waiting:.ai/handoff/LOG.md')).toContain(id)
    expect([git(top, 'rev-parse', 'elsewhere'), snapshot(top), git(top, 'status', '--porcelain')]).toEqual(
      before,
    )
    expect(await sync(top, '--branch', 'waiting')).toMatchObject({ code: 0, json: { asked: [], handed: [] } })
  })

  test('[AAHP-320] writes nothing where a key stands that other tools let pass, and asks nothing that holds one', async () => {
    const secret = `DEPLOY_${'KEY'}=abcdefghijklmnop`
    const top = fresh({ 'CONVENTIONS.md': `# c\n\n${secret}\n` })
    const { told } = await through(top, 'YES')
    expect(told).toMatchObject({
      code: 1,
      json: { handed: [], refused: [{ task: 'T-003', code: 'firewall' }] },
    })
    expect(told.out + told.err).not.toContain('abcdefghijklmnop')
    expect(commits(top)).toBe(1)
    const other = fresh(
      {},
      {
        tasks: {
          'T-003': { ...(TASKS['T-003'] as Task), depends_on: [], blocked_by: `human: Is ${secret} right?` },
        },
      },
    )
    const kept = await sync(other)
    expect(kept).toMatchObject({ code: 1, json: { asked: [], refused: [{ code: 'firewall' }] } })
    expect((await lane.call('GET', '/v1/requests?state=pending')).text).not.toContain('abcdefghijklmnop')
  })

  test('[AAHP-301] a reply that holds a key and an address reaches no file', async () => {
    const words = `key sk${'-'}abcdefghijklmnopqrst to someone${'@'}example.org`
    const top = fresh()
    const id = await asked(top)
    const refused = await lane.answer(await lane.link(id), words)
    expect(refused.status).toBe(422)
    await decide(lane, id, 'NO')
    await sync(top)
    const request = {
      type: 'REQUEST_QUESTION',
      question_text: 'What now?',
      impact: 'x',
      context_handles: [],
      reply_schema: { kind: 'text', max_chars: 200 },
    }
    setTasks(top, {
      'T-003': { title: 'a', status: 'blocked', blocked_by: 'human: What now?', lane: { request } },
    })
    const second = await asked(top)
    await decide(lane, second, 'the secret word is sesame')
    expect(await sync(top)).toMatchObject({
      code: 0,
      json: { handed: [{ verdict: 'answered in words that stay in the lane' }] },
    })
    const all = `${JSON.stringify(snapshot(top))}${git(top, 'log', '--format=%B')}`
    for (const word of ['sk-abc', 'someone@', 'sesame']) expect(all).not.toContain(word)
    expect(all).toContain('human:operator')
  })

  test('[AAHP-319] only reads a project without tasks', async () => {
    const top = fresh({}, { tasks: undefined, next_task_id: undefined, aahp_version: '2.0' })
    expect(await sync(top)).toMatchObject({ code: 0, json: { asked: [], refused: [{ code: 'read_only' }] } })
    expect((await aahp({}, 'check', top)).code).toBe(0)
    expect((await aahp({}, 'next', top)).out).toContain('read NEXT_ACTIONS.md from the top')
  })

  test('keeps line ends as they are, in files and in the branch', async () => {
    const log = '# j\r\n\r\n## [2026-02-01] builder: one\r\n\r\nDone.\r\n'
    const top = fresh({ 'LOG.md': log })
    await through(top, 'YES')
    expect(read(top, 'LOG.md').replaceAll('\r\n', '')).not.toContain('\n')
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('comes behind a commit of code that was faster', async () => {
    const top = fresh()
    const id = await asked(top)
    await decide(lane, id, 'YES')
    let raced = false
    const told = (step: string): void => {
      if (step !== 'unlocked' || raced) return
      raced = true
      put(top, { 'src/code.txt': 'faster\n' })
      git(top, 'commit', '--quiet', '--message', 'faster', 'src/code.txt')
    }
    const options = { directory: top, shared: false, ref: null, to: ['operator'], deadlineSeconds: 86_400 }
    const watching = { endpoint: { url: lane.url, key: lane.agentKey }, keyId: null }
    const pass = await syncOnce({ shell: shellFor({}).shell, watching, options, told })
    expect(pass).toMatchObject({ handed: [{ task: 'T-003' }], refused: [] })
    expect(git(top, 'log', '--format=%s')).toBe('aahp: T-003 decided, YES\nfaster\nfirst')
    expect(git(top, 'status', '--porcelain')).toBe('')
  })

  test('on a repository whose hooks, watcher, filters and aliases write a marker ends without it', async () => {
    const top = fresh()
    const marker = makeHostile(top)
    const { told } = await through(top, 'YES')
    expect(told).toMatchObject({ code: 0, json: { handed: [{ task: 'T-003' }] } })
    for (const deed of ['check', 'next', 'lint', 'recover'])
      expect([deed, (await aahp({}, deed, top)).code]).toEqual([deed, 0])
    write(top, 'STATUS.md', 'left\n')
    expect((await aahp({}, 'recover', top)).code).toBe(0)
    expect(existsSync(marker) ? readFileSync(marker, 'utf8') : '').toBe('')
  })
})

describe('a repository that leads elsewhere', () => {
  test('by a link for its log is neither handed on nor recovered, and what the link leads to stays as it is', async () => {
    const top = fresh()
    const id = await asked(top)
    await decide(lane, id, 'YES')
    const [log, precious] = [join(top, '.git/logs/refs/heads/main'), join(freshPlace(), 'profile')]
    writeFileSync(precious, 'mine\n')
    rmSync(log)
    symlinkSync(precious, log)
    const before = snapshot(top)
    const told = await sync(top)
    expect(told).toMatchObject({ code: 1, json: { asked: [], handed: [], refused: [{ code: 'no_branch' }] } })
    expect(told.err).toContain(`${log} is a link`)
    lockOf(top, '{"agent":"$(touch here)"}')
    expect((await aahp({}, 'recover', top)).code).toBe(1)
    expect([readFileSync(precious, 'utf8'), commits(top)]).toEqual(['mine\n', 1])
    expect(snapshot(top)).toEqual({ ...before, 'HANDOFF.lock': '{"agent":"$(touch here)"}' })
  })

  test('by naming another’s repository moves no branch of it', async () => {
    const other = fresh()
    const top = freshPlace()
    put(top, { '.git': `gitdir: ${other}/.git\n` })
    cpSync(join(other, '.ai'), join(top, '.ai'), { recursive: true })
    const told = await sync(top)
    expect(told).toMatchObject({ code: 1, json: { asked: [], refused: [{ code: 'no_branch' }] } })
    expect(told.err).toContain(`leads to ${other}/.git, which does not name ${top} as its work tree`)
    expect([commits(other), git(other, 'for-each-ref', '--format=%(refname)')]).toEqual([
      1,
      'refs/heads/main',
    ])
  })
})

describe('sync --watch', () => {
  test('hands on when the person has decided, and asks what comes to wait meanwhile', async () => {
    const top = fresh()
    const { shell, out } = shellFor(keyed(lane))
    /** What happens while it rests, time after time. */
    const meanwhile = [
      async () => decide(lane, askedIn({ json: JSON.parse(out.at(-1) ?? '') })[0]?.request_id ?? '', 'YES'),
      async () => {
        const second: Task = { title: 'b', status: 'blocked', blocked_by: 'human: And this?' }
        setTasks(top, { ...manifestOf(top).tasks, 'T-005': second }, { next_task_id: 6 })
      },
      async () => write(top, 'STATUS.md', 'somebody is at it\n'),
      async () => {
        throw new Error('seen enough')
      },
    ]
    const sleep = async (): Promise<void> => meanwhile.shift()?.()
    const watched = main(['aahp', 'sync', top, '--to', 'operator', '--watch', '--json'], { ...shell, sleep })
    await expect(watched).rejects.toThrow('seen enough')
    expect(out.map(line => JSON.parse(line))).toMatchObject([
      { asked: [{ task: 'T-003' }], handed: [], refused: [] },
      { asked: [], handed: [{ task: 'T-003', verdict: 'YES', status: 'ready' }], refused: [] },
      { asked: [{ task: 'T-005' }], handed: [], refused: [] },
      { asked: [], handed: [], refused: [{ code: 'recovery' }] },
    ])
    expect(commits(top)).toBe(3)
  })
})

describe.skipIf(!existsSync(TEMPLATES))(
  'a project made of the protocol’s templates (needs ../shared)',
  () => {
    test('is handed on, and stays what the published schema says', async () => {
      const texts = readdirSync(TEMPLATES).map(name => [name, readFileSync(new URL(name, TEMPLATES), 'utf8')])
      const top = fresh(Object.fromEntries(texts.filter(([name]) => name !== 'MANIFEST.json')))
      const { told } = await through(top, 'YES')
      expect(told).toMatchObject({ code: 0, json: { handed: [{ task: 'T-003', status: 'ready' }] } })
      expect((await aahp({}, 'check', top)).code).toBe(0)
      const ajv = new Ajv2020({ allErrors: true, strict: false })
      addFormats.default(ajv)
      const fits = ajv.compile(
        JSON.parse(readFileSync(new URL('../aahp-manifest.schema.json', TEMPLATES), 'utf8')),
      )
      expect([fits(manifestOf(top)), fits.errors]).toEqual([true, null])
    })
  },
)

describe('the protocol’s own program', () => {
  const run = (top: string, ...args: string[]) => spawnSync('aahp', args, { cwd: top, encoding: 'utf8' })
  const isHere = spawnSync('aahp', ['--version']).error === undefined

  test.skipIf(!isHere)(
    '[AAHP-315, AAHP-316] finds nothing wrong after a handoff, by lint or by verify (needs aahp)',
    async () => {
      const top = fresh({ 'LOG.md': logOf(10) })
      await through(top, 'YES')
      const lint = run(top, 'lint')
      expect([lint.stdout, lint.status]).toEqual([expect.stringContaining('All checks passed'), 0])
      expect(lint.stdout).not.toContain('mismatch')
      const verify = run(top, 'verify', '--level', 'ci')
      expect([verify.stdout + verify.stderr, verify.status]).toEqual([expect.any(String), 0])
      const archived = run(top, 'archive', '--verify')
      expect(archived.stdout).toContain('LOG archive verify passed')
    },
  )
})

describe('the key', () => {
  test('is never the operator’s, and never one that lies about', async () => {
    const told = await aahp({ LANE_DATA_DIR: lane.dataDir }, 'sync', fresh(), '--json')
    expect([told.code, told.err]).toEqual([
      1,
      expect.stringContaining("the operator's key is not for agents"),
    ])
  })
})
