// One connection to the mailbox that replies come to: it lists new messages, fetches one, and puts one away. It never
// reconnects; the listener opens another.
import { ImapFlow } from 'imapflow'
import { pause } from '../../src/adapter/index.js'
import { tokenOf } from './token.js'
import type { Incoming } from './variables.js'

/** A larger mail is no reply: only its beginning is fetched. */
const MAX_MAIL_BYTES = 10 * 1024 * 1024
/** Room for the server's response around a message. */
const FRAMING_BYTES = 1024 * 1024
/** Networks forget a connection that is silent for longer, and so do some servers. */
const IDLE_MS = 240_000
const SETTLE_MS = 250
const CONNECT_MS = 15_000
const SILENCE_MS = 60_000
/** A new mail is announced at once; servers that announce nothing, or forget to, are asked this often. */
const POLL_MS = 30_000

export const PROCESSED = 'Processed'
export const REJECTED = 'Rejected'

/** UIDs count within one UIDVALIDITY only (RFC 3501, 2.3.1.1). */
export type MailPosition = { readonly validity: string; readonly uid: number }
type Fetched = { readonly kind: 'mail' | 'beginning'; readonly bytes: Uint8Array } | { readonly kind: 'gone' }

/** The folders by the server's own names: some servers keep every folder below the inbox. */
type Folders = Readonly<Record<typeof PROCESSED | typeof REJECTED, string>>

export class MailboxConnection {
  readonly #client: ImapFlow
  readonly #folders: Folders
  readonly validity: string
  /** Set by the server's announcements and by the end of the connection, taken by news(). */
  #hasNews = false
  #wake: () => void = () => undefined

  private constructor(client: ImapFlow, validity: string, folders: Folders) {
    this.#client = client
    this.validity = validity
    this.#folders = folders
    const announce = (): void => {
      this.#hasNews = true
      this.#wake()
    }
    client.on('exists', announce)
    client.on('close', announce)
  }

  static async open(incoming: Incoming, ca?: string): Promise<MailboxConnection> {
    const client = await connection(incoming, ca)
    await client.connect()
    try {
      const folders = {
        [PROCESSED]: (await client.mailboxCreate([PROCESSED])).path,
        [REJECTED]: (await client.mailboxCreate([REJECTED])).path,
      }
      const { uidValidity } = await client.mailboxOpen(incoming.folder)
      return new MailboxConnection(client, String(uidValidity), folders)
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** The UIDs after this one, lowest first; without one, those of messages that came since then. */
  async after(uid: number | null, since: Date): Promise<number[]> {
    // "n:*" always names the last message, even below n.
    const query = uid === null ? { since } : { uid: `${uid + 1}:*` }
    const found = await this.#client.search(query, { uid: true })
    if (!found) throw new Error('the mailbox cannot be searched')
    return found.filter(one => one > (uid ?? 0)).sort((a, b) => a - b)
  }

  /** The message, or the first bytes of one that is too large. Fetching it does not mark it as read. */
  async fetch(uid: number, beginning: number): Promise<Fetched> {
    const seen = await this.#client.fetchOne(String(uid), { uid: true, size: true }, { uid: true })
    if (!seen) return { kind: 'gone' }
    const kind = (seen.size ?? 0) > MAX_MAIL_BYTES ? 'beginning' : 'mail'
    const source = kind === 'mail' ? true : { maxLength: beginning }
    const fetched = await this.#client.fetchOne(String(uid), { uid: true, source }, { uid: true })
    return fetched && fetched.source !== undefined ? { kind, bytes: fetched.source } : { kind: 'gone' }
  }

  /** False where the server would not; the message then stays, and is not read again. */
  async move(uid: number, folder: typeof PROCESSED | typeof REJECTED): Promise<boolean> {
    return (await this.#client.messageMove(String(uid), this.#folders[folder], { uid: true })) !== false
  }

  /** Waits until something may have come, or the connection is gone, or the lane stops. */
  async news(stopping: AbortSignal): Promise<void> {
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    if (!this.#hasNews) await pause(POLL_MS, stopping, woken.signal)
    this.#hasNews = false
    if (!this.#client.usable && !stopping.aborted) throw new Error('the connection to the mailbox has ended')
  }

  close(): void {
    this.#client.close()
  }
}

export async function connection(incoming: Incoming, ca?: string): Promise<ImapFlow> {
  const { host, port, tls, user, password, oauth } = incoming
  const client = new ImapFlow({
    host,
    port,
    secure: tls === 'implicit',
    doSTARTTLS: tls === 'starttls',
    auth: oauth === null ? { user, pass: password } : { user, accessToken: await tokenOf(oauth)() },
    tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    logger: false,
    autoIdleDelay: SETTLE_MS,
    maxIdleTime: IDLE_MS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxLiteralSize: MAX_MAIL_BYTES + FRAMING_BYTES,
    maxResponseSize: MAX_MAIL_BYTES + 2 * FRAMING_BYTES,
  })
  // An error that nobody listens to would end the process; the call it belongs to tells it, or `close` does.
  client.on('error', () => undefined)
  return client
}
