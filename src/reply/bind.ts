// The delivery a reply is about: found by the handle that travelled, by the provider's reference of the copy, or by
// the code typed from the person's own address. A reply that names no delivery is nobody's.
//
// B1  A page's handle is used on the page and nowhere else; a copy's own handle on the copy's channel and nowhere else.
// B2  The search for a code costs the same however many codes its person has ever had.

import type { Inbound } from '../adapter/contract.js'
import { type Case, isOpen } from '../agenda/case.js'
import { isWornOut } from '../agenda/delivery.js'
import { sha256 } from '../canonical.js'
import type { Fields } from '../compiler/compile.js'
import type { Grant, Shelf } from '../ledger/shelf.js'
import type { Channel } from '../request/channel.js'
import { provesPossession } from '../request/way.js'
import { keepFormerCode, keepPageCode, keepReplyCode, readPageCode, readReplyCode } from '../token/code.js'
import type { Keyring } from '../token/keyring.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import { verify } from '../token/reply-token.js'
import type { Facts } from './checks.js'
import type { Speaker } from './rest.js'

/** Longer ids of messages are kept by their hash: an entry's body has no room for them. */
const MAX_ID_CHARS = 200
/** When codes had four characters, this many messages on a person's phone could be answered by code after their
 *  requests were settled. */
const FORMER_CODES_REMEMBERED = 20

export type Binder = {
  readonly shelf: Shelf
  readonly keyring: () => Keyring
  /** The person a channel's vouched-for address belongs to. */
  readonly whois: (channel: Channel, sender: unknown) => string | null
  /** The case as it stands once anything overdue has been resolved: every door asks this first. */
  readonly current: (requestId: string) => Promise<Case | null>
  /** Whether their codes rest, as far as is known here: the ledger's guard has the last word. */
  readonly isResting: (speaker: Speaker) => boolean
  readonly now: () => number
}

/** The delivery a reply is about, and the right it has there. */
export type Bound = Pick<Facts, 'inbound' | 'grant' | 'token' | 'speaker' | 'fits'>
/** A code that is none of this person's, when they have no copy that it could be recorded with. */
type Missed = { readonly missed: Speaker }

type Found = Pick<Facts, 'grant' | 'speaker' | 'fits'>

export async function bind(binder: Binder, given: Inbound): Promise<Bound | Missed | null> {
  const inbound = readInbound(given)
  if (inbound === null) return null
  const found = await find(binder, inbound)
  if (found === null || 'missed' in found) return found
  const token = await verify(binder.keyring(), found.grant.token, binder.now())
  return { inbound: asProven(inbound, found.grant), token, ...found }
}

/** The console vouches for links that were printed on it: a link that went out by
 *  another channel proves possession only. */
const asProven = (inbound: Inbound, { channel }: Grant): Inbound =>
  inbound.proof === 'console' && channel !== 'web' ? { ...inbound, proof: 'link_code' } : inbound

/** A channel may change the case of a handle in transit; text that is no handle even so names nothing. Half a
 *  surrogate pair cannot be written down, so the text that is judged, hashed and kept is made
 *  the same on every store. */
function readInbound(given: Inbound): Inbound | null {
  const { provider_message_id: id } = given
  const kept = {
    text: wellFormed(given.text),
    ...(given.fields !== undefined && { fields: wellFormedFields(given.fields) }),
    ...(id !== undefined && { provider_message_id: idOf(id) }),
  }
  if (given.binding.kind !== 'handle') return { ...given, ...kept }
  const handle = readHandle(given.binding.handle)
  return handle === null ? null : { ...given, ...kept, binding: { kind: 'handle', handle } }
}

const LONE_SURROGATE = /\p{Surrogate}/gu
const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\uFFFD')
const wellFormedFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, text]) => [wellFormed(name), wellFormed(text)]))
const idOf = (id: string): string => (id.length > MAX_ID_CHARS ? sha256(id) : wellFormed(id))

async function find(binder: Binder, inbound: Inbound): Promise<Found | Missed | null> {
  const { binding, channel, sender } = inbound
  switch (binding.kind) {
    case 'handle': {
      const grant = await binder.shelf.grant(hashHandle(binding.handle))
      if (grant === null || !isUsed(grant, inbound)) return null
      return { grant, speaker: null, fits: hasPageCode(binder, grant, inbound) }
    }
    case 'ref': {
      const grant = await binder.shelf.grantByRef(channel, binding.ref)
      return grant && { grant, speaker: null, fits: !provesPossession(inbound.proof) }
    }
    case 'code': {
      const user_id = sender === undefined ? null : binder.whois(channel, sender)
      if (user_id === null) return null
      const speaker = { channel, user_id }
      const found = await byCode(binder, speaker, binding.code)
      const isMixed = found !== null && 'grant' in found && (await holdsCode(binder, speaker, inbound.text))
      return isMixed ? { ...found, fits: false } : found
    }
  }
}

/** Whether the handle came back on the side it is for (B1). */
function isUsed({ use, channel }: Grant, inbound: Inbound): boolean {
  if (use === null) return true
  const onPage = provesPossession(inbound.proof) || inbound.session !== undefined
  return use === 'page' ? onPage : !onPage && channel === inbound.channel
}

/** A handle that came by link must be accompanied by its code; elsewhere the channel itself vouches for who speaks, and
 *  so does a session where it is enough. */
function hasPageCode(
  { keyring }: Binder,
  grant: Grant,
  { proof, session, code: typed = '' }: Inbound,
): boolean {
  if (!(session?.needs_code ?? provesPossession(proof))) return true
  const { use, handle_hash, code_hash } = grant
  const code = readPageCode(typed)
  if (code === null) return false
  const kept =
    use === null ? keepFormerCode(handle_hash, code) : keepPageCode(keyring().code, handle_hash, code)
  return kept === code_hash
}

/** The code of a settled request leads there, so that a late answer is told how it ended. A code that is none of
 *  theirs, or that two open requests share by chance, is a try: it is recorded with the newest copy
 *  that can still be answered. */
async function byCode(binder: Binder, speaker: Speaker, typed: string): Promise<Found | Missed | null> {
  const fitting = await grantsWith(binder, speaker, typed)
  const [only, ...others] = fitting
  if (only !== undefined && others.length === 0) return { grant: only, speaker, fits: true }
  if (only === undefined && binder.isResting(speaker)) return null
  const open = await binder.shelf.openCodes(speaker.channel, speaker.user_id)
  const asked = new Set(open.map(({ request_id }) => request_id))
  const current = fitting.filter(({ request_id }) => asked.has(request_id))
  const grant = current.at(-1) ?? fitting.at(-1)
  const isShared = current.some(({ request_id }) => request_id !== grant?.request_id)
  if (grant !== undefined && !isShared) return { grant, speaker, fits: true }
  if (open.length === 0) return null
  const live = await lastLive(binder, open)
  return live === null ? { missed: speaker } : { grant: live, speaker, fits: false }
}

/** Whether words hold a code that this person could answer by: it may be what they meant, and it would be told to whoever
 *  asked the other question. */
async function holdsCode({ shelf, keyring }: Binder, speaker: Speaker, text: string): Promise<boolean> {
  const codes = text.split(/[^0-9A-Za-z]+/).flatMap(word => readReplyCode(word) ?? [])
  if (codes.length === 0) return false
  const { channel, user_id } = speaker
  const open = new Set((await shelf.openCodes(channel, user_id)).map(({ code_hash }) => code_hash))
  return codes.some(code => open.has(keepReplyCode(keyring().code, channel, user_id, code)))
}

/** This person's grants on this channel that have this code, the newest last. */
async function grantsWith(
  { shelf, keyring }: Binder,
  { channel, user_id }: Speaker,
  typed: string,
): Promise<readonly Grant[]> {
  const code = readReplyCode(typed)
  if (code !== null)
    return shelf.grantsByCode(channel, user_id, keepReplyCode(keyring().code, channel, user_id, code))
  const former = readPageCode(typed)
  if (former === null) return []
  const last = await shelf.formerGrants(channel, user_id, FORMER_CODES_REMEMBERED)
  const known = new Map(
    [...last, ...(await shelf.openCodes(channel, user_id))].map(one => [one.handle_hash, one]),
  )
  return [...known.values()].filter(
    ({ use, handle_hash, code_hash }) => use === null && keepFormerCode(handle_hash, former) === code_hash,
  )
}

async function lastLive({ current }: Binder, open: readonly Grant[]): Promise<Grant | null> {
  for (const grant of open.toReversed()) {
    const subject = await current(grant.request_id)
    const delivery = subject?.deliveries.find(one => one.delivery_id === grant.delivery_id)
    if (subject !== null && isOpen(subject) && delivery !== undefined && !isWornOut(delivery)) return grant
  }
  return null
}
