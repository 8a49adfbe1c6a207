// The headers of every response: of an answer, a refusal, a stream, or the word that nothing could be read. A
// response is kept nowhere, taken for no other type than its own, and neither run nor framed by a browser. A page has
// headers of its own, which stand in the place of these.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Memo } from '../memo.js'

const COMMON: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}
/** A year, and for this host alone: the operator's other hosts are not the lane's to decide about. */
const HTTPS_ONLY = { 'strict-transport-security': 'max-age=31536000' }

type Headers = Readonly<Record<string, string>>

export const headersFor = (isHttps: boolean): Headers => (isHttps ? { ...COMMON, ...HTTPS_ONLY } : COMMON)

/** The latest answer on each connection. */
const answers = new Memo<Duplex, ServerResponse>()

/** Set before anything else hears of the request, so that Node's and the framework's own refusals have them too. */
export function dress(server: Server, headers: Headers): void {
  const put = (response: ServerResponse): void => {
    if (response.socket !== null) answers.set(response.socket, response)
    for (const name in headers) response.setHeader(name, headers[name] ?? '')
  }
  server.prependListener('request', (_request, response) => put(response))
  server.on('checkExpectation', (_request, response) => {
    put(response)
    response.writeHead(417).end()
  })
}

type Unreadable = Error & { readonly code?: string }

/** Answers bytes that could not be read as HTTP: with a status alone, and then the connection is cut. */
export const hangUp =
  (headers: Headers) =>
  (error: Unreadable, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (isUnderWay(answers.get(socket))) {
      socket.destroy(error)
      return
    }
    const status = statusOf(error.code)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}`
    if (socket.writable) socket.write(`${head}content-length: 0\r\nconnection: close\r\n\r\n`)
    socket.destroy(error)
  }

/** A line written now would stand in the middle of that answer. */
const isUnderWay = (answer: ServerResponse | undefined): boolean =>
  answer?.headersSent === true && !answer.writableFinished

function statusOf(code: string | undefined): number {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
}
