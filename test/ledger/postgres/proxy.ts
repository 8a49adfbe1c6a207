// A wire to PostgreSQL that can be cut where it hurts: after the client has sent COMMIT. Whether the server still gets
// to see it is chosen; the client learns nothing either way.
import { connect, createServer, type Socket } from 'node:net'

/** As the binding of the prepared statement named commit goes over the wire. */
const COMMIT = Buffer.from('\0commit\0')
/** As the server says that it has committed. */
const COMMITTED = Buffer.from('COMMIT\0')

export type Cut =
  /** The server commits; its answer is lost. */
  | 'answer'
  /** The server never hears of it. */
  | 'question'
  /** Both ends at the same moment: what the server does, nobody knows. */
  | 'both'
  /** Nothing is cut, and nothing comes through any more. */
  | 'silence'

export type Wire = {
  readonly url: string
  /** The next COMMITs are cut so, in order. */
  readonly cuts: Cut[]
  /** How many were cut. */
  readonly done: Cut[]
  /** From here on nothing is passed on, not even a goodbye: as if either end had been stopped. */
  freeze(): void
  close(): Promise<void>
}

export async function wireTo(url: string): Promise<Wire> {
  const target = new URL(url)
  const cuts: Cut[] = []
  const done: Cut[] = []
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      sockets.add(socket.once('close', () => sockets.delete(socket)))
    }
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    let silent = false
    /** Set while the server's answer to a COMMIT is awaited, to be lost. */
    let awaiting = false
    const sever = (): void => {
      client.resetAndDestroy()
      upstream.resetAndDestroy()
    }
    client.on('data', chunk => {
      const at = chunk.indexOf(COMMIT)
      const cut = at < 0 ? undefined : cuts.shift()
      if (cut !== undefined) done.push(cut)
      if (cut === 'answer') awaiting = true
      silent ||= cut === 'silence'
      if (silent) return
      upstream.write(cut === 'question' ? chunk.subarray(0, at) : chunk)
      if (cut === 'question' || cut === 'both') setImmediate(sever)
    })
    upstream.on('data', chunk => {
      if (!awaiting) return void client.write(chunk)
      if (chunk.includes(COMMITTED)) sever()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const own = new URL(url)
  own.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  return {
    url: own.href,
    cuts,
    done,
    freeze() {
      for (const socket of sockets) socket.pause()
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
