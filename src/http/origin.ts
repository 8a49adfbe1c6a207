// Whether a form was sent from somewhere else. An absent Origin or Sec-Fetch-Site is fine (old clients, curl): the csrf
// stamp still has to hold.
import type { IncomingHttpHeaders } from 'node:http'

export function foreignOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin } = headers
  if (origin === undefined) return false
  // The page asks for no referrer, and a browser then sends "null" even to its own origin; over plain HTTP it says
  // nothing of the site either. A foreign page that hides its origin is told apart by its site, or by the stamp.
  if (origin === 'null') return false
  return origin !== new URL(publicUrl).origin && hostOf(origin) !== headers.host
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null
}
