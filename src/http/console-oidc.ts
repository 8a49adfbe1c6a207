// Signing in by the OpenID provider: there, and back again. What the browser keeps meanwhile is a ticket in a cookie of its
// own; the address it comes back to holds nothing that signs anybody in without it.
import type { FastifyReply } from 'fastify'
import type { Flow } from '../session/oidc.js'
import { issue, read, spend } from '../session/ticket.js'
import { pathOf, signIn } from './console-sign-in.js'
import { text } from './openapi/schema.js'
import { stop, type Visit } from './reply-visit.js'
import { HTML, type Route, route } from './route.js'
import { cookieFor, giveCookie, idOf } from './session.js'

/** The provider's own page may take a second factor. */
const FLOW_SECONDS = 600
/** Behind the name of the session's cookie. */
const FLOW = '-oidc'

export const OIDC_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/oidc/start',
    operationId: 'startOidc',
    summary: 'To the OpenID provider',
    query: { to: text },
    answers: [{ status: 303, media: HTML, words: 'to the provider' }],
    refuses: ['not_found', 'not_available', 'provider_unavailable'],
    head: false,
    handle: (parts, request, reply) => start({ parts, request, reply }, request.query.to),
  }),
  route({
    method: 'get',
    path: '/console/oidc/callback',
    operationId: 'finishOidc',
    summary: 'Back from the OpenID provider',
    query: { code: text, state: text, iss: text, error: text, error_description: text },
    answers: [{ status: 303, media: HTML, words: 'signed in, and led on' }],
    refuses: ['not_found', 'not_available', 'sign_in_refused'],
    head: false,
    handle: (parts, request, reply) => finish({ parts, request, reply }),
  }),
]

const NONE = 'People do not sign in by a provider here.'
const NO_SIGN_IN =
  'Nobody signs in over plain http: serve the lane by https (PUBLIC_URL), or open it on its own machine.'
const AWAY = 'The provider by which people sign in does not answer. Try again shortly.'
const REFUSED =
  'The provider did not vouch for this sign-in, or it was begun in another browser, or used before. Begin again.'
const NOBODY =
  'The provider knows you, and nobody in the configuration of this lane is that person. An operator writes your `sub` there.'

const redirectOf = ({ parts }: Visit): string => `${parts.publicUrl()}/console/oidc/callback`

async function start(visit: Visit, to = ''): Promise<FastifyReply> {
  const { parts, request, reply } = visit
  if (parts.oidc === null) return stop(visit, 'not_found', NONE)
  if (cookieFor(parts, request) === null) return stop(visit, 'not_available', NO_SIGN_IN)
  const begun = await parts.oidc.begin(redirectOf(visit), pathOf(String(to)))
  if (begun === null) return stop(visit, 'provider_unavailable', AWAY)
  const until = parts.now() + FLOW_SECONDS * 1000
  const ticket = issue(parts.csrf, 'oidc', JSON.stringify(begun.flow), until)
  giveCookie(visit, { id: ticket, seconds: FLOW_SECONDS }, FLOW)
  return reply.code(303).header('location', begun.url).type('text/html; charset=utf-8').send('')
}

async function finish(visit: Visit): Promise<FastifyReply> {
  const { parts, request } = visit
  const { oidc } = parts
  if (oidc === null) return stop(visit, 'not_found', NONE)
  if (cookieFor(parts, request) === null) return stop(visit, 'not_available', NO_SIGN_IN)
  const ticket = idOf(parts, request, FLOW)
  const flow = ticket && read(parts.csrf, 'oidc', ticket, parts.now())
  giveCookie(visit, null, FLOW)
  if (ticket === null || !flow || !(await spend(parts.store.ledger, ticket)))
    return stop(visit, 'sign_in_refused', REFUSED)
  const begun = JSON.parse(flow) as Flow
  const sub = await oidc.finish(new URL(`${redirectOf(visit)}${queryOf(request.raw.url)}`), begun)
  if (sub === null) return stop(visit, 'sign_in_refused', REFUSED)
  const person = Object.values(parts.config.recipients).find(one => one.oidc === sub)
  if (person === undefined) return stop(visit, 'sign_in_refused', NOBODY)
  return signIn(visit, { kind: 'person', user_id: person.user_id, by: 'oidc' }, begun.to)
}

/** As it came: the provider's answer is judged by the library, character by character. */
const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')
