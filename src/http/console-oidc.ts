// Signing in by the OpenID provider: there, and back again. What the browser keeps meanwhile is a ticket in a cookie of its
// own; the address it comes back to holds nothing that signs anybody in without it.
import type { FastifyReply } from 'fastify'
import { confirmWords } from '../console/passkeys.js'
import { fingerprintOf } from '../enrolment/claim.js'
import { folded } from '../people/person.js'
import type { Flow, Vouched } from '../session/oidc.js'
import { issue, read, spend } from '../session/ticket.js'
import { spoken } from './console-passkeys.js'
import { NO_SIGN_IN, pathOf, signIn } from './console-sign-in.js'
import { rootOf } from './console-visit.js'
import { text } from './openapi/schema.js'
import { draw, stop, type Visit } from './reply-visit.js'
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
    answers: [
      { status: 303, media: HTML, words: 'signed in, and led on' },
      { status: 200, media: HTML, words: 'somebody is asked elsewhere whether this account is theirs' },
    ],
    refuses: ['not_found', 'not_available', 'sign_in_refused'],
    head: false,
    handle: (parts, request, reply) => finish({ parts, request, reply }),
  }),
]

const NONE = 'People do not sign in by a provider here.'
const AWAY = 'The provider by which people sign in does not answer. Try again shortly.'
const REFUSED =
  'The provider did not vouch for this sign-in, or it was begun in another browser, or used before. Begin again.'
const NOBODY =
  'The provider knows you, and nobody in the configuration of this lane is that person. An operator writes your `sub` there.'

const NO_CHANNEL = 'Nobody can be asked just now whether this account is theirs. Tell an operator.'

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
  if (ticket === null || !flow) return stop(visit, 'sign_in_refused', REFUSED)
  const begun = JSON.parse(flow) as Flow
  const vouched = await oidc.finish(new URL(`${redirectOf(visit)}${queryOf(request.raw.url)}`), begun)
  if (vouched === null) return stop(visit, 'sign_in_refused', REFUSED)
  const known = parts.accounts.whoHas(vouched)
  const user_id = known ?? (await whoLinks(parts, vouched))
  if (user_id === null) return stop(visit, 'sign_in_refused', NOBODY)
  // Only now: whoever is nobody here leaves nothing behind, however often they come.
  if (!(await spend(parts.store.ledger, ticket))) return stop(visit, 'sign_in_refused', REFUSED)
  return known === null
    ? askWhose(visit, user_id, vouched)
    : signIn(visit, { kind: 'person', user_id, by: 'oidc' }, begun.to)
}

/** The person whose account this may become, by an address of theirs that the provider vouches for; null for nobody. */
async function whoLinks({ accounts, config }: Visit['parts'], { issuer, address: ask }: Vouched) {
  const address = await ask()
  if (address === null) return null
  const at = folded(address.slice(address.lastIndexOf('@') + 1))
  return config.oidc.domains.includes(at) ? accounts.whoAwaits({ issuer }, address) : null
}

/** They say elsewhere whether it is theirs, and sign in again. */
async function askWhose(visit: Visit, userId: string, { issuer, sub }: Vouched): Promise<FastifyReply> {
  const { parts, request } = visit
  const claim = { kind: 'oidc', issuer, sub } as const
  const place = {
    host: new URL(parts.publicUrl()).hostname,
    browser: request.headers['user-agent'] ?? null,
  }
  const asked = await parts.enrolment.ask(userId, claim, place)
  if (asked.kind !== 'asked')
    return stop(visit, 'sign_in_refused', asked.kind === 'refused' ? asked.detail : NO_CHANNEL)
  const back = `${rootOf(parts)}/console/sign-in`
  const main = confirmWords(fingerprintOf(claim), spoken(asked.channels), back)
  return draw(visit, { kind: 'outside', title: 'Sign in', main })
}

/** As it came: the provider's answer is judged by the library, character by character. */
const queryOf = (url = ''): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')
