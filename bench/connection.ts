// One keep-alive HTTP/1.1 connection, as thin as it can be: the generator must cost less than the lane it measures.
// It sends bytes prepared beforehand and reads a status and a body of declared length; anything else is a surprise.
import { connect, type Socket } from 'node:net'

export type Call = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export type Answer = { readonly status: number; readonly body: string }

export function bytesOf({ method, path, headers, body }: Call): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(method === 'POST' ? [`content-length: ${Buffer.byteLength(body)}`] : []),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

export class Connection {
  readonly #socket: Socket
  /** Bytes of an answer that is not whole yet. */
  #held: Buffer = Buffer.alloc(0)
  #waiting: { readonly done: (answer: Answer) => void; readonly fail: (error: Error) => void } | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', bytes => this.#read(bytes))
    socket.on('error', error => this.#waiting?.fail(error))
    socket.on('close', () => this.#waiting?.fail(new Error('the server closed a connection in use')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket))
      })
    })
  }

  send(bytes: Buffer): Promise<Answer> {
    return new Promise((done, fail) => {
      this.#waiting = { done, fail }
      this.#socket.write(bytes)
    })
  }

  close(): void {
    this.#waiting = null
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const answer = whole(this.#held)
    if (answer === null) return
    const waiting = this.#waiting
    this.#held = Buffer.alloc(0)
    this.#waiting = null
    if (answer instanceof Error) waiting?.fail(answer)
    else waiting?.done(answer)
  }
}

function whole(bytes: Buffer): Answer | Error | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) return new Error(`an answer without a length: ${head.slice(0, 200)}`)
  const from = end + 4
  if (bytes.length < from + Number(length)) return null
  return { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', from, from + Number(length)) }
}
