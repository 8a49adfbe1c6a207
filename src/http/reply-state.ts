// The content of a request's page, as the request stands now.
import type { PageState } from '../adapter/page.js'
import type { Case } from '../agenda/case.js'
import { attemptWith, type Delivery, isWornOut } from '../agenda/delivery.js'
import { endingOf } from '../agenda/ending.js'
import { instant } from '../clock.js'
import { asShown, readContents } from '../delivery/contents.js'
import { fitPage } from '../delivery/fit.js'
import type { Grant } from '../ledger/shelf.js'
import type { Content } from '../request/content/exhibit.js'
import { type Display, display, tellsEnough } from '../request/display.js'
import { provesPossession } from '../request/way.js'
import { settledOf } from '../tally/form.js'
import { missingWords } from '../tally/so-far.js'
import { hashToken } from '../token/jws.js'
import { hashHandle } from '../token/reply-handle.js'
import type { DoorParts } from './door.js'
import type { Held } from './reply-visit.js'
import { VOTED } from './reply-words.js'

type Open = Extract<PageState, { kind: 'open' }>

export async function openState(
  parts: DoorParts,
  subject: Case,
  { handle, grant }: Held,
  refused: Open['refused'],
  typed: Open['typed'] = null,
): Promise<Open> {
  const contents = await readContents(parts.store.shelf, subject)
  const shown = drawn(parts, subject, grant, contents)
  return {
    kind: 'open',
    handle,
    display: shown,
    elsewhere: isForReading(grant) ? grant.channel : null,
    // Only a drawn form has a stamp, so a request that is not shown whole is not answered here.
    csrf: isDrawn(shown, subject) ? parts.csrf.stamp(hashHandle(handle)) : null,
    refused,
    typed,
    settled: settledOf(subject),
    openable: contents.map(one => one.handle),
    standing: missingWords(subject),
    beside: parts.lane.beside(subject, grant.user_id),
    now: instant(parts.now()),
  }
}

/** A page without a code answers nothing: the copy that led here does. */
const isForReading = ({ code_hash }: Grant): boolean => code_hash === ''

/** What is decided here is shown as its attempt recorded it; for reading there is all of it. Under rules 1 the contents
 *  have no part in a display, and are shown only where nobody knew otherwise what is decided. */
function drawn(parts: DoorParts, subject: Case, grant: Grant, contents: readonly Content[]): Display {
  const frame = displayOf(parts, subject)
  if (subject.terms === null) return tellsEnough(frame) ? frame : fitPage(frame, contents)
  const attempt = attemptOf(subject, grant)
  return isForReading(grant) || attempt === null
    ? fitPage(frame, contents)
    : asShown(frame, contents, attempt)
}

const attemptOf = ({ deliveries }: Case, { delivery_id, token }: Grant): Delivery['minted'] | null => {
  const delivery = deliveries.find(one => one.delivery_id === delivery_id)
  return delivery === undefined ? null : attemptWith(delivery, hashToken(token))
}

/** Whether all that its display says is shown could be drawn, and is enough to decide on. */
export const isDrawn = (shown: Display, { terms }: Case): boolean =>
  tellsEnough(shown, terms?.policy.content) &&
  shown.contents.every(({ handle }) => shown.exhibits.has(handle))

/** Whether this person has voted: a vote is final, and nothing more is asked of them. */
export const hasVoted = ({ terms, replies }: Case, userId: string): boolean =>
  terms?.quorum !== undefined && replies.some(({ reply }) => reply.sender_identity.user_id === userId)

/** Says how the votes stand, and not what this person said. */
export const votedState = (subject: Case): PageState => ({
  kind: 'stopped',
  title: VOTED,
  message: `It stands, and nothing more is asked of you. ${missingWords(subject) ?? ''}`,
})

/** Says only that it is closed, and what holds. */
export const closedState = (subject: Case): PageState => ({ kind: 'closed', ending: endingOf(subject) })

export const displayOf = ({ keys }: DoorParts, subject: Case): Display =>
  display(subject, keys.nameOf(subject.opened_by))

/** Whether the page, or the copy itself, takes no answer any more: then there is nothing left to show. */
export function isDead({ deliveries }: Case, { delivery_id }: Grant): boolean {
  const delivery = deliveries.find(one => one.delivery_id === delivery_id)
  return delivery !== undefined && (delivery.exhausted.some(provesPossession) || isWornOut(delivery))
}
