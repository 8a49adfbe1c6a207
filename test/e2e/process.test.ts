// The lane as a process: what it writes to its log, whom it calls, and what is left when it dies in the middle.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { ALL } from '../faults/rig.js'
import { type Entry, question, review } from '../lane-under-test.js'
import { until } from '../until.js'
import {
  API_KEY,
  answer,
  linesOf,
  link,
  recordedAsSent,
  running,
  type Spawned,
  spawnLane,
} from './spawned-lane.js'

// Processes start here, several in a row: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 })

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
const dataDirs: string[] = []
function dataDir(): string {
  const made = mkdtempSync(join(tmpdir(), 'lane-'))
  dataDirs.push(made)
  return made
}
afterAll(() => {
  for (const dir of dataDirs) rmSync(dir, { recursive: true, force: true })
})

const submit = (lane: Spawned, request: Record<string, unknown>) =>
  lane.call('POST', '/v1/requests', {
    request,
    run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
    recipients: ['operator'],
  })

test('[LANE-048] the most talkative log holds no token, reply handle, code, API key, csrf or word that was said', async () => {
  const dir = dataDir()
  const lane = running(await spawnLane(dir))
  try {
    expect((await submit(lane, question('logged'))).status).toBe(201)
    const reply = await link(dir, 'logged')
    const handle = reply.link.split('/r/')[1] ?? ''
    const page = await (await fetch(reply.link)).text()
    const csrf = /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ''
    expect(await answer(lane.url, reply, 'unspeakable words')).toBe(422)
    expect(await answer(lane.url, reply, 'yes', '0000')).toBe(403)
    await fetch(`${lane.url}/r/${handle}?code=${reply.code}&reply=yes`)
    await fetch(`${lane.url}/r/${handle}/blobs/nothing`)
    await fetch(`${lane.url}/r/${handle}/nowhere`)
    await fetch(`${lane.url}/v1/requests`, { headers: { authorization: `Bearer ${API_KEY}x` } })
    await fetch(`${lane.url}/v1/requests?key=${API_KEY}`)
    await fetch(`${lane.url}/r/${handle}`, { method: 'POST', body: 'x'.repeat(20_000) })
    expect(await answer(lane.url, reply, 'yes')).toBe(200)
    const isAnswer = (line: string): boolean => line.includes('"POST"') && line.includes('"status":200')
    const log = await until('the answer in the log', lane.stderr, text => text.split('\n').some(isAnswer))
    expect(log.split('\n').length).toBeGreaterThan(8)
    expect(log).toContain('/r/:handle')
    for (const secret of [handle, handle.toUpperCase(), csrf, API_KEY, 'unspeakable', 'eyJ']) {
      expect([secret, log.includes(secret)]).toEqual([secret, false])
    }
    expect(new RegExp(`\\b${reply.code}\\b`).test(log)).toBe(false)
    // On the console stands the link that nothing else carries; the keys of the caller do not.
    expect(lane.stdout()).toContain(reply.link)
    expect(lane.stdout()).not.toContain(API_KEY)
    expect(lane.stdout()).not.toContain('eyJ')
  } finally {
    await lane.kill()
  }
})

test('[LANE-082] a whole life is lived without one connection to anywhere', async () => {
  const dir = dataDir()
  const calls = join(dir, 'calls.txt')
  const preload = join(dir, 'watch.cjs')
  writeFileSync(
    preload,
    `const { appendFileSync } = require('node:fs')
const note = what => appendFileSync(${JSON.stringify(calls)}, what + '\\n')
const watch = (owner, name, what) => {
  const original = owner[name]
  owner[name] = function (...args) { note(what); return original.apply(this, args) }
}
watch(require('node:net').Socket.prototype, 'connect', 'connect')
watch(require('node:dgram').Socket.prototype, 'send', 'datagram')
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) watch(require('node:dns'), name, 'dns')
watch(require('node:child_process'), 'spawn', 'spawn')
`,
  )
  // The watcher sees: a process that does call out is noticed.
  execFileSync(process.execPath, [
    '--require',
    preload,
    '-e',
    `fetch('http://127.0.0.1:59999/').catch(() => {
       const socket = require('node:dgram').createSocket('udp4')
       socket.send('x', 9, '127.0.0.1', () => socket.close())
     })`,
  ])
  expect(readFileSync(calls, 'utf8')).toMatch(/^connect$[\s\S]*^datagram$/m)
  rmSync(calls)

  const lane = running(await spawnLane(dir, { preload }))
  try {
    await submit(lane, question('alone'))
    await submit(lane, question('alone-silent', { deadline_seconds: 2 }))
    expect(await answer(lane.url, await link(dir, 'alone'), 'yes')).toBe(200)
    expect((await lane.call('GET', '/v1/requests/alone-silent/wait?timeout_seconds=10')).json.state).toBe(
      'defaulted',
    )
    expect((await lane.call('GET', '/readyz')).status).toBe(200)
    expect(existsSync(calls) ? readFileSync(calls, 'utf8') : '').not.toMatch(/connect|datagram|spawn/)
    const resolved = existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').filter(Boolean) : []
    // Listening on an address may look its own name up, once; nothing else is looked up.
    expect(resolved.length).toBeLessThanOrEqual(1)
  } finally {
    await lane.kill()
  }
})

describe('killed in the middle', () => {
  test('[LANE-078] [LANE-079] whatever was acknowledged is in the ledger after kill -9, and the ledger reads', async () => {
    const dir = dataDir()
    const opened: string[] = []
    const recorded: string[] = []
    for (const [round, life] of [10, 40, 25].entries()) {
      const before = opened.length
      const lane = running(await spawnLane(dir, { env: { LOG_LEVEL: 'silent' } }))
      let alive = true
      const work = Array.from({ length: 8 }, async (_, worker) => {
        for (let n = 0; alive; n++) {
          const id = `k-${round}-${worker}-${n}`
          if ((await submit(lane, review(id))).status !== 201) continue
          opened.push(id)
          if (n % 2 === 0 && (await answer(lane.url, await link(dir, id, () => alive), 'yes')) === 200)
            recorded.push(id)
        }
      })
      await until(
        'work enough',
        () => opened.length - before,
        count => count >= life,
      )
      alive = false
      await Promise.all([lane.kill(), ...work.map(one => one.catch(() => undefined))])
    }
    expect(recorded.length).toBeGreaterThan(5)
    const lane = running(await spawnLane(dir, { env: { LOG_LEVEL: 'silent' } }))
    try {
      const lines = await linesOf(lane)
      expect(await verify(lines)).toMatchObject({ ok: true, problems: [] })
      const entries = lines.map(line => JSON.parse(line) as Entry)
      const of = (type: string): string[] =>
        entries.filter(entry => entry.type === type).map(entry => entry.request_id ?? '')
      const [begun, resolved] = [of('REQUEST_OPENED'), of('REQUEST_RESOLVED')]
      expect(opened.filter(id => !begun.includes(id))).toEqual([])
      expect(recorded.filter(id => !resolved.includes(id))).toEqual([])
      expect(new Set(begun).size).toBe(begun.length)
      expect(new Set(resolved).size).toBe(resolved.length)
      // What was opened and not begun to be sent is sent now: nothing acknowledged stays unasked.
      const started = of('DELIVERY_STARTED')
      for (const id of begun.filter(id => !started.includes(id)))
        expect((await link(dir, id)).request_id).toBe(id)
    } finally {
      await lane.kill()
    }
  })

  test('[LANE-071] what fell due while the process was dead fires once when it comes back', {
    skip: !ALL,
  }, async () => {
    const dir = dataDir()
    const first = running(await spawnLane(dir))
    await submit(first, question('overdue', { deadline_seconds: 4 }))
    await recordedAsSent(first, 'overdue')
    await first.kill()
    await sleep(4_100)
    const second = running(await spawnLane(dir))
    expect((await second.call('GET', '/v1/requests/overdue/wait?timeout_seconds=10')).json.state).toBe(
      'defaulted',
    )
    await second.kill()
    const third = running(await spawnLane(dir))
    try {
      const story = (await linesOf(third)).map(line => JSON.parse(line) as Entry)
      const fired = story.filter(({ type }) => type === 'TIMEOUT_RECEIPT' || type === 'REQUEST_RESOLVED')
      expect(fired.map(({ type }) => type)).toEqual(['TIMEOUT_RECEIPT', 'REQUEST_RESOLVED'])
    } finally {
      await third.kill()
    }
  })

  test('a second process on the same data is refused by the pid of the first, until that one is gone', async () => {
    const dir = dataDir()
    const first = running(await spawnLane(dir))
    const second = await spawnLane(dir)
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`already running, pid ${first.pid}`),
    })
    await first.kill()
    await running(await spawnLane(dir)).kill()
  })
})
