// The way out: nodemailer's pool, and the fate of each mail handed to it.
//
// ET1  Nothing is repeated here: the pool requeues nothing, the lane owns retries.
// ET2  A mail whose first byte has left is `uncertain` unless the server says what became of it; one whose first byte has
//      not is called back, and then `failed` is the truth.
// ET3  Every mail has its verdict within WAIT_MS + SEND_MS, which is less than the lane waits.
import type { Readable } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Sent } from '../../../src/adapter/index.js'
import { type Token, tokenOf } from '../token.js'
import type { Outgoing } from '../variables.js'
import { Turnstile } from './turnstile.js'

/** Waiting for a free connection and for the rate limit; then connecting, handing in and being answered. */
const WAIT_MS = 3_000
const SEND_MS = 6_000
/** A server that is up answers at once; one that is down must leave us time to report it. */
const CONNECT_MS = 2_500
/** Scanners look at a mail before it is taken: some need seconds. */
const SILENCE_MS = 5_000

export type Posted =
  | Extract<Sent, { kind: 'failed' }>
  | { readonly kind: 'uncertain' }
  /** `renamed`: the Message-ID the server says it took the mail under, where it says one. */
  | { readonly kind: 'sent'; readonly renamed: string | null }
export type Mail = SendMailOptions & { readonly messageId: string }

/** Exchange Online gives every mail an id of its own and names it in its answer. */
const RENAMED = /<[^<>\s@]{1,120}@[^<>\s@]{1,120}>/

export type Transport = {
  /** The number of mails that pass the turnstile before their wait is over. */
  readonly atOnce: number
  post(mail: Mail): Promise<Posted>
  /** Connects, signs in and leaves; throws the server's error. */
  verify(): Promise<void>
}

/** `ca`: certificates that are trusted beside the system's. */
export function openTransport(smtp: Outgoing, ca?: string): Transport {
  const pool = createTransport(poolOptions(smtp, ca))
  const turnstile = new Turnstile(smtp.connections, smtp.rate, WAIT_MS)
  const parcels = new Map<string, Parcel>()
  if (smtp.oauth !== null) pool.set('oauth2_provision_cb', provision(tokenOf(smtp.oauth)))
  pool.use('stream', ({ message }, done) => {
    const parcel = parcels.get(message.messageId())
    const open = message.createReadStream.bind(message)
    message.createReadStream = options => parcel?.opened(open(options)) ?? open(options)
    done()
  })

  async function post(mail: Mail): Promise<Posted> {
    const parcel = new Parcel()
    parcels.set(mail.messageId, parcel)
    const late = setTimeout(() => parcel.callBack(), SEND_MS)
    try {
      const handed = pool.sendMail(mail).then(
        ({ response }): Posted => ({
          kind: 'sent',
          renamed: RENAMED.exec(response)?.[0] ?? null,
        }),
      )
      return await Promise.race([handed, parcel.tooLate])
    } catch (error) {
      return verdict(error, parcel)
    } finally {
      clearTimeout(late)
      parcels.delete(mail.messageId)
    }
  }

  return {
    atOnce: Math.max(smtp.connections, 2 * smtp.rate),
    post: async mail => (await turnstile.pass(() => post(mail))) ?? BUSY,
    verify: async () => void (await pool.verify()),
  }
}

const BUSY: Posted = { kind: 'failed', code: 'smtp_busy', retryable: true, retry_after_ms: WAIT_MS }
const SLOW: Posted = { kind: 'failed', code: 'smtp_timeout', retryable: true }

/** A mail on its way, as far as its own stream can tell. */
class Parcel {
  #stream: Readable | null = null
  #calledBack = false
  #giveUp: (posted: Posted) => void = () => undefined
  readonly tooLate = new Promise<Posted>(resolve => {
    this.#giveUp = resolve
  })

  opened<T extends Readable>(stream: T): T {
    this.#stream = stream
    if (this.#calledBack) stream.destroy(new Error('called back'))
    return stream
  }

  get hasLeft(): boolean {
    return this.#stream?.readableDidRead === true
  }

  callBack(): void {
    this.#calledBack = true
    if (!this.hasLeft) this.#stream?.destroy(new Error('called back'))
    this.#giveUp(this.hasLeft ? { kind: 'uncertain' } : SLOW)
  }
}

const CODES: Readonly<Record<string, string>> = {
  EDNS: 'smtp_unknown_host',
  ECONNECTION: 'smtp_unreachable',
  ESOCKET: 'smtp_unreachable',
  ETIMEDOUT: 'smtp_timeout',
  ETLS: 'smtp_no_tls',
  EAUTH: 'smtp_login_refused',
  ENOAUTH: 'smtp_login_refused',
  EOAUTH2: 'smtp_login_refused',
}

type Fault = { readonly code?: string; readonly responseCode?: number; readonly permanent?: boolean }

function verdict(error: unknown, parcel: Parcel): Posted {
  const { code = '', responseCode, permanent = false } = Object(error) as Fault
  if (responseCode === undefined && parcel.hasLeft) return { kind: 'uncertain' }
  // The operator can mend a login or a certificate while the request waits; the server's no to this mail stays no.
  const refused = code === 'EENVELOPE' || code === 'EMESSAGE'
  if (refused && responseCode !== undefined)
    return { kind: 'failed', code: `smtp_${responseCode}`, retryable: !permanent }
  return { kind: 'failed', code: CODES[code] ?? 'smtp_error', retryable: true }
}

const provision =
  (token: Token) =>
  (_user: string, renew: boolean, done: (error: Error | null, token?: string) => void): void =>
    void token(renew).then(
      given => done(null, given),
      error => done(error),
    )

function poolOptions({ host, port, tls, user, password, oauth, connections, dkim }: Outgoing, ca?: string) {
  return {
    pool: true as const,
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    tls: { minVersion: 'TLSv1.2' as const, ...(ca !== undefined && { ca }) },
    ...(user !== '' && {
      auth: oauth === null ? { user, pass: password } : { type: 'OAuth2' as const, user },
    }),
    maxConnections: connections,
    maxRequeues: 0,
    dnsTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim !== null && { dkim }),
  }
}
