// A request that somebody opens in a session of the console is before them: that is a copy on the web, claimed and sent in
// one append. It is answered there under the checks of any other copy.
//
// OP1  One copy for each request and person: one that they have on the web already is theirs to answer in a session too.
// OP2  The copy's handle and code are shown to nobody. The handle is derived under a key of the lane (token/), so that the
//      copy is found again from the case alone.
// OP3  Opening decides nothing, and takes no copy away.
import { holds } from '../agenda/asked.js'
import { type Case, isOpen } from '../agenda/case.js'
import { type Delivery, isWornOut } from '../agenda/delivery.js'
import { deliveryId } from '../agenda/plan.js'
import type { Shelf } from '../ledger/shelf.js'
import type { Recorder } from '../record/record.js'
import type { Content } from '../request/content/exhibit.js'
import { hashToken } from '../token/jws.js'
import { deriveHandle, hashHandle } from '../token/reply-handle.js'
import { startedAndSent } from './deliver.js'
import { type Deliver, type Minter, mintPass, shelvingsOf } from './pass.js'

type RequestOpener = Minter &
  Pick<Recorder, 'record'> & {
    readonly shelf: Pick<Shelf, 'grant'>
    readonly contents: (subject: Case) => Promise<readonly Content[]>
  }

/** A person's copy on the web, and the handle that stands for it; the handle goes nowhere. */
export type OpenCopy = { readonly subject: Case; readonly delivery: Delivery; readonly handle: string }

/** Null where it is not theirs to answer. */
export async function openFor(opener: RequestOpener, first: Case, userId: string): Promise<OpenCopy | null> {
  if (!mayOpen(first, userId)) return null
  const known = await findCopy(opener, first, userId)
  if (known !== null) return known
  const contents = await opener.contents(first)
  const { subject } = await opener.record<'overdue', 'not_theirs' | 'known'>(
    first.request_id,
    current => {
      if (!mayOpen(current, userId)) return { leave: 'not_theirs' }
      // The other of two who open it at once finds the copy of the first.
      if (current !== first && copiesOf(current, userId).some(isLive)) return { leave: 'known' }
      const duty = nextDuty(current, userId)
      const pass = mintPass({ ...opener, way: () => 'page' }, current, duty, false, contents)
      return {
        tell: moment =>
          moment.ms >= current.deadline_ms
            ? { refuse: 'overdue' }
            : { events: startedAndSent(current, duty, pass, moment), shelve: shelvingsOf(pass) },
      }
    },
    first,
  )
  return findCopy(opener, subject, userId)
}

/** The copy as it stands; null where they have none, or it can be answered no more. */
export async function findCopy(
  { keyring, shelf }: Pick<RequestOpener, 'keyring' | 'shelf'>,
  subject: Case,
  userId: string,
): Promise<OpenCopy | null> {
  for (const delivery of copiesOf(subject, userId).filter(isLive).toReversed()) {
    const handle = deriveHandle(keyring().code, delivery.delivery_id, delivery.attempts)
    const grant = await shelf.grant(hashHandle(handle))
    if (grant !== null && hashToken(grant.token) === delivery.minted?.token_hash)
      return { subject, delivery, handle }
  }
  return null
}

const mayOpen = (subject: Case, userId: string): boolean => isOpen(subject) && holds(subject.asked, userId)

const copiesOf = ({ deliveries }: Case, userId: string): readonly Delivery[] =>
  deliveries.filter(({ user_id, channel }) => user_id === userId && channel === 'web')

/** It was claimed and can be answered: whether its link has arrived does not matter here. */
const isLive = (one: Delivery): boolean =>
  one.minted !== null && one.attempts > one.voided && !one.bounced && !isWornOut(one)

/** The next attempt of a copy that is held or to be sent anew, else the first of another. */
function nextDuty(subject: Case, user_id: string): Deliver {
  const made = copiesOf(subject, user_id)
  const waiting = made.find(one => (one.state === 'held' || one.state === 'queued') && !isWornOut(one))
  const delivery_id = waiting?.delivery_id ?? deliveryId(subject.request_id, user_id, 'web', made.length)
  return { kind: 'deliver', delivery_id, user_id, channel: 'web', attempt: (waiting?.attempts ?? 0) + 1 }
}
