// One request before the person who has signed in: the display as the reply page draws it, the form, and its story. GET opens it
// for them and decides nothing; a POST is an answer like any other.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { RefusedReply } from '../adapter/contract.js'
import { html, type Markup } from '../adapter/markup.js'
import type { Form, PageState } from '../adapter/page.js'
import { has, holds } from '../agenda/asked.js'
import { type Case, isOpen } from '../agenda/case.js'
import { instant } from '../clock.js'
import { CONFIRM } from '../console/confirm-script.js'
import { phrases } from '../console/inbox.js'
import { endedFor, itemOf } from '../console/item.js'
import { saying } from '../console/sheet.js'
import { drawTimeline, timelineOf } from '../console/timeline.js'
import { settledOf } from '../tally/form.js'
import { missingWords } from '../tally/so-far.js'
import { asPerson, leadTo, type PersonVisit, rootOf, show, stopIn } from './console-visit.js'
import type { DoorParts } from './door.js'
import { CODES, type Code } from './problem.js'
import { hasVoted } from './reply-state.js'
import { explain, HANDED, inSession, unread, VOTED } from './reply-words.js'
import { HTML, type Route, route } from './route.js'
import { foreignForm } from './session.js'
import { answerInSession, doubtOf, isVisit, openForPerson } from './session-answer.js'

/** Pages on which a passkey may be asked for. */
export const CONFIRMING = { use: 'get', script: CONFIRM } as const

const FOREIGN = 'The answer must be sent from a page of the console.'
const STALE = 'Open the request again, and answer from the page it shows.'
const TOO_LONG = 'That is longer than any answer. Open the request again and answer in fewer words.'
const malformed = (fault: string): string =>
  `The form was not as the page sends it (${fault}). Open the request again.`

/** All that a form can hold, with room to tell the sender of a longer reply that it is too long. */
const FORM_BYTES = 128 * 1024

const PAGE_ANSWERS = [
  { status: 200, media: HTML, words: 'the page' },
  { status: 303, media: HTML, words: 'to where people sign in' },
] as const

export const REQUEST_PAGE_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/requests/{id}',
    operationId: 'drawRequest',
    summary: 'A request before the person who has signed in; opening it decides nothing',
    answers: PAGE_ANSWERS,
    refuses: ['seal_broken'],
    handle: (parts, request, reply) =>
      asPerson({ parts, request, reply }, visit => look(visit, request.params.id)),
  }),
  route({
    method: 'post',
    path: '/console/requests/{id}',
    operationId: 'answerInSession',
    summary: 'Answer it in the session',
    takes: {
      media: ['application/x-www-form-urlencoded'],
      body: 'SessionForm',
      isBytes: true,
      atMost: FORM_BYTES,
    },
    answers: [
      { status: 200, media: HTML, words: 'the page again, with approvals chosen alike' },
      { status: 303, media: HTML, words: 'recorded: to the inbox; or to where people sign in' },
    ],
    refuses: [
      'malformed_form',
      'foreign_origin',
      'csrf_mismatch',
      'code_mismatch',
      'changed',
      'delegated_away',
      'already_voted',
      'decision_answered',
      'reason_missing',
      'reply_rejected',
      'already_resolved',
      'deadline_passed',
      'rate_limited',
      'reply_too_long',
      'reply_bad_charset',
      'reply_not_in_schema',
      'seal_broken',
    ],
    onError: tooLarge,
    handle: (parts, request, reply) =>
      asPerson({ parts, request, reply }, visit => post(visit, request.params.id)),
  }),
]

type Opened = NonNullable<Awaited<ReturnType<typeof openForPerson>>>
type Open = Extract<PageState, { kind: 'open' }>
type Filled = Extract<Form, { kind: 'form' }>
type Before = { readonly refused: Open['refused']; readonly typed: Open['typed'] }
const AT_FIRST: Before = { refused: null, typed: null }

/** The request as it can be shown to them; null where it was never theirs. */
async function theirs({ parts, session }: PersonVisit, id: string): Promise<Case | null> {
  const subject = await parts.lane.current(id)
  return subject !== null && has(subject.asked, session.user_id) ? subject : null
}

/** What stands in the pane of the inbox. */
export async function drawAsked(visit: PersonVisit, id: string): Promise<Markup> {
  const subject = await theirs(visit, id)
  return subject === null
    ? saying('Nothing is here', html`This is no request of yours.`)
    : asked(visit, subject)
}

async function asked(visit: PersonVisit, subject: Case, before = AT_FIRST): Promise<Markup> {
  const { parts, session, request } = visit
  const { user_id } = session
  if (!holds(subject.asked, user_id)) return saying('It is no longer yours', html`${HANDED}`)
  if (!isOpen(subject)) return ended(visit, subject)
  if (hasVoted(subject, user_id))
    return saying(VOTED, html`It stands, and nothing more is asked of you. ${missingWords(subject) ?? ''}`)
  if (!isVisit(request)) return saying('Not opened yet', html`Open this page to see the request.`)
  const opened = await openForPerson(parts, session, subject)
  return opened === null
    ? saying('It cannot be answered here', html`Answer where you were asked.`)
    : parts.page.drawOpen(stateOf(visit, opened, before))
}

const ended = ({ parts, session }: PersonVisit, subject: Case): Markup => {
  const { kind, headline, asked_by, run_id } = itemOf(
    subject,
    session.user_id,
    parts.keys.nameOf(subject.opened_by),
  )
  return html`<section class="sheet stack"><p class="who">${kind} of <strong>${asked_by}</strong>, in run <code>${run_id}</code></p><h1 class="long">${headline}</h1><p>${phrases(endedFor(subject, session.user_id))}</p></section>`
}

const stateOf = ({ parts, session }: PersonVisit, opened: Opened, { refused, typed }: Before): Open => ({
  kind: 'open',
  handle: '',
  display: opened.display,
  elsewhere: null,
  csrf: opened.isAnswerable ? session.csrf : null,
  refused,
  typed,
  settled: settledOf(opened.subject),
  // The contents stand on the page; those of a link have pages of their own.
  openable: [],
  standing: missingWords(opened.subject),
  beside: parts.lane.beside(opened.subject, session.user_id),
  now: instant(parts.now()),
  session: {
    display_hash: opened.display_hash,
    action: `${rootOf(parts)}/console/requests/${opened.subject.request_id}`,
    asksCode: opened.needsCode && opened.confirming?.isNeeded !== true,
    confirming: opened.confirming && {
      isNeeded: opened.confirming.isNeeded,
      challenge:
        opened.confirming.credentials.length === 0
          ? null
          : `${rootOf(parts)}/console/requests/${opened.subject.request_id}/challenge`,
      passkeys: `${rootOf(parts)}/console/passkeys`,
    },
  },
})

async function look(visit: PersonVisit, id: string): Promise<FastifyReply> {
  const subject = await theirs(visit, id)
  return subject === null ? absent(visit) : whole(visit, subject)
}

async function whole(
  visit: PersonVisit,
  subject: Case,
  before = AT_FIRST,
  status = 200,
): Promise<FastifyReply> {
  const { parts, session } = visit
  const { user_id } = session
  const drawn = await asked(visit, subject, before)
  const story = holds(subject.asked, user_id)
    ? timelineOf(await parts.store.ledger.story(subject.request_id), user_id, {
        person: id => parts.config.recipients[id]?.name ?? id,
        key: id => parts.keys.nameOf(id),
      })
    : []
  const main = html`<div class="whole"><p class="back"><a href="${rootOf(parts)}/console/inbox">Inbox</a></p>${drawn}
${story.length === 0 ? null : html`<section class="sheet" aria-labelledby="story-title"><h2 id="story-title">What has happened</h2>${drawTimeline(story)}</section>`}</div>`
  return show(
    visit,
    {
      title: before.refused === null ? 'A request' : 'Not taken: please answer again',
      here: 'request',
      main,
      passkey: CONFIRMING,
    },
    status,
  )
}

const absent = (visit: PersonVisit): FastifyReply =>
  stopIn(visit, 'not_found', html`This is no request of yours.`)

async function post(visit: PersonVisit, id: string): Promise<FastifyReply> {
  const { parts, session, request } = visit
  const form = parts.page.readForm(request.body as Uint8Array, request.headers['content-type'])
  const foreign = foreignForm(parts, request, session, form.kind === 'form' ? form.csrf : '')
  if (foreign === 'foreign_origin') return stopIn(visit, foreign, html`${FOREIGN}`)
  if (form.kind === 'malformed') {
    const code = form.code === 'unsupported_media_type' ? form.code : 'malformed_form'
    return stopIn(visit, code, html`${malformed(form.code)}`)
  }
  if (foreign !== null) return stopIn(visit, foreign, html`${STALE}`)
  const subject = await theirs(visit, id)
  if (subject === null) return absent(visit)
  // Only chooses: nothing is sent, and nothing recorded.
  if (form.all !== null) return whole(visit, subject, { refused: null, typed: form })
  const verdict = await answerInSession(parts, session, subject, {
    ...form,
    display: form.display ?? '',
  })
  switch (verdict.kind) {
    case 'recorded':
      return leadTo(visit, `/console/inbox?done=${encodeURIComponent(id)}`)
    case 'refused':
      return refuse(visit, id, verdict, form)
    case 'stopped':
      return verdict.code === 'changed' ? changed(visit, subject) : again(visit, id)
    case 'unknown':
      return absent(visit)
  }
}

/** It was drawn from another display: the person looks at the one that holds now, and nothing of theirs is kept. */
const changed = (visit: PersonVisit, subject: Case): Promise<FastifyReply> => {
  const message =
    'What is shown has changed since you opened it. Nothing was sent: look again, and answer what stands here now.'
  return whole(
    visit,
    subject,
    { refused: { message, read: '', accepted: '' }, typed: null },
    CODES.changed[0],
  )
}

/** There is no copy that they could answer: it has ended, or was never opened by them. */
async function again(visit: PersonVisit, id: string): Promise<FastifyReply> {
  const subject = await theirs(visit, id)
  if (subject === null) return absent(visit)
  if (isOpen(subject) && holds(subject.asked, visit.session.user_id)) return changed(visit, subject)
  const code: Code = holds(subject.asked, visit.session.user_id) ? 'already_resolved' : 'delegated_away'
  return whole(visit, subject, AT_FIRST, CODES[code][0])
}

async function refuse(
  visit: PersonVisit,
  id: string,
  refused: RefusedReply,
  form: Filled,
): Promise<FastifyReply> {
  const isDoubted = refused.reason === 'sender_unauthenticated'
  const doubt = isDoubted ? await doubtOf(visit.parts, visit.session, form) : null
  const { code, detail } = explain(refused, inSession(doubt))
  const subject = await theirs(visit, id)
  if (subject === null) return absent(visit)
  const { read, accepted, lines } = refused
  const why = {
    message: read === null ? detail : unread(refused.reason),
    read: read ?? '',
    accepted: accepted ?? '',
    ...(lines !== undefined && { lines }),
  }
  return whole(visit, subject, { refused: why, typed: form }, CODES[code][0])
}

/** A person who typed too much is told so on a page; any other surprise is the door's. */
function tooLarge(parts: DoorParts, error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
  void asPerson({ parts, request, reply }, async visit => stopIn(visit, 'too_large', html`${TOO_LONG}`))
}
