// A story that somebody has written to past the lane, seen from outside.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEDGER_FILE } from '../../src/ledger/sqlite/open.js'
import { approval, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { asPerson } from '../session/signed-in.js'
import { csrfOf } from './visitor.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

function write(sql: string): void {
  const db = new Sqlite(join(lane.dataDir, LEDGER_FILE))
  db.exec(sql)
  db.close()
}

test('a request whose story was altered is 503 seal_broken at every door, named by /readyz and counted; others go on', async () => {
  await lane.submit(approval('altered'))
  await lane.submit(question('sound'))
  const reply = await lane.link('altered')
  const csrf = csrfOf(await lane.call('GET', reply.link, { key: null }))
  expect((await lane.call('GET', '/readyz', { key: null })).json).toMatchObject({ status: 'ready' })
  write(`DROP TRIGGER entries_are_not_changed;
    UPDATE entries SET line = replace(line, '"deadline_seconds":', '"deadline_seconds":9') WHERE type = 'REQUEST_OPENED'
      AND line LIKE '%"altered"%'`)
  // What this process has told itself it knows by heart, and goes on telling.
  expect((await lane.call('GET', '/v1/requests/altered')).json.request).toMatchObject({
    deadline_seconds: 600,
  })
  lane = await lane.restart()
  const told = await lane.call('GET', '/v1/requests/altered')
  expect([told.status, told.json.code]).toEqual([503, 'seal_broken'])
  expect(told.json.detail).toContain('the seal of request altered is broken')
  const withdrawn = await lane.call('POST', '/v1/requests/altered/withdraw', { body: { reason: 'enough' } })
  expect([withdrawn.status, withdrawn.json.code]).toEqual([503, 'seal_broken'])
  const page = new URL(new URL(reply.link).pathname, lane.url)
  expect((await fetch(page, { headers: { accept: 'application/json' } })).status).toBe(503)
  const body = new URLSearchParams({ reply: 'yes', code: reply.code, csrf })
  expect((await fetch(page, { method: 'POST', body })).status).toBe(503)
  const ready = await lane.call('GET', '/readyz', { key: null })
  expect([ready.status, ready.json]).toMatchObject([
    200,
    { status: 'degraded', checks: { ledger: 'ok', seals: 'broken: request altered' } },
  ])
  const { text } = await lane.call('GET', '/metrics', { key: lane.operatorKey })
  expect(text).toMatch(/^lane_seals_broken 1$/m)
  expect((await lane.call('GET', '/v1/requests/sound')).status).toBe(200)
})

test('the export to another system does not tell what was altered, the auditor’s tells all there is', async () => {
  await lane.submit(question('told'))
  const text = async (path: string): Promise<string> =>
    (await lane.call('GET', path, { key: lane.operatorKey })).text
  expect(await text('/v1/ledger')).toContain('"deadline_seconds":9')
  const choir = await text('/v1/ledger?profile=choir')
  expect([choir.includes('"told"'), choir.includes('"deadline_seconds":9')]).toEqual([true, false])
})

test('a request of somebody else whose seal is broken ends nobody’s live inbox', async () => {
  await lane.submit(question('broken-live'), { recipients: ['second'] })
  write(`DROP TRIGGER IF EXISTS entries_are_not_changed;
    UPDATE entries SET line = replace(line, '"deadline_seconds":', '"deadline_seconds":9') WHERE type = 'REQUEST_OPENED'
      AND line LIKE '%"broken-live"%'`)
  lane = await lane.restart()
  const { cookie } = await asPerson(lane)
  const listening = new AbortController()
  const stream = await fetch(`${lane.url}/console/inbox/live?from=0`, {
    headers: { cookie },
    signal: listening.signal,
  })
  await lane.submit(question('after-the-broken'))
  let heard = ''
  for await (const chunk of stream.body ?? []) {
    heard += Buffer.from(chunk).toString()
    if (heard.includes('"after-the-broken"')) break
  }
  listening.abort()
  expect(heard).toContain('event: new\ndata: {"request_id":"after-the-broken"}')
  expect(heard).not.toContain('broken-live')
})
