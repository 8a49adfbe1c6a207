// The lane over HTTP. An answer, a problem and silence are three values; nothing here throws for a network's fault.
//
// CA1  The body is kept as it was received: `lane --json` prints these bytes.
// CA2  A redirect is not followed: the key goes to the address it was given for, and nowhere else.
// CA3  The caller's own abort is no network's fault: it rejects with the signal's reason.
import { machineClock } from '../clock.js'

/** One lane: its address without a final slash, and the API key, null if only open routes are called. */
export type Endpoint = { readonly url: string; readonly key: string | null }

/** Anything but a long poll or a stream answers at once; half a minute is a dead lane. */
export const PATIENCE_MS = 30_000

export type HttpAnswer = { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
export type HttpProblem = {
  readonly kind: 'problem'
  readonly status: number
  readonly body: Buffer
  readonly retryAfterMs: number | null
}
/** `refused` never reached a lane; after `interrupted` it is unknown whether the lane has acted. */
type Unreachable = {
  readonly kind: 'unreachable'
  readonly why: 'refused' | 'unknown_host' | 'timeout' | 'interrupted'
  readonly detail: string
}
export type Trouble = HttpProblem | Unreachable
type Stream = { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> }

export type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly bytes?: Uint8Array
  /** What the bytes are, where they are more than bytes. */
  readonly media?: string
  readonly patienceMs?: number
  readonly signal?: AbortSignal | undefined
}

export async function call(
  endpoint: Endpoint,
  { patienceMs = PATIENCE_MS, signal, ...rest }: Call,
): Promise<HttpAnswer | Trouble> {
  const patience = AbortSignal.timeout(Math.ceil(patienceMs))
  try {
    return await readWhole(
      await send(endpoint, rest, signal ? AbortSignal.any([patience, signal]) : patience),
    )
  } catch (error) {
    signal?.throwIfAborted()
    return unreachable(error)
  }
}

/** For bodies that may be larger than memory: the ledger, a backup. Errors in mid-stream reject the iteration. */
export async function openStream(endpoint: Endpoint, path: string): Promise<Stream | Trouble> {
  try {
    const response = await send(endpoint, { path })
    if (response.status !== 200 || response.body === null) return problemOf(await readWhole(response))
    return { kind: 'stream', chunks: response.body as AsyncIterable<Uint8Array> }
  } catch (error) {
    return unreachable(error)
  }
}

function send(
  endpoint: Endpoint,
  { method = 'GET', path, body, bytes, media = 'application/octet-stream' }: Call,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${endpoint.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json, application/problem+json;q=0.9, */*;q=0.1',
      ...(endpoint.key !== null && { authorization: `Bearer ${endpoint.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(bytes !== undefined && { 'content-type': media }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(bytes !== undefined && { body: bytes }),
    ...(signal && { signal }),
  })
}

async function readWhole(response: Response): Promise<HttpAnswer | HttpProblem> {
  const { status } = response
  const body = Buffer.from(await response.arrayBuffer())
  if (response.ok) return { kind: 'answer', status, body }
  const location = response.headers.get('location')
  const told = location === null ? body : Buffer.from(JSON.stringify({ detail: `it points to ${location}` }))
  return {
    kind: 'problem',
    status,
    body: told,
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  }
}

const problemOf = (read: HttpAnswer | HttpProblem): HttpProblem => ({
  retryAfterMs: null,
  ...read,
  kind: 'problem',
})

/** Seconds or a date (RFC 9110 §10.2.3). */
function retryAfter(header: string | null): number | null {
  if (header === null) return null
  const ms = /^[0-9]{1,6}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - machineClock.wall()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}

const REFUSED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** fetch rejects with a TypeError whose cause has the system's code; anything else is our own mistake. */
function unreachable(error: unknown): Unreachable {
  if (!(error instanceof Error)) throw error
  if (error.name === 'TimeoutError')
    return { kind: 'unreachable', why: 'timeout', detail: 'no answer in time' }
  const { code, message } = innermost(error)
  if (code === undefined && error.message !== 'fetch failed' && error.message !== 'terminated') throw error
  const detail = code ?? message
  if (code !== undefined && REFUSED.includes(code)) return { kind: 'unreachable', why: 'refused', detail }
  const lost = code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  return { kind: 'unreachable', why: lost ? 'unknown_host' : 'interrupted', detail }
}

/** An address with two families fails with an AggregateError that has the code; others nest it in `cause`. */
function innermost(error: Error): { readonly code: string | undefined; readonly message: string } {
  const cause = error.cause instanceof Error ? error.cause : error
  return { code: 'code' in cause ? String(cause.code) : undefined, message: cause.message }
}

export function jsonOf({ body }: { readonly body: Buffer }): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
