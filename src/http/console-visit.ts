// A visit to the console: whose session it is, and pages in their name. Whoever has none is led to where they sign in.
import type { FastifyReply } from 'fastify'
import { html, type Markup } from '../adapter/markup.js'
import type { Case } from '../agenda/case.js'
import { saying, type Viewer, write } from '../console/sheet.js'
import { ifSound } from '../ledger/contract.js'
import type { Session } from '../session/session.js'
import { CODES, type Code } from './problem.js'
import type { Visit } from './reply-visit.js'
import { sessionOf } from './session.js'

export type PersonVisit = Visit & { readonly session: Extract<Session, { kind: 'person' }> }
export type OperatorVisit = Visit & { readonly session: Extract<Session, { kind: 'operator' }> }
type SignedIn = Visit & { readonly session: Session }

/** The path under which the lane is reached: '' or '/lane'. */
export const rootOf = ({ publicUrl }: Pick<Visit['parts'], 'publicUrl'>): string =>
  new URL(publicUrl()).pathname.replace(/\/$/, '')

export const leadTo = ({ parts, reply }: Visit, path: string): FastifyReply =>
  reply
    .code(303)
    .header('location', `${rootOf(parts)}${path}`)
    .type('text/html; charset=utf-8')
    .send('')

/** Calls back for a person; an operator has no inbox and answers nothing, whatever is posted. */
export async function asPerson(
  visit: Visit,
  go: (visit: PersonVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const session = await sessionOf(visit.parts, visit.request)
  if (session === null) return toSignIn(visit)
  return session.kind === 'person' ? go({ ...visit, session }) : notTheirs({ ...visit, session })
}

export async function asOperator(
  visit: Visit,
  go: (visit: OperatorVisit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const session = await sessionOf(visit.parts, visit.request)
  if (session === null) return toSignIn(visit)
  return session.kind === 'operator' ? go({ ...visit, session }) : notTheirs({ ...visit, session })
}

/** After signing in they come back to the page they wanted; a form they posted is not sent again. */
const toSignIn = (visit: Visit): FastifyReply =>
  leadTo(
    visit,
    visit.request.method === 'GET'
      ? `/console/sign-in?to=${encodeURIComponent(visit.request.url)}`
      : '/console/sign-in',
  )

const notTheirs = (visit: SignedIn): FastifyReply =>
  stopIn(
    visit,
    'not_found',
    visit.session.kind === 'operator'
      ? html`An operator answers nothing and has no inbox. <a href="${rootOf(visit.parts)}/console/operations">Operations</a> is what this session sees.`
      : html`<a href="${rootOf(visit.parts)}/console/inbox">Your inbox</a> is what this session sees.`,
  )

/** The cases as they stand. One whose seals are broken is not shown; the operator hears of it. */
export async function soundCases(
  { parts }: Visit,
  listed: readonly { readonly request_id: string }[],
): Promise<readonly Case[]> {
  const read = listed.map(({ request_id }) => ifSound(parts.lane.current(request_id)))
  return (await Promise.all(read)).filter(subject => subject !== null)
}

const viewerOf = ({ parts, session }: SignedIn): Viewer => ({
  root: rootOf(parts),
  kind: session.kind,
  name:
    session.kind === 'operator'
      ? session.name
      : (parts.config.recipients[session.user_id]?.name ?? session.user_id),
  csrf: session.csrf,
})

type Sheet = Parameters<typeof write>[2]

export function show(visit: SignedIn, sheet: Sheet, status = 200): FastifyReply {
  const { headers, body } = write(visit.parts.page, viewerOf(visit), sheet)
  return visit.reply.code(status).headers(headers).send(body)
}

export function stopIn(visit: SignedIn, code: Code, words: Markup): FastifyReply {
  const [status, title] = CODES[code]
  return show(visit, { title, here: 'request', main: saying(title, words) }, status)
}
