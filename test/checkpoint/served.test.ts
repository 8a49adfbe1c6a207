// Checkpoints of a whole lane: signed, published in every kind of place, compared at the next start, and given up.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decode } from '../../src/checkpoint/base64.js'
import { type Checkpoint, trustedCheckpoint } from '../../src/checkpoint/checkpoint.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { readVkey, type VerifierKey } from '../../src/checkpoint/note.js'
import { logOf } from '../../src/checkpoint/origin.js'
import { isConsistent } from '../../src/ledger/tree/consistency.js'
import { CONFIG, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { until } from '../until.js'

let lane: LaneUnderTest | null
let home: string
let witness: Server
let posted: string[]
let isDown: boolean

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  lane = null
  posted = []
  isDown = false
  witness = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (isDown) return void response.writeHead(503).end()
    if (request.method === 'POST') posted.push(body)
    const newest = posted.at(-1)
    response.writeHead(newest === undefined ? 404 : 200).end(newest)
  })
  await new Promise<void>(resolve => witness.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await lane?.stop()
  witness.close()
  rmSync(home, { recursive: true, force: true })
})

const directory = (): string => join(home, 'published')
const repository = (): string => join(home, 'repository')
const MARKER = 'a hook ran'

/** A work tree whose hooks would leave a mark. */
function makeRepository(): void {
  mkdirSync(repository())
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository(), ...args], { encoding: 'utf8' })
  git('init', '-q', '-b', 'main')
  for (const hook of ['post-commit', 'pre-commit', 'reference-transaction'])
    writeFileSync(join(repository(), '.git/hooks', hook), `#!/bin/sh\ntouch "${join(home, MARKER)}"\n`, {
      mode: 0o755,
    })
}

function configOf(...places: readonly string[]): string {
  return `${CONFIG}\ncheckpoints:\n  every: 1h\n  publish: [${places.join(', ')}]\n`
}
const everywhere = (): string => {
  mkdirSync(directory(), { recursive: true })
  makeRepository()
  return configOf(`{ directory: ${directory()} }`, `{ git: ${repository()} }`, `{ http: "${witnessUrl()}" }`)
}
const witnessUrl = (): string => `http://127.0.0.1:${(witness.address() as AddressInfo).port}/lane`

async function keysOf({ call }: LaneUnderTest): Promise<VerifierKey[]> {
  const { text } = await call('GET', '/.well-known/lane-log-key', { key: null })
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => readVkey(line) as VerifierKey)
}
async function sign(under: LaneUnderTest): Promise<Checkpoint & { readonly note: string }> {
  const { status, text: note } = await under.call('POST', '/v1/ledger/checkpoint', { key: under.operatorKey })
  expect(status).toBe(200)
  const said = await trustedCheckpoint(note, await keysOf(under), checkEd25519)
  if (said === null) throw new Error(`not trusted: ${note}`)
  return { ...said, note }
}
const files = (): string[] =>
  readdirSync(directory(), { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.note'))

describe('a lane that publishes', () => {
  test('signs at once when told to, and every place has it', async () => {
    lane = await startLane({ config: everywhere() })
    expect((await lane.call('GET', '/v1/ledger/checkpoint', { key: lane.operatorKey })).status).toBe(404)
    const { note, size, origin } = await sign(lane)
    expect((await lane.call('GET', '/v1/ledger/checkpoint', { key: lane.operatorKey })).text).toBe(note)
    const { logId, epoch } = logOf(origin)
    await until('the three places', () =>
      [files().length, posted.length, existsSync(join(repository(), '.git/refs/heads/main'))].every(Boolean),
    )
    expect(files()).toEqual([`${logId}/${epoch}/0/${size}.note`])
    expect(readFileSync(join(directory(), files()[0] ?? ''), 'utf8')).toBe(note)
    expect(posted).toEqual([note])
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository(), ...args], { encoding: 'utf8' })
    expect(git('show', `main:${logId}/${epoch}/checkpoint`)).toBe(note)
    expect(existsSync(join(home, MARKER))).toBe(false)
  })

  test('gives a proof that one checkpoint is the beginning of another', async () => {
    lane = await startLane({ config: CONFIG })
    const first = await sign(lane)
    for (let n = 0; n < 5; n++) await lane.key('request')
    const second = await sign(lane)
    const { json } = await lane.call('GET', `/v1/ledger/consistency?from=${first.size}&to=${second.size}`, {
      key: lane.operatorKey,
    })
    const hashes = (json.hashes as string[]).map(hash => decode(hash) as Uint8Array)
    expect(isConsistent(first, second, hashes)).toBe(true)
    const { status, json: problem } = await lane.call('GET', '/v1/ledger/consistency?from=1&to=99999', {
      key: lane.operatorKey,
    })
    expect([status, problem.code]).toEqual([400, 'malformed_query'])
  })

  test('tries a place again that was away', async () => {
    isDown = true
    lane = await startLane({ config: CONFIG })
    await lane.stop()
    isDown = false
    lane = await startLane({
      config: configOf(`{ http: "${witnessUrl()}" }`),
      dataDir: lane.dataDir,
      keys: lane,
    })
    isDown = true
    const { note } = await sign(lane)
    isDown = false
    await until('the note', () => posted.at(-1) === note)
  })

  test('does not start without knowing what a place holds', async () => {
    lane = await startLane({ config: CONFIG })
    const { dataDir } = lane
    await lane.stop()
    const config = configOf(`{ directory: ${join(home, 'not mounted')} }`)
    await expect(startLane({ config, dataDir })).rejects.toThrow(
      'so it is not known whether the ledger is whole',
    )
  })
})

describe('a ledger that does not contain what was published', () => {
  const request = {
    type: 'REQUEST_APPROVAL',
    action: 'PUBLISH',
    parameters: { artifact: `sha256:${'ab'.repeat(32)}` },
    deadline_seconds: 3600,
    default_action: 'DENY',
    reply_schema: { kind: 'yes_no' },
  }

  test('is not served until it is given up: open requests are then withdrawn, tokens revoked, the epoch is new', async () => {
    mkdirSync(directory())
    const config = configOf(`{ directory: ${directory()} }`)
    lane = await startLane({ config })
    const { dataDir } = lane
    const keep = { config, dataDir, keys: lane }
    await lane.submit({ ...request, approval_id: 'given' })
    await lane.answer(await lane.link('given', 'operator'), 'YES')
    await lane.submit({ ...request, approval_id: 'open' })
    const [former] = await keysOf(lane)
    const backup = join(home, 'backup.db')
    const taken = await fetch(`${lane.url}/v1/backup`, {
      headers: { authorization: `Bearer ${lane.operatorKey}` },
    })
    writeFileSync(backup, Buffer.from(await taken.arrayBuffer()))
    await lane.submit({ ...request, approval_id: 'lost' })
    const lost = await sign(lane)
    await until('the note', () => files().length > 0)
    await lane.stop()
    for (const name of ['ledger.db-wal', 'ledger.db-shm']) rmSync(join(dataDir, name), { force: true })
    copyFileSync(backup, join(dataDir, 'ledger.db'))

    await expect(startLane(keep)).rejects.toThrow(`--accept-rollback ${lost.size}`)
    await expect(startLane({ ...keep, acceptRollback: lost.size - 1 })).rejects.toThrow('does not contain')

    lane = await startLane({ ...keep, acceptRollback: lost.size })
    expect((await lane.call('GET', '/v1/requests/open')).json.state).toBe('withdrawn')
    const story = await lane.story('given')
    expect(story.at(-1)?.type).toBe('POLICY_TOKEN_REVOKED')
    const acted = (await lane.ledger()).filter(({ type }) => type === 'OPERATOR_ACTED').at(-1)
    expect(acted?.body).toMatchObject({
      deed: 'rollback_accepted',
      about: expect.stringContaining(`/1 ${lost.size} `),
    })
    const keys = await keysOf(lane)
    expect(keys).toHaveLength(2)
    expect(keys[0]).toEqual(former)
    expect(logOf(keys[1]?.name ?? '')).toEqual({ ...logOf(former?.name ?? ''), epoch: 2 })
    const next = await sign(lane)
    expect(next.origin).toBe(keys[1]?.name)
    await until('the next note', () => files().length > 1)
    await lane.stop()

    await expect(startLane({ ...keep, acceptRollback: lost.size })).rejects.toThrow('leave it out')
    lane = await startLane(keep)
  })
  const restored = async (dataDir: string, copy: string): Promise<void> => {
    for (const name of ['ledger.db-wal', 'ledger.db-shm']) rmSync(join(dataDir, name), { force: true })
    copyFileSync(copy, join(dataDir, 'ledger.db'))
  }
  const copied = async (under: LaneUnderTest, name: string): Promise<string> => {
    const { url, operatorKey } = under
    const taken = await fetch(`${url}/v1/backup`, { headers: { authorization: `Bearer ${operatorKey}` } })
    const copy = join(home, name)
    writeFileSync(copy, Buffer.from(await taken.arrayBuffer()))
    return copy
  }

  test('is not served where it was taken away whole: no new one begins beside the key of the former', async () => {
    mkdirSync(directory())
    const config = configOf(`{ directory: ${directory()} }`)
    lane = await startLane({ config })
    const { dataDir } = lane
    await sign(lane)
    await until('the note', () => files().length > 0)
    await lane.stop()
    for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm'])
      rmSync(join(dataDir, name), { force: true })
    await expect(startLane({ config, dataDir })).rejects.toThrow("is the operator's key of another ledger")
  })

  test('and of which nothing was published is served as it was then: SECURITY.md says that nothing shows it', async () => {
    lane = await startLane({ config: CONFIG })
    const keep = { config: CONFIG, dataDir: lane.dataDir, keys: lane }
    await lane.submit({ ...request, approval_id: 'again' })
    const before = await copied(lane, 'before.db')
    await lane.answer(await lane.link('again', 'operator'), 'NO')
    const kept = await sign(lane)
    await lane.stop()
    await restored(keep.dataDir, before)
    lane = await startLane(keep)
    expect((await lane.call('GET', '/v1/requests/again')).json.state).toBe('pending')
    // Whoever kept a checkpoint for themselves sees it: grown as long again, it does not contain that one.
    while ((await lane.ledger()).length <= kept.size) await lane.key('request')
    const grown = await sign(lane)
    const { json } = await lane.call('GET', `/v1/ledger/consistency?from=${kept.size}&to=${grown.size}`, {
      key: lane.operatorKey,
    })
    const hashes = (json.hashes as string[]).map(hash => decode(hash) as Uint8Array)
    expect(isConsistent(kept, grown, hashes)).toBe(false)
  })

  test('is not served where a place gives its newest note alone, by a key that the older copy never had', async () => {
    const config = configOf(`{ http: "${witnessUrl()}" }`)
    lane = await startLane({ config })
    const keep = { config, dataDir: lane.dataDir, keys: lane }
    await sign(lane)
    const copy = await copied(lane, 'before.db')
    const rotated = await lane.call('POST', '/v1/signing-keys/rotate?purpose=checkpoint', {
      key: lane.operatorKey,
    })
    expect(rotated.status).toBe(201)
    await lane.key('request')
    const lost = await sign(lane)
    await until('the note', () => posted.at(-1) === lost.note)
    await lane.stop()
    await restored(keep.dataDir, copy)
    await expect(startLane(keep)).rejects.toThrow(`--accept-rollback ${lost.size}`)
    lane = await startLane({ ...keep, acceptRollback: lost.size })
    const next = await sign(lane)
    expect(logOf(next.origin).epoch).toBe(2)
    await until('the next note', () => posted.at(-1) === next.note)
    await lane.stop()
    lane = await startLane(keep)
  })

  test.each(['directory', 'git', 'http'])(
    'is not served as the ledger of an epoch that was given up: a %s has the next',
    async kind => {
      mkdirSync(directory())
      makeRepository()
      const at = { directory: directory(), git: repository(), http: `"${witnessUrl()}"` }[kind]
      const config = configOf(`{ ${kind}: ${at} }`)
      lane = await startLane({ config })
      const keep = { config, dataDir: lane.dataDir, keys: lane }
      const published = (note: string) => async () =>
        kind === 'http'
          ? posted.at(-1) === note
          : kind === 'directory'
            ? files().some(name => readFileSync(join(directory(), name), 'utf8') === note)
            : execFileSync('git', ['-C', repository(), 'log', '-p', '--all'], { encoding: 'utf8' }).includes(
                note.split('\n')[2] ?? '',
              )
      const early = await copied(lane, 'early.db')
      await lane.key('request')
      const lost = await sign(lane)
      await until('the first note', published(lost.note))
      const whole = await copied(lane, 'whole.db')
      await lane.stop()
      await restored(keep.dataDir, early)
      lane = await startLane({ ...keep, acceptRollback: lost.size })
      for (let n = 0; n < 5; n++) await lane.key('request')
      const next = await sign(lane)
      await until('the next note', published(next.note))
      await lane.stop()

      // All that the first epoch has published is in this copy; what the second has decided is not.
      await restored(keep.dataDir, whole)
      await expect(startLane(keep)).rejects.toThrow(`--accept-rollback ${next.size}`)
      lane = await startLane({ ...keep, acceptRollback: next.size })
      expect(logOf((await sign(lane)).origin).epoch).toBe(3)
    },
  )
})
