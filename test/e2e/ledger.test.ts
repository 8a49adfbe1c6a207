// The record: chained, append-only, provable with nothing but its lines, and without what must be forgotten.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fold } from '../../src/agenda/case.js'
import { compile } from '../../src/compiler/compile.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Entry as LedgerEntry } from '../../src/event.js'
import { showCase } from '../../src/http/case.js'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import {
  approval,
  type Entry,
  type LaneUnderTest,
  question,
  review,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'

type Raw = {
  readonly reply_id: string
  readonly request_id: string
  readonly salt: string
  readonly raw: string
}

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  await lane.submit(question('yes'))
  await lane.submit(question('words', { reply_schema: { kind: 'text', max_chars: 40 } }))
  await lane.submit(approval('no'))
  await lane.submit(review('taken'))
  await lane.submit(question('silent', { deadline_seconds: 2 }))
  await lane.submit(question('open'))
  await lane.answer(await lane.link('yes'), 'perhaps')
  await lane.answer(await lane.link('yes'), 'yes!')
  await lane.answer(await lane.link('words'), ' Ship it, but slowly ')
  await lane.answer(await lane.link('no'), 'n')
  await lane.call('POST', '/v1/requests/taken/withdraw', { body: { reason: 'solved' } })
  await lane.outcome('silent')
  await lane.link('open')
})
afterAll(() => lane.close())

const exported = async (sample = lane): Promise<string[]> =>
  (await sample.call('GET', '/v1/ledger', { key: sample.operatorKey })).text.trimEnd().split('\n')
const raws = async (sample = lane): Promise<Raw[]> =>
  (await sample.call('GET', '/v1/raw-replies', { key: sample.operatorKey })).text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const sha = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return `sha256:${hash.digest('hex')}`
}

describe('the export', () => {
  test('every line is the canonical form that was hashed, and each names the one before', async () => {
    const lines = await exported()
    let prev = `sha256:${'0'.repeat(64)}`
    let at = ''
    for (const [seq, line] of lines.entries()) {
      const entry = JSON.parse(line) as Entry & { v: number }
      expect(canonicalize(entry)).toBe(line)
      const { hash, ...rest } = entry
      expect(sha('lane/entry/v1\n', canonicalize(rest) ?? '')).toBe(hash)
      expect([entry.v, entry.seq, entry.prev]).toEqual([1, seq, prev])
      expect(entry.at >= at).toBe(true)
      prev = hash
      at = entry.at
    }
    expect(await verify(lines)).toMatchObject({ ok: true, entries: lines.length, head: prev })
  })

  test('the request hash is the hash of what was asked, and the receipt is the entry that opened it', async () => {
    const { json } = await lane.call('GET', '/v1/requests/yes')
    expect(json.request_hash).toBe(sha('lane/request/v1\n', canonicalize(json.request) ?? ''))
    const [opened] = await lane.story('yes')
    expect(json.receipt).toEqual({ seq: opened?.seq, hash: opened?.hash })
  })

  test('from and limit give exactly that part; what is no number is refused', async () => {
    const all = await exported()
    const part = await lane.call('GET', '/v1/ledger?from=3&limit=2', { key: lane.operatorKey })
    expect(part.text).toBe(`${all.slice(3, 5).join('\n')}\n`)
    expect((await lane.call('GET', `/v1/ledger?from=${all.length}`, { key: lane.operatorKey })).text).toBe('')
    for (const query of ['from=-1', 'limit=0', 'from=x', 'limit=1e3', 'from=1&from=2']) {
      const refused = await lane.call('GET', `/v1/ledger?${query}`, { key: lane.operatorKey })
      expect([refused.status, refused.json.code]).toEqual([400, 'malformed_query'])
    }
  })
})

describe('append-only', () => {
  test('[LANE-076] no method of the API changes or removes an entry', async () => {
    const before = await exported()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      for (const path of [
        '/v1/ledger',
        '/v1/ledger/3',
        '/v1/requests',
        '/v1/requests/yes',
        '/v1/events',
        '/v1/raw-replies',
      ]) {
        if (method === 'POST' && path === '/v1/requests') continue
        const answer = await lane.call(method, path, {
          key: lane.operatorKey,
          body: { type: 'REQUEST_RESOLVED' },
        })
        expect([method, path, answer.status]).toEqual([method, path, 404])
      }
    }
    expect(await exported()).toEqual(before)
  })

  test('[LANE-076] the store itself refuses to change or remove an entry', async () => {
    const db = new Sqlite(join(lane.dataDir, 'ledger.db'))
    try {
      expect(() => db.prepare("UPDATE entries SET line = '{}' WHERE seq = 3").run()).toThrow('append-only')
      expect(() => db.prepare('DELETE FROM entries WHERE seq = 3').run()).toThrow('append-only')
      const again =
        'INSERT INTO entries (seq, type, story, line) SELECT 9999, type, story, line FROM entries WHERE seq = ?'
      const resolved = (await lane.story('yes')).find(({ type }) => type === 'REQUEST_RESOLVED')
      expect(() => db.prepare(again).run(resolved?.seq)).toThrow(/UNIQUE/)
    } finally {
      db.close()
    }
  })

  test('[LANE-076] one byte changed anywhere in an export is found, and so is a line lost, doubled or moved', async () => {
    const lines = await exported()
    const random = (() => {
      let state = 42
      return (below: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return state % below
      }
    })()
    for (let round = 0; round < 300; round++) {
      const at = random(lines.length)
      const line = lines[at] ?? ''
      const place = random(line.length)
      const other = String.fromCharCode((line.charCodeAt(place) ^ (1 << random(7))) & 0x7f || 1)
      if (other === line[place]) continue
      const edited = lines.with(at, `${line.slice(0, place)}${other}${line.slice(place + 1)}`)
      expect([at, place, other, (await verify(edited)).ok]).toEqual([at, place, other, false])
    }
    for (let at = 0; at < lines.length - 1; at++) {
      expect((await verify(lines.toSpliced(at, 1))).ok).toBe(false)
      expect((await verify(lines.toSpliced(at, 0, lines[at] ?? ''))).ok).toBe(false)
      expect((await verify(lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''))).ok).toBe(false)
    }
  })

  test('[LANE-076] one byte changed in the file of the store is found when it is read again', async () => {
    const sample = await startLane({ config: UNLIMITED })
    await sample.submit(question('filed', { impact: 'a sentence that is easy to find' }))
    await sample.link('filed')
    await sample.stop()
    const file = join(sample.dataDir, 'ledger.db')
    const bytes = readFileSync(file)
    const at = bytes.indexOf('a sentence that is easy to find')
    expect(at).toBeGreaterThan(0)
    bytes[at] = 'A'.charCodeAt(0)
    writeFileSync(file, bytes)
    const again = await startLane({ dataDir: sample.dataDir, config: UNLIMITED, keys: sample })
    try {
      const held = await verify(await exported(again))
      expect(held.ok).toBe(false)
      expect(held.problems[0]?.seq).toBe((await again.story('filed'))[0]?.seq)
    } finally {
      await again.close()
      rmSync(sample.dataDir, { recursive: true, force: true })
    }
  })
})

describe('telling it again', () => {
  test('[LANE-077] the lines alone rebuild every case as the API shows it', async () => {
    const entries = (await exported()).map(line => JSON.parse(line) as LedgerEntry)
    const ids = entries.flatMap(entry => (entry.type === 'REQUEST_OPENED' ? [entry.request_id ?? ''] : []))
    expect(ids).toEqual(['yes', 'words', 'no', 'taken', 'silent', 'open'])
    for (const id of ids) {
      const rebuilt = fold(entries.filter(entry => entry.request_id === id))
      expect(rebuilt).not.toBeNull()
      const shown = (await lane.call('GET', `/v1/requests/${id}`)).json
      if (rebuilt !== null) expect(JSON.parse(JSON.stringify(showCase(rebuilt)))).toEqual(shown)
    }
  })

  test('[LANE-077] every stored reply compiles again to the very event that was recorded', async () => {
    const entries = await lane.ledger()
    const kept = await raws()
    expect(kept).toHaveLength(4)
    for (const { reply_id, request_id, salt, raw } of kept) {
      const opened = entries.find(entry => entry.type === 'REQUEST_OPENED' && entry.request_id === request_id)
      const { reply_schema } = (opened?.body.request ?? {}) as { reply_schema: ReplySchema }
      const told = entries.find(
        entry => entry.body.reply_id === reply_id && entry.type !== 'INBOUND_REPLY_RECEIVED',
      )
      expect(told?.body.raw_text_hash).toBe(sha(Buffer.from(salt, 'base64url'), raw))
      const compiled = compile(reply_schema, raw)
      if (compiled.ok) expect(told?.body).toMatchObject(compiled.answer)
      else expect(told?.body.reason).toBe(compiled.reason)
    }
    const words = new Map(
      kept.map(one => [one.reply_id, { ...one, salt: Buffer.from(one.salt, 'base64url') }]),
    )
    const again = await replay(await exported(), id => words.get(id) ?? null)
    expect(again).toMatchObject({ ok: true, cases: 6, replies: 4, erased: 0, absent: 0, problems: [] })
  })

  test('[LANE-077] a stored reply that was exchanged is found by telling it again', async () => {
    const kept = await raws()
    const words = new Map(
      kept.map(one => [
        one.reply_id,
        { ...one, raw: one.raw === 'n' ? 'y' : one.raw, salt: Buffer.from(one.salt, 'base64url') },
      ]),
    )
    expect((await replay(await exported(), id => words.get(id) ?? null)).ok).toBe(false)
  })

  test('[LANE-050] what was said is kept as it was said, beside the ledger, and nothing in the lane can run it', async () => {
    const said = '$(touch lane-was-here) `id` ; require("child_process").exec("id") {{7*7}} %s %n'
    await lane.submit(question('shell'))
    expect((await lane.answer(await lane.link('shell'), said)).status).toBe(422)
    expect((await raws()).find(({ request_id }) => request_id === 'shell')?.raw).toBe(said)
    expect((await exported()).join('\n')).not.toContain('touch lane-was-here')
    expect(existsSync('lane-was-here')).toBe(false)
    // Nor could it: outside the command line only the room that calls git has the means to run anything, by arguments
    // that hold nobody's words.
    const means = /child_process|node:vm|worker_threads|\beval\(|new Function\(|node:repl|node:inspector/
    const files = ['src', 'adapters'].flatMap(room =>
      readdirSync(room, { recursive: true, encoding: 'utf8' }).map(file => join(room, file)),
    )
    const sources = files.filter(file => file.endsWith('.ts') && !/^src\/(?:cli|git)\//.test(file))
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.filter(file => means.test(readFileSync(file, 'utf8')))).toEqual([])
  })
})

describe('what must be forgotten', () => {
  test('erasing takes the words and leaves the proof; again it takes nothing', async () => {
    const sample = await startLane({ config: UNLIMITED })
    const words = 'Sentence nobody may keep'
    await sample.submit(question('gone', { reply_schema: { kind: 'text', max_chars: 60 } }))
    const reply = await sample.link('gone')
    await sample.answer(reply, `${words} <b>`)
    await sample.answer(reply, `  ${words} `)
    await sample.submit(question('stays'))
    await sample.answer(await sample.link('stays'), 'yes')
    const before = await sample.ledger()
    const erased = await sample.call('POST', '/v1/requests/gone/erase', { key: sample.operatorKey })
    expect(erased.status).toBe(200)
    expect(erased.json).toEqual({
      request_id: 'gone',
      erased: [expect.any(String), expect.any(String)],
      contents: [],
    })
    const again = await sample.call('POST', '/v1/requests/gone/erase', { key: sample.operatorKey })
    expect([again.status, again.json]).toEqual([200, { request_id: 'gone', erased: [], contents: [] }])
    const none = await sample.call('POST', '/v1/requests/nowhere/erase', { key: sample.operatorKey })
    expect(none.status).toBe(404)

    const kept = await raws(sample)
    expect(kept.map(({ request_id }) => request_id)).toEqual(['stays'])
    const audited = await sample.call('GET', '/v1/requests/gone', { key: sample.operatorKey })
    expect(audited.json.answer).not.toHaveProperty('raw_text')
    const after = await sample.ledger()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.filter(({ type }) => type === 'RAW_ERASED')).toHaveLength(2)
    const lines = await exported(sample)
    expect((await verify(lines)).ok).toBe(true)
    const left = new Map(
      kept.map(one => [one.reply_id, { ...one, salt: Buffer.from(one.salt, 'base64url') }]),
    )
    expect(await replay(lines, id => left.get(id) ?? null)).toMatchObject({ ok: true, erased: 2 })

    // The compiled text is the answer and stays; the words as typed are gone from the disk, at once and after a stop.
    const onDisk = (): string[] =>
      ['ledger.db', 'ledger.db-wal'].filter(file => {
        const path = join(sample.dataDir, file)
        return existsSync(path) && readFileSync(path).includes(`${words} <b>`)
      })
    expect(onDisk()).toEqual([])
    await sample.stop()
    expect(onDisk()).toEqual([])
    rmSync(sample.dataDir, { recursive: true, force: true })
  })
})

describe('a copy of everything', () => {
  test('a backup taken while the lane is at work opens, verifies, and holds no secret', async () => {
    const sample = await startLane({ config: UNLIMITED })
    try {
      let busy = true
      const work = (async () => {
        for (let n = 0; busy; n++) await sample.submit(review(`busy-${n}`))
      })()
      await sample.link('busy-5')
      const response = await fetch(`${sample.url}/v1/backup`, {
        headers: { authorization: `Bearer ${sample.operatorKey}` },
      })
      expect(response.headers.get('content-type')).toBe('application/vnd.sqlite3')
      const bytes = Buffer.from(await response.arrayBuffer())
      busy = false
      await work
      const file = join(sample.dataDir, 'copy.db')
      writeFileSync(file, bytes)
      const db = new Sqlite(file, { readonly: true })
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      const lines = db.prepare('SELECT line FROM entries ORDER BY seq').pluck().all() as string[]
      db.close()
      expect(lines.length).toBeGreaterThan(10)
      expect((await verify(lines)).ok).toBe(true)
      expect((await exported(sample)).slice(0, lines.length)).toEqual(lines)
      const secret = readFileSync(join(sample.dataDir, 'secret'), 'utf8').trim()
      expect(bytes.includes(secret) || bytes.includes(Buffer.from(secret, 'hex'))).toBe(false)
      expect(bytes.includes('"d":')).toBe(false)
    } finally {
      await sample.close()
    }
  })

  test('a lane restored from a backup and its secret goes on where it stood', async () => {
    const sample = await startLane({ config: UNLIMITED })
    await sample.submit(question('carried'))
    const reply = await sample.link('carried')
    const bytes = await fetch(`${sample.url}/v1/backup`, {
      headers: { authorization: `Bearer ${sample.operatorKey}` },
    }).then(response => response.arrayBuffer())
    await sample.stop()
    for (const file of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
      rmSync(join(sample.dataDir, file), { force: true })
    }
    writeFileSync(join(sample.dataDir, 'ledger.db'), Buffer.from(bytes))
    const restored = await startLane({ dataDir: sample.dataDir, config: UNLIMITED, keys: sample })
    try {
      expect((await restored.answer(reply, 'yes')).status).toBe(200)
      expect((await restored.call('GET', '/v1/requests/carried')).json.state).toBe('answered')
    } finally {
      await restored.close()
      rmSync(sample.dataDir, { recursive: true, force: true })
    }
  })
})
