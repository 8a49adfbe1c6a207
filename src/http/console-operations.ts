// The operator's window, read from cases and configuration. Every view costs the same whatever was ever asked: it looks at the
// newest requests, or at one page. Nothing here answers, and no link, handle, code or address is shown.
import type { FastifyReply } from 'fastify'
import type { Finding } from '../adapter/contract.js'
import { html, type Markup } from '../adapter/markup.js'
import type { Case } from '../agenda/case.js'
import {
  drawDeliveries,
  drawOperations,
  drawRequests,
  drawRuns,
  ROWS,
  table,
  tag,
  VIEWS,
  type View,
  when,
} from '../console/operations.js'
import { drawTimeline, timelineOf } from '../console/timeline.js'
import { within } from '../patience.js'
import { reasonOf } from '../say.js'
import { asOperator, type OperatorVisit, rootOf, show, soundCases, stopIn } from './console-visit.js'
import { wholeNumber } from './door.js'
import { one, text } from './openapi/schema.js'
import { HTML, type Route, route } from './route.js'

/** The requests that charts are drawn of. */
const NEWEST = 200
/** A provider that does not answer is named, and holds up nobody. */
const LOOK_MS = 3_000

type Query = {
  readonly view?: string
  readonly request?: string
  readonly before?: string
  readonly page?: string
}

export const OPERATIONS_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/console/operations',
    operationId: 'drawOperations',
    summary: 'What an operator who has signed in sees; it answers nothing',
    query: { view: one(...VIEWS), request: text, before: text, page: text },
    answers: [
      { status: 200, media: HTML, words: 'the page' },
      { status: 303, media: HTML, words: 'to where operators sign in' },
    ],
    refuses: ['not_found', 'seal_broken'],
    handle: (parts, request, reply) =>
      asOperator({ parts, request, reply }, visit => look(visit, request.query)),
  }),
]

async function look(visit: OperatorVisit, query: Query): Promise<FastifyReply> {
  const root = rootOf(visit.parts)
  if (query.request !== undefined) return story(visit, query.request)
  const view = VIEWS.find(known => known === query.view) ?? 'requests'
  const main = drawOperations(root, view, await DRAWN[view](visit, query))
  return show(visit, { title: 'Operations', here: 'operations', main })
}

type Drawn = (visit: OperatorVisit, query: Query) => Promise<Markup>
const DRAWN: Readonly<Record<View, Drawn>> = {
  requests,
  runs: async visit => drawRuns(rootOf(visit.parts), await newest(visit)),
  deliveries: async visit => drawDeliveries(rootOf(visit.parts), await newest(visit)),
  people,
  keys,
  channels,
  ledger,
}

const newest = async (visit: OperatorVisit, before = Number.MAX_SAFE_INTEGER): Promise<readonly Case[]> =>
  soundCases(visit, await visit.parts.store.ledger.list({ before, limit: NEWEST }))

async function requests(visit: OperatorVisit, { before }: Query): Promise<Markup> {
  const until = wholeNumber(before, Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER)
  const cases = await newest(visit, until ?? Number.MAX_SAFE_INTEGER)
  const root = rootOf(visit.parts)
  const last = cases.length > ROWS ? cases[ROWS - 1] : undefined
  const next = last === undefined ? null : `${root}/console/operations?before=${last.receipt.seq}`
  return drawRequests({ root, cases, nameOf: id => visit.parts.keys.nameOf(id), next })
}

async function people({ parts }: OperatorVisit, { page }: Query): Promise<Markup> {
  const all = Object.entries(parts.config.recipients)
  const from = (wholeNumber(page, 0, 0, all.length) ?? 0) * ROWS
  const rows = all
    .slice(from, from + ROWS)
    .map(async ([user_id, { name, channels, time_zone }]) => [
      user_id,
      name,
      channels.join(', '),
      time_zone ?? '–',
      `${await parts.store.ledger.countWaiting(user_id, 1000)}`,
    ])
  const more = all.length > from + ROWS
  return html`${table(['Person', 'Name', 'Channels', 'Time zone', 'Waiting'], await Promise.all(rows), 'Nobody is configured.')}
${more ? html`<p class="more"><a href="${rootOf(parts)}/console/operations?view=people&page=${from / ROWS + 1}">More</a></p>` : null}`
}

async function keys({ parts }: OperatorVisit): Promise<Markup> {
  await parts.keys.reload()
  const rows = parts.keys
    .all()
    .map(({ key_id, name, scopes, created_at, revoked_at, owner }) => [
      name,
      key_id,
      scopes.join(', '),
      owner ?? '–',
      when(created_at),
      revoked_at === null ? tag('in use', 'good') : tag('revoked', 'bad'),
    ])
  return table(['Key', 'Id', 'Scopes', 'Owner', 'Made', 'State'], rows, 'There is no key.')
}

/** Asks each provider whether the lane could work with it, as `lane doctor` does. */
async function channels({ parts }: OperatorVisit): Promise<Markup> {
  const looks = [...parts.adapters.values()].map(async ({ channel, check }) => {
    const failed = (message: string): readonly Finding[] => [
      { check: channel, status: 'fail', message, remedy: null },
    ]
    const asked = (check?.() ?? Promise.resolve([])).catch((error: unknown) =>
      failed(`could not be examined: ${reasonOf(error)}`),
    )
    const found = await within(LOOK_MS, asked, failed('the provider does not answer'))
    const wrong = found.filter(({ status }) => status !== 'ok')
    return [
      channel,
      wrong.length === 0 ? tag('works', 'good') : tag('look', 'bad'),
      wrong.map(({ message, remedy }) => (remedy === null ? message : `${message}: ${remedy}`)).join('; ') ||
        'nothing is wrong',
    ]
  })
  return table(['Channel', 'State', 'Found'], await Promise.all(looks), 'No channel runs.')
}

async function ledger({ parts }: OperatorVisit): Promise<Markup> {
  const [head, checkpoint] = await Promise.all([parts.store.ledger.head(), parts.notary.newest()])
  const broken = parts.store.seals.broken()
  const rows = [
    ['Entries', `${head.size}`],
    ['Hash of the last', html`<code>${head.hash}</code>`],
    ['Seals', broken.length === 0 ? tag('hold', 'good') : tag(`broken: ${broken.join('; ')}`, 'bad')],
    ['Clock', parts.store.ledger.suspect() ? tag('suspect', 'bad') : tag('sound', 'good')],
    ['Alarms', parts.alarmTroubles().join('; ') || tag('ring in time', 'good')],
    ['Newest checkpoint', checkpoint === null ? 'none was signed yet' : `covers ${checkpoint.size} entries`],
    ['Version', parts.version],
  ] as const
  return html`${table(['What', 'Now'], rows, '')}${checkpoint === null ? null : html`<pre class="content">${checkpoint.note}</pre>`}`
}

async function story(visit: OperatorVisit, id: string): Promise<FastifyReply> {
  const { parts } = visit
  const subject = await parts.lane.current(id)
  if (subject === null) return stopIn(visit, 'not_found', html`There is no request with that id.`)
  const told = timelineOf(await parts.store.ledger.story(id), null, {
    person: user => parts.config.recipients[user]?.name ?? user,
    key: key => parts.keys.nameOf(key),
  })
  const root = rootOf(parts)
  const main = html`<div class="whole"><p class="back"><a href="${root}/console/operations">Operations</a></p>
<section class="sheet"><h1>${subject.request_id}</h1><p class="soft">run ${subject.run.run_id}, ${subject.state}, due ${when(subject.deadline_at)}</p>${drawTimeline(told)}</section></div>`
  return show(visit, { title: 'A story', here: 'operations', main })
}
