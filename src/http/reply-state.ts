// The content of a request's page, as the request stands now.
import { isUtf8 } from 'node:buffer'
import type { PageState } from '../adapter/page.js'
import type { Case } from '../agenda/case.js'
import { isWornOut } from '../agenda/delivery.js'
import { endingOf } from '../agenda/ending.js'
import { instant } from '../clock.js'
import type { Grant } from '../ledger/contract.js'
import { type Display, display, isToldByContent } from '../request/display.js'
import { isFixedHandle } from '../request/handle.js'
import { provesPossession } from '../request/way.js'
import { hashHandle } from '../token/reply-handle.js'
import { readBlob } from './blobs.js'
import type { DoorParts } from './door.js'

type Open = Extract<PageState, { kind: 'open' }>

/** Stands in for content that is not held. */
const NOT_UTF8 = Uint8Array.of(0xff)

export async function openState(
  parts: DoorParts,
  subject: Case,
  handle: string,
  refused: Open['refused'],
): Promise<Open> {
  const shown = displayOf(parts, subject)
  const told = isToldByContent(shown)
  const held = await heldOf(parts, shown, subject.opened_by)
  const isShown = !told || shown.handles.every(one => isUtf8(held.get(one.handle) ?? NOT_UTF8))
  return {
    kind: 'open',
    handle,
    display: shown,
    elsewhere: null,
    // Only a drawn form has a stamp, so a request that is not shown whole is not answered here.
    csrf: isShown ? parts.csrf.stamp(hashHandle(handle)) : null,
    refused,
    openable: [...held.keys()],
    contents: told ? held : new Map(),
    now: instant(parts.now()),
  }
}

/** Says only that it is closed, and what holds. */
export const closedState = (subject: Case): PageState => ({ kind: 'closed', ending: endingOf(subject) })

export const displayOf = ({ keys }: DoorParts, subject: Case): Display =>
  display(subject, keys.nameOf(subject.opened_by))

/** The contents of these handles that the asking key has put into the store, hashed again. */
async function heldOf(
  { store }: DoorParts,
  { handles }: Display,
  askedBy: string,
): Promise<Map<string, Uint8Array>> {
  const held = new Map<string, Uint8Array>()
  for (const { handle } of handles) {
    const bytes = isFixedHandle(handle) ? await readBlob(store.shelf, handle, askedBy) : null
    if (bytes !== null) held.set(handle, bytes)
  }
  return held
}

/** Whether the page, or the copy itself, takes no answer any more: then there is nothing left to show. */
export function isDead({ deliveries }: Case, { delivery_id }: Grant): boolean {
  const delivery = deliveries.find(one => one.delivery_id === delivery_id)
  return delivery !== undefined && (delivery.exhausted.some(provesPossession) || isWornOut(delivery))
}
