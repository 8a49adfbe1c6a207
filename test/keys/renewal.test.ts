// What a revoked key has signed is sent anew once; from then on a start asks nothing about it.
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepRenewing } from '../../src/keys/renewal.js'
import { keepKeyring, type Signing } from '../../src/keys/signing.js'
import type { SqliteStore } from '../../src/ledger/sqlite/open.js'
import { question, raise, SECRET, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
let ring: Signing
const troubles: unknown[] = []
beforeEach(async () => {
  stage = await raise()
  ring = await keepKeyring(stage.store, SECRET, 0, error => void troubles.push(error))
})
afterEach(async () => {
  vi.restoreAllMocks()
  ring.stop()
  await stage.close()
  expect(troubles.splice(0)).toEqual([])
})

const keep = (knownMs = 0) =>
  keepRenewing(
    {
      lane: stage.lane,
      ledger: stage.store.ledger,
      ring,
      onTrouble: error => void troubles.push(error),
    },
    knownMs,
  )

/** Some are open, then the key that has signed their copies is revoked. */
async function revoke(...ids: readonly string[]): Promise<string> {
  for (const id of ids) await stage.open(question(id))
  await stage.lane.drain()
  const { kid } = stage.keyring().signing
  await ring.revoke(kid, 'key-1')
  await stage.rotate()
  return kid
}
const unrenewed = async (): Promise<readonly string[]> => [...(await ring.unrenewed())]
const renewed = () => until('the mark', async () => (await unrenewed()).length, 0)
const voided = async (): Promise<readonly unknown[]> =>
  (await stage.entries()).filter(({ type }) => type === 'DELIVERY_STATUS').map(entry => entry.request_id)

test('a start that finds it done reads no story and no list, however much is open', async () => {
  const kid = await revoke('q-1', 'q-2')
  const first = keep()
  expect(await unrenewed()).toEqual([kid])
  await renewed()
  first.stop()
  expect([...(await voided())].sort()).toEqual(['q-1', 'q-2'])
  expect([...(await ring.revoked())]).toEqual([kid])
  const { ledger } = stage.store
  const asked = [vi.spyOn(ledger, 'list'), vi.spyOn(ledger, 'story')]
  const looked = vi.spyOn(ring, 'unrenewed')
  const next = keep()
  await looked.mock.results[0]?.value
  await new Promise(resolve => setImmediate(resolve))
  next.stop()
  expect(asked.map(one => one.mock.calls.length)).toEqual([0, 0])
})

test('one that was stopped before all could know of the revocation leaves it to the next start', async () => {
  const kid = await revoke('q-1')
  const first = keep(60_000)
  await until('the first look', async () => (await voided()).length, 1)
  first.stop()
  expect(await unrenewed()).toEqual([kid])
  const next = keep()
  await renewed()
  next.stop()
  expect(await voided()).toEqual(['q-1'])
})

test('who hears of the revocation when others are done with it looks again: they may have signed late', async () => {
  const kid = await revoke('q-1')
  await ring.renewed(new Set([kid]))
  const looked = vi.spyOn(stage.store.ledger, 'list')
  const kept = keep()
  await stage.store.ledger.append({
    decide: () => ({ kind: 'append', events: [{ type: 'KEY_REVOKED', body: { kid, by: 'key-1' } }] }),
  })
  await until('the copy to be sent anew', async () => (await voided()).length, 1)
  kept.stop()
  expect(looked).toHaveBeenCalledWith(expect.objectContaining({ open: true }))
})

test('a story that somebody else has written to holds up none of the others', async () => {
  await revoke('q-1', 'q-2', 'q-3')
  const db = new Sqlite((stage.store as SqliteStore).file)
  db.exec(`UPDATE requests SET version = version + 1 WHERE request_id = 'q-3'`)
  const kept = keep()
  await renewed()
  kept.stop()
  expect([...(await voided())].sort()).toEqual(['q-1', 'q-2'])
  expect(stage.store.seals.broken()).toEqual(['request q-3'])
  db.exec(`UPDATE requests SET version = version - 1 WHERE request_id = 'q-3'`)
  db.close()
})
