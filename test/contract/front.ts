// Stands before a lane as a reverse proxy would: one public address that survives restarts of the lane behind it. It
// remembers the posts to the webhooks and their answers, and can repeat the last post, byte for byte.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Passage = {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly status: number
  readonly answer: string
}

export type Front = {
  readonly url: string
  /** Every webhook that came by, with what the lane answered. */
  readonly passages: readonly Passage[]
  /** Where the lane is now. */
  lead(to: string): void
  /** The last webhook once more. */
  repeat(): Promise<Passage>
  close(): Promise<void>
}

/** Headers that belong to one connection, not to what is passed on. */
const OF_THE_HOP = ['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'expect']

export async function raiseFront(): Promise<Front> {
  let inside = ''
  const passages: Passage[] = []

  async function pass(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<{ readonly response: Response; readonly answer: string }> {
    const carries = method !== 'GET' && method !== 'HEAD'
    const response = await fetch(`${inside}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(carries && { body: new Uint8Array(body) }),
    })
    const answer = await response.text()
    if (path.startsWith('/hooks/')) passages.push({ path, headers, body, status: response.status, answer })
    return { response, answer }
  }

  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        OF_THE_HOP.includes(name) || value === undefined ? [] : [[name, String(value)]],
      ),
    )
    try {
      const body = Buffer.concat(chunks)
      const { response, answer } = await pass(request.method ?? '', request.url ?? '', headers, body)
      const type = response.headers.get('content-type')
      reply.writeHead(response.status, type === null ? {} : { 'content-type': type }).end(answer)
    } catch {
      reply.writeHead(502).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    passages,
    lead: to => {
      inside = to
    },
    async repeat() {
      const last = passages.at(-1)
      if (last === undefined) throw new Error('no webhook has come by yet')
      await pass('POST', last.path, last.headers, last.body)
      return passages.at(-1) ?? last
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
