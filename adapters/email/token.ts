// Signs in where a provider takes no passwords: a token of OAuth 2.0, asked for with the lane's own client secret or with
// a refresh token that somebody consented to once (RFC 6749, 4.4 and 6). Kept until shortly before it expires.

export type OAuth = {
  readonly endpoint: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | null
  readonly refreshToken: string | null
}

export type Token = (renew?: boolean) => Promise<string>

/** Less than the time in which a mail must be handed in. */
const ANSWER_MS = 3_000
/** A token is renewed this long before its end, so that it cannot expire on the way. */
const SPARE_SECONDS = 120
const USUAL_SECONDS = 3_600
/** Longer than any provider's; timers reach no further than 24 days. */
const LONGEST_SECONDS = 86_400

export function tokenOf(oauth: OAuth): Token {
  /** The one token in use, or on its way; forgotten at its timer, at a failure, and when a server refused it. */
  let current: Promise<string> | null = null
  const forget = (): void => {
    current = null
  }
  const ask = async (): Promise<string> => {
    const { token, seconds } = await fetchToken(oauth)
    setTimeout(forget, Math.max(seconds - SPARE_SECONDS, 1) * 1_000).unref()
    return token
  }
  return async (renew = false) => {
    if (renew) forget()
    current ??= ask()
    current.catch(forget)
    return current
  }
}

async function fetchToken(oauth: OAuth): Promise<{ readonly token: string; readonly seconds: number }> {
  const { endpoint, clientId, clientSecret, scope, refreshToken } = oauth
  const grant =
    refreshToken === null
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refreshToken }
  const body = new URLSearchParams({
    ...grant,
    client_id: clientId,
    ...(clientSecret !== '' && { client_secret: clientSecret }),
    ...(scope !== null && { scope }),
  })
  const signal = AbortSignal.timeout(ANSWER_MS)
  const response = await fetch(endpoint, { method: 'POST', body, signal, redirect: 'error' })
  const said = Object(response.ok ? await response.json() : null) as {
    access_token?: unknown
    expires_in?: unknown
  }
  const { access_token: token, expires_in: life } = said
  if (typeof token !== 'string' || token === '')
    throw Object.assign(new Error('no token was given for the login'), {
      code: `token_refused_${response.status}`,
    })
  const seconds = typeof life === 'number' && life > 0 ? Math.min(life, LONGEST_SECONDS) : USUAL_SECONDS
  return { token, seconds }
}
