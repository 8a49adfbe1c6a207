// A request opened and answered by somebody who has signed in. They are shown their copy on the web, and answer it at the
// web's desk like anybody else; the session is the proof.
//
// SN1  Opening claims a copy and decides nothing. A HEAD and a browser that only fetches ahead open nothing.
// SN2  An answer names the display that it was given to: another one than that of the copy is `changed`.
// SN3  A cookie knows neither ports nor paths, so a session alone gives an approval only on https and on a host of the
//      lane's own; elsewhere the copy's code is needed too.
// SN4  A copy that does not show all of what is decided is not answered here.
import type { FastifyRequest } from 'fastify'
import type { Verdict } from '../adapter/contract.js'
import type { Form } from '../adapter/page.js'
import type { Case } from '../agenda/case.js'
import type { Hash } from '../canonical.js'
import { isAlone } from '../config/signing-in.js'
import { asShown, readContents } from '../delivery/contents.js'
import type { OpenCopy } from '../delivery/open.js'
import type { Content } from '../request/content/exhibit.js'
import type { Display } from '../request/display.js'
import { isApproval } from '../request/substance.js'
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
}

/** Whether somebody looks at the page (SN1). */
export const isVisit = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method !== 'HEAD' && headers['sec-purpose'] === undefined && headers.purpose === undefined

/** Null where it is not theirs to answer, or not any more. */
export async function openForPerson(
  parts: DoorParts,
  { user_id }: PersonSession,
  subject: Case,
): Promise<Opened | null> {
  const copy = await parts.lane.openFor(subject, user_id)
  return copy && opened(parts, copy)
}

async function opened(parts: DoorParts, { subject, delivery }: OpenCopy): Promise<Opened | null> {
  if (delivery.minted === null) return null
  const contents = await readContents(parts.store.shelf, subject)
  const display = asShown(displayOf(parts, subject), contents, delivery.minted)
  return {
    subject,
    display,
    display_hash: delivery.minted.display_hash,
    contents,
    isAnswerable: isDrawn(display, subject),
    needsCode: isApproval(subject.request) && !isAlone(parts.publicUrl()),
  }
}

type Filled = Extract<Form, { kind: 'form' }>
/** What a session answers with: the form's own fields, and the display it was drawn from. */
type SessionForm = Pick<Filled, 'reply' | 'fields' | 'code' | 'hands'> & { readonly display: string }

type Stopped = { readonly kind: 'stopped'; readonly code: Extract<Code, 'changed' | 'not_found'> }

/** The stamp and the origin of the form were looked at before. */
export async function answerInSession(
  parts: DoorParts,
  { user_id, by }: PersonSession,
  subject: Case,
  { reply, fields, code, hands, display }: SessionForm,
): Promise<Verdict | Stopped> {
  const copy = await parts.lane.copyOf(subject, user_id)
  const shown = copy && (await opened(parts, copy))
  if (copy === null || shown === null) return { kind: 'stopped', code: 'not_found' }
  if (shown.display_hash !== display || !shown.isAnswerable) return { kind: 'stopped', code: 'changed' }
  return parts.desk('web').take({
    channel: 'web',
    // A passkey that an operator enrolled vouches for what it confirms, and for no session.
    proof: by === 'console' || by === 'passkey_by_operator' ? by : 'web_session',
    authenticated: true,
    binding: { kind: 'handle', handle: copy.handle },
    text: reply,
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(hands && { hands }),
    code,
    session: { user_id, needs_code: shown.needsCode },
    automated: false,
  })
}
