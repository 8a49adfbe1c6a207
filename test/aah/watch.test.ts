// A drop folder, watched by the built program: artifacts in, responses out, and nothing lost or doubled when it is killed.
import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookOnce, type Memory, nothingKnown, type Round } from '../../src/cli/aah/watch.js'
import type { Profile } from '../../src/interop/aah/words.js'
import { type Called, call } from '../cli/command-line.js'
import { ALL } from '../faults/rig.js'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { artifactOf, CONFIG, DECISIONS, type Json, type Signed } from './scene.js'

let lane: LaneUnderTest
let folder: string
let watchers: Called[]
beforeEach(async () => {
  lane = await startLane({ config: CONFIG })
  folder = mkdtempSync(join(tmpdir(), 'lane-drop-'))
  watchers = []
})
afterEach(async () => {
  for (const { child, ended } of watchers) {
    child.kill('SIGKILL')
    await ended
  }
  await lane.close()
  rmSync(folder, { recursive: true, force: true })
})

function watch(...more: readonly string[]): Called {
  const env = { LANE_URL: lane.url, LANE_API_KEY: lane.agentKey }
  const watcher = call(['aah', 'watch', folder, ...more], { env })
  watchers.push(watcher)
  const chunks: string[] = []
  printed.set(watcher, chunks)
  watcher.child.stdout?.on('data', chunk => chunks.push(String(chunk)))
  return watcher
}
const printed = new Map<Called, string[]>()
/** All it has printed so far. */
const out = (watcher: Called): string => printed.get(watcher)?.join('') ?? ''

/** As a careful agent does it: whole, under its name, in one step. */
function drop(name: string, artifact: unknown): void {
  writeFileSync(join(folder, `${name}.part`), JSON.stringify(artifact))
  renameSync(join(folder, `${name}.part`), join(folder, `${name}.aah.json`))
}
const pathOf = (name: string): string => join(folder, `${name}.response.aah.json`)
const read = (name: string): Signed | null => {
  try {
    return JSON.parse(readFileSync(pathOf(name), 'utf8'))
  } catch {
    return null
  }
}
const statusOf = (name: string): unknown => read(name)?.extensions.interrupt_lane.request_status
const short = (id: string): Json => artifactOf(id, { data: { decisions: DECISIONS.slice(0, 2) } })
const opened = async (): Promise<readonly string[]> =>
  (await lane.ledger())
    .filter(({ type }) => type === 'REQUEST_OPENED')
    .map(({ request_id }) => request_id ?? '')

describe('a drop folder', () => {
  test('an artifact is asked, each response takes the place of the one before, and a withdrawn one is taken back', async () => {
    watch()
    drop('strategy', short('watch-1'))
    const link = await lane.link('watch-1', 'gracie')
    await lane.answer(link, 'd1 yes')
    await until('the first response', () => statusOf('strategy') === 'partial')
    await lane.answer(link, 'd2 yes')
    await until('the last response', () => statusOf('strategy') === 'resolved')
    const { items } = (await lane.call('GET', '/v1/aah/artifacts/watch-1/responses')).json as {
      items: Signed[]
    }
    expect(readFileSync(pathOf('strategy'), 'utf8')).toBe(`${JSON.stringify(items[1], null, 2)}\n`)
    const other = short('watch-2')
    drop('other', other)
    await lane.link('watch-2', 'gracie')
    drop('other', { ...other, lifecycle: { ...(other.lifecycle as Json), status: 'withdrawn' } })
    await until('the withdrawal', () => statusOf('other') === 'withdrawn')
    expect(await opened()).toEqual(['watch-1', 'watch-2'])
    expect(readdirSync(folder).filter(name => name.includes('lane-part'))).toEqual([])
  })

  test('names come from the file, never from an id inside it; a file of somebody else’s is reported and left', async () => {
    drop('plain', short('../../etc/passwd'))
    writeFileSync(pathOf('plain'), 'mine\n')
    const watcher = watch('--json')
    const first = await until('its request', async () => (await opened())[0])
    await lane.answer(await lane.link(first, 'gracie'), 'd1 yes\nd2 yes')
    await until('the report', () => out(watcher).includes('not_ours'))
    expect(readFileSync(pathOf('plain'), 'utf8')).toBe('mine\n')
    expect(readdirSync(folder).sort()).toEqual([
      '.lane-aah.lock',
      'plain.aah.json',
      'plain.response.aah.json',
    ])
  })

  test('links, second names and what is no artifact open nothing, and the next file is asked all the same', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'lane-else-'))
    writeFileSync(join(elsewhere, 'a.aah.json'), JSON.stringify(short('linked')))
    symlinkSync(join(elsewhere, 'a.aah.json'), join(folder, 'a.aah.json'))
    linkSync(join(elsewhere, 'a.aah.json'), join(folder, 'b.aah.json'))
    writeFileSync(join(folder, 'c.aah.json'), '{"aah_version": "0.1", "aah_version": "0.5"}')
    drop('d', { ...short('x'), source: {} })
    drop('e', short('good'))
    const watcher = watch('--json')
    await lane.link('good', 'gracie')
    await until('the report', () => out(watcher).includes('invalid_request'))
    expect(await opened()).toEqual(['good'])
    const { refused } = JSON.parse(out(watcher).split('\n')[0] ?? '') as { refused: Json[] }
    expect(refused.map(({ file, code }) => [file, code])).toEqual([
      ['a.aah.json', 'not_a_file'],
      ['b.aah.json', 'many_names'],
      ['c.aah.json', 'malformed_json'],
      ['d.aah.json', 'invalid_request'],
    ])
    rmSync(elsewhere, { recursive: true })
  })

  test('that others can write is refused unless it is said to be shared, and so is a second watcher', async () => {
    chmodSync(folder, 0o777)
    const open = await watch().ended
    expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('others can write')])
    watch('--shared')
    await until('the lock', () => readdirSync(folder).includes('.lane-aah.lock'))
    const second = await watch('--shared').ended
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('another watcher')])
    const wrong = await watch('--profile', 'other').ended
    expect(wrong.code).toBe(2)
  })

  test('over the lock of a watcher that was killed exactly one of several at once takes its place', async () => {
    const first = watch()
    await until('the lock', () => readdirSync(folder).includes('.lane-aah.lock'))
    first.child.kill('SIGKILL')
    await first.ended
    const several = [watch(), watch(), watch(), watch()]
    const ended = new Set<Called>()
    for (const one of several) void one.ended.then(() => ended.add(one))
    await until('all but one', () => ended.size, 3)
    drop('plain', short('taken-over'))
    await lane.link('taken-over', 'gracie')
    expect(ended.size).toBe(3)
    for (const one of ended)
      expect(await one.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('another watcher') })
  })

  /** More than a watcher posts before it is killed. */
  const MANY = ALL ? 1000 : 60
  const PATIENCE_MS = ALL ? 250_000 : 25_000

  test(
    'with many artifacts and a kill in the middle, and another among the answers, loses none and doubles none',
    async () => {
      const names = Array.from({ length: MANY }, (_, at) => `many-${String(at).padStart(4, '0')}`)
      for (const name of names) drop(name, short(name))
      const killed = async (watcher: Called): Promise<void> => {
        watcher.child.kill('SIGKILL')
        await watcher.ended
      }
      const first = watch()
      await until('a part of them', async () => (await opened()).length >= MANY / 3, Boolean, PATIENCE_MS)
      await killed(first)
      const before = (await opened()).length
      expect(before).toBeLessThan(MANY)
      const second = watch()
      await until('all of them', async () => (await opened()).length >= MANY, Boolean, PATIENCE_MS)
      expect(new Set(await opened()).size).toBe(MANY)
      expect(await opened()).toHaveLength(MANY)
      for (const [at, name] of names.entries()) {
        if (at === Math.floor(MANY / 2)) await killed(second)
        expect((await lane.answer(await lane.link(name, 'gracie'), 'd1 yes\nd2 no')).status).toBe(200)
      }
      watch()
      await until(
        'every response',
        () => names.every(name => statusOf(name) === 'resolved'),
        Boolean,
        PATIENCE_MS,
      )
      for (const name of names) {
        const response = read(name)
        expect([response?.content.body.data.request_id, response?.content.body.data.overall_status]).toEqual([
          name,
          'partial',
        ])
        expect(statSync(pathOf(name)).nlink).toBe(1)
      }
      expect(await opened()).toHaveLength(MANY)
      expect(readdirSync(folder)).toHaveLength(2 * MANY + 1)
    },
    ALL ? 600_000 : 60_000,
  )
})

describe('one look', () => {
  /** By a watcher that was started anew, unless it is one that remembers. */
  const look = (
    more: { readonly profile?: Profile; readonly memory?: Memory; readonly now?: number } = {},
  ): Promise<Round> => {
    const { profile = 'decisions', memory = nothingKnown(), now = 0 } = more
    const endpoint = { url: lane.url, key: lane.agentKey }
    return lookOnce(endpoint, memory, { directory: folder, shared: false, profile, now })
  }
  const say = async (id: string, lines: string): Promise<void> => {
    expect((await lane.answer(await lane.link(id, 'gracie'), lines)).status).toBe(200)
  }

  test('writes the response beside every copy of a file, and asks once', async () => {
    const given = short('copied')
    for (const name of ['one', 'two']) drop(name, given)
    const memory = nothingKnown()
    expect((await look({ memory })).asked.map(({ request_id }) => request_id)).toEqual(['copied', 'copied'])
    await say('copied', 'd1 yes\nd2 yes')
    memory.stirred.add('copied').add('of-another-folder')
    expect((await look({ memory })).answered.map(({ file, status }) => [file, status])).toEqual([
      ['one.response.aah.json', 'resolved'],
      ['two.response.aah.json', 'resolved'],
    ])
    expect([read('one'), await opened(), memory.stirred.size]).toEqual([read('two'), ['copied'], 0])
  })

  test('gives back what was answered before the file was withdrawn', async () => {
    const given = short('too-late')
    drop('late', given)
    await look()
    await say('too-late', 'd1 yes\nd2 no')
    drop('late', { ...given, lifecycle: { ...(given.lifecycle as Json), status: 'withdrawn' } })
    const pass = await look()
    expect(pass.refused).toMatchObject([{ file: 'late.aah.json', code: 'already_resolved' }])
    expect(pass.answered).toMatchObject([{ status: 'resolved', overall_status: 'partial' }])
    expect(statusOf('late')).toBe('resolved')
  })

  test('puts the newest response over any that this lane has signed, in whatever profile and under whatever key, and over no other', async () => {
    drop('signed', short('signed'))
    await look()
    await say('signed', 'd1 yes')
    await look()
    expect(read('signed')?.lifecycle).toEqual({ status: 'final' })
    const strict = await look({ profile: 'strict-envelope' })
    expect(strict.answered).toMatchObject([{ file: 'signed.response.aah.json', status: 'partial' }])
    expect(read('signed')?.lifecycle).toEqual({ status: 'approved' })
    // Its words stay as they were, and another key has signed them.
    const head = read('signed')?.extensions.interrupt_lane.signature.split('.')[0] ?? ''
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const revoked = await lane.call('DELETE', `/v1/signing-keys/${kid}`, { key: lane.operatorKey })
    expect(revoked.status).toBe(200)
    expect((await look({ profile: 'strict-envelope' })).answered).toHaveLength(1)
    await say('signed', 'd2 yes')
    const whole = readFileSync(pathOf('signed'), 'utf8')
    for (const forged of [
      whole.replace('"approved": true', '"approved": false'),
      whole.replace('"request_status": "partial"', '"request_status": "resolved"'),
      `${whole}\n`,
      whole.replace('"request_id": "signed"', '"request_id": "another"'),
      JSON.stringify({ ...JSON.parse(whole), extensions: {} }, null, 2),
    ]) {
      expect(forged).not.toBe(whole)
      writeFileSync(pathOf('signed'), forged)
      expect((await look()).refused).toMatchObject([{ code: 'not_ours' }])
      expect(readFileSync(pathOf('signed'), 'utf8')).toBe(forged)
    }
    writeFileSync(pathOf('signed'), whole)
    expect((await look()).answered).toMatchObject([{ status: 'resolved' }])
  })

  test('asks for a file that met a limit again when the limit says so, and meanwhile for the others', async () => {
    await lane.close()
    const limits = 'limits: { requests_per_recipient_per_hour: 1 }'
    lane = await startLane({
      config: CONFIG.replace(/limits: .*/, limits).replace(
        '[{ to: gracie }]',
        '[{ agent: other, to: manager }, { to: gracie }]',
      ),
    })
    drop('a', short('limit-1'))
    drop('b', short('limit-2'))
    drop('c', artifactOf('limit-3', { source: { agent_id: 'other' }, data: { escalation: {} } }))
    const memory = nothingKnown()
    const codes = async (now: number): Promise<unknown[]> =>
      (await look({ memory, now })).refused.map(({ file, code }) => [file, code])
    const budget = [['b.aah.json', 'recipient_budget']]
    expect(await codes(0)).toEqual(budget)
    expect(await opened()).toEqual(['limit-1', 'limit-3'])
    expect(await codes(1_000)).toEqual([])
    expect(await codes(3_600_001)).toEqual(budget)
  })

  test('stops at a lane that cannot be reached, and says so once', async () => {
    for (const name of ['a', 'b', 'c']) drop(name, short(name))
    await lane.stop()
    expect((await look()).refused).toMatchObject([{ file: 'a.aah.json', code: 'refused' }])
  })
})
