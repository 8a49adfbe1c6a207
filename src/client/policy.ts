// The right to act, checked offline: a policy token is the lane's signed statement that this action on exactly these
// parameters was approved. Algorithm, type, issuer, audience and claims are fixed here (RFC 8725), never taken from
// the token. A token that holds here may still have been spent: the lane alone knows whether it was used before.
//
// CP1  One spelling only: a token that decodes to the same bytes but is written otherwise is malformed.
// CP2  A claim that is missing, of another kind or not known is malformed too.
import { createHash, verify } from 'node:crypto'
import { machineClock } from '../clock.js'
import { isFields } from './case.js'
import { type Jwks, type Keys, keysAt, keysIn } from './jwks.js'

export type NotApprovedCode =
  | 'token_malformed'
  | 'token_unknown_key'
  | 'token_bad_signature'
  | 'token_expired'
  | 'action_mismatch'
  | 'parameters_mismatch'
  | 'keys_unavailable'

/** A failed assertion: a program that catches this must not act. */
export class NotApproved extends Error {
  override readonly name = 'NotApproved'
  readonly code: NotApprovedCode
  constructor(code: NotApprovedCode, message: string) {
    super(message)
    this.code = code
  }
}

export type PolicyClaims = {
  readonly iss: string
  readonly aud: string
  /** The API key that opened the approval. */
  readonly sub: string
  readonly jti: string
  readonly iat: number
  readonly exp: number
  readonly run: string
  readonly req: string
  readonly act: string
  readonly prh: string
  readonly rqh: string
  readonly rev: string
}

export type ApprovalOptions = {
  /** The lane's keys, or their address: `<lane>/.well-known/jwks.json`. */
  readonly jwks: Jwks | Keys | URL | string
  /** Milliseconds since 1970; the machine's clock if absent. */
  readonly now?: number
}

export async function assertApproved(
  token: string,
  action: string,
  parameters: Readonly<Record<string, string>>,
  { jwks, now = machineClock.wall() }: ApprovalOptions,
): Promise<PolicyClaims> {
  const parts = readParts(token)
  if (parts === null) throw new NotApproved('token_malformed', 'this is no policy token')
  const { kid, claims, signed, signature } = parts
  const key = await keysOf(jwks).find(kid)
  if (key === 'unavailable') throw new NotApproved('keys_unavailable', "the lane's keys cannot be fetched")
  if (key === null) throw new NotApproved('token_unknown_key', `the lane has no key ${JSON.stringify(kid)}`)
  if (!verify(null, signed, key, signature))
    throw new NotApproved('token_bad_signature', 'the signature is not the lane’s')
  if (now >= claims.exp * 1000) throw new NotApproved('token_expired', 'the approval is no longer valid')
  if (claims.act !== action)
    throw new NotApproved('action_mismatch', `approved was ${claims.act}, not ${action}`)
  if (claims.prh !== hashParameters(parameters))
    throw new NotApproved('parameters_mismatch', `${action} was approved on other parameters`)
  return claims
}

function keysOf(jwks: ApprovalOptions['jwks']): Keys {
  if (typeof jwks === 'string' || jwks instanceof URL) return keysAt(String(jwks))
  return 'find' in jwks ? jwks : keysIn(jwks)
}

/** `sha256:` + hex SHA-256( "lane/parameters/v1\n" ‖ JCS ): of a flat record of strings, RFC 8785 is this. */
export function hashParameters(parameters: Readonly<Record<string, string>>): string {
  const names = Object.keys(parameters).sort()
  const pairs = names.map(name => `${JSON.stringify(name)}:${JSON.stringify(parameters[name])}`)
  const hash = createHash('sha256').update(`lane/parameters/v1\n{${pairs.join(',')}}`)
  return `sha256:${hash.digest('hex')}`
}

/** Far above any token of the lane's; checked before a byte is decoded. */
const LONGEST_TOKEN = 2048
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/
const HASH = /^sha256:[0-9a-f]{64}$/
const isHash = (value: unknown): boolean => typeof value === 'string' && HASH.test(value)
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value)

const HEADER: Readonly<Record<string, (value: unknown) => boolean>> = {
  alg: value => value === 'EdDSA',
  typ: value => value === 'lane-policy+jwt',
  kid: isText,
}
const CLAIMS: Readonly<Record<keyof PolicyClaims, (value: unknown) => boolean>> = {
  iss: value => value === 'interrupt-lane',
  aud: value => value === 'lane.policy',
  sub: isText,
  jti: value => typeof value === 'string' && /^[A-Za-z0-9_-]{22}$/.test(value),
  iat: isSeconds,
  exp: isSeconds,
  run: isText,
  req: isText,
  act: isText,
  prh: isHash,
  rqh: isHash,
  rev: isHash,
}

type Parts = {
  readonly kid: string
  readonly claims: PolicyClaims
  readonly signed: Buffer
  readonly signature: Buffer
}

function readParts(token: string): Parts | null {
  if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !SHAPE.test(token)) return null
  const [head = '', body = '', signature = ''] = token.split('.')
  if (![head, body, signature].every(isCanonical)) return null
  const header = readExactly(head, HEADER)
  const claims = readExactly(body, CLAIMS)
  if (header === null || claims === null) return null
  return {
    kid: String(header.kid),
    claims: claims as unknown as PolicyClaims,
    signed: Buffer.from(`${head}.${body}`),
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Node's decoder skips signs it cannot read; the one spelling is the part that encodes to itself again. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function readExactly(part: string, fields: Readonly<Record<string, (value: unknown) => boolean>>) {
  const value = readJson(part)
  if (!isFields(value) || Object.keys(value).length !== Object.keys(fields).length) return null
  return Object.entries(fields).every(([name, holds]) => holds(value[name])) ? value : null
}

function readJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return undefined
  }
}
