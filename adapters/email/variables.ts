// The environment's variables for mail, read once. A value that cannot be right stops the start with words that name
// the variable and never repeat it: most of these hold a password.
//
// EV1  Everything that leaves this machine is encrypted: plain text is for a server on this machine, and only when asked.
import { readFileSync } from 'node:fs'
import { isLoopback, type LaneAddress, laneAddress, type Mailbox, readMailbox } from './address.js'
import type { OAuth } from './token.js'

type Server = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte, TLS by STARTTLS and nothing without it, or none. */
  readonly tls: 'implicit' | 'starttls' | 'off'
  readonly user: string
  readonly password: string
  /** Set if a token stands in for the password, which is then the client's secret. */
  readonly oauth: OAuth | null
}
type Dkim = { readonly domainName: string; readonly keySelector: string; readonly privateKey: string }
export type Outgoing = Server & {
  /** Mails a second, at most. */
  readonly rate: number
  readonly connections: number
  readonly dkim: Dkim | null
}
export type Incoming = Server & { readonly folder: string }

export type Variables = {
  readonly smtp: Outgoing
  readonly imap: Incoming | null
  readonly from: Mailbox
  readonly replies: LaneAddress
  readonly authservId: string | null
  readonly webhookSecret: string | null
}

/** A burst of requests leaves in seconds, and no provider takes it for a flood. */
const USUAL_RATE = 20
const MOST_RATE = 1_000
const USUAL_CONNECTIONS = 5
const MOST_CONNECTIONS = 50
/** A shorter secret could be found by trying. */
const MIN_SECRET_CHARS = 24

export function readVariables(given: Readonly<Partial<Record<string, string>>>): Variables {
  const from = readMailbox(given.EMAIL_FROM ?? '')
  if (from === null)
    throw new Error('EMAIL_FROM must be an address, or a name and an address: Lane <lane@example.org>')
  const replies = laneAddress(given.EMAIL_REPLY_TO ?? from.address)
  if (typeof replies === 'string')
    throw new Error(`${given.EMAIL_REPLY_TO ? 'EMAIL_REPLY_TO' : 'EMAIL_FROM'} ${replies}`)
  const secret = given.EMAIL_WEBHOOK_SECRET ?? null
  if (secret !== null && secret.length < MIN_SECRET_CHARS)
    throw new Error(`EMAIL_WEBHOOK_SECRET must have at least ${MIN_SECRET_CHARS} characters`)
  return {
    smtp: readOutgoing(given.SMTP_URL ?? '', from),
    imap: given.IMAP_URL === undefined ? null : readIncoming(given.IMAP_URL),
    from,
    replies,
    authservId: given.EMAIL_AUTHSERV_ID ?? null,
    webhookSecret: secret,
  }
}

function readOutgoing(text: string, from: Mailbox): Outgoing {
  const url = readUrl('SMTP_URL', text, ['smtp:', 'smtps:'], OUTGOING_OPTIONS)
  return {
    ...serverOf('SMTP_URL', url, url.protocol === 'smtps:', url.protocol === 'smtps:' ? 465 : 587),
    rate: numberOf('SMTP_URL', url, 'rate', USUAL_RATE, MOST_RATE),
    connections: numberOf('SMTP_URL', url, 'connections', USUAL_CONNECTIONS, MOST_CONNECTIONS),
    dkim: readDkim(url, from),
  }
}

function readIncoming(text: string): Incoming {
  const url = readUrl('IMAP_URL', text, ['imap:', 'imaps:'], LOGIN_OPTIONS)
  const server = serverOf('IMAP_URL', url, url.protocol === 'imaps:', url.protocol === 'imaps:' ? 993 : 143)
  if (server.user === '')
    throw new Error('IMAP_URL must carry a user and a password: imaps://user:password@host')
  return { ...server, folder: decoded('IMAP_URL', url.pathname.slice(1)) || 'INBOX' }
}

const LOGIN_OPTIONS = ['tls', 'oauth', 'client_id', 'scope', 'refresh_token']
const OUTGOING_OPTIONS = [...LOGIN_OPTIONS, 'rate', 'connections', 'dkim_selector', 'dkim_key', 'dkim_domain']

function readUrl(
  variable: string,
  text: string,
  schemes: readonly string[],
  options: readonly string[],
): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  const accepted = schemes.map(scheme => `${scheme}//`).join(' or ')
  if (url === null || !schemes.includes(url.protocol) || url.hostname === '')
    throw new Error(`${variable} must be an ${accepted} address`)
  const unknown = [...url.searchParams.keys()].filter(key => !options.includes(key))
  if (unknown.length > 0) throw new Error(`${variable} has an option that is none of ${options.join(', ')}`)
  return url
}

function serverOf(variable: string, url: URL, implicit: boolean, usualPort: number): Server {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const tls = url.searchParams.get('tls')
  if (tls !== null && (tls !== 'off' || implicit || !isLoopback(host)))
    throw new Error(
      `${variable}: tls=off is for a server on this machine (localhost); elsewhere mail is encrypted`,
    )
  const [user, password] = [decoded(variable, url.username), decoded(variable, url.password)]
  return {
    host,
    port: url.port === '' ? usualPort : Number(url.port),
    tls: implicit ? 'implicit' : tls === 'off' ? 'off' : 'starttls',
    user,
    password,
    oauth: readOAuth(variable, url, password),
  }
}

function readOAuth(variable: string, url: URL, clientSecret: string): OAuth | null {
  const [endpoint, clientId] = [url.searchParams.get('oauth'), url.searchParams.get('client_id')]
  if (endpoint === null && clientId === null) return null
  const at = endpoint !== null && URL.canParse(endpoint) ? new URL(endpoint) : null
  const isSafe = at?.protocol === 'https:' || (at?.protocol === 'http:' && isLoopback(at.hostname))
  if (!isSafe || !clientId)
    throw new Error(
      `${variable}: oauth must be the https address tokens are given at, with client_id beside it`,
    )
  const { searchParams } = url
  const [scope, refreshToken] = [searchParams.get('scope'), searchParams.get('refresh_token')]
  return { endpoint: at.href, clientId, clientSecret, scope, refreshToken }
}

function decoded(variable: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(
      `${variable} has a % that is not followed by two hexadecimal digits; a plain % is written %25`,
    )
  }
}

function numberOf(variable: string, url: URL, option: string, usual: number, most: number): number {
  const text = url.searchParams.get(option)
  if (text === null) return usual
  const number = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > most)
    throw new Error(`${variable}: ${option} must be a number from 1 to ${most}`)
  return number
}

function readDkim(url: URL, from: Mailbox): Dkim | null {
  const [keySelector, file] = [url.searchParams.get('dkim_selector'), url.searchParams.get('dkim_key')]
  if (keySelector === null && file === null) return null
  if (!keySelector || !file) throw new Error('SMTP_URL: dkim_selector and dkim_key go together')
  const domainName =
    url.searchParams.get('dkim_domain') ?? from.address.slice(from.address.lastIndexOf('@') + 1)
  return { domainName, keySelector, privateKey: keyIn(file) }
}

function keyIn(file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.includes('PRIVATE KEY')) return text
  } catch {
    // The operator is told the same for every reason: it is not a key that can be read.
  }
  throw new Error('SMTP_URL: dkim_key must name a readable file with a private key in PEM form')
}
