// Bytes on a socket, for requests that no HTTP client would send.
import { connect, type Socket } from 'node:net'

/** Writes and hears out the answer: its status, or 0 where the connection was closed without one. */
export function speak(url: string, bytes: string | Uint8Array, patience = 20_000): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = dial(url)
    const heard: Buffer[] = []
    const status = (): number =>
      Number(/^HTTP\/1\.1 (\d{3}) /.exec(Buffer.concat(heard).toString('latin1'))?.[1] ?? 0)
    const end = (): void => {
      socket.destroy()
      resolve(status())
    }
    socket.on('data', chunk => heard.push(chunk) && status() !== 0 && end())
    socket.on('error', end)
    socket.on('close', end)
    socket.setTimeout(patience, () => {
      socket.destroy()
      reject(new Error(`no answer to ${Buffer.from(bytes).subarray(0, 80).toString('latin1')}`))
    })
    socket.write(bytes)
  })
}

export function dial(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect({ host: hostname, port: Number(port) })
}
