// What whoever owns the database can do to a ledger and no chain shows: found by what was published of it. On both
// stores, with the lane's own secret in the wrong hands: every hash, seal and node is right.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { trustedCheckpoint } from '../../src/checkpoint/checkpoint.js'
import { contradicted } from '../../src/checkpoint/compare.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { type Notary, openNotary } from '../../src/checkpoint/notary.js'
import { directoryPlace } from '../../src/checkpoint/place/directory.js'
import { unlock } from '../../src/keys/unlocking.js'
import type { Store } from '../../src/ledger/contract.js'
import { verify } from '../../src/ledger/verify.js'
import { proveLeaf } from '../../src/proof/make.js'
import { note as append, open, withdraw } from '../contract/ledger/stage.js'
import { SECRET, StageClock } from '../lane/stage.js'
import { started } from '../ledger/craft.js'
import { STORES } from '../ledger/intruder.js'

/** Nodes of nothing, as each store writes bytes. */
const ZEROS: Readonly<Record<string, string>> = {
  SQLite: 'zeroblob(192)',
  PostgreSQL: `decode(repeat('00', 192), 'hex')`,
}
const PUBLIC_URL = 'https://lane.example.org/gate'

describe.each(STORES)('on %s', (name, there, openPlaces) => {
  let places: Awaited<ReturnType<typeof openPlaces>>
  let place: Awaited<ReturnType<typeof places.place>>
  let store: Store
  let notary: Notary
  let published: string
  const clock = new StageClock()

  beforeAll(async () => {
    if (there) places = await openPlaces()
  })
  afterAll(async () => {
    if (there) await places.end()
  })
  const start = async (): Promise<void> => {
    store = await place.open(clock)
    await unlock(store, SECRET, started)
    notary = await openNotary({ store, secret: SECRET, publicUrl: PUBLIC_URL })
  }
  beforeEach(async () => {
    if (!there) return
    published = mkdtempSync(join(tmpdir(), 'published-'))
    place = await places.place()
    await start()
    await open(store.ledger, 'q-1')
  })
  afterEach(async () => {
    if (!there) return
    await store.ledger.close()
    await place.end()
    rmSync(published, { recursive: true, force: true })
  })

  /** Signs, and publishes in a directory. */
  const publish = async () => {
    const { note } = await notary.sign()
    const said = await trustedCheckpoint(note, await notary.keys(), checkEd25519)
    if (said === null) throw new Error('our own checkpoint is not trusted')
    await directoryPlace(published).put({ ...said, note })
    return said
  }
  /** What the next start finds. */
  const found = async () => {
    await store.ledger.close()
    store = await place.open(clock)
    let result: Awaited<ReturnType<typeof contradicted>> = null
    await unlock(store, SECRET, started, {
      before: async () => {
        result = await contradicted(store, [directoryPlace(published)])
      },
    })
    return result
  }
  const sql = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) if (statement !== '') await place.sql(statement)
  }
  /** The lane's own key would make these seals; here the start makes the tree anew, as it does for any other writing. */
  const cutTo = async (size: number): Promise<void> => {
    const entries = await place.sql<{ line: string }>(`SELECT line FROM entries WHERE seq = ${size - 1}`)
    await sql(
      place.disarm,
      `DELETE FROM entries WHERE seq >= ${size}`,
      `DELETE FROM requests WHERE opened_seq >= ${size}`,
      'DELETE FROM checkpoint',
      place.head(JSON.parse(entries[0]?.line ?? '{}')),
    )
  }

  test.runIf(there)('a ledger that goes on contains what was published of it', async () => {
    await publish()
    await withdraw(store.ledger, 'q-1')
    expect(await found()).toBeNull()
    expect(
      (await verify(store.ledger.lines(0))).problems.filter(({ invariant }) => invariant === 'I3'),
    ).toEqual([])
  })

  test.runIf(there)('truncation is found', async () => {
    await withdraw(store.ledger, 'q-1')
    const said = await publish()
    await store.ledger.close()
    await cutTo(said.size - 1)
    expect(await found()).toEqual(said)
  })

  test.runIf(there)('an older copy that was put in place, and goes on, is found', async () => {
    const size = (await store.ledger.head()).size
    await withdraw(store.ledger, 'q-1')
    const said = await publish()
    await store.ledger.close()
    await cutTo(size)
    await sql(
      `UPDATE requests SET version = 1, state = 'pending', resolved_seq = NULL WHERE request_id = 'q-1'`,
    )
    store = await place.open(clock)
    await unlock(store, SECRET, started)
    for (let n = 0; n < 9; n++) await append(store.ledger)
    expect((await store.ledger.head()).size).toBeGreaterThan(said.size)
    expect(await found()).toEqual(said)
  })

  test.runIf(there)('a ledger that was written anew, with a valid chain, is found', async () => {
    await withdraw(store.ledger, 'q-1')
    const said = await publish()
    await store.ledger.close()
    // Everything from the request on is another story, told by a lane with all its keys.
    await cutTo(said.size - 3)
    store = await place.open(clock)
    await unlock(store, SECRET, started)
    await open(store.ledger, 'q-1')
    for (let n = 0; n < 5; n++) await append(store.ledger)
    expect(
      (await verify(store.ledger.lines(0))).problems.filter(({ invariant }) => invariant === 'I1'),
    ).toEqual([])
    expect(await found()).toEqual(said)
  })

  test.runIf(there)('entries that were rewritten under the old nodes are not signed', async () => {
    await publish()
    await append(store.ledger)
    await append(store.ledger)
    const { size } = await store.ledger.head()
    await sql(place.disarm, `UPDATE entries SET line = replace(line, '0.', '9.') WHERE seq = ${size - 2}`)
    await expect(notary.sign()).rejects.toThrow('its root is not that of the entries')
  })

  test.runIf(there)('nodes that were rewritten beside the old entries are not signed', async () => {
    await publish()
    await sql(`UPDATE entries SET nodes = ${ZEROS[name]}`)
    await append(store.ledger)
    await expect(notary.sign()).rejects.toThrow('have another root than was signed')
  })

  describe('an inclusion proof', () => {
    const proven = (seq: number): Promise<string | null> =>
      proveLeaf({ store, notary, keyName: id => id }, seq)
    test.runIf(there)('of an entry that was rewritten under the old nodes is not given', async () => {
      const { size } = await publish()
      expect(await proven(size - 1)).toContain(`index ${size - 1}\n`)
      await sql(place.disarm, `UPDATE entries SET line = replace(line, 'q-1', 'q-9') WHERE seq = ${size - 1}`)
      await expect(proven(size - 1)).rejects.toThrow('does not stand in the tree that was signed')
    })

    test.runIf(there)('of an entry whose nodes were rewritten beside it is not given', async () => {
      const { size } = await publish()
      await sql(place.disarm, `UPDATE entries SET nodes = ${ZEROS[name]}`)
      await expect(proven(size - 1)).rejects.toThrow('does not stand in the tree that was signed')
    })
  })

  test.runIf(there)(
    'the first checkpoint of a new key is signed by both, and the next by the new one',
    async () => {
      const [former] = await notary.keys()
      await publish()
      const { kid } = await notary.rotate()
      const keys = await notary.keys()
      expect(keys.map(({ id }) => id)).toEqual([former?.id, kid])
      expect(keys[1]?.name).toBe(former?.name)
      const { note: first = '' } = (await notary.newest()) ?? {}
      for (const key of keys) expect(await trustedCheckpoint(first, [key], checkEd25519)).not.toBeNull()
      await append(store.ledger)
      const { note: next } = await notary.sign()
      expect(await trustedCheckpoint(next, keys.slice(0, 1), checkEd25519)).toBeNull()
      expect(await trustedCheckpoint(next, keys.slice(1), checkEd25519)).not.toBeNull()
    },
  )

  test.runIf(there)(
    'a copy from before the key was rotated knows the checkpoint that both have signed',
    async () => {
      await publish()
      const { size } = await store.ledger.head()
      const before = await place.sql<{ kid: string }>(`SELECT kid FROM keys WHERE purpose = 'checkpoint'`)
      const { kid } = await notary.rotate()
      const both = await publish()
      await append(store.ledger)
      await publish()
      await store.ledger.close()
      await cutTo(size)
      await sql(`DELETE FROM keys WHERE kid = '${kid}'`)
      expect(before).toHaveLength(1)
      expect(await found()).toEqual(both)
    },
  )

  test.runIf(there)('nothing is signed twice: with nothing new the newest is given again', async () => {
    const first = await notary.sign()
    const [again, another] = await Promise.all([notary.sign(), notary.sign()])
    expect([again, another, await notary.newest()]).toEqual([first, first, first])
    const entries = await place.sql(`SELECT seq FROM entries WHERE type = 'CHECKPOINT_SIGNED'`)
    expect(entries).toHaveLength(1)
  })
})
