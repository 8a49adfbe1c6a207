// Slack's end of Socket Mode, as its protocol page describes it: a hello, envelopes that each want an acknowledgement,
// and now and then the wish to be connected to anew. The frames are RFC 6455's, written by hand.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { until } from '../until.js'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 1
const CLOSE = 8
const PING = 9
const PONG = 10

export type Acknowledged = { readonly envelope_id: string; readonly payload: Record<string, unknown> }

export type SocketEnd = {
  readonly url: string
  /** How often somebody has connected. */
  connections(): number
  isConnected(): boolean
  /** Hands an envelope to whoever is connected; what it is acknowledged with, or null when it is not. */
  hand(type: string, payload: unknown, patienceMs?: number): Promise<Acknowledged | null>
  /** Asks to be connected to anew, as Slack does every few hours. */
  refresh(): void
  /** The line breaks. */
  cut(): void
  /** Whether it says hello to who connects from now on; where it does not it answers pings, and no goodbye. */
  greet(does: boolean): void
  close(): Promise<void>
}

export async function openSocketEnd(): Promise<SocketEnd> {
  const server = createServer((_request, reply) => reply.writeHead(426).end())
  let connected = 0
  let current: Duplex | null = null
  let counted = 0
  let greets = true
  const waiting = new Map<string, (acknowledged: Acknowledged) => void>()

  server.on('upgrade', (request, socket) => {
    const key = request.headers['sec-websocket-key'] ?? ''
    const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    connected++
    current = socket
    const isCivil = greets
    socket.on('error', () => undefined)
    // An upgraded socket may stay open on one side.
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      if (current === socket) current = null
    })
    readFrames(socket, (opcode, data) => {
      if (opcode === PING) socket.write(frame(PONG, data))
      if (opcode === CLOSE && isCivil) socket.end(frame(CLOSE, data))
      if (opcode !== TEXT) return
      const said = JSON.parse(data.toString()) as Acknowledged
      waiting.get(said.envelope_id)?.(said)
    })
    if (isCivil) tell(socket, { type: 'hello', num_connections: 1 })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`,
    connections: () => connected,
    isConnected: () => current !== null,
    async hand(type, payload, patienceMs = 10_000) {
      const open = await until('a connection', () => current)
      const envelope_id = `e-${++counted}`
      const acknowledged = new Promise<Acknowledged>(resolve => waiting.set(envelope_id, resolve))
      tell(open, { type, envelope_id, payload, accepts_response_payload: type === 'interactive' })
      let timer: NodeJS.Timeout | undefined
      const silence = new Promise<null>(resolve => {
        timer = setTimeout(() => resolve(null), patienceMs)
      })
      return Promise.race([acknowledged, silence]).finally(() => clearTimeout(timer))
    },
    refresh: () => current !== null && tell(current, { type: 'disconnect', reason: 'refresh_requested' }),
    cut: () => current?.destroy(),
    greet: does => {
      greets = does
    },
    async close() {
      current?.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const tell = (socket: Duplex, message: unknown): boolean =>
  socket.write(frame(TEXT, Buffer.from(JSON.stringify(message))))

function frame(opcode: number, data: Buffer): Buffer {
  const { length } = data
  const head =
    length < 126
      ? Buffer.from([0x80 | opcode, length])
      : Buffer.from([0x80 | opcode, 126, length >> 8, length & 0xff])
  return Buffer.concat([head, data])
}

/** Frames of a client: whole, masked, and short enough for two bytes of length. */
function readFrames(socket: Duplex, take: (opcode: number, data: Buffer) => void): void {
  let held = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const short = (held[1] ?? 0) & 0x7f
      const start = short === 126 ? 8 : 6
      const length = short === 126 && held.length >= 4 ? held.readUInt16BE(2) : short
      if (held.length < 2 || held.length < start + length) return
      const mask = held.subarray(start - 4, start)
      const data = held.subarray(start, start + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
      const opcode = (held[0] ?? 0) & 0x0f
      held = held.subarray(start + length)
      take(opcode, Buffer.from(data))
    }
  })
}
