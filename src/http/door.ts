// Shared by every route of the door: its parts, the caller, and the numbers a query may hold.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Adapter, Desk } from '../adapter/contract.js'
import type { ReplyPage } from '../adapter/page.js'
import type { Notary } from '../checkpoint/notary.js'
import type { Config } from '../config/config.js'
import type { Enrolment } from '../enrolment/enrolment.js'
import type { Caller, KeyBook } from '../keys/key-book.js'
import type { Signing } from '../keys/signing.js'
import type { Lane } from '../lane/lane.js'
import type { Store } from '../ledger/contract.js'
import type { Scope } from '../ledger/shelf.js'
import type { Accounts } from '../people/accounts.js'
import type { Channel } from '../request/channel.js'
import type { Oidc } from '../session/oidc.js'
import type { Keyring } from '../token/keyring.js'
import type { Stamper } from '../token/stamp.js'
import type { Waiters } from '../waiter/wait.js'
import type { Guesses } from './guesses.js'
import type { Metrics } from './metrics.js'
import type { Places } from './places.js'
import { refuse } from './problem.js'
import type { Route } from './route.js'
import type { TurnedAway, Watch } from './watch.js'

export type DoorParts = {
  readonly lane: Lane
  readonly store: Store
  readonly config: Config
  readonly adapters: ReadonlyMap<Channel, Adapter>
  readonly desk: (channel: Channel) => Desk
  readonly keys: KeyBook
  readonly notary: Notary
  readonly keyring: () => Keyring
  readonly signing: Pick<Signing, 'rotate' | 'rotateArtifacts' | 'artifacts' | 'revoke'>
  readonly waiters: Waiters
  readonly page: ReplyPage
  /** Whether links are printed on the console, which then vouches for them. */
  readonly printsLinks: boolean
  readonly csrf: Stamper
  /** The provider that people sign in with; null where there is none. */
  readonly oidc: Oidc | null
  /** Whose an account at the provider is. */
  readonly accounts: Accounts
  /** Asks people whether a passkey or an account is theirs. */
  readonly enrolment: Enrolment
  readonly publicUrl: () => string
  readonly metrics: Metrics
  readonly guesses: Guesses
  readonly watch: Watch
  /** The troubles that keep alarms from ringing in time, in words; empty when there are none. */
  readonly alarmTroubles: () => readonly string[]
  /** Answers a message of an agent's. */
  readonly agents: (message: AgentMessage) => Promise<Response>
  readonly version: string
  readonly now: () => number
  /** Aborted when the lane begins to stop: streams end, waiters are let go. */
  readonly closing: AbortSignal
}

/** A message of MCP, as the door hands it on. */
type AgentMessage = {
  readonly request: Request
  readonly body: unknown
  readonly key: string
  readonly runId: string | null
}

/** The door as a handler gets it. */
export type Door = DoorParts & {
  /** The places in which keys wait for an outcome, and those in which they follow the ledger. */
  readonly waits: Places
  readonly streams: Places
  /** The messages of agents that are under way. */
  readonly messages: Places
  /** This door, as OpenAPI tells of it. */
  readonly describe: () => object
}

declare module 'fastify' {
  interface FastifyContextConfig {
    declared?: Route
  }
  interface FastifyRequest {
    caller?: Caller
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === undefined) throw new Error('this route has no scope')
  return request.caller
}

export const has = (caller: Caller, scope: Scope): boolean => caller.scopes.includes(scope)

const BEARER = /^Bearer ([\x21-\x7e]{8,200})$/i

/** Refuses a caller whose key is absent, wrong or without the scope; true when it has answered. A key in the book is
 *  judged at once, and only another one waits for the store. */
export function turnedAway(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: DoorParts,
): boolean | Promise<boolean> {
  const scopes = request.routeOptions.config.declared?.scopes
  if (scopes === undefined) return false
  const secret = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const judge = (caller: Caller | null): boolean => {
    if (caller !== null) return !mayEnter(caller, scopes, request, reply, parts)
    unauthenticated(request, reply, parts, secret)
    return true
  }
  const known = secret === undefined ? null : parts.keys.authenticate(secret)
  return known !== null || secret === undefined ? judge(known) : parts.keys.lookAgain(secret).then(judge)
}

function mayEnter(
  caller: Caller,
  scopes: readonly Scope[],
  request: FastifyRequest,
  reply: FastifyReply,
  parts: DoorParts,
): boolean {
  request.caller = caller
  if (scopes.some(scope => has(caller, scope))) return true
  parts.watch.turnedAway(sighting(request, 'scope_missing', caller.key_id))
  refuse(
    reply,
    'scope_missing',
    `This needs scope ${scopes.join(' or ')}; the key "${caller.name}" has ${caller.scopes.join(', ')}.`,
  )
  return false
}

/** A right key is always let in, so that a guesser at the same address cannot lock it out. */
function unauthenticated(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: DoorParts,
  secret: string | undefined,
): void {
  const wait = parts.guesses.blockedFor(request.ip)
  if (secret !== undefined) {
    const known = parts.keys.holding(secret)?.key_id
    parts.guesses.failed(request.ip)
    parts.watch.turnedAway(sighting(request, known === undefined ? 'unknown_key' : 'revoked_key', known))
  }
  if (secret !== undefined && wait > 0) {
    refuse(reply.header('retry-after', wait), 'rate_limited', `Too many wrong keys; try again in ${wait} s.`)
    return
  }
  const detail = 'Send "Authorization: Bearer <API key>" with a key of this lane that is not revoked.'
  const more = request.routeOptions.config.declared?.keyless
  // RFC 6750, section 3: a client that looks for a way to sign in reads it here.
  const challenge =
    more === undefined ? 'Bearer' : `Bearer error="invalid_token", error_description="${more}"`
  const words = more === undefined ? detail : `${detail} ${more}`
  refuse(reply.header('www-authenticate', challenge), 'unauthenticated', words)
}

export const sighting = (request: FastifyRequest, why: TurnedAway['why'], key_id?: string): TurnedAway => ({
  address: request.ip,
  why,
  route: request.routeOptions.url ?? 'none',
  ...(key_id !== undefined && { key_id }),
})

/** A whole number in a query, within bounds; null when it is something else. */
export function wholeNumber(
  text: string | undefined,
  fallback: number,
  min: number,
  max: number,
): number | null {
  if (text === undefined) return fallback
  if (!/^[0-9]{1,15}$/.test(text)) return null
  const value = Number(text)
  return value >= min && value <= max ? value : null
}
