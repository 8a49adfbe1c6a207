// A call to the provider's API, over connections that are kept: one handshake serves many messages.
//
// SC1  It ends within its patience, its answer's last byte included; no redirect is followed.
import { EventEmitter } from 'node:events'
import { Agent, request } from 'undici'
import type { Account } from './account.js'

const road = new Agent()

type Answer = {
  readonly status: number
  /** Seconds, as the provider words them; empty without. */
  readonly retryAfter: string
  /** Null where it is no JSON. */
  readonly body: unknown
}

/** With a form it is a POST. Throws what stopped it, with the system's own code. */
export async function call(
  { sid, token, api }: Account,
  path: string,
  patience: number,
  form?: URLSearchParams,
): Promise<Answer> {
  const credentials = Buffer.from(`${sid}:${token}`).toString('base64')
  const over = new EventEmitter()
  const timer = setTimeout(() => over.emit('abort'), patience)
  try {
    const { statusCode, headers, body } = await request(`${api}/2010-04-01/Accounts/${sid}${path}`, {
      dispatcher: road,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        accept: 'application/json',
        ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
      },
      ...(form && { body: form.toString() }),
      signal: over,
    })
    const text = await body.text()
    return { status: statusCode, retryAfter: String(headers['retry-after'] ?? ''), body: readJson(text) }
  } finally {
    clearTimeout(timer)
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
