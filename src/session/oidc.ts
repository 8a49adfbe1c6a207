// Signing in by an OpenID provider: the code flow with PKCE. The library behind this file checks state, nonce, issuer,
// audience, signature and times; what is decided here is whom a sign-in is.
//
// OI1  A person is matched by issuer and `sub` alone: an address, a name or a group of theirs says nothing, because another
//      tenant of the same provider can have the same.
//      The signature of what the provider says of them is checked too, also though it comes from the provider itself.
// OI2  The state of a sign-in under way is in the browser that began it, stamped, for ten minutes and one use: a code that
//      somebody else has fetched is nobody's here.
import * as client from 'openid-client'
import { isLoopback } from '../config/loopback.js'
import type { OidcSettings } from '../config/oidc.js'

/** What the browser keeps of a sign-in that it began. */
export type Flow = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Where they wanted to go; '' for nowhere. */
  readonly to: string
}

/** A provider that says nothing for this long is not there. */
const PATIENCE_SECONDS = 10

export class Oidc {
  readonly #settings: OidcSettings
  /** What the provider says of itself; asked for again after it could not be reached. Owned by #provider(). */
  #found: Promise<client.Configuration> | null = null

  constructor(settings: OidcSettings) {
    this.#settings = settings
  }

  /** Where the browser is to go, and what it keeps meanwhile; null if the provider does not answer. */
  async begin(redirect: string, to: string): Promise<{ readonly url: string; readonly flow: Flow } | null> {
    const provider = await this.#provider()
    if (provider === null) return null
    const verifier = client.randomPKCECodeVerifier()
    const flow = { state: client.randomState(), nonce: client.randomNonce(), verifier, to }
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirect,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    })
    return { url: url.href, flow }
  }

  /** The `sub` that the provider vouches for; null if it does not, for whatever reason (OI2). */
  async finish(returned: URL, { state, nonce, verifier }: Flow): Promise<string | null> {
    const provider = await this.#provider()
    if (provider === null) return null
    try {
      const tokens = await client.authorizationCodeGrant(provider, returned, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      return claims?.iss === this.#settings.issuer ? claims.sub : null
    } catch {
      return null
    }
  }

  async #provider(): Promise<client.Configuration | null> {
    this.#found ??= this.#discover()
    try {
      const provider = await this.#found
      // OI1: a document that stands for many tenants names none.
      return provider.serverMetadata().issuer === this.#settings.issuer ? provider : null
    } catch {
      this.#found = null
      return null
    }
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const url = new URL(issuer)
    // On this machine nobody is in between.
    const isPlain = url.protocol === 'http:' && isLoopback(url.hostname)
    return client.discovery(url, clientId, undefined, client.ClientSecretBasic(clientSecret), {
      timeout: PATIENCE_SECONDS,
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    })
  }
}
