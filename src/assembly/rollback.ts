// A rollback that the operator accepts. Whatever the lane has said since is not known any more: who answered, what was
// spent. So nothing that is open stays open, and no right stands. The new epoch is begun last: a start that is cut short
// before it finds the same contradiction again, and all of this is done again.

import { encode } from '../checkpoint/base64.js'
import type { Checkpoint } from '../checkpoint/checkpoint.js'
import type { Notary } from '../checkpoint/notary.js'
import { acted, LANE } from '../event.js'
import type { Lane } from '../lane/lane.js'
import type { Ledger } from '../ledger/contract.js'
import { parseEntry } from '../ledger/entry.js'

const REASON = 'the ledger was rolled back'
const PAGE = 100
/** The longest that an entry keeps of a name. */
const LONGEST_NAME = 256

export async function giveUp(given: Checkpoint, notary: Notary, ledger: Ledger, lane: Lane): Promise<void> {
  for (;;) {
    const open = await ledger.list({ open: true, limit: PAGE })
    if (open.length === 0) break
    for (const { request_id } of open) await lane.withdraw(request_id, REASON, LANE)
  }
  for (const jti of await unspent(ledger)) await lane.director.revoke(jti, REASON, LANE)
  const about = `${given.origin} ${given.size} ${encode(given.root)}`.slice(-LONGEST_NAME)
  await notary.beginEpoch(given, acted('rollback_accepted', about, LANE))
}

/** Once in the life of a ledger, if ever: it is read whole. */
async function unspent(ledger: Ledger): Promise<ReadonlySet<string>> {
  const live = new Set<string>()
  for await (const line of ledger.lines(0)) {
    const { type, body } = parseEntry(line)
    if (type === 'POLICY_TOKEN_ISSUED') live.add(body.jti)
    if (type === 'POLICY_TOKEN_SPENT' || type === 'POLICY_TOKEN_REVOKED') live.delete(body.jti)
  }
  return live
}
