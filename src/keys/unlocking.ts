// The store is unlocked with the sealing key (ledger/seals.ts). The first start of a lane that seals makes that key,
// and the entry that says so, LEDGER_SEALED, in one append; an existing ledger is verified and sealed before.
//
// U1  From then on a missing seal is a wrong one: a ledger without LEDGER_SEALED whose keyring has the key, or one
//     with it whose keyring has not, is not started.
// U2  A ledger from before there were seals is known by its keys: they were wrapped by a lane that did not seal, and
//     nobody without the secret can wrap one so. Without such a key no existing entry is ever sealed.
import type { Draft } from '../event.js'
import { type Progress, SealBroken, type SealKey, type Store } from '../ledger/contract.js'
import { note } from '../record/record.js'
import { isFormer, rewrapped } from '../token/key-row.js'
import { missing, openSealKey } from '../token/keyring.js'
import type { Secret } from '../token/wrap.js'

export class NotUnlocked extends Error {
  override readonly name = 'NotUnlocked'
}

const NO_ENTRY =
  'the keyring has a key that seals, and the ledger no LEDGER_SEALED: somebody has written to the database; restore a backup'
const NO_KEY =
  'the ledger is sealed, and the keyring has not the key it was sealed with: restore the keyring from a backup'
const NO_FORMER_KEY =
  'the ledger has entries, and the keyring no key that opens with this secret: put back the data/secret or LANE_SECRET it ' +
  'was wrapped under, or restore the keyring from a backup'

type Unlocking = {
  readonly progress?: Progress
  /** Called once the store is unlocked and before the start is recorded. */
  before?(): Promise<void>
}

/** Unlocks the store and records the start. No other replica may do so meanwhile. */
export async function unlock(
  store: Store,
  secret: Secret,
  started: Draft,
  { progress, before = async () => undefined }: Unlocking = {},
): Promise<void> {
  const key = openSealKey(await store.shelf.keyring(), secret)
  if (key === null) return await begin(store, secret, started, progress)
  store.seals.unlock(key)
  const sealed = await store.ledger.sealed().catch(error => {
    throw error instanceof SealBroken ? new NotUnlocked(error.message) : error
  })
  if (sealed === null) throw new NotUnlocked(NO_ENTRY)
  await store.growTree(progress)
  await before()
  await note(store.ledger, started)
}

async function begin(store: Store, secret: Secret, started: Draft, progress?: Progress): Promise<void> {
  const { ledger, shelf, seals } = store
  const rows = await shelf.keyring()
  const fresh = missing(rows, secret, ledger.now())
  seals.unlock(openSealKey(fresh, secret) as SealKey)
  await ledger.sealed().catch(error => {
    throw error instanceof SealBroken ? new NotUnlocked(NO_KEY) : error
  })
  const former = rows.filter(row => isFormer(row, secret))
  const { size } = await ledger.head()
  if (size > 0 && former.length === 0) throw new NotUnlocked(NO_FORMER_KEY)
  if (size > 0) await sealWhatIsThere(store, progress)
  const ring = [...former.map(row => rewrapped(row, secret, secret)), ...fresh]
  await ledger.append({
    decide: ({ seq, prev }) => ({
      kind: 'append',
      events: [started, { type: 'LEDGER_SEALED', body: { size: seq, hash: prev } }],
      shelve: ring.map(key => ({ put: 'key', key })),
    }),
  })
}

/** Once in the life of a ledger, so what verifies is loaded here. */
async function sealWhatIsThere(store: Store, progress?: Progress): Promise<void> {
  const { verify } = await import('../ledger/verify.js')
  const { ok, problems } = await verify(store.ledger.lines(0))
  const [first] = problems
  if (!ok)
    throw new NotUnlocked(
      `the ledger does not hold, and is not sealed as it is: entry ${first?.seq}: ${first?.message}; ` +
        'see `lane ledger verify`, and restore a backup',
    )
  await store.sealAll()
  await store.growTree(progress)
}
