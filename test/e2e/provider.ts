// A real OpenID provider (oidc-provider) on this machine, and a browser whose cookies are kept by hand.
import { createServer } from 'node:http'
import { freePort } from '../port.js'

const CLIENT = { client_id: 'lane', client_secret: 'a-secret-of-the-tests' }

export type Provider = {
  readonly issuer: string
  /** What a lane needs to know of it. */
  readonly env: Readonly<Record<string, string>>
  /** Whether the signature of what it says of people is another one on the way. */
  isForged: boolean
  close(): Promise<void>
}

type Claims = Readonly<Record<string, unknown>>

/** For a lane at this address; `claims` is what it says of an account. */
export async function startProvider(lane: string, claims: (sub: string) => Claims): Promise<Provider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { default: Made } = await import('oidc-provider')
  const made = new Made(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`${lane}/console/oidc/callback`] }],
    cookies: { keys: ['of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...claims(sub) }),
    }),
  })
  const serve = made.callback()
  const server = createServer((request, response) => {
    const end = response.end.bind(response) as (body: unknown) => typeof response
    if (provider.isForged && request.url === '/token')
      response.end = ((body: unknown) => end(forged(String(body)))) as typeof response.end
    return serve(request, response)
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const provider: Provider = {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.client_id, OIDC_CLIENT_SECRET: CLIENT.client_secret },
    isForged: false,
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  return provider
}

/** As long as before: the signature begins with other letters. */
const forged = (answer: string): string =>
  answer.replace(/("id_token":"[^".]+\.[^".]+\.)[^"]{8}/, '$1AAAAAAAA')

/** Cookies by name, and it goes where it is led. */
export class Browser {
  readonly #jar = new Map<string, string>()
  readonly #lane: string

  /** `lane` is the address of the lane it begins at. */
  constructor(lane: string) {
    this.#lane = lane
  }

  async go(url: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
    return response
  }

  /** At the provider, as this account; gives the address that it is then sent back to. */
  async signInAs(login: string, to = ''): Promise<string> {
    let at = (await this.go(`${this.#lane}/console/oidc/start?to=${to}`)).headers.get('location') ?? ''
    for (let step = 0; step < 12 && !at.startsWith(this.#lane); step++) {
      const response = await this.go(at)
      const next = response.headers.get('location')
      if (next !== null) {
        at = new URL(next, at).href
        continue
      }
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login'
      const posted = await this.go(new URL(action, at).href, { prompt, login, password: 'x' })
      at = new URL(posted.headers.get('location') ?? '', at).href
    }
    return at
  }

  get hasSession(): boolean {
    return this.#jar.has('lane-session')
  }

  /** Comes back with a cookie that it was told to forget. */
  keep(name: string, value: string): void {
    this.#jar.set(name, value)
  }
  cookie(name: string): string {
    return this.#jar.get(name) ?? ''
  }
}
