// Several replicas that sign: one at a time holds the right to, those that wake together sign once, and whatever two of
// them sign is of one ledger.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Checkpoint, trustedCheckpoint } from '../../src/checkpoint/checkpoint.js'
import { checkEd25519 } from '../../src/checkpoint/key.js'
import { type Notary, openNotary } from '../../src/checkpoint/notary.js'
import { hashesOf } from '../../src/checkpoint/tree.js'
import { unlock } from '../../src/keys/unlocking.js'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import type { SignedCheckpoint } from '../../src/ledger/shelf.js'
import { consistencyOf, isConsistent } from '../../src/ledger/tree/consistency.js'
import { verify } from '../../src/ledger/verify.js'
import { ask, present, type Server, startPostgres } from '../cluster/postgres.js'
import { note as append } from '../contract/ledger/stage.js'
import { ALL } from '../faults/rig.js'
import { SECRET } from '../lane/stage.js'
import { started } from '../ledger/craft.js'

const REPLICAS = 3
const ROUNDS = ALL ? 40 : 8
const HOUR_MS = 3_600_000

describe.skipIf(!present && !ALL)(
  'replicas that sign checkpoints (needs a PostgreSQL: npm run test:setup)',
  () => {
    let server: Server
    let url: string
    let stores: Store[]
    let notaries: Notary[]
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server.end())
    beforeEach(async () => {
      url = await server.corner()
      stores = []
      notaries = []
      for (let n = 0; n < REPLICAS; n++) {
        const store = await openPostgres(url)
        stores.push(store)
        await unlock(store, SECRET, started)
        notaries.push(await openNotary({ store, secret: SECRET, publicUrl: 'https://lane.example.org/gate' }))
      }
    })
    afterEach(async () => {
      for (const { ledger } of stores) await ledger.close()
    })

    const appendEverywhere = (): Promise<unknown> => Promise.all(stores.map(({ ledger }) => append(ledger)))
    const signed = async (): Promise<number> =>
      (await ask(url, `SELECT seq FROM entries WHERE type = 'CHECKPOINT_SIGNED'`)).length

    /** Of any two, the smaller is the beginning of the larger, by the hashes the ledger gives; and the ledger holds. */
    const expectOneLedger = async (given: readonly SignedCheckpoint[]): Promise<void> => {
      const [store, notary] = [stores[0] as Store, notaries[0] as Notary]
      const keys = await notary.keys()
      const said = await Promise.all(given.map(({ note }) => trustedCheckpoint(note, keys, checkEd25519)))
      const sorted = (said as Checkpoint[]).toSorted((one, other) => one.size - other.size)
      for (const [index, larger] of sorted.entries()) {
        const smaller = sorted[Math.max(0, index - 1)] ?? larger
        const path = await hashesOf(store.ledger, consistencyOf(smaller.size, larger.size))
        expect(isConsistent(smaller, larger, path)).toBe(true)
      }
      const { problems } = await verify(store.ledger.lines(0))
      expect(problems).toEqual([])
    }

    test('wake at the same moment, while entries come: exactly one signs', async () => {
      await appendEverywhere()
      const given = await Promise.all(
        notaries.map(async notary => {
          const checkpoint = await notary.signEvery(HOUR_MS)
          await appendEverywhere()
          return checkpoint
        }),
      )
      expect(new Set(given.map(({ note }) => note)).size).toBe(1)
      expect(await signed()).toBe(1)
    })

    test('one of them holds the right to sign, and the others wait for it', async () => {
      const [holder, other] = stores as [Store, Store]
      const hold = await holder.hold('checkpoint', () => undefined)
      expect(await other.hold('checkpoint', () => undefined)).toBeNull()
      await appendEverywhere()
      const waiting = (notaries[1] as Notary).sign()
      await append(other.ledger)
      expect(await signed()).toBe(0)
      await hold?.release()
      const { size } = await waiting
      expect([await signed(), size]).toEqual([1, (await other.ledger.head()).size - 1])
    })

    test('at once and again and again, while entries come: no two are of different ledgers', async () => {
      const given: SignedCheckpoint[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const [all] = await Promise.all([
          Promise.all(notaries.map(notary => notary.sign())),
          appendEverywhere(),
        ])
        given.push(...all)
      }
      expect(new Set(given.map(({ note }) => note)).size).toBe(await signed())
      await expectOneLedger(given)
    })

    test('when the right is lost in the midst of signing, what both sign is of one ledger', async () => {
      const given: SignedCheckpoint[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await appendEverywhere()
        const signing = notaries.map(notary => notary.sign())
        await ask(
          server.url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'interrupt-lane holder'`,
        )
        for (const result of await Promise.allSettled(signing))
          if (result.status === 'fulfilled') given.push(result.value)
      }
      given.push(await (notaries[0] as Notary).sign())
      expect(given.length).toBeGreaterThan(0)
      await expectOneLedger(given)
    })
  },
)
