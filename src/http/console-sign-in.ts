// Signing in at the console, and out again. GET only draws; a POST counts only from a page of ours.
//
// SO1  A key is looked at once: it is in no address, no cookie and no log, and wrong ones are counted as guesses are.
// SO2  Whoever signs in gets a session with an id of its own; the one the browser had before ends.
// SO3  They are led to a path of the console, and nowhere else.
// SO4  An assertion counts once, for the ticket of a page of ours, if it is of a passkey of somebody in the configuration.
//      Nothing is kept of any other.
import type { FastifyReply } from 'fastify'
import type { Markup } from '../adapter/markup.js'
import { PASSKEY } from '../console/passkey-script.js'
import { askingForm } from '../console/passkeys.js'
import { linkPage, signInPage } from '../console/sign-in.js'
import { personOf } from '../session/first-link.js'
import { challengeFor, findSigner } from '../session/passkey.js'
import { begin, end, endEverywhere } from '../session/session.js'
import { issue, read, spend } from '../session/ticket.js'
import { siteOf } from './console-passkeys.js'
import { leadTo, rootOf } from './console-visit.js'
import { has, sighting } from './door.js'
import { text } from './openapi/schema.js'
import { CODES } from './problem.js'
import { draw, stop, type Visit } from './reply-visit.js'
import { blocked } from './reply-words.js'
import { HTML, type Route, route } from './route.js'
import { cookieFor, foreignForm, giveCookie, idOf, isFromOurs, sessionOf } from './session.js'

const FORM_BYTES = 16 * 1024
/** Somebody who has opened the page signs in now. */
const ASKING_MS = 10 * 60 * 1000
const FORM = { media: ['application/x-www-form-urlencoded'], isBytes: true, atMost: FORM_BYTES } as const
const PAGE = { status: 200, media: HTML, words: 'the page' }
const ON = { status: 303, media: HTML, words: 'led on' }

export const SIGN_IN_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console',
    operationId: 'enterConsole',
    summary: 'Leads on: to the inbox, to operations, or to where people sign in',
    answers: [ON],
    handle: (parts, request, reply) => enter({ parts, request, reply }),
  }),
  route({
    method: 'get',
    path: '/console/sign-in',
    operationId: 'drawSignIn',
    summary: 'The ways to sign in; drawing them signs nobody in',
    query: { to: text, link: text },
    answers: [PAGE],
    refuses: ['not_available', 'not_found'],
    handle: (parts, request, reply) => look({ parts, request, reply }, request.query),
  }),
  route({
    method: 'post',
    path: '/console/sign-in',
    operationId: 'signIn',
    summary: 'Sign in with a passkey, with a key of scope operate, or with the link of a first start',
    takes: { ...FORM, body: 'SignInForm' },
    answers: [ON],
    refuses: [
      'not_available',
      'not_found',
      'foreign_origin',
      'unauthenticated',
      'scope_missing',
      'rate_limited',
      'sign_in_refused',
    ],
    handle: (parts, request, reply) => post({ parts, request, reply }),
  }),
  route({
    method: 'post',
    path: '/console/sign-out',
    operationId: 'signOut',
    summary: 'End this session; with everywhere=yes all sessions of this person',
    takes: { ...FORM, body: 'SignOutForm' },
    answers: [ON],
    refuses: ['foreign_origin', 'csrf_mismatch'],
    handle: (parts, request, reply) => leave({ parts, request, reply }),
  }),
]

export const NO_SIGN_IN =
  'Nobody signs in over plain http: serve the lane by https (PUBLIC_URL), or open it on its own machine.'
const FOREIGN = 'This must be sent from a page of the console.'
const STALE = 'This page is of an earlier session. Open the console again.'
const WRONG_KEY = 'This is no key of this lane, or it was revoked.'
const NO_SCOPE = 'This key may not operate: signing in needs scope operate.'
const WRONG_PASSKEY =
  'This passkey is nobody’s here, or the page is older than ten minutes. Open the page again; a passkey that was just made works once it is confirmed.'
const USED = 'This link was used, or its time is over. Start the lane again for another.'

async function enter(visit: Visit): Promise<FastifyReply> {
  const session = await sessionOf(visit.parts, visit.request)
  return leadTo(visit, session === null ? '/console/sign-in' : homeOf(session.kind))
}

const homeOf = (kind: 'person' | 'operator'): string =>
  kind === 'person' ? '/console/inbox' : '/console/operations'

type Query = { readonly to?: string; readonly link?: string }

function look(visit: Visit, { to = '', link }: Query): FastifyReply {
  if (cookieFor(visit.parts, visit.request) === null) return stop(visit, 'not_available', NO_SIGN_IN)
  if (link === undefined) return drawWays(visit, pathOf(to), null)
  const { parts } = visit
  const user = typeof link === 'string' ? personOf(ticketParts(visit), link) : null
  if (user === null) return stop(visit, 'not_found', USED)
  const name = parts.config.recipients[user]?.name ?? user
  return draw(visit, { kind: 'outside', title: 'Sign in', main: linkPage(rootOf(visit.parts), link, name) })
}

function drawWays(visit: Visit, to: string, refused: string | null, status = 200): FastifyReply {
  const root = rootOf(visit.parts)
  const passkey = askForPasskey(visit, to)
  const main = signInPage({ root, to, refused, passkey, hasProvider: visit.parts.oidc !== null })
  const asking = passkey !== null && { passkey: { use: 'get', script: PASSKEY } as const }
  return draw(visit, { kind: 'outside', title: 'Sign in', main, ...asking }, status)
}

/** Null where there can be no passkeys. The ticket is spent by the first who signs in with it (SO4). */
function askForPasskey({ parts }: Visit, to: string): Markup | null {
  const site = siteOf(parts)
  if (site === null) return null
  const ticket = issue(parts.csrf, 'sign-in', '', parts.now() + ASKING_MS)
  const action = `${rootOf(parts)}/console/sign-in`
  return askingForm({ action, to, ticket, challenge: challengeFor('get', ticket), host: site.host })
}

async function post(visit: Visit): Promise<FastifyReply> {
  const { parts, request } = visit
  if (cookieFor(parts, request) === null) return stop(visit, 'not_available', NO_SIGN_IN)
  if (!isFromOurs(request.headers, parts.publicUrl())) return stop(visit, 'foreign_origin', FOREIGN)
  const form = formOf(request.body)
  if (form.has('credential_id')) return byPasskey(visit, form)
  return form.has('link') ? byLink(visit, form.get('link') ?? '') : byKey(visit, form)
}

/** SO4. */
async function byPasskey(visit: Visit, form: URLSearchParams): Promise<FastifyReply> {
  const { parts, request } = visit
  const field = (name: string): string => form.get(name) ?? ''
  const site = siteOf(parts)
  const ticket = field('ticket')
  const isOurs = site !== null && read(parts.csrf, 'sign-in', ticket, parts.now()) !== null
  const signer = isOurs
    ? await findSigner(parts.store.shelf, site, ticket, {
        credential_id: field('credential_id'),
        client_data: field('client_data'),
        authenticator_data: field('authenticator_data'),
        signature: field('signature'),
      })
    : null
  const isKnown = signer !== null && parts.config.recipients[signer.user_id] !== undefined
  if (!isKnown || !(await spend(parts.store.ledger, ticket))) {
    parts.guesses.failed(request.ip)
    return stop(visit, 'sign_in_refused', WRONG_PASSKEY)
  }
  const by = signer.by === 'person' ? 'passkey' : 'passkey_by_operator'
  const { user_id, credential_hash } = signer
  return signIn(visit, { kind: 'person', user_id, by, credential_hash }, pathOf(field('to')))
}

/** Bytes of any kind: what is not as a form spells it has no field. */
const formOf = (body: unknown): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '')

async function byLink(visit: Visit, ticket: string): Promise<FastifyReply> {
  const user_id = personOf(ticketParts(visit), ticket)
  if (user_id === null || !(await spend(visit.parts.store.ledger, ticket)))
    return stop(visit, 'not_found', USED)
  return signIn(visit, { kind: 'person', user_id, by: 'console' }, '')
}

const ticketParts = ({ parts }: Visit) => ({
  csrf: parts.csrf,
  people: parts.config.recipients,
  now: parts.now(),
})

/** As at the door: a right key is always let in (SO1). */
async function byKey(visit: Visit, form: URLSearchParams): Promise<FastifyReply> {
  const { parts, request } = visit
  const to = pathOf(form.get('to') ?? '')
  const secret = form.get('key') ?? ''
  const caller = parts.keys.authenticate(secret) ?? (await parts.keys.lookAgain(secret))
  if (caller !== null && has(caller, 'operate'))
    return signIn(visit, { kind: 'operator', key_id: caller.key_id }, to)
  const wait = parts.guesses.blockedFor(request.ip)
  const known = parts.keys.holding(secret)?.key_id
  if (caller === null) parts.guesses.failed(request.ip)
  const why = caller !== null ? 'scope_missing' : known === undefined ? 'unknown_key' : 'revoked_key'
  parts.watch.turnedAway(sighting(request, why, known))
  if (caller !== null) return drawWays(visit, to, NO_SCOPE, CODES.scope_missing[0])
  if (wait === 0) return drawWays(visit, to, WRONG_KEY, CODES.unauthenticated[0])
  visit.reply.header('retry-after', wait)
  return stop(visit, 'rate_limited', blocked(wait))
}

type Who = Parameters<typeof begin>[1]

/** SO2. */
export async function signIn(visit: Visit, who: Who, to: string): Promise<FastifyReply> {
  const { parts, request } = visit
  giveCookie(visit, await begin(parts.store, who, idOf(parts, request)))
  return leadTo(visit, to === '' ? homeOf(who.kind) : to)
}

async function leave(visit: Visit): Promise<FastifyReply> {
  const { parts, request } = visit
  const session = await sessionOf(parts, request)
  const id = idOf(parts, request)
  if (session === null || id === null) return leadTo(visit, '/console/sign-in')
  const form = formOf(request.body)
  const flaw = foreignForm(parts, request, session, form.get('csrf') ?? '')
  if (flaw !== null) return stop(visit, flaw, flaw === 'foreign_origin' ? FOREIGN : STALE)
  if (form.get('everywhere') === 'yes' && session.kind === 'person')
    await endEverywhere(parts.store, session.user_id)
  await end(parts.store, id)
  giveCookie(visit, null)
  return leadTo(visit, '/console/sign-in')
}

/** A path of the console, or nothing (SO3): whatever a browser could take for another site is not spelt in these letters. */
export const pathOf = (to: string): string =>
  /^\/console(?:\/[A-Za-z0-9._~-]+){0,4}(?:\?[A-Za-z0-9._~=&%-]{0,500})?$/.test(to) && !to.includes('..')
    ? to
    : ''
