// The session behind a request of the console's, by its cookie; and whether a form that it posts is one of its own.
//
// CO1  On https the cookie has the prefix that binds it to this host alone. On this machine itself it cannot have that,
//      and any other port of it can send it: there a session alone approves nothing. On any other http there is none.
// CO2  A form counts only with the stamp of its session, and only from a page of ours: the browser must say so.
import { timingSafeEqual } from 'node:crypto'
import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../config/loopback.js'
import { find, type Session, type SessionParts } from '../session/session.js'
import type { DoorParts } from './door.js'
import type { Code } from './problem.js'

type Cookie = { readonly name: string; readonly secure: boolean }

type Facing = Pick<DoorParts, 'publicUrl'>
type SessionDoor = SessionParts & Facing
type Asked = Pick<FastifyRequest, 'headers'>

/** Null where nobody can sign in (CO1). */
export function cookieFor({ publicUrl }: Facing, { headers }: Asked): Cookie | null {
  const { protocol, hostname } = new URL(publicUrl())
  if (protocol === 'https:') return { name: '__Host-lane', secure: true }
  // The lane may listen to others too, who reach it by another name.
  const isHere = isLoopback(hostname) && isLoopback(hostOf(headers.host))
  return isHere ? { name: 'lane-session', secure: false } : null
}

const hostOf = (host = ''): string => {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** The id that the browser sent; `behind` is the end of the name of another cookie of ours. */
export function idOf(parts: Facing, request: Asked, behind = ''): string | null {
  const cookie = cookieFor(parts, request)
  const { cookie: sent } = request.headers
  if (cookie === null || sent === undefined) return null
  return fastifyCookie.parse(sent)[`${cookie.name}${behind}`] ?? null
}

export async function sessionOf(parts: SessionDoor, request: Asked): Promise<Session | null> {
  const id = idOf(parts, request)
  return id === null ? null : find(parts, id)
}

/** Gives the browser the id of its session; null takes it away. */
export function giveCookie(
  {
    parts,
    request,
    reply,
  }: { readonly parts: Facing; readonly request: Asked; readonly reply: FastifyReply },
  begun: { readonly id: string; readonly seconds: number } | null,
  behind = '',
): void {
  const cookie = cookieFor(parts, request)
  if (cookie === null) throw new Error('nobody signs in over plain http from elsewhere')
  const { name, secure } = cookie
  const kept = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: begun?.seconds ?? 0 } as const
  reply.header('set-cookie', fastifyCookie.serialize(`${name}${behind}`, begun?.id ?? '', kept))
}

/** The reason why a form is not one of this session's; null where it is (CO2). */
export function foreignForm(
  parts: Facing,
  { headers }: Asked,
  session: Session,
  csrf: string,
): Extract<Code, 'foreign_origin' | 'csrf_mismatch'> | null {
  if (!isFromOurs(headers, parts.publicUrl())) return 'foreign_origin'
  return isSame(session.csrf, csrf) ? null : 'csrf_mismatch'
}

const isSame = (stamp: string, given: string): boolean => {
  const [expected, offered] = [Buffer.from(stamp), Buffer.from(given)]
  return expected.length === offered.length && timingSafeEqual(expected, offered)
}

/** Whether the browser says that the form stands on a page of ours. A browser that says nothing is not believed. */
export function isFromOurs(headers: FastifyRequest['headers'], publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined || origin === 'null') return site === 'same-origin'
  const ours = new URL(publicUrl)
  if (origin === ours.origin) return true
  // This machine has several names, and its pages are reached by any of them.
  if (!isLoopback(ours.hostname) || !URL.canParse(origin)) return false
  const { hostname, host, protocol } = new URL(origin)
  return protocol === 'http:' && isLoopback(hostname) && host === headers.host
}
