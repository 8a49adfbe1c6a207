// A request opened and answered by somebody who has signed in. They are shown their copy on the web, and answer it at the
// web's desk like anybody else; the session is the proof.
//
// SN1  Opening claims a copy and decides nothing. A HEAD and a browser that only fetches ahead open nothing.
// SN2  An answer names the display that it was given to: another one than that of the copy is `changed`.
// SN3  A cookie knows neither ports nor paths, so a session alone gives an approval only on https and on a host of the
//      lane's own; elsewhere the copy's code is needed too, or a passkey.
// SN4  A copy that does not show all of what is decided is not answered here.
// SN5  An answer that a passkey confirms is spelt in its one way before the challenge is named and before it is taken: what
//      was confirmed is what is compiled. One that its passkey has not confirmed is refused as anybody's would be.
// SN6  A session that began with a passkey is over with it, also while an answer given in it is on its way, whatever confirms
//      that answer.
import type { FastifyRequest } from 'fastify'
import type { Inbound, Verdict } from '../adapter/contract.js'
import type { Form } from '../adapter/page.js'
import type { Case } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import type { Refusal } from '../compiler/compile.js'
import { spell } from '../compiler/spell.js'
import { isAlone, passkeyHost } from '../config/signing-in.js'
import { asShown, readContents } from '../delivery/contents.js'
import type { OpenCopy } from '../delivery/open.js'
import { policyOf } from '../lane/own.js'
import { PROOF_BY } from '../people/passkeys.js'
import { rightOf } from '../reply/right.js'
import type { Proof } from '../request/channel.js'
import type { Content } from '../request/content/exhibit.js'
import type { Display } from '../request/display.js'
import { isApproval } from '../request/substance.js'
import { isByPasskey } from '../request/way.js'
import { challenge, confirm } from '../session/confirmation.js'
import type { Session } from '../session/session.js'
import type { DoorParts } from './door.js'
import type { Code } from './problem.js'
import { displayOf, isDrawn } from './reply-state.js'

type PersonSession = Extract<Session, { kind: 'person' }>

/** A copy as the page draws it. */
type Opened = {
  readonly subject: Case
  readonly display: Display
  readonly display_hash: Hash
  readonly contents: readonly Content[]
  /** Whether it can be answered here (SN4). */
  readonly isAnswerable: boolean
  /** Whether the copy's code is needed beside the session (SN3). */
  readonly needsCode: boolean
  /** Null where a passkey adds nothing. */
  readonly confirming: Confirming | null
}

type Confirming = {
  /** Whether nothing less is enough. */
  readonly isNeeded: boolean
  /** The ids of their passkeys that are enough; none where they have none. */
  readonly credentials: readonly string[]
}

/** Whether somebody looks at the page (SN1). */
export const isVisit = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method !== 'HEAD' && headers['sec-purpose'] === undefined && headers.purpose === undefined

/** Null where it is not theirs to answer, or not any more. */
export async function openForPerson(
  parts: DoorParts,
  session: PersonSession,
  subject: Case,
): Promise<Opened | null> {
  const copy = await parts.lane.openFor(subject, session.user_id)
  return copy && opened(parts, session, copy)
}

async function opened(
  parts: DoorParts,
  session: PersonSession,
  { subject, delivery }: OpenCopy,
): Promise<Opened | null> {
  if (delivery.minted === null) return null
  const contents = await readContents(parts.store.shelf, subject)
  const display = asShown(displayOf(parts, subject), contents, delivery.minted)
  const needsCode = isApproval(subject.request) && !isAlone(parts.publicUrl())
  return {
    subject,
    display,
    display_hash: delivery.minted.display_hash,
    contents,
    isAnswerable: isDrawn(display, subject),
    needsCode,
    confirming: await confirmingIn(parts, session, subject, needsCode),
  }
}

/** The proof of an answer that nothing but the session vouches for. A passkey that an operator enrolled vouches for what
 *  it confirms, and for no session. */
const proofOf = ({ by }: PersonSession): Proof =>
  by === 'console' || by === 'passkey_by_operator' ? by : 'web_session'

async function confirmingIn(
  { store, config, publicUrl }: DoorParts,
  session: PersonSession,
  subject: Case,
  needsCode: boolean,
): Promise<Confirming | null> {
  const { proofs } = rightOf(subject, session.user_id, policyOf(config, subject))
  const own = proofOf(session)
  const isEnough = proofs.includes(own) && !isByPasskey(own)
  if ((isEnough && !needsCode) || !proofs.some(isByPasskey)) return null
  const passkeys = passkeyHost(publicUrl()) === null ? [] : await store.shelf.passkeysOf(session.user_id)
  const enough = passkeys.filter(({ by }) => proofs.includes(PROOF_BY[by]))
  if (isEnough && enough.length === 0) return null
  return { isNeeded: !isEnough, credentials: enough.map(({ credential_id }) => credential_id) }
}

type Filled = Extract<Form, { kind: 'form' }>
/** What a session answers with: the form's own fields, and the display it was drawn from. */
type SessionForm = Pick<Filled, 'reply' | 'fields' | 'code' | 'hands' | 'passkey'> & {
  readonly display: string
}

type Stopped = { readonly kind: 'stopped'; readonly code: Extract<Code, 'changed' | 'not_found'> }

/** The stamp and the origin of the form were looked at before. */
export async function answerInSession(
  parts: DoorParts,
  session: PersonSession,
  subject: Case,
  form: SessionForm,
): Promise<Verdict | Stopped> {
  const answered = await copyAnswered(parts, session, subject, form)
  if ('kind' in answered) return answered
  const { copy, shown } = answered
  const said = form.passkey === undefined ? form : { ...form, ...speltIn(subject, form) }
  const { reply: text, fields, hands, code } = said
  const vouched: Vouched =
    form.passkey === undefined
      ? { proof: proofOf(session), authenticated: true }
      : await vouchedFor(parts, session, form.passkey, saidOf(shown, copy, text))
  return parts.desk('web').take({
    channel: 'web',
    ...vouched,
    ...restingOn(session, vouched),
    binding: { kind: 'handle', handle: copy.handle },
    text,
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(hands && { hands }),
    code,
    session: {
      user_id: session.user_id,
      needs_code: shown.needsCode && form.passkey === undefined,
    },
    automated: false,
  })
}

/** The copy that an answer is given to, if it was drawn from it (SN2). */
async function copyAnswered(
  parts: DoorParts,
  session: PersonSession,
  subject: Case,
  { display }: Pick<SessionForm, 'display'>,
): Promise<{ readonly copy: OpenCopy; readonly shown: Opened } | Stopped> {
  const copy = await parts.lane.copyOf(subject, session.user_id)
  const shown = copy && (await opened(parts, session, copy))
  if (copy === null || shown === null) return { kind: 'stopped', code: 'not_found' }
  if (shown.display_hash !== display || !shown.isAnswerable) return { kind: 'stopped', code: 'changed' }
  return { copy, shown }
}

/** Words that are not understood stay as they are, and are refused for that. */
function speltIn(subject: Case, form: SessionForm): Pick<SessionForm, 'reply' | 'fields'> {
  const spelt = spellIn(subject, form)
  return spelt.ok ? { reply: spelt.reply, fields: spelt.fields } : form
}

const spellIn = ({ request }: Case, { reply, fields, hands }: SessionForm) =>
  spell(request.reply_schema, reply, fields, hands === true)

const saidOf = ({ subject, display_hash }: Opened, { delivery }: OpenCopy, reply: string) => ({
  request_id: subject.request_id,
  request_hash: subject.request_hash,
  delivery_id: delivery.delivery_id,
  display_hash,
  reply,
})

type Vouched = Pick<Inbound, 'proof' | 'authenticated' | 'confirmed' | 'passkeys'>

/** The passkey that the session began with (SN6), and the one that has confirmed the answer: perhaps the same. */
function restingOn(
  { credential_hash }: PersonSession,
  { passkeys = [] }: Vouched,
): Pick<Inbound, 'passkeys'> {
  const all = new Set(credential_hash === undefined ? passkeys : [credential_hash, ...passkeys])
  return all.size === 0 ? {} : { passkeys: [...all] }
}

/** What the passkey makes of the reply; one that it has not confirmed is nobody's (SN5). */
async function vouchedFor(
  { csrf, store, publicUrl, now }: DoorParts,
  session: PersonSession,
  asserted: NonNullable<SessionForm['passkey']>,
  said: ReturnType<typeof saidOf>,
): Promise<Vouched> {
  const at = { csrf, shelf: store.shelf, origin: new URL(publicUrl()).origin, now: now() }
  const confirmed = await confirm(at, session, asserted, said)
  return confirmed === null
    ? { proof: 'passkey', authenticated: false }
    : { ...confirmed, authenticated: true }
}

/** Why nobody vouched for an answer: the session was over, the passkey at hand is none of theirs by now, the session alone
 *  answers nothing, or the passkey has not confirmed this answer. */
export type Doubt = 'session_over' | 'passkey_gone' | 'session_alone' | 'unconfirmed'

/** Asked once the answer was refused for that: a passkey that is gone by then does not come back. */
export async function doubtOf(
  { store: { shelf } }: Pick<DoorParts, 'store'>,
  { credential_hash, user_id }: PersonSession,
  { passkey }: Pick<SessionForm, 'passkey'>,
): Promise<Doubt> {
  if (credential_hash !== undefined && (await shelf.passkey(credential_hash)) === null) return 'session_over'
  if (passkey === undefined) return 'session_alone'
  // A form that names no passkey was not filled in by one.
  if (passkey.credential_id === '') return 'unconfirmed'
  const found = await shelf.passkeyById(passkey.credential_id)
  return found?.user_id === user_id ? 'unconfirmed' : 'passkey_gone'
}

type Challenged =
  | {
      readonly kind: 'named'
      readonly challenge: {
        readonly ticket: string
        readonly challenge: string
        readonly host: string
        readonly credentials: readonly string[]
      }
    }
  | { readonly kind: 'unread'; readonly reason: Refusal['reason']; readonly accepted: string }
  | Stopped
  | { readonly kind: 'stopped'; readonly code: Extract<Code, 'reply_rejected'> }

/** What a passkey of theirs has to sign to confirm this answer. */
export async function challengeInSession(
  parts: DoorParts,
  session: PersonSession,
  subject: Case,
  form: SessionForm,
): Promise<Challenged> {
  const answered = await copyAnswered(parts, session, subject, form)
  if ('kind' in answered) return answered
  const { copy, shown } = answered
  const host = passkeyHost(parts.publicUrl())
  const credentials = shown.confirming?.credentials ?? []
  if (host === null || credentials.length === 0) return { kind: 'stopped', code: 'reply_rejected' }
  const spelt = spellIn(subject, form)
  if (!spelt.ok) return { kind: 'unread', reason: spelt.reason, accepted: spelt.accepted }
  const named = challenge(parts.csrf, session, saidOf(shown, copy, spelt.reply), parts.now())
  return { kind: 'named', challenge: { ...named, host, credentials } }
}
