// One of the people who can be asked, and the part of an address that identifies its owner.
import { canonical } from '../canonical.js'
import type { Channel } from '../request/channel.js'
import type { QuietHours } from './zone.js'

export type Person = {
  readonly user_id: string
  readonly name: string
  /** What they are in their house, as other systems are told. */
  readonly role?: string
  readonly addresses: Readonly<Partial<Record<Channel, unknown>>>
  /** The `sub` by which the OpenID provider knows them. */
  readonly oidc?: string
  /** Order of preference. */
  readonly channels: readonly Channel[]
  /** An IANA name. */
  readonly time_zone?: string
  /** Never without a time zone. */
  readonly quiet_hours?: QuietHours
  /** Those to whom they may hand a request on, and who may stand in while they are away. */
  readonly delegates?: readonly string[]
}
/** By their ids. */
export type People = Readonly<Record<string, Person>>

/** The configuration's word for an address that its owner will link. */
export const TO_BE_LINKED = 'link'

/** The part of an address that identifies its owner: not where in a workspace to write to, nor the
 *  case of a mailbox. */
export function identityOf(channel: Channel, address: unknown): string {
  if (channel === 'email') return canonical(folded(String(address)))
  if (channel !== 'slack') return canonical(address)
  const { team, user } = Object(address) as { team?: unknown; user?: unknown }
  return canonical({ team: team ?? null, user: user ?? null })
}

/** A–Z and nothing else: JavaScript's own rules fold U+212A onto k as well, and a mailbox spelt
 *  with it is somebody else's. */
export const folded = (address: string): string => address.replace(/[A-Z]/g, letter => letter.toLowerCase())
