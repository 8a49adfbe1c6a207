// Signing in by an OpenID provider: the code flow with PKCE. The library behind this file checks state, nonce, issuer,
// audience, signature and times; what is decided here is whom a sign-in is.
//
// OI1  A person is matched by issuer and `sub` alone: an address, a name or a group of theirs says nothing, because another
//      tenant of the same provider can have the same.
//      The signature of what the provider says of them is checked too, also though it comes from the provider itself.
// OI2  The state of a sign-in under way is in the browser that began it, stamped, for ten minutes and one use: a code that
//      somebody else has fetched is nobody's here.
// OI3  An address says nothing of who somebody is, unless the provider has verified it. Then it says whom to ask, once,
//      whether the account is theirs.
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

/** Somebody for whom the provider vouches. */
export type Vouched = {
  readonly issuer: string
  readonly sub: string
  /** Their address, if the provider has verified it; null where it has not, or is not to be asked. */
  readonly address: () => Promise<string | null>
}

export class Oidc {
  readonly #settings: OidcSettings
  /** Whether it is asked for people's addresses, by which an account is linked once. */
  readonly #asksAddress: boolean
  /** What the provider says of itself; asked for again after it could not be reached. Owned by #provider(). */
  #found: Promise<client.Configuration> | null = null

  constructor(settings: OidcSettings, asksAddress = false) {
    this.#settings = settings
    this.#asksAddress = asksAddress
  }

  /** Where the browser is to go, and what it keeps meanwhile; null if the provider does not answer. */
  async begin(redirect: string, to: string): Promise<{ readonly url: string; readonly flow: Flow } | null> {
    const provider = await this.#provider()
    if (provider === null) return null
    const verifier = client.randomPKCECodeVerifier()
    const flow = { state: client.randomState(), nonce: client.randomNonce(), verifier, to }
    const url = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirect,
      scope: this.#asksAddress ? 'openid email' : 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    })
    return { url: url.href, flow }
  }

  /** Whom the provider vouches for; null if it does not, for whatever reason (OI2). */
  async finish(returned: URL, { state, nonce, verifier }: Flow): Promise<Vouched | null> {
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
      if (claims === undefined || claims.iss !== this.#settings.issuer) return null
      const { iss: issuer, sub } = claims
      return { issuer, sub, address: () => this.#addressIn(provider, tokens.access_token, claims) }
    } catch {
      return null
    }
  }

  /** OI3. Some providers put it into what they have signed, others tell it only when they are asked once more. */
  async #addressIn(provider: client.Configuration, token: string, claims: client.IDToken) {
    if (!this.#asksAddress) return null
    try {
      const said: Readonly<Record<string, unknown>> =
        claims.email === undefined ? await client.fetchUserInfo(provider, token, claims.sub) : claims
      return typeof said.email === 'string' && said.email_verified === true ? said.email : null
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
