// The OpenID provider that people sign in with, from the environment.
import { isLoopback } from './loopback.js'

export type OidcSettings = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export const OIDC_VARIABLES = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const

/** Segments by which a provider means any of its tenants: whoever has one could sign in as anybody. */
const ANY_TENANT = ['common', 'organizations', 'consumers']

export const ISSUER_WORDS =
  "the provider's issuer, an https address without query or credentials; one that stands for many tenants (common, {tenantid}) is nobody's"

/** One spelling: the issuer is compared character by character with what the provider says. */
export function issuerOf(text: string): string | null {
  if (!URL.canParse(text) || !/^https?:\/\/[^\s?#@*{}\\]+$/.test(text)) return null
  const { protocol, hostname, pathname } = new URL(text)
  // Whoever is on the way could say who anybody is: no permission makes that right.
  if (protocol === 'http:' && !isLoopback(hostname)) return null
  return pathname.split('/').some(part => ANY_TENANT.includes(part.toLowerCase())) ? null : text
}
