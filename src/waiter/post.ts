// One POST to somebody else's server, which may be anything: slow, silent, endless, or a trap that leads back inside.
//
// WP1  It always ends within its patience and gives a verdict; it never throws.
// WP2  The name is resolved once, for this connection; if any of its addresses may not be connected to, none is.
// WP3  No redirect is followed, no connection is kept, and only the status and Retry-After of an answer are read.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { type ClientRequest, request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { type Allowance, hostOf, isCallable, mayConnect } from './address.js'

/** The lower bound of Standard Webhooks: a receiver takes the message now and works on it later. */
const PATIENCE_MS = 15_000

type Post = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The reason a call failed, beside its status. */
type CallCode =
  | 'address_refused'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'redirected'
  | 'gone'
  | 'throttled'
  | 'refused'

export type CallVerdict =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false
      readonly status: number | null
      readonly code: CallCode
      /** As the header gives it; null without one. */
      readonly retryAfter: string | null
    }

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>
export type Road = {
  readonly allow: Allowance
  readonly resolve?: Resolve
  readonly patienceMs?: number
}

const bySystem: Resolve = host => lookup(host, { all: true, verbatim: true })

export function post({ url, headers, body }: Post, road: Road): Promise<CallVerdict> {
  // An address that is written out is not looked up, so it is judged here; and the configuration may have changed.
  if (!isCallable(url, road.allow)) return Promise.resolve(failed('address_refused'))
  return new Promise(settle => {
    const target = new URL(url)
    const send = target.protocol === 'https:' ? overHttps : overHttp
    const call = send(target, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal: AbortSignal.timeout(road.patienceMs ?? PATIENCE_MS),
      lookup: checkedLookup(hostOf(target), road),
    })
    listen(call, settle)
    call.end(body)
  })
}

function listen(call: ClientRequest, settle: (verdict: CallVerdict) => void): void {
  call.once('response', response => {
    settle(verdictOf(response.statusCode ?? 0, response.headers['retry-after'] ?? null))
    response.destroy()
  })
  // A second error, or one after the answer, is nobody's business any more: the promise is settled.
  call.on('error', error => settle(failed(codeOf(error))))
  call.once('close', () => settle(failed('connection_failed')))
}

type Lookup = (
  host: string,
  options: { readonly all?: boolean | undefined },
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void

class AddressRefused extends Error {}

/** WP2: the socket gets exactly the judged addresses; nothing is looked up again between the two. */
export function checkedLookup(host: string, { allow, resolve = bySystem }: Road): Lookup {
  return (_, { all }, done) => {
    resolve(host).then(
      found => {
        const [first] = found
        if (first === undefined || !found.every(({ address }) => mayConnect(host, address, allow)))
          done(new AddressRefused(), '')
        else if (all === true) done(null, [...found])
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, ''),
    )
  }
}

/** Codes by which the specification asks to be called less often. */
const THROTTLED = [429, 502, 504]

function verdictOf(status: number, retryAfter: string | null): CallVerdict {
  if (status >= 200 && status <= 299) return { ok: true, status }
  const code =
    status === 410
      ? 'gone'
      : THROTTLED.includes(status)
        ? 'throttled'
        : isRedirect(status)
          ? 'redirected'
          : 'refused'
  return { ok: false, status, code, retryAfter }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399

const failed = (code: CallCode): CallVerdict => ({ ok: false, status: null, code, retryAfter: null })

const UNRESOLVED = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/
const UNTRUSTED = /^(?:CERT_|ERR_TLS|ERR_SSL|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/

function codeOf(error: Error & { readonly code?: unknown }): CallCode {
  const code = typeof error.code === 'string' ? error.code : ''
  if (error instanceof AddressRefused) return 'address_refused'
  if (code === 'ABORT_ERR') return 'timed_out'
  if (UNRESOLVED.test(code)) return 'name_not_resolved'
  return UNTRUSTED.test(code) ? 'tls_failed' : 'connection_failed'
}
