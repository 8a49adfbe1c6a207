// A real SMTP server in this process. It keeps every mail it takes, and misbehaves as it is told.
import type { Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

export type Kept = {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly raw: Buffer
}
export type Letter = Kept & { readonly email: Email; header(name: string): string | null }

/** What it does to the next mails. */
export type Mood =
  | { readonly kind: 'kind' }
  /** Takes it under an id of its own, and says which. */
  | { readonly kind: 'rename'; readonly id: string }
  /** Says this code and no more. */
  | { readonly kind: 'refuse'; readonly at: 'rcpt' | 'data'; readonly code: number }
  /** Is silent from here on; `kept` says whether it delivers a whole mail all the same. */
  | { readonly kind: 'hang'; readonly at: 'greeting' | 'rcpt' | 'data'; readonly kept?: true }
  /** Takes the whole mail and then hangs up without a word; `kept` says whether it still delivers it. */
  | { readonly kind: 'drop'; readonly kept: boolean }

export type PostOffice = {
  readonly url: string
  readonly port: number
  mood: Mood
  readonly kept: Kept[]
  /** Every whole mail it was given, whatever it then said. */
  readonly offered: Kept[]
  readonly sessions: SMTPServerSession[]
  letters(): Promise<Letter[]>
  /** Those the lane asks with, the oldest first. */
  requests(): Promise<Letter[]>
  /** Those that say why a reply was not taken. */
  notices(): Promise<Letter[]>
  close(): Promise<void>
}

const refusal = (code: number): Error => Object.assign(new Error('not this one'), { responseCode: code })

export async function raisePostOffice(options: SMTPServerOptions = {}): Promise<PostOffice> {
  const sockets = new Map<string, Socket>()
  const office: { mood: Mood } = { mood: { kind: 'kind' } }
  const kept: Kept[] = []
  const offered: Kept[] = []
  const sessions: SMTPServerSession[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onConnect(session, done) {
      sessions.push(session)
      if (office.mood.kind !== 'hang' || office.mood.at !== 'greeting') done()
    },
    onRcptTo(_address, _session, done) {
      const { mood } = office
      if (mood.kind === 'hang' && mood.at === 'rcpt') return
      done(mood.kind === 'refuse' && mood.at === 'rcpt' ? refusal(mood.code) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk))
      stream.on('end', () => {
        const { mood } = office
        const { mailFrom, rcptTo } = session.envelope
        const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(one => one.address) }
        const mail = { envelope, raw: Buffer.concat(chunks) }
        const keep = () => kept.push(mail)
        offered.push(mail)
        if (mood.kind === 'hang' && mood.at === 'data') {
          if (mood.kept) keep()
          return
        }
        if (mood.kind === 'refuse' && mood.at === 'data') return done(refusal(mood.code))
        if (mood.kind !== 'drop' || mood.kept) keep()
        if (mood.kind === 'drop') return sockets.get(session.remoteAddress + session.remotePort)?.destroy()
        done(null, mood.kind === 'rename' ? `2.0.0 OK ${mood.id} [Hostname=office]` : undefined)
      })
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    sockets.set(String(socket.remoteAddress) + socket.remotePort, socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0

  const letters = (): Promise<Letter[]> =>
    Promise.all(
      kept.map(async one => {
        const email = await PostalMime.parse(one.raw)
        const header = (name: string): string | null =>
          email.headers.find(({ key }) => key === name.toLowerCase())?.value ?? null
        return { ...one, email, header }
      }),
    )
  const marked = async (word: string): Promise<Letter[]> =>
    (await letters()).filter(one => one.header('auto-submitted') === word)
  return {
    url: `smtp://127.0.0.1:${port}?tls=off`,
    port,
    get mood() {
      return office.mood
    },
    set mood(mood) {
      office.mood = mood
    },
    kept,
    offered,
    sessions,
    letters,
    requests: () => marked('auto-generated'),
    notices: () => marked('auto-replied'),
    close: () =>
      new Promise(resolve => {
        for (const socket of sockets.values()) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
