// The inbox of the person who has signed in, their history, and the stream of their own changes.
import type { FastifyReply } from 'fastify'
import { html } from '../adapter/markup.js'
import { type Phrase, recordedWords } from '../adapter/words.js'
import { holds } from '../agenda/asked.js'
import { isOpen } from '../agenda/case.js'
import { spoken } from '../agenda/ending.js'
import { instant } from '../clock.js'
import { drawPast } from '../console/history.js'
import { drawInbox, type Filters, MOST_COUNTED } from '../console/inbox.js'
import { itemOf } from '../console/item.js'
import { ifSound, type Waiting } from '../ledger/contract.js'
import { missingWords } from '../tally/so-far.js'
import { CONFIRMING, drawAsked } from './console-request.js'
import { asPerson, type PersonVisit, rootOf, show, soundCases } from './console-visit.js'
import { wholeNumber } from './door.js'
import { one, text } from './openapi/schema.js'
import { HTML, type Route, type RouteRequest, route } from './route.js'

/** Requests on a page: what one looks through, and no more stories than can be read at once. */
const PAGE = 40

const TYPES = ['REQUEST_QUESTION', 'REQUEST_REVIEW', 'REQUEST_APPROVAL']
const URGENCIES = ['low', 'normal', 'high']

const QUERY = {
  at: text,
  type: one(...TYPES),
  urgency: one(...URGENCIES),
  after: text,
  done: text,
  view: one('past'),
  before: text,
}
type Looking = RouteRequest<never, keyof typeof QUERY>

export const INBOX_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/inbox',
    operationId: 'drawInbox',
    summary: 'What waits for the person who has signed in, the soonest deadline first',
    query: QUERY,
    answers: [
      { status: 200, media: HTML, words: 'the inbox, or the history' },
      { status: 303, media: HTML, words: 'to where people sign in' },
    ],
    refuses: ['not_found', 'seal_broken'],
    handle: (parts, request, reply) =>
      asPerson({ parts, request, reply }, visit =>
        request.query.view === 'past' ? past(visit, request.query) : inbox(visit, request.query),
      ),
  }),
]

async function inbox(visit: PersonVisit, query: Looking['query']): Promise<FastifyReply> {
  const { parts, session } = visit
  const { ledger } = parts.store
  const { user_id } = session
  const filters = filtersIn(query)
  const after = cursorIn(query.after)
  // Read before the list: what comes between is told again rather than not at all.
  const { size: from } = await ledger.head()
  const [listed, count] = await Promise.all([
    ledger.inbox({ user_id, ...filters, ...(after && { after }), limit: PAGE + 1 }),
    ledger.countWaiting(user_id, MOST_COUNTED),
  ])
  const page = listed.slice(0, PAGE)
  const cases = await soundCases(visit, page)
  const items = cases
    .filter(subject => isOpen(subject) && holds(subject.asked, user_id))
    .map(subject => itemOf(subject, user_id, parts.keys.nameOf(subject.opened_by)))
  const last = listed.length > PAGE ? page.at(-1) : undefined
  const root = rootOf(parts)
  const next =
    last && `${root}/console/inbox?${new URLSearchParams({ ...filters, after: cursorOf(last) }).toString()}`
  const main = drawInbox({
    root,
    items,
    count,
    filters,
    selected:
      query.at === undefined ? null : { request_id: query.at, pane: await drawAsked(visit, query.at) },
    next: next ?? null,
    done: query.done === undefined ? null : await doneWith(visit, query.done),
    now: instant(parts.now()),
    from,
  })
  return show(visit, { title: 'Inbox', here: 'inbox', main, passkey: CONFIRMING })
}

function filtersIn({ type, urgency }: Looking['query']): Filters {
  return {
    ...(type !== undefined && TYPES.includes(type) && { type }),
    ...(urgency !== undefined && URGENCIES.includes(urgency) && { urgency }),
  }
}

const cursorOf = ({ deadline_ms, opened_seq }: Waiting): string => `${deadline_ms}.${opened_seq}`
function cursorIn(text: string | undefined): Pick<Waiting, 'deadline_ms' | 'opened_seq'> | null {
  const [, deadline_ms, opened_seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(text ?? '') ?? []
  return opened_seq === undefined
    ? null
    : { deadline_ms: Number(deadline_ms), opened_seq: Number(opened_seq) }
}

/** What the person has just done, by the ledger; null where they have done nothing to it. */
async function doneWith({ parts, session }: PersonVisit, id: string): Promise<readonly Phrase[] | null> {
  const subject = await ifSound(parts.lane.current(id))
  if (subject === null) return null
  const { user_id } = session
  if (subject.hands.some(({ from, by }) => from === user_id && by === 'person')) return ['You handed it on.']
  const own = subject.replies.findLast(({ reply }) => reply.sender_identity.user_id === user_id)
  if (own === undefined) return null
  return recordedWords({
    answer: spoken(own.reply),
    missing: isOpen(subject) ? missingWords(subject) : null,
  })
}

async function past(visit: PersonVisit, { before }: Looking['query']): Promise<FastifyReply> {
  const { parts, session } = visit
  const { user_id } = session
  const until = wholeNumber(before, Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER)
  const listed = await parts.store.ledger.past(user_id, until ?? Number.MAX_SAFE_INTEGER, PAGE + 1)
  const page = listed.slice(0, PAGE)
  const cases = await soundCases(visit, page)
  const root = rootOf(parts)
  const last = listed.length > PAGE ? page.at(-1) : undefined
  const main = drawPast({
    root,
    user_id,
    entries: cases.map(subject => ({
      subject,
      item: itemOf(subject, user_id, parts.keys.nameOf(subject.opened_by)),
    })),
    next: last === undefined ? null : `${root}/console/inbox?view=past&before=${last.over_seq}`,
  })
  return show(visit, { title: 'History', here: 'past', main: html`${main}` })
}
