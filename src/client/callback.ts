// A callback of the lane's (docs/spec/callbacks.md), believed only after its signature, on the bytes as they came.
//
// CB1  One right signature is enough, since a lane that changes its secret sends two; all are compared in constant time.
// CB2  A message says nothing that the case does not, and carries no right: a missed one loses nothing, and one that comes
//      twice has the same `id`.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { machineClock } from '../clock.js'
import { isFields } from './case.js'

export type CallbackRefusedCode =
  | 'header_missing'
  | 'timestamp_malformed'
  | 'timestamp_too_far'
  | 'signature_mismatch'
  | 'body_malformed'

/** The message is not the lane's, or not of now: a program that catches this must not act on it. */
export class CallbackRefused extends Error {
  override readonly name = 'CallbackRefused'
  readonly code: CallbackRefusedCode
  constructor(code: CallbackRefusedCode, message: string) {
    super(message)
    this.code = code
  }
}

export type Callback = {
  /** The same for every attempt of one request: take it once. */
  readonly id: string
  /** When the request was resolved. */
  readonly at: string
  /** The case as the caller reads it, without a policy token; a very large one comes abridged. */
  readonly case: Readonly<Record<string, unknown>>
}
export type CallbackOptions = {
  /** LANE_WEBHOOK_SECRET if absent. While it is changed there are two, with a blank between. */
  readonly secret?: string
  /** Milliseconds since 1970; the machine's clock if absent. */
  readonly now?: number
}
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const MOST_APART_SECONDS = 300
const PREFIX = 'whsec_'
const MIN_SECRET_BYTES = 24

export function verifyCallback(
  body: Uint8Array | string,
  headers: Headers,
  { secret = process.env.LANE_WEBHOOK_SECRET ?? '', now = machineClock.wall() }: CallbackOptions = {},
): Callback {
  const keys = keysIn(secret)
  const [id, timestamp, signatures] = NAMES.map(name => headerIn(headers, name))
  if (!id || !timestamp || !signatures)
    throw new CallbackRefused('header_missing', `a callback has the headers ${NAMES.join(', ')}`)
  if (!/^[0-9]{1,12}$/.test(timestamp))
    throw new CallbackRefused('timestamp_malformed', 'webhook-timestamp is no number of seconds')
  if (Math.abs(now / 1000 - Number(timestamp)) > MOST_APART_SECONDS)
    throw new CallbackRefused('timestamp_too_far', 'it was signed more than five minutes from now')
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)])
  if (!isSigned(keys, signed, signatures))
    throw new CallbackRefused('signature_mismatch', 'no signature is by this secret')
  const read = readBody(Buffer.from(body).toString())
  if (read === null) throw new CallbackRefused('body_malformed', 'this is no message of a lane')
  return { id, ...read }
}

const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

/** Names of headers are the same in any case; a repeated one is none. */
function headerIn(headers: Headers, name: string): string | undefined {
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] : undefined
}

function keysIn(secret: string): readonly Buffer[] {
  return secret.split(/\s+/).map(text => {
    const encoded = text.slice(PREFIX.length)
    const bytes = Buffer.from(encoded, 'base64')
    const whole = text.startsWith(PREFIX) && bytes.toString('base64') === encoded
    if (whole && bytes.length >= MIN_SECRET_BYTES) return bytes
    throw new TypeError(`a secret is ${PREFIX} and at least ${MIN_SECRET_BYTES} bytes in base64`)
  })
}

function isSigned(keys: readonly Buffer[], signed: Buffer, signatures: string): boolean {
  const given = signatures.split(' ').flatMap(one => (one.startsWith('v1,') ? [Buffer.from(one)] : []))
  const wanted = keys.map(key =>
    Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`),
  )
  return wanted.some(right => given.some(one => one.length === right.length && timingSafeEqual(one, right)))
}

function readBody(text: string): Omit<Callback, 'id'> | null {
  const message = parse(text)
  if (!isFields(message) || message.type !== 'request.resolved') return null
  const { timestamp: at, data } = message
  return typeof at === 'string' && isFields(data) ? { at, case: data } : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
