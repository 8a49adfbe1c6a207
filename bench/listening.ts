// The other end of a stream, for the generator: hears each resolved request and its instant; or stands for many
// followers who hear nothing.
import { type ClientRequest, get } from 'node:http'

export type Stream = {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** Opens the stream; fulfils when the lane has said that it follows. */
export function listen(
  { port, path, headers }: Stream,
  hear: (text: string) => void = () => undefined,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const asking = get({ port, path, headers, host: '127.0.0.1', agent: false }, response => {
      if (response.statusCode !== 200) return reject(new Error(`the stream answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', hear)
      // The generator ends streams by cutting them off.
      response.on('error', () => undefined)
      resolve(asking)
    })
    asking.once('error', reject)
  })
}

/** Calls `resolved` for each REQUEST_RESOLVED, as soon as its event is whole. */
export function resolutions(resolved: (requestId: string, at: number) => void): (text: string) => void {
  let held = ''
  return text => {
    const at = performance.now()
    held += text
    const events = held.split('\n\n')
    held = events.pop() ?? ''
    for (const event of events) {
      const id = /"request_id":"([^"]+)"/.exec(event)?.[1]
      if (id !== undefined) resolved(id, at)
    }
  }
}

/** Streams opened at once: as many as a server's queue of connections takes. */
const TOGETHER = 100

export async function listenMany(stream: Stream, count: number): Promise<ClientRequest[]> {
  const all: ClientRequest[] = []
  while (all.length < count) {
    const next = Math.min(TOGETHER, count - all.length)
    all.push(...(await Promise.all(Array.from({ length: next }, () => listen(stream)))))
  }
  return all
}
