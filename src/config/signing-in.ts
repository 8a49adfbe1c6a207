// Whether a session is enough, and where it is so by itself. A cookie knows neither ports nor paths: on this machine any program that listens can
// be sent it, and under a path so can the pages beside. The doctor says so, and the door asks for more there.

import type { Passkeys } from '../people/passkeys.js'
import type { Person } from '../people/person.js'
import type { Proof } from '../request/channel.js'
import { isLoopback } from './loopback.js'

export function isAlone(publicUrl: string): boolean {
  const { protocol, pathname } = new URL(publicUrl)
  return protocol === 'https:' && pathname === '/'
}

/** A lane has one address, and every request asks about it: the last answer is remembered. */
let asked: { readonly publicUrl: string; readonly host: string | null } = { publicUrl: '', host: null }

/** The name that passkeys belong to here; null where there can be none. */
export function passkeyHost(publicUrl: string): string | null {
  if (asked.publicUrl !== publicUrl) asked = { publicUrl, host: hostOf(publicUrl) }
  return asked.host
}

/** A browser makes passkeys for a domain over https, or for `localhost`, and for no number. */
function hostOf(publicUrl: string): string | null {
  const { protocol, hostname } = new URL(publicUrl)
  if (hostname === 'localhost') return hostname
  const isNumber = /^[0-9.]+$|^\[/.test(hostname)
  return protocol === 'https:' && !isNumber ? hostname : null
}

/** The proofs that passkeys of this person give here. */
export const confirmsHere = (
  publicUrl: string,
  passkeys: Pick<Passkeys, 'proofsOf'> | undefined,
  userId: string,
): readonly Proof[] => (passkeyHost(publicUrl) === null ? [] : (passkeys?.proofsOf(userId) ?? []))

/** How people sign in here. */
export type SigningIn = { readonly hasProvider: boolean; readonly publicUrl: string }

/** Whether this person can answer in a session: they are known at the provider, and their cookie is taken here. */
export function canAnswerSignedIn(
  { hasProvider, publicUrl }: SigningIn,
  person: Pick<Person, 'oidc'> | undefined,
  isApproval: boolean,
): boolean {
  if (!hasProvider || person?.oidc === undefined) return false
  const { protocol, hostname } = new URL(publicUrl)
  return isApproval ? isAlone(publicUrl) : protocol === 'https:' || isLoopback(hostname)
}
