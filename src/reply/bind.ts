// Which delivery a reply is about: by the reply handle that travelled, by the provider's reference of the copy, or by the
// code typed from the person's own address. What names none is nobody's reply.
import type { Channel, Inbound } from '../adapter.js'
import { sha256 } from '../canonical.js'
import type { Grant, Shelf } from '../ledger/contract.js'
import type { Keyring } from '../token/keyring.js'
import { hashHandle, readHandle } from '../token/reply-handle.js'
import { verify } from '../token/reply-token.js'
import { type Facts, isCodeOf } from './checks.js'

/** Longer ids of messages are kept by their hash: an entry's body has no room for them. */
const MAX_ID_CHARS = 200
/** How many of the messages on a person's phone they may still answer by code once the requests are settled. */
const CODES_REMEMBERED = 20

export type Binder = {
  readonly shelf: Shelf
  readonly keyring: () => Keyring
  /** The person a channel's vouched-for address belongs to. */
  readonly whois: (channel: Channel, sender: unknown) => string | null
  readonly now: () => number
}

/** What a reply is about, and by what right. */
export type Bound = Pick<Facts, 'inbound' | 'grant' | 'token'>

export async function bind(binder: Binder, given: Inbound): Promise<Bound | null> {
  const inbound = readInbound(given)
  const grant = inbound && (await findGrant(binder, inbound))
  if (inbound === null || grant === null) return null
  const token = await verify(binder.keyring(), grant.token, binder.now())
  return { inbound: asProven(inbound, grant), grant, token }
}

/** The console vouches for links that were printed on it: one that went out by another channel proves possession only. */
const asProven = (inbound: Inbound, { channel }: Grant): Inbound =>
  inbound.proof === 'console' && channel !== 'web' ? { ...inbound, proof: 'link_code' } : inbound

/** A channel may change the case of what travels through it; what is no handle then names nothing. */
function readInbound(given: Inbound): Inbound | null {
  const { provider_message_id: id } = given
  const kept = id !== undefined && id.length > MAX_ID_CHARS ? { provider_message_id: sha256(id) } : {}
  if (given.binding.kind !== 'handle') return { ...given, ...kept }
  const handle = readHandle(given.binding.handle)
  return handle === null ? null : { ...given, ...kept, binding: { kind: 'handle', handle } }
}

async function findGrant(
  { shelf, whois }: Binder,
  { binding, channel, sender }: Inbound,
): Promise<Grant | null> {
  switch (binding.kind) {
    case 'handle':
      return shelf.grant(hashHandle(binding.handle))
    case 'ref':
      return shelf.grantByRef(channel, binding.ref)
    case 'code': {
      const user = sender === undefined ? null : whois(channel, sender)
      return user === null ? null : byCode(shelf, channel, user, binding.code)
    }
  }
}

/** A code of a request that is settled leads there, so that whoever is late is told what holds. One that is none of
 *  theirs is a try at the newest open one: it is counted there, and fails there. So is one that two open requests share by
 *  chance, at the newest it does not fit: at those two it would not fail. */
async function byCode(shelf: Shelf, channel: Channel, user: string, code: string): Promise<Grant | null> {
  const open = await shelf.openGrants(channel, user)
  const fitting = open.filter(grant => isCodeOf(grant, code))
  if (fitting.length === 1) return fitting[0] ?? null
  const settled = fitting.length > 0 ? [] : await shelf.lastGrants(channel, user, CODES_REMEMBERED)
  const late = settled.findLast(grant => isCodeOf(grant, code))
  return late ?? open.findLast(grant => !fitting.includes(grant)) ?? null
}
