// Whether a session is enough, and where it is so by itself. A cookie knows neither ports nor paths: on this machine any program that listens can
// be sent it, and under a path so can the pages beside. The doctor says so, and the door asks for more there.

import type { Person } from '../people/person.js'
import { isLoopback } from './loopback.js'

export function isAlone(publicUrl: string): boolean {
  const { protocol, pathname } = new URL(publicUrl)
  return protocol === 'https:' && pathname === '/'
}

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
