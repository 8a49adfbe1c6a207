// Somebody at the pages of the console with an authenticator in software, over HTTP, as a browser sends them.
import type { LaneUnderTest } from '../lane-under-test.js'
import type { Credential } from '../passkey/authenticator.js'

const FORM = 'application/x-www-form-urlencoded'
export type Reached = {
  readonly status: number
  readonly text: string
  readonly cookie: string
  readonly to: string | null
}

/** A page that was opened, and what its form says. */
export type Opened = Reached & {
  readonly ticket: string
  readonly challenge: string
  readonly csrf: string
}

export class Visitor {
  readonly #lane: () => Pick<LaneUnderTest, 'call'>
  /** The public address: what a browser takes for the origin of every page. */
  readonly origin: string
  cookie: string

  constructor(lane: () => Pick<LaneUnderTest, 'call'>, origin: string, cookie = '') {
    this.#lane = lane
    this.origin = origin
    this.cookie = cookie
  }

  async #reach(
    method: string,
    path: string,
    raw?: string,
    headers: Record<string, string> = {},
  ): Promise<Reached> {
    const answer = await this.#lane().call(method, path, {
      key: null,
      headers: { host: new URL(this.origin).host, cookie: this.cookie, ...headers },
      ...(raw !== undefined && { raw }),
    })
    const cookie = /^lane-session=[^;]*/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? ''
    return { status: answer.status, text: answer.text, cookie, to: answer.headers.get('location') }
  }

  async open(path: string): Promise<Opened> {
    const reached = await this.#reach('GET', path)
    const found = (pattern: RegExp): string => pattern.exec(reached.text)?.[1] ?? ''
    return {
      ...reached,
      ticket: found(/name="ticket" value="([^"]*)"/),
      challenge: found(/data-challenge="([^"]*)"/),
      csrf: found(/id="passkey"[\s\S]*?name="csrf" value="([^"]*)"/),
    }
  }

  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Reached> {
    return this.#reach('POST', path, new URLSearchParams(fields).toString(), {
      'content-type': FORM,
      origin: this.origin,
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Tests/1.0 <b>(*of* the `lane`)',
      ...headers,
    })
  }

  /** On the page of one's own passkeys, or on that of an invitation. */
  async make(credential: Credential, path = '/console/passkeys', oddly = {}): Promise<Reached> {
    const { ticket, challenge, csrf } = await this.open(path)
    const made = credential.attest(challenge, this.origin, oddly)
    return this.post(path.replace(/\?.*/, ''), { ticket, csrf, ...made })
  }

  async signIn(credential: Credential, oddly = {}, to = ''): Promise<Reached> {
    const { ticket, challenge } = await this.open('/console/sign-in')
    return this.post('/console/sign-in', {
      to,
      ...assertionOf(credential, ticket, challenge, this.origin, oddly),
    })
  }
}

export function assertionOf(
  credential: Credential,
  ticket: string,
  challenge: string,
  origin: string,
  oddly = {},
): Record<string, string> {
  const { client_data_json, ...asserted } = credential.assert(challenge, origin, oddly)
  return { ticket, client_data: client_data_json, ...asserted }
}

/** The characters by which a person tells it. */
export const fingerprint = ({ credential_hash }: Credential): string =>
  credential_hash.slice(7, 23).replace(/(.{4})(?=.)/g, '$1-')
