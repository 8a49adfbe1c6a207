// Sends anew the copies signed with a revoked key: those people have can no longer be answered. Each open delivery of
// such a key is told that it does not stand, and the agenda owes a fresh one. Asked again it finds nothing left.
import { type Case, fold, isOpen } from '../agenda/case.js'
import { type Delivery, isWornOut, KEY_REVOKED } from '../agenda/delivery.js'
import { type Ledger, unlessBroken } from '../ledger/contract.js'
import type { Recorder } from '../record/record.js'
import { report } from './report.js'

/** Requests looked at together: enough to share commits, few enough to leave room for others. */
const TOGETHER = 64

type Renewer = Pick<Recorder, 'record'> & {
  readonly ledger: Ledger
  /** Does the duties that the agenda then owes. */
  readonly tend: (subject: Case) => void
}

export async function renew(
  parts: Renewer,
  revoked: ReadonlySet<string>,
  stopped: () => boolean,
): Promise<void> {
  const { ledger } = parts
  for (let before = Number.MAX_SAFE_INTEGER; !stopped(); ) {
    const page = await ledger.list({ open: true, before, limit: TOGETHER })
    // A story that is not the lane's own gives no right either way, and holds up none of the others.
    await Promise.all(page.map(({ request_id }) => renewAll(parts, request_id, revoked).catch(unlessBroken)))
    const last = page.at(-1)
    if (last === undefined) return
    before = last.opened_seq
  }
}

async function renewAll(parts: Renewer, requestId: string, revoked: ReadonlySet<string>): Promise<void> {
  const subject = fold(await parts.ledger.story(requestId))
  if (subject === null || !isOpen(subject)) return
  for (const { delivery_id, minted } of subject.deliveries.filter(one => isOf(one, revoked))) {
    const about = { delivery_id, status: KEY_REVOKED, stands: false }
    if (minted !== null) parts.tend(await report(parts, requestId, minted.token_hash, about))
  }
}

/** An entry that does not name its key may have been this one's. A copy whose attempts have run out could not be
 *  answered before either: another took its place. */
const isOf = (delivery: Delivery, revoked: ReadonlySet<string>): boolean =>
  (delivery.kid === null || revoked.has(delivery.kid)) && isOut(delivery) && !isWornOut(delivery)

const isOut = ({ state }: Delivery): boolean =>
  state === 'sending' || state === 'sent' || state === 'uncertain'
