// A stranger's server: takes calls on loopback and answers each as the test has queued for it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export type Call = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export type Act = (response: ServerResponse, request: IncomingMessage) => void

export const status =
  (code: number, headers: Record<string, string> = {}): Act =>
  response =>
    void response.writeHead(code, headers).end()
export const hang: Act = () => undefined
export const reset: Act = (_, request) => void request.socket.destroy()

export type Receiver = {
  readonly url: string
  readonly port: number
  readonly calls: Call[]
  /** How many calls are waiting for an answer just now, and how many did at most. */
  readonly load: { now: number; most: number }
  /** What the next calls meet, in order; without one they are taken with 204. */
  will(...acts: readonly Act[]): void
  /** Fulfils when so many calls have come in all. */
  called(times: number): Promise<readonly Call[]>
  close(): Promise<void>
}

export async function receive(tls?: { readonly key: string; readonly cert: string }): Promise<Receiver> {
  const calls: Call[] = []
  const acts: Act[] = []
  const load = { now: 0, most: 0 }
  let arrived: () => void = () => undefined
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    load.most = Math.max(load.most, ++load.now)
    response.once('close', () => {
      load.now--
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = request.headers as Record<string, string>
    const body = Buffer.concat(chunks).toString()
    calls.push({ method: request.method ?? '', path: request.url ?? '', headers, body })
    const act = acts.shift() ?? status(204)
    act(response, request)
    arrived()
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void take(request, response).catch(() => response.destroy())
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    calls,
    load,
    will: (...more) => void acts.push(...more),
    async called(times) {
      while (calls.length < times)
        await new Promise<void>(resolve => {
          arrived = resolve
        })
      return calls
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
