// Puts one request before one person on one channel. The attempt is claimed in the ledger before it is made, so that
// two who learn of the same duty cannot both send; what became of it is recorded whatever else has happened since.
import type { Adapter, Channel, Envelope, Sent } from '../adapter.js'
import { retryAt } from '../agenda/backoff.js'
import type { Case } from '../agenda/case.js'
import { NOT_LINKED } from '../agenda/delivery.js'
import type { Duty } from '../agenda/owed.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Draft } from '../event.js'
import type { Grant, Moment, Shelving } from '../ledger/contract.js'
import type { Recorder } from '../record.js'
import { type Display, display, hashDisplay } from '../request/display.js'
import { hashReplySchema } from '../request/reply-schema.js'
import { draw } from '../token/chance.js'
import { hashToken } from '../token/jws.js'
import type { Keyring } from '../token/keyring.js'
import {
  CODE_BYTES,
  HANDLE_BYTES,
  hashCode,
  hashHandle,
  writeCode,
  writeHandle,
} from '../token/reply-handle.js'
import { mint } from '../token/reply-token.js'
import { within } from './patience.js'

/** A provider that has said nothing for this long has given no verdict: the send is uncertain. */
const SEND_TIMEOUT_MS = 10_000
/** A claim outlives the longest send, so that nobody repeats an attempt that is still under way. */
const LEASE_MS = 30_000
/** The token's jti: 128 bits. */
const NONCE_BYTES = 16

export type Deliver = Extract<Duty, { kind: 'deliver' }>

export type Minter = {
  readonly keyring: () => Keyring
  readonly keyName: (keyId: string) => string
  readonly now: () => number
}

export type Sender = Minter & {
  readonly record: Recorder
  readonly adapter: (channel: Channel) => Adapter | null
  /** Name and address of a person on a channel; null when there is none, or none yet. */
  readonly person: (
    userId: string,
    channel: Channel,
  ) => Promise<{ readonly name: string; readonly address: unknown } | null>
  /** Whether the address is theirs to link: then one that is missing is not linked yet. */
  readonly awaitsLink: (userId: string, channel: Channel) => boolean
  readonly publicUrl: () => string
  readonly reload: (requestId: string) => Promise<Case>
  /** Whether the agenda, asked about this newer case, still owes the duty. */
  readonly stillOwed: (subject: Case, duty: Deliver) => boolean
  readonly onTrouble: (error: unknown, about: { request_id: string; delivery_id: string }) => void
}

/** The case after the attempt, or as it stands when the attempt was no longer owed. */
export async function deliver(sender: Sender, first: Case, duty: Deliver): Promise<Case> {
  const pass = mintPass(sender, first, duty)
  const claimed = await claim(sender, first, duty, pass)
  return claimed.ours ? attempt(sender, claimed.subject, { duty, pass }) : claimed.subject
}

/** An attempt that may be made: nobody else makes it. */
export type Claim = { readonly duty: Deliver; readonly pass: Pass }

/** The claim as part of another append, for a delivery that is owed from the moment its request is opened. */
export function claimWithin(
  sender: Minter,
  subject: Case,
  duty: Deliver,
  moment: Moment,
): { readonly claim: Claim; readonly event: Draft; readonly shelving: Shelving } {
  const pass = mintPass(sender, subject, duty)
  const event = started(subject, duty, pass, moment)
  return { claim: { duty, pass }, event, shelving: { put: 'grant', grant: pass.grant } }
}

/** Makes a claimed attempt, and tells what became of it. */
export async function attempt(sender: Sender, subject: Case, { duty, pass }: Claim): Promise<Case> {
  return conclude(sender, subject, duty, pass, await send(sender, duty, pass))
}

type Pass = {
  readonly shown: Display
  readonly display_hash: Hash
  readonly handle: string
  readonly code: string
  readonly grant: Grant
  readonly token_hash: Hash
}

function mintPass(sender: Minter, subject: Case, duty: Deliver): Pass {
  const shown = display(subject, sender.keyName(subject.opened_by))
  const display_hash = hashDisplay(shown)
  const chance = draw(HANDLE_BYTES + CODE_BYTES + NONCE_BYTES)
  const handle = writeHandle(chance.subarray(0, HANDLE_BYTES))
  const code = writeCode(chance.subarray(HANDLE_BYTES, HANDLE_BYTES + CODE_BYTES))
  const token = mint(sender.keyring(), {
    sub: duty.user_id,
    jti: chance.subarray(HANDLE_BYTES + CODE_BYTES).toString('base64url'),
    iat: Math.floor(sender.now() / 1000),
    exp: Math.ceil(subject.deadline_ms / 1000),
    req: subject.request_id,
    rqh: subject.request_hash,
    rsh: hashReplySchema(subject.request.reply_schema),
    ch: duty.channel,
    dsh: display_hash,
  })
  const handle_hash = hashHandle(handle)
  const grant = {
    handle_hash,
    code_hash: hashCode(handle_hash, code),
    token,
    request_id: subject.request_id,
    delivery_id: duty.delivery_id,
    channel: duty.channel,
    user_id: duty.user_id,
  }
  return { shown, display_hash, handle, code, grant, token_hash: hashToken(token) }
}

async function claim(
  sender: Sender,
  first: Case,
  duty: Deliver,
  pass: Pass,
): Promise<{ readonly ours: boolean; readonly subject: Case }> {
  for (let subject = first; ; subject = await sender.reload(subject.request_id)) {
    if (!sender.stillOwed(subject, duty)) return { ours: false, subject }
    const result = await sender.record<'overdue'>(story(subject), moment =>
      moment.ms >= subject.deadline_ms
        ? { refuse: 'overdue' }
        : { events: [started(subject, duty, pass, moment)], shelve: [{ put: 'grant', grant: pass.grant }] },
    )
    if (result.kind === 'recorded') return { ours: true, subject: result.subject }
    if (result.kind === 'refused') return { ours: false, subject }
  }
}

async function send(sender: Sender, duty: Deliver, pass: Pass): Promise<Sent> {
  const adapter = sender.adapter(duty.channel)
  const person = await sender.person(duty.user_id, duty.channel)
  if (adapter === null) return { kind: 'failed', code: 'channel_not_configured', retryable: false }
  if (person === null) return { kind: 'failed', code: absence(sender, duty), retryable: false }
  const envelope: Envelope = {
    delivery_id: duty.delivery_id,
    attempt: duty.attempt,
    recipient: { user_id: duty.user_id, name: person.name },
    address: person.address,
    reply: adapter.shows(pass.shown) ? { handle: pass.handle, code: pass.code } : null,
    page: { link: `${sender.publicUrl()}/r/${pass.handle}`, code: pass.code },
    at: instant(sender.now()),
  }
  try {
    return await within(SEND_TIMEOUT_MS, adapter.send(pass.shown, envelope), { kind: 'uncertain' })
  } catch (error) {
    const { request_id, delivery_id } = pass.grant
    sender.onTrouble(error, { request_id, delivery_id })
    return { kind: 'failed', code: 'adapter_error', retryable: true }
  }
}

const absence = (sender: Sender, { user_id, channel }: Deliver): string =>
  sender.awaitsLink(user_id, channel) ? NOT_LINKED : 'recipient_not_configured'

/** What happened must be told even if the story has moved on, and even if the request was resolved meanwhile. */
async function conclude(sender: Sender, first: Case, duty: Deliver, pass: Pass, sent: Sent): Promise<Case> {
  for (let subject = first; ; subject = await sender.reload(subject.request_id)) {
    const result = await sender.record(story(subject), moment => ({
      events: [
        sent.kind === 'failed' ? failed(subject, duty, sent, moment) : stood(subject, duty, pass, sent),
      ],
      ...(sent.kind !== 'failed' && sent.ref !== undefined && { shelve: [reference(duty, pass, sent.ref)] }),
    }))
    if (result.kind === 'recorded') return result.subject
  }
}

const story = (subject: Case) => ({ request_id: subject.request_id, subject })
const ids = (subject: Case) => ({ request_id: subject.request_id, run_id: subject.run.run_id })
const attempted = (duty: Deliver) => ({
  delivery_id: duty.delivery_id,
  attempt: duty.attempt,
  channel: duty.channel,
  recipient: duty.user_id,
})

const started = (subject: Case, duty: Deliver, pass: Pass, moment: Moment): Draft => ({
  type: 'DELIVERY_STARTED',
  ...ids(subject),
  body: {
    token_hash: pass.token_hash,
    display_hash: pass.display_hash,
    lease_until: instant(moment.ms + LEASE_MS),
    ...attempted(duty),
  },
})

const stood = (subject: Case, duty: Deliver, pass: Pass, sent: Exclude<Sent, { kind: 'failed' }>): Draft => ({
  type: 'OUTBOUND_REQUEST_SENT',
  ...ids(subject),
  body: {
    request_hash: subject.request_hash,
    token_hash: pass.token_hash,
    ...attempted(duty),
    ...(sent.kind === 'uncertain' && { uncertain: true as const }),
  },
})

function failed(
  subject: Case,
  duty: Deliver,
  sent: Extract<Sent, { kind: 'failed' }>,
  moment: Moment,
): Draft {
  const retry = retryAt(duty.delivery_id, duty.attempt, moment.ms, sent.retry_after_ms)
  return {
    type: 'DELIVERY_FAILED',
    ...ids(subject),
    body: {
      code: sent.code,
      final: !sent.retryable,
      ...attempted(duty),
      ...(sent.retryable && { retry_at: instant(retry) }),
    },
  }
}

const reference = (duty: Deliver, pass: Pass, ref: string) =>
  ({
    put: 'ref',
    delivery_id: duty.delivery_id,
    handle_hash: pass.grant.handle_hash,
    channel: duty.channel,
    ref,
  }) as const
