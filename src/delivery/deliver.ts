// Puts one request before one person on one channel. The attempt is claimed in the ledger before it is made, so that
// two who learn of the same duty cannot both send; what became of it is recorded whatever else has happened since.
import type { Adapter, Channel, Envelope, Sent } from '../adapter.js'
import { retryAt } from '../agenda/backoff.js'
import type { Case } from '../agenda/case.js'
import { NOT_LINKED } from '../agenda/delivery.js'
import type { Duty } from '../agenda/owed.js'
import type { Hash } from '../canonical.js'
import { instant } from '../clock.js'
import type { Deed } from '../event.js'
import type { Grant, Moment, Shelving } from '../ledger/contract.js'
import type { Recorder, Told } from '../record.js'
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

export type Sender = Minter &
  Pick<Recorder, 'record'> & {
    readonly adapter: (channel: Channel) => Adapter | null
    /** Name and address of a person on a channel; null when there is none, or none yet. */
    readonly person: (
      userId: string,
      channel: Channel,
    ) => Promise<{ readonly name: string; readonly address: unknown } | null>
    /** Whether the address is theirs to link: then one that is missing is not linked yet. */
    readonly awaitsLink: (userId: string, channel: Channel) => boolean
    readonly publicUrl: () => string
    /** Whether the agenda, asked about this newer case, still owes the duty. */
    readonly stillOwed: (subject: Case, duty: Deliver) => boolean
    readonly onTrouble: (error: unknown, about: { request_id: string; delivery_id: string }) => void
  }

/** The case after the attempt, or as it stands when the attempt was no longer owed. */
export async function deliver(sender: Sender, first: Case, duty: Deliver): Promise<Case> {
  const { pass, subject } = await claim(sender, first, duty)
  return pass === null ? subject : attempt(sender, subject, { duty, pass })
}

/** An attempt that may be made: nobody else makes it. */
export type Claim = { readonly duty: Deliver; readonly pass: Pass }

/** The claim as part of another append, for a delivery that is owed from the moment its request is opened. */
export function claimWithin(
  sender: Minter,
  subject: Case,
  duty: Deliver,
  moment: Moment,
): { readonly claim: Claim; readonly event: Deed; readonly shelving: Shelving } {
  const pass = mintPass(sender, subject, duty)
  const event = started(duty, pass, moment)
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

/** The pass is null where the attempt is not ours to make. */
async function claim(
  sender: Sender,
  first: Case,
  duty: Deliver,
): Promise<{ readonly pass: Pass | null; readonly subject: Case }> {
  let pass: Pass | null = null
  const { kind, subject } = await sender.record<'overdue', 'not_owed'>(
    first.request_id,
    current => {
      if (!sender.stillOwed(current, duty)) return { leave: 'not_owed' }
      const minted = mintPass(sender, current, duty)
      pass = minted
      return { tell: moment => claimed(current, duty, minted, moment) }
    },
    first,
  )
  return { pass: kind === 'recorded' ? pass : null, subject }
}

const claimed = (subject: Case, duty: Deliver, pass: Pass, moment: Moment): Told<'overdue'> =>
  moment.ms >= subject.deadline_ms
    ? { refuse: 'overdue' }
    : { events: [started(duty, pass, moment)], shelve: [{ put: 'grant', grant: pass.grant }] }

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
  const shelve = sent.kind === 'failed' || sent.ref === undefined ? [] : [reference(duty, pass, sent.ref)]
  const { subject } = await sender.record(
    first.request_id,
    ({ request_hash }) => ({
      tell: moment => ({
        events: [sent.kind === 'failed' ? failed(duty, sent, moment) : stood(request_hash, duty, pass, sent)],
        shelve,
      }),
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
    lease_until: instant(moment.ms + LEASE_MS),
    ...attempted(duty),
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

const reference = (duty: Deliver, pass: Pass, ref: string) =>
  ({
    put: 'ref',
    delivery_id: duty.delivery_id,
    handle_hash: pass.grant.handle_hash,
    channel: duty.channel,
    ref,
  }) as const
