// Serves rendered pages with their real headers and keeps the requests it got, as a browser really sends them.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '../../src/adapter/page.js'

export type Visit = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export type PageServer = {
  readonly origin: string
  readonly visits: Visit[]
  put(path: string, page: Page): string
  stop(): Promise<void>
}

const NOTHING: Page = { status: 404, headers: { 'content-type': 'text/plain' }, body: '' }

export async function servePages(): Promise<PageServer> {
  const pages = new Map<string, Page>()
  const visits: Visit[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    visits.push({ method, path: url, headers, body: Buffer.concat(chunks) })
    const page = pages.get(url) ?? NOTHING
    response.writeHead(page.status, page.headers).end(page.body)
  })
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    visits,
    put: (path, page) => {
      pages.set(path, page)
      return origin + path
    },
    stop: () => new Promise(done => server.close(() => done())),
  }
}
