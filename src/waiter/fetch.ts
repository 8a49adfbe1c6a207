// One GET of somebody else's server, for a body that is named by its hash. The guards are those of a call (post.ts): the
// lane stands inside a network that whoever names the address may not be able to reach.
//
// WG1  It always ends within its patience and gives the bytes or null; it never throws, and it never says why: the
//      reasons would tell a caller what stands in this network.
// WG2  No redirect is followed, no credentials are sent, no connection is kept, and nothing is unpacked.
import { type IncomingMessage, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { hostOf, isCallable } from './address.js'
import { checkedLookup, type Road } from './post.js'

const PATIENCE_MS = 10_000
export const MAX_FETCHED_BYTES = 256 * 1024

export function fetchBytes(url: string, road: Road): Promise<Uint8Array | null> {
  if (!isCallable(url, road.allow)) return Promise.resolve(null)
  return new Promise(settle => {
    const target = new URL(url)
    const send = target.protocol === 'https:' ? overHttps : overHttp
    const call = send(target, {
      method: 'GET',
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      agent: false,
      signal: AbortSignal.timeout(road.patienceMs ?? PATIENCE_MS),
      lookup: checkedLookup(hostOf(target), road),
    })
    call.once('response', response => {
      readWhole(response).then(settle, () => settle(null))
    })
    // A second error, or one after the answer, is nobody's business any more: the promise is settled.
    call.on('error', () => settle(null))
    call.once('close', () => settle(null))
    call.end()
  })
}

async function readWhole(response: IncomingMessage): Promise<Uint8Array | null> {
  const { statusCode, headers } = response
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  if (statusCode !== 200 || !isPlain) {
    response.destroy()
    return null
  }
  const parts: Buffer[] = []
  let length = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MAX_FETCHED_BYTES) {
      response.destroy()
      return null
    }
    parts.push(part)
  }
  return response.complete ? Buffer.concat(parts) : null
}
