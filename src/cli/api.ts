// The lane over HTTP. An answer, a problem and silence are three values; nothing here throws for what a network does.
//
// A1  The body is kept as it was received: `--json` prints these bytes.
// A2  A redirect is not followed: the key goes to the address the operator gave, and nowhere else.
import { machineClock } from '../clock.js'
import type { Door } from './environment.js'
import { isFields } from './shown-case.js'

/** Anything but a long poll or a stream answers at once; half a minute is a dead lane. */
const PATIENCE_MS = 30_000

export type Answer = { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
export type Problem = {
  readonly kind: 'problem'
  readonly status: number
  readonly body: Buffer
  readonly retryAfterMs: number | null
}
/** `refused` never reached a lane; after `interrupted` it is unknown whether the lane has acted. */
export type Unreachable = {
  readonly kind: 'unreachable'
  readonly why: 'refused' | 'unknown_host' | 'timeout' | 'interrupted'
  readonly detail: string
}
export type Trouble = Problem | Unreachable
export type Stream = { readonly kind: 'stream'; readonly chunks: AsyncIterable<Uint8Array> }

export type Call = {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: unknown
  readonly patienceMs?: number
}

export async function call(
  door: Door,
  { patienceMs = PATIENCE_MS, ...rest }: Call,
): Promise<Answer | Trouble> {
  try {
    const response = await send(door, rest, AbortSignal.timeout(patienceMs))
    return await readWhole(response)
  } catch (error) {
    return unreachable(error)
  }
}

/** For what may be larger than memory: the ledger, a backup. Errors in mid-stream reject the iteration. */
export async function openStream(door: Door, path: string): Promise<Stream | Trouble> {
  try {
    const response = await send(door, { path })
    if (response.status !== 200 || response.body === null) return problemOf(await readWhole(response))
    return { kind: 'stream', chunks: response.body as AsyncIterable<Uint8Array> }
  } catch (error) {
    return unreachable(error)
  }
}

function send(door: Door, { method = 'GET', path, body }: Call, signal?: AbortSignal): Promise<Response> {
  return fetch(`${door.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json, application/problem+json;q=0.9, */*;q=0.1',
      ...(door.key !== null && { authorization: `Bearer ${door.key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

async function readWhole(response: Response): Promise<Answer | Problem> {
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

const problemOf = (read: Answer | Problem): Problem => ({ retryAfterMs: null, ...read, kind: 'problem' })

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

/** What an operator reads instead of a status code. */
export function explain(trouble: Trouble, url: string): string[] {
  if (trouble.kind === 'problem') return explainProblem(trouble, url)
  switch (trouble.why) {
    case 'refused':
      return [
        `no lane answers at ${url} (${trouble.detail})`,
        'start one here with `lane serve`, or set LANE_URL to where it runs',
      ]
    case 'unknown_host':
      return [`the host of ${url} is not known (${trouble.detail}); check LANE_URL`]
    case 'timeout':
      return [`the lane at ${url} did not answer in time`]
    case 'interrupted':
      return [`the connection to ${url} broke off (${trouble.detail})`]
  }
}

function explainProblem(problem: Problem, url: string): string[] {
  const told = jsonOf(problem)
  if (!isFields(told)) return [`${url} answered ${problem.status}, and not as a lane does; check LANE_URL`]
  const code = typeof told.code === 'string' ? ` (${told.code})` : ''
  const errors = Array.isArray(told.errors) ? told.errors.filter(isFields) : []
  return [
    `${problem.status}${code}: ${told.detail ?? told.title ?? 'no reason given'}`,
    ...errors.map(
      ({ field, read, accepted }) => `  ${field || 'the body'}: read ${read}; accepted: ${accepted}`,
    ),
    ...(problem.status === 401 ? ['the key is LANE_API_KEY, or data/operator.key beside the lane'] : []),
  ]
}
