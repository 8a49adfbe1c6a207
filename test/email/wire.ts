// A wire to a server that can be cut at a word: the client's words are passed on until that one.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Wire = {
  readonly port: number
  /** The word at which nothing more is passed on; null for none. */
  holdAt: string | null
  /** Whether it was said. */
  readonly held: boolean
  /** What the server says is changed so on its way. */
  readonly rewrite: [from: string, to: string][]
  close(): Promise<void>
}

export async function stretchWire(port: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  const state: { holdAt: string | null; held: boolean } = { holdAt: null, held: false }
  const rewrite: [string, string][] = []
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', chunk => {
      if (state.holdAt !== null && chunk.includes(state.holdAt)) state.held = true
      if (!state.held) upstream.write(chunk)
    })
    upstream.on('data', chunk => {
      const said = rewrite.reduce((text, [from, to]) => text.replaceAll(from, to), chunk.toString('latin1'))
      client.write(Buffer.from(said, 'latin1'))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get holdAt() {
      return state.holdAt
    },
    set holdAt(word) {
      state.holdAt = word
      state.held = false
    },
    get held() {
      return state.held
    },
    rewrite,
    close: () =>
      new Promise(resolve => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
