// Before the lane says that it has started: the ledger is compared with what was published of it.
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import { contradicted, PlaceUnread } from '../checkpoint/compare.js'
import type { Place } from '../checkpoint/place/place.js'
import { CannotStart, type House } from './house.js'

/** Each kind is loaded where it is configured. */
export const placesOf = ({ config, store }: Pick<House, 'config' | 'store'>): Promise<readonly Place[]> =>
  Promise.all(
    config.checkpoints.publish.map(async at => {
      if ('directory' in at)
        return (await import('../checkpoint/place/directory.js')).directoryPlace(at.directory)
      if ('git' in at) {
        const { gitPlace } = await import('../checkpoint/place/git.js')
        return gitPlace(at.git, at.branch ?? null, () => store.ledger.now())
      }
      return (await import('../checkpoint/place/http.js')).httpPlace(at.http)
    }),
  )

/** The checkpoint that is given up by this start, null for none; CannotStart where the operator has not said so. */
export async function compared(
  { store, acceptRollback }: Pick<House, 'store' | 'acceptRollback'>,
  places: readonly Place[],
): Promise<Checkpoint | null> {
  const larger = await contradicted(store, places).catch(error => {
    throw error instanceof PlaceUnread ? new CannotStart(`${error.message}${UNREAD}`) : error
  })
  if (larger === null) {
    if (acceptRollback === null) return null
    throw new CannotStart('--accept-rollback: the ledger contains every checkpoint there is; leave it out')
  }
  if (larger.size === acceptRollback) return larger
  const { size } = await store.ledger.head()
  throw new CannotStart(
    `the ledger does not contain the checkpoint of ${larger.size} entries that ${larger.origin} has published; it has ${size}. ` +
      'Entries were cut off or written anew, or an older copy was put in place: find the ledger that has them. Where they are ' +
      `lost for good, \`lane serve --accept-rollback ${larger.size}\` gives them up, withdraws every open request and revokes ` +
      'every unspent policy token (docs/operating.md)',
  )
}

const UNREAD =
  ', so it is not known whether the ledger is whole: bring it back, or take it out of checkpoints.publish'
