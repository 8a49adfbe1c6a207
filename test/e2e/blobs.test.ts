// Content a person may open: kept by its hash, given back only to who may see it, and never as anything but text.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inGroups } from '../../src/request/words.js'
import {
  type Answer,
  approval,
  type LaneUnderTest,
  question,
  review,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

const handleOf = (content: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`
const put = (raw: string | Uint8Array, type = 'text/plain', key = lane.agentKey): Promise<Answer> =>
  lane.call('PUT', '/v1/blobs', { raw, key, headers: { 'content-type': type } })

describe('the store', () => {
  test('201 the first time, 200 again, the handle is the hash of the bytes', async () => {
    const first = await put('the diff')
    expect([first.status, first.json]).toEqual([201, { handle: handleOf('the diff'), size: 8 }])
    const again = await put('the diff')
    expect([again.status, again.json]).toEqual([200, first.json])
    const back = await lane.call('GET', `/v1/blobs/${first.json.handle}`)
    expect(back.text).toBe('the diff')
    expect(back.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(back.headers.get('x-content-type-options')).toBe('nosniff')
    expect(back.headers.get('content-disposition')).toContain('attachment')
  })

  test.each([
    'application/json',
    'text/html',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'image/svg+xml',
  ])('bytes are bytes, whatever they are called: %s', async type => {
    const content = '{"a": 1, "a": 2} \u0000 <svg onload=alert(1)>'
    const kept = await put(`${content}${type}`, type)
    expect([kept.status, kept.json.handle]).toEqual([201, handleOf(`${content}${type}`)])
    const back = await lane.call('GET', `/v1/blobs/${kept.json.handle}`)
    expect(back.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test('bytes that are not text keep their hash', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const kept = await put(bytes, 'application/json')
    expect([kept.status, kept.json.handle]).toEqual([201, handleOf(bytes)])
    const response = await fetch(`${lane.url}/v1/blobs/${kept.json.handle}`, {
      headers: { authorization: `Bearer ${lane.agentKey}` },
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  test('256 KiB is kept, one byte more is not, and nothing is not content', async () => {
    expect((await put(Buffer.alloc(256 * 1024, 'x'))).status).toBe(201)
    const more = await put(Buffer.alloc(256 * 1024 + 1, 'x'))
    expect([more.status, more.json.code]).toEqual([413, 'too_large'])
    const none = await put('')
    expect([none.status, none.json.code]).toEqual([422, 'invalid_request'])
  })

  test('a key may keep only so much', async () => {
    const small = await startLane({
      config: UNLIMITED.replace('limits: {', 'limits: { content_mib_per_key: 1,'),
    })
    const key = await small.key('request')
    const keep = async (n: number): Promise<Answer> => {
      const raw = Buffer.alloc(256 * 1024, 'q')
      raw.writeUInt32BE(n)
      return small.call('PUT', '/v1/blobs', { raw, key, headers: { 'content-type': 'text/plain' } })
    }
    for (let n = 0; n < 4; n++) expect((await keep(n)).status).toBe(201)
    const full = await keep(4)
    expect([full.status, full.json.code]).toEqual([413, 'quota_exceeded'])
    expect((await keep(0)).status).toBe(200)
    const others = { raw: 'others still may', headers: { 'content-type': 'text/plain' } }
    expect((await small.call('PUT', '/v1/blobs', others)).status).toBe(201)
    // What comes with a request counts as well, and what the key has sent before does not count twice.
    const asked = (id: string, text: string) => ({
      request: question(id, { context_handles: [handleOf(text)] }),
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      recipients: ['operator'],
      contents: { [handleOf(text)]: text },
    })
    const refused = await small.call('POST', '/v1/requests', { key, body: asked('full-1', 'one more') })
    expect([refused.status, refused.json.code]).toEqual([413, 'quota_exceeded'])
    expect(
      (await small.call('POST', '/v1/requests', { body: asked('full-2', 'others still may') })).status,
    ).toBe(201)
    await small.close()
  })

  test('only who has sent it gets it back, and who audits; for others it is not there', async () => {
    const { handle } = (await put('mine alone')).json
    const other = await lane.key('request')
    const audited = await lane.call('GET', `/v1/blobs/${handle}`, { key: await lane.key('audit') })
    expect([audited.status, audited.text]).toEqual([200, 'mine alone'])
    for (const key of [other]) {
      const hidden = await lane.call('GET', `/v1/blobs/${handle}`, { key })
      const absent = await lane.call('GET', `/v1/blobs/sha256:${'0'.repeat(64)}`, { key })
      expect([hidden.status, hidden.text]).toEqual([404, absent.text])
    }
    // Having the same bytes is having put them: the second key learns only what it knew.
    expect((await put('mine alone', 'text/plain', other)).status).toBe(201)
    expect((await lane.call('GET', `/v1/blobs/${handle}`, { key: other })).text).toBe('mine alone')
  })

  test.each([
    'sha256:',
    'sha256:ABC',
    `SHA256:${'0'.repeat(64)}`,
    '..%2f..%2fsecret',
    '%00',
    'doc:plan',
    `sha256:${'g'.repeat(64)}`,
  ])('%s is no handle of stored content', async handle => {
    expect((await lane.call('GET', `/v1/blobs/${handle}`)).status).toBe(404)
  })
})

describe('before the person', () => {
  const HOSTILE = '<script>alert(1)</script>\n<h1>Approve now</h1>\u202e'

  test('the page opens what its own request points at, as escaped text, and nothing else', async () => {
    const shown = (await put(HOSTILE)).json.handle as string
    const unrelated = (await put('of another request')).json.handle as string
    await lane.submit(approval('b-1', { parameters: { artifact: shown } }))
    await lane.submit(review('b-2', { target_handles: [unrelated] }))
    const [first, second] = [await lane.link('b-1'), await lane.link('b-2')]
    const page = await lane.call('GET', first.link, { key: null })
    expect(page.text).toContain(`blobs/${shown}`)
    const content = await lane.call('GET', `${first.link}/blobs/${shown}`, { key: null })
    expect(content.status).toBe(200)
    expect(content.headers.get('content-type')).toContain('text/html')
    expect(content.headers.get('content-security-policy')).toContain('sandbox')
    expect(content.text).toContain('&lt;script&gt;alert(1)')
    expect(content.text).not.toMatch(/<script>alert|<h1>Approve|\u202e/)
    expect((await lane.call('GET', `${first.link}/blobs/${unrelated}`, { key: null })).status).toBe(404)
    expect((await lane.call('GET', `${second.link}/blobs/${shown}`, { key: null })).status).toBe(404)
    expect((await lane.call('GET', `/r/${'0'.repeat(26)}/blobs/${shown}`, { key: null })).status).toBe(404)
    expect((await lane.call('GET', '/v1/requests/b-1')).json.state).toBe('pending')
  })

  test('what is pointed at and not kept is shown by its hash, without a way to open it', async () => {
    const handle = handleOf('never put')
    await lane.submit(question('b-3', { context_handles: [handle, 'doc:plan-7'] }))
    const page = await lane.call('GET', (await lane.link('b-3')).link, { key: null })
    expect(page.text).toContain(inGroups(handle))
    expect(page.text).not.toContain(`blobs/${handle}`)
    expect(page.text).toContain('name only, content not fixed')
  })

  test('another key’s content is not shown through a request of one’s own that names its hash', async () => {
    const other = await lane.key('request')
    const theirs = (await put('a plan that another key has put', 'text/plain', other)).json.handle as string
    await lane.submit(question('b-6', { context_handles: [theirs] }))
    const { link } = await lane.link('b-6')
    const page = await lane.call('GET', link, { key: null })
    expect(page.text).toContain(inGroups(theirs))
    expect(page.text).not.toContain(`blobs/${theirs}`)
    const content = await lane.call('GET', `${link}/blobs/${theirs}`, { key: null })
    expect([content.status, content.text.includes('a plan')]).toEqual([404, false])
    // What comes after the opening is no part of what is shown. Whoever has the bytes may show them by asking anew.
    await put('a plan that another key has put')
    expect((await lane.call('GET', link, { key: null })).text).not.toContain(`blobs/${theirs}`)
    await lane.submit(question('b-7', { context_handles: [theirs] }))
    const anew = (await lane.link('b-7')).link
    expect((await lane.call('GET', anew, { key: null })).text).toContain(`blobs/${theirs}`)
    expect((await lane.call('GET', `${anew}/blobs/${theirs}`, { key: null })).text).toContain('a plan')
  })

  test('after the answer the content is no longer shown through the link', async () => {
    const shown = (await put('for an open question only')).json.handle as string
    await lane.submit(question('b-4', { context_handles: [shown] }))
    const reply = await lane.link('b-4')
    await lane.answer(reply, 'yes')
    const closed = await lane.call('GET', `${reply.link}/blobs/${shown}`, { key: null })
    expect(closed.text).not.toContain('for an open question only')
  })

  test('content that was altered on the disk is shown to nobody', async () => {
    const shown = (await put('as it was reviewed')).json.handle as string
    await lane.submit(question('b-5', { context_handles: [shown] }))
    const reply = await lane.link('b-5')
    const db = new Sqlite(join(lane.dataDir, 'ledger.db'))
    const altered = db
      .prepare(
        "UPDATE bundles SET bytes = CAST(replace(CAST(bytes AS TEXT), 'as it was', 'as it is!') AS BLOB) WHERE instr(list, ?)",
      )
      .run(shown.slice('sha256:'.length))
    expect(altered.changes).toBe(1)
    db.close()
    for (const path of [`${reply.link}/blobs/${shown}`, `/v1/blobs/${shown}`]) {
      const answer = await lane.call('GET', path)
      expect([answer.status, answer.json.code]).toEqual([500, 'internal'])
      expect(answer.text).not.toContain('reviewed')
    }
  })
})
