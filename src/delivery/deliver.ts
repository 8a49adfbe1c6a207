// Puts one request before one person on one channel. The attempt is claimed in the ledger before it is made, so that
// two who learn of the same duty cannot both send; its result is recorded even if the request was resolved meanwhile.
import type { Adapter, Beside, Outbound, Sent } from '../adapter/contract.js'
import { retryAt } from '../agenda/backoff.js'
import type { Case } from '../agenda/case.js'
import { NOT_LINKED } from '../agenda/delivery.js'
import type { Duty } from '../agenda/owed.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Deed } from '../event.js'
import type { Moment } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
import { within } from '../patience.js'
import type { Recorder, Told } from '../record/record.js'
import type { Channel } from '../request/channel.js'
import type { Content } from '../request/content/exhibit.js'
import { bindsByCode } from '../request/way.js'
import type { Rested } from '../request/words.js'
import {
  announces,
  codeGuard,
  type Deliver,
  isHopeless,
  type Minter,
  mintPass,
  type Pass,
  shelvingsOf,
} from './pass.js'

/** A provider that has said nothing for this long has given no verdict: the send is uncertain. */
const SEND_TIMEOUT_MS = 10_000
/** A claim outlives the longest send, so that nobody repeats an attempt that is still under way. */
const LEASE_MS = 30_000

export type Sender = Minter &
  Pick<Recorder, 'record'> & {
    readonly adapter: (channel: Channel) => Adapter | null
    /** Name and address of a person on a channel; null when there is none, or none yet. */
    readonly person: (
      userId: string,
      channel: Channel,
    ) => Promise<{ readonly name: string; readonly address: unknown } | null>
    /** Whether the address is theirs to link: then a missing one is not linked yet. */
    readonly awaitsLink: (userId: string, channel: Channel) => boolean
    readonly publicUrl: () => string
    /** What the lane holds of the request's contents. */
    readonly contents: (subject: Case) => Promise<readonly Content[]>
    /** The channel on which this person's codes rest, among those that the request may use for them. */
    readonly rested: (subject: Case, userId: string) => Rested | null
    /** Whether the agenda, asked about this newer case, still owes the duty. */
    readonly stillOwed: (subject: Case, duty: Duty) => boolean
    /** The provider's references of a delivery's copies. */
    readonly refs: (deliveryId: string) => Promise<readonly string[]>
    /** Keeps rows that belong to no further entry. */
    readonly shelve: (rows: readonly Shelving[]) => Promise<void>
    /** What the person is told beside the display: it may change while the request is open. */
    readonly beside: (subject: Case, userId: string) => Beside | null
    readonly onTrouble: (error: unknown, about: { request_id: string; delivery_id: string }) => void
  }

/** The case after the attempt, or as it stands when the attempt was no longer owed. */
export async function deliver(sender: Sender, first: Case, duty: Deliver): Promise<Case> {
  const { pass, subject } = await claim(sender, first, duty, await sender.contents(first))
  return pass === null ? subject : attempt(sender, subject, { duty, pass })
}

/** An attempt that may be made: nobody else makes it. */
export type Claim = { readonly duty: Deliver; readonly pass: Pass }

/** The claim as part of another append, for a delivery that is owed from the moment its request is opened. `coded`
 *  says that codeGuard guards that append. */
export function claimWithin(
  sender: Minter,
  subject: Case,
  duty: Deliver,
  moment: Moment,
  coded: boolean,
  contents: readonly Content[],
): { readonly claim: Claim; readonly event: Deed; readonly shelvings: readonly Shelving[] } {
  const pass = mintPass(sender, subject, duty, coded, contents)
  const event = started(duty, pass, moment)
  return { claim: { duty, pass }, event, shelvings: shelvingsOf(pass) }
}

/** Makes a claimed attempt, and records its result. */
export async function attempt(sender: Sender, subject: Case, { duty, pass }: Claim): Promise<Case> {
  return conclude(sender, subject, duty, pass, await send(sender, subject, duty, pass))
}

/** The pass is null if the attempt is not ours to make. If no code can be given out it is minted anew without one. */
async function claim(
  sender: Sender,
  first: Case,
  duty: Deliver,
  contents: readonly Content[],
): Promise<{ readonly pass: Pass | null; readonly subject: Case }> {
  const attempted = await claimOnce(sender, first, duty, contents, true)
  return attempted.guarded ? claimOnce(sender, attempted.subject, duty, contents, false) : attempted
}

async function claimOnce(
  sender: Sender,
  first: Case,
  duty: Deliver,
  contents: readonly Content[],
  coded: boolean,
) {
  let pass: Pass | null = null
  const { kind, subject } = await sender.record<'overdue', 'not_owed'>(
    first.request_id,
    current => {
      if (!sender.stillOwed(current, duty)) return { leave: 'not_owed' }
      const minted = mintPass(sender, current, duty, coded, contents)
      pass = minted
      const isCoded = minted.way === 'reply' && bindsByCode(duty.channel)
      return {
        tell: moment => claimed(current, duty, minted, moment),
        guards: isCoded ? [codeGuard(current.request_id, duty)] : [],
      }
    },
    first,
  )
  return { pass: kind === 'recorded' ? pass : null, subject, guarded: kind === 'guarded' }
}

const claimed = (subject: Case, duty: Deliver, pass: Pass, moment: Moment): Told<'overdue'> =>
  moment.ms >= subject.deadline_ms
    ? { refuse: 'overdue' }
    : { events: [started(duty, pass, moment)], shelve: shelvingsOf(pass) }

/** `reminds` is given where it reminds of a copy that was sent before. */
export async function send(
  sender: Sender,
  subject: Case,
  duty: Deliver,
  pass: Pass,
  reminds?: Outbound['reminds'],
): Promise<Sent> {
  const adapter = sender.adapter(duty.channel)
  const person = await sender.person(duty.user_id, duty.channel)
  if (adapter === null) return { kind: 'failed', code: 'channel_not_configured', retryable: false }
  if (person === null) return { kind: 'failed', code: absence(sender, duty), retryable: false }
  if (isHopeless(pass.way)) return { kind: 'failed', code: pass.way, retryable: false }
  const rested = sender.rested(subject, duty.user_id)
  const voided = subject.deliveries.find(one => one.delivery_id === duty.delivery_id)?.voided ?? 0
  const beside = sender.beside(subject, duty.user_id)
  const outbound: Outbound = {
    delivery_id: duty.delivery_id,
    attempt: duty.attempt,
    recipient: { user_id: duty.user_id, name: person.name },
    address: person.address,
    reply: pass.reply,
    page: { link: `${sender.publicUrl()}${pathOf(subject, pass)}`, code: pass.page.code },
    ...(rested && { rested }),
    ...(voided > 0 && { voided }),
    ...(reminds && { reminds }),
    ...(beside && { beside }),
    at: instant(sender.now()),
  }
  try {
    return await within(SEND_TIMEOUT_MS, adapter.send(pass.shown, outbound), { kind: 'uncertain' })
  } catch (error) {
    sender.onTrouble(error, { request_id: pass.shown.request_id, delivery_id: duty.delivery_id })
    return { kind: 'failed', code: 'adapter_error', retryable: true }
  }
}

/** Where a session is the proof the link opens nothing by itself: whoever follows it signs in first. */
const pathOf = ({ request_id }: Case, { way, page }: Pass): string =>
  way === 'session' ? `/console/requests/${request_id}` : `/r/${page.handle}`

const absence = (sender: Sender, { user_id, channel }: Deliver): string =>
  sender.awaitsLink(user_id, channel) ? NOT_LINKED : 'recipient_not_configured'

/** The result must be recorded even if the story has moved on, and even if the request was resolved meanwhile. */
async function conclude(sender: Sender, first: Case, duty: Deliver, pass: Pass, sent: Sent): Promise<Case> {
  const shelve = sent.kind === 'failed' || sent.ref === undefined ? [] : reference(duty, pass, sent.ref)
  const { subject } = await sender.record(
    first.request_id,
    ({ request_hash }) => ({
      tell: moment => ({
        events: [sent.kind === 'failed' ? failed(duty, sent, moment) : stood(request_hash, duty, pass, sent)],
        shelve,
      }),
      rides: true,
    }),
    first,
  )
  return subject
}

const attempted = (duty: Deliver) => ({
  delivery_id: duty.delivery_id,
  attempt: duty.attempt,
  channel: duty.channel,
  recipient: duty.user_id,
})

const started = (duty: Deliver, pass: Pass, moment: Moment): Deed => ({
  type: 'DELIVERY_STARTED',
  body: {
    token_hash: pass.token_hash,
    display_hash: pass.display_hash,
    kid: pass.kid,
    lease_until: instant(moment.ms + LEASE_MS),
    ...attempted(duty),
    ...(announces(pass, duty) && { announces: true as const }),
    ...(pass.shown.contents.length > 0 && { contents: pass.shown.contents }),
  },
})

const stood = (
  request_hash: Hash,
  duty: Deliver,
  pass: Pass,
  sent: Exclude<Sent, { kind: 'failed' }>,
): Deed => ({
  type: 'OUTBOUND_REQUEST_SENT',
  body: {
    request_hash,
    token_hash: pass.token_hash,
    ...attempted(duty),
    ...(sent.kind === 'uncertain' && { uncertain: true as const }),
  },
})

/** Both at once, for a copy that is where the person is already. */
export const startedAndSent = (
  { request_hash }: Case,
  duty: Deliver,
  pass: Pass,
  moment: Moment,
): readonly Deed[] => [started(duty, pass, moment), stood(request_hash, duty, pass, { kind: 'sent' })]

function failed(duty: Deliver, sent: Extract<Sent, { kind: 'failed' }>, moment: Moment): Deed {
  const retry = retryAt(duty.delivery_id, duty.attempt, moment.ms, sent.retry_after_ms)
  return {
    type: 'DELIVERY_FAILED',
    body: {
      code: sent.code,
      final: !sent.retryable,
      ...attempted(duty),
      ...(sent.retryable && { retry_at: instant(retry) }),
    },
  }
}

/** The provider's reference, for the handle used where the copy stands, or for its page if there is none. */
export function reference(duty: Deliver, { grants }: Pass, ref: string): Shelving[] {
  const { delivery_id, channel } = duty
  const handle_hash = grants.at(-1)?.handle_hash
  return handle_hash === undefined ? [] : [{ put: 'ref', delivery_id, handle_hash, channel, ref }]
}
