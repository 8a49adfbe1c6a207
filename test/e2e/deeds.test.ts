// What an operator does that no request's story tells leaves its trace in the ledger, with whose deed it was.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Entry, type LaneUnderTest, question, startLane } from '../lane-under-test.js'

let lane: LaneUnderTest
let operator = ''
beforeAll(async () => {
  lane = await startLane()
  operator = (await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })).json.key_id as string
})
afterAll(() => lane.close())

const isDeed = ({ type }: Entry): boolean => type === 'OPERATOR_ACTED'
const deeds = async (): Promise<unknown[]> => (await lane.ledger()).filter(isDeed).map(({ body }) => body)
const asOperator = (method: string, path: string, body?: unknown) =>
  lane.call(method, path, { key: lane.operatorKey, ...(body !== undefined && { body }) })

describe('an operator’s deed is an entry', () => {
  test('the keys of the first start are the lane’s own', async () => {
    const listed = (await asOperator('GET', '/v1/keys')).json.items as { key_id: string; name: string }[]
    expect(listed.map(({ name }) => name).sort()).toEqual(['agent', 'operator'])
    const made = (await deeds()).slice(0, 2)
    const added = (name: string) => ({
      deed: 'key_added',
      about: listed.find(key => key.name === name)?.key_id,
      by: 'lane',
    })
    expect(made).toEqual([added('agent'), added('operator')])
  })

  test('a key that is made and revoked: both stand, once each, however often it is revoked', async () => {
    const before = (await deeds()).length
    const { key_id } = (await asOperator('POST', '/v1/keys', { name: 'spy', scopes: ['audit'] })).json
    for (let time = 0; time < 3; time++) await asOperator('DELETE', `/v1/keys/${key_id}`)
    expect((await deeds()).slice(before)).toEqual([
      { deed: 'key_added', about: key_id, by: operator },
      { deed: 'key_revoked', about: key_id, by: operator },
    ])
  })

  test('a key and its entry stand or fall together', () => {
    const db = new Sqlite(join(lane.dataDir, 'ledger.db'), { readonly: true })
    const keys = db.prepare('SELECT key_id FROM api_keys').pluck().all()
    const entries = db
      .prepare(`SELECT line FROM entries WHERE type = 'OPERATOR_ACTED'`)
      .pluck()
      .all() as string[]
    db.close()
    const added = entries
      .map(line => (JSON.parse(line) as { body: { deed: string; about: string } }).body)
      .filter(({ deed }) => deed === 'key_added')
    expect(added.map(({ about }) => about).sort()).toEqual([...keys].sort())
  })

  test('a backup that is taken stands in the backup itself', async () => {
    const before = (await deeds()).length
    const backup = await fetch(`${lane.url}/v1/backup`, {
      headers: { authorization: `Bearer ${lane.operatorKey}` },
    })
    const copy = new Sqlite(Buffer.from(await backup.arrayBuffer()))
    const last = copy.prepare('SELECT line FROM entries ORDER BY seq DESC LIMIT 1').pluck().get() as string
    copy.close()
    const taken = { deed: 'backup_taken', about: 'store', by: operator }
    expect(JSON.parse(last)).toMatchObject({ type: 'OPERATOR_ACTED', body: taken })
    expect((await deeds()).slice(before)).toEqual([taken])
  })

  test('reading all raw words is one; reading the words behind one answer is not', async () => {
    await lane.submit(question('q-1'))
    await lane.answer(await lane.link('q-1'), 'yes')
    const before = (await deeds()).length
    expect((await asOperator('GET', '/v1/requests/q-1')).text).toContain('raw_text')
    expect((await asOperator('GET', '/v1/raw-replies')).status).toBe(200)
    expect((await deeds()).slice(before)).toEqual([{ deed: 'raw_read', about: 'raw-replies', by: operator }])
  })

  test('what takes nothing is none: a HEAD, and a key that may not', async () => {
    const before = (await lane.ledger()).length
    for (const path of ['/v1/backup', '/v1/raw-replies']) {
      expect((await asOperator('HEAD', path)).status).toBe(404)
      expect((await lane.call('GET', path)).status).toBe(403)
    }
    expect((await lane.ledger()).length).toBe(before)
  })

  test('an erasure names whose it was', async () => {
    await asOperator('POST', '/v1/requests/q-1/erase')
    const erased = (await lane.story('q-1')).filter(({ type }) => type === 'RAW_ERASED')
    expect(erased.map(({ body }) => body.by)).toEqual([operator])
  })
})

test('LANE_API_KEY that is given and taken away is the lane’s own doing at its start', async () => {
  const first = await startLane({ env: { LANE_API_KEY: 'an-api-key-the-operator-chose-4' } })
  const given = (await first.call('GET', '/v1/keys/self', { key: 'an-api-key-the-operator-chose-4' })).json
    .key_id
  await first.stop()
  const key = 'an-api-key-the-operator-chose-5'
  const again = await startLane({ dataDir: first.dataDir, owned: true, env: { LANE_API_KEY: key } })
  try {
    const { text } = await again.call('GET', '/v1/ledger', { key })
    const all = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Entry)
    const next = (await again.call('GET', '/v1/keys/self', { key })).json.key_id
    expect(all.filter(isDeed).map(({ body }) => body)).toEqual([
      { deed: 'key_added', about: given, by: 'lane' },
      { deed: 'key_revoked', about: given, by: 'lane' },
      { deed: 'key_added', about: next, by: 'lane' },
    ])
  } finally {
    await again.close()
  }
})
