// The operator's window: what is asked, how it ends, and what fails. It shows no link, handle or code, and answers nothing.
import { html, type Markup } from '../adapter/markup.js'
import { type Case, isOpen } from '../agenda/case.js'
import { display } from '../request/display.js'
import { inUtc, typeWord } from '../request/words.js'
import { medianOf, outcomesChart, timesChart } from './chart.js'
import { current } from './sheet.js'

export const VIEWS = ['requests', 'runs', 'deliveries', 'people', 'keys', 'channels', 'ledger'] as const
export type View = (typeof VIEWS)[number]

const NAMES: Readonly<Record<View, string>> = {
  requests: 'Requests',
  runs: 'Runs',
  deliveries: 'Failing deliveries',
  people: 'People',
  keys: 'Keys',
  channels: 'Channels',
  ledger: 'Ledger',
}

/** Every view has the same head. */
export const drawOperations = (
  root: string,
  view: View | null,
  main: Markup,
): Markup => html`<div class="head"><h1>Operations</h1></div>
<nav class="filters views" aria-label="Operations">${VIEWS.map(
  one => html`<a href="${root}/console/operations?view=${one}"${current(one === view)}>${NAMES[one]}</a>`,
)}</nav>${main}`

type Cell = Markup | string
/** A table that is a list of blocks on a small screen. */
export const table = (heads: readonly string[], rows: readonly (readonly Cell[])[], empty: string): Markup =>
  rows.length === 0
    ? html`<div class="empty"><p>${empty}</p></div>`
    : html`<div class="table"><table><thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows.map(
        row =>
          html`<tr>${row.map((cell, at) => (at === 0 ? html`<th scope="row">${cell}</th>` : html`<td data-of="${heads[at] ?? ''}">${cell}</td>`))}</tr>`,
      )}</tbody></table></div>`

export const when = (instant: string): Markup => html`<time datetime="${instant}">${inUtc(instant)}</time>`

export const tag = (words: string, tone: '' | 'good' | 'bad' = ''): Markup =>
  html`<span class="tag ${tone}">${words}</span>`

const toneOf = (state: Case['state']): '' | 'good' | 'bad' =>
  state === 'answered' ? 'good' : state === 'defaulted' || state === 'undelivered' ? 'bad' : ''

const storyOf = (root: string, request_id: string, words: string): Markup =>
  html`<a href="${root}/console/operations?request=${encodeURIComponent(request_id)}">${words}</a>`

type Requests = {
  readonly root: string
  /** The newest, by which the charts are drawn. */
  readonly cases: readonly Case[]
  readonly nameOf: (keyId: string) => string
  readonly next: string | null
}

/** Rows on a page. */
export const ROWS = 40

export function drawRequests({ root, cases, nameOf, next }: Requests): Markup {
  const median = medianOf(cases)
  const rows = cases.slice(0, ROWS).map(subject => {
    const shown = display(subject, nameOf(subject.opened_by))
    return [
      storyOf(root, subject.request_id, shown.headline),
      tag(subject.state === 'pending' ? 'open' : subject.state, toneOf(subject.state)),
      typeWord(shown.type),
      shown.asked_by,
      subject.run.run_id,
      when(isOpen(subject) ? subject.deadline_at : (subject.resolved_at ?? subject.deadline_at)),
    ]
  })
  return html`<div class="grid three">
<section class="figure" aria-labelledby="how"><h2 id="how">How they ended</h2><p class="soft">the newest ${cases.length} requests</p>${outcomesChart(cases)}</section>
<section class="figure" aria-labelledby="times"><h2 id="times">Time to answer</h2><p class="soft">how many came within</p>${timesChart(cases)}</section>
<section class="figure" aria-labelledby="half"><h2 id="half">Half of the answers came within</h2><p class="big">${median === null ? '–' : spanOf(median)}</p><p class="soft">${cases.filter(isOpen).length} of these are open</p></section>
</div><p class="after"></p>
${table(['Request', 'State', 'Kind', 'Asked by', 'Run', 'Ended, or due'], rows, 'Nothing was asked yet. An agent asks with POST /v1/requests, or by `lane ask`.')}
${next === null ? null : html`<p class="more"><a href="${next}">Older</a></p>`}`
}

function spanOf(seconds: number): string {
  if (seconds < 1) return 'under 1 s'
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

export function drawRuns(root: string, cases: readonly Case[]): Markup {
  const runs = new Map<string, Case[]>()
  for (const subject of cases)
    runs.set(subject.run.run_id, [...(runs.get(subject.run.run_id) ?? []), subject])
  const rows = [...runs].map(([run_id, of]) => [
    run_id,
    `${of.length}`,
    `${of.filter(isOpen).length}`,
    of[0]?.decision?.decision ?? '–',
    storyOf(root, of[0]?.request_id ?? '', 'The newest'),
  ])
  return table(['Run', 'Requests', 'Open', 'Last decision', 'Story'], rows, 'No run has asked anything yet.')
}

export function drawDeliveries(root: string, cases: readonly Case[]): Markup {
  const rows = cases.flatMap(subject =>
    subject.deliveries
      .filter(({ state, attempts }) => state === 'failed' || (state === 'queued' && attempts > 0))
      .map(({ user_id, channel, state, attempts, at, status }) => [
        storyOf(root, subject.request_id, subject.request_id),
        user_id,
        channel,
        tag(state === 'failed' ? 'failed' : 'tried again', state === 'failed' ? 'bad' : ''),
        `${attempts}`,
        status ?? '–',
        when(at),
      ]),
  )
  return table(
    ['Request', 'Person', 'Channel', 'State', 'Attempts', 'Provider', 'Since'],
    rows,
    'Every copy of the newest requests has arrived.',
  )
}
