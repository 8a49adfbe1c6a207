// What waits for a person: the list, its filters, and beside it the request that was chosen. The list is drawn once and stays as
// it is: the script only counts what is new.
import { html, type Markup } from '../adapter/markup.js'
import { draw, type Phrase } from '../adapter/words.js'
import { inUtc } from '../request/words.js'
import type { Item } from './item.js'
import { current } from './sheet.js'
import { timeLeft } from './time-left.js'

export type Filters = { readonly type?: string; readonly urgency?: string }

type InboxView = {
  readonly root: string
  readonly items: readonly Item[]
  /** How many wait in all, counted to MOST_COUNTED. */
  readonly count: number
  readonly filters: Filters
  readonly selected: { readonly request_id: string; readonly pane: Markup } | null
  /** Leads to the next page; null on the last. */
  readonly next: string | null
  /** What has just been recorded. */
  readonly done: readonly Phrase[] | null
  readonly now: string
  /** Where the ledger stood when this was drawn: changes are told from here on. */
  readonly from: number
}

/** More than these are not counted: nobody reads the difference. */
export const MOST_COUNTED = 1000

export const drawInbox = (
  view: InboxView,
): Markup => html`<div class="desk${view.selected === null ? '' : ' chosen'}">
<section class="list" aria-labelledby="inbox-title">
<div class="head">${titleOf(view)}
<p class="new" role="status"><a id="new" href="${hrefOf(view, view.filters)}" hidden></a></p></div>
${filtersOf(view)}
${view.done === null ? null : html`<p class="done" role="status">${phrases(view.done)}</p>`}
${view.items.length === 0 ? nothing(view) : html`<ol class="items" id="items" data-live="${view.root}/console/inbox/live?from=${view.from}" data-now="${view.now}">${view.items.map(item => row(view, item))}</ol>`}
${view.items.length === 0 ? html`<div id="items" data-live="${view.root}/console/inbox/live?from=${view.from}" data-now="${view.now}"></div>` : null}
${view.next === null ? null : html`<p class="more"><a href="${view.next}">Later deadlines</a></p>`}
</section>
<section class="pane" id="pane" aria-label="The request">${view.selected === null ? hint(view) : html`<p class="back"><a href="${hrefOf(view, view.filters)}">Back to the inbox</a><span id="pane-note" role="status"></span><a href="${view.root}/console/requests/${view.selected.request_id}">Its story</a></p>${view.selected.pane}`}</section>
</div>`

/** A request that is open beside the list is what the page is about, and has its first heading. */
function titleOf({ count, selected }: InboxView): Markup {
  const words = html`Inbox <span class="count">${counted(count)}</span>`
  return selected === null
    ? html`<h1 id="inbox-title">${words}</h1>`
    : html`<p class="title" id="inbox-title">${words}</p>`
}

const counted = (count: number): string =>
  count >= MOST_COUNTED ? `${MOST_COUNTED - 1}+` : `${count === 0 ? '' : count}`

function hrefOf({ root }: InboxView, filters: Filters, at?: string): string {
  const query = new URLSearchParams({ ...filters, ...(at !== undefined && { at }) }).toString()
  return `${root}/console/inbox${query === '' ? '' : `?${query}`}`
}

const FILTERS: readonly [string, Filters][] = [
  ['All', {}],
  ['Approvals', { type: 'REQUEST_APPROVAL' }],
  ['Questions', { type: 'REQUEST_QUESTION' }],
  ['Reviews', { type: 'REQUEST_REVIEW' }],
  ['Urgent', { urgency: 'high' }],
]

const filtersOf = (view: InboxView): Markup =>
  html`<nav class="filters" aria-label="Show">${FILTERS.map(
    ([name, filters]) =>
      html`<a href="${hrefOf(view, filters)}"${current(isSame(filters, view.filters))}>${name}</a>`,
  )}</nav>`

const isSame = (a: Filters, b: Filters): boolean => a.type === b.type && a.urgency === b.urgency

const row = (view: InboxView, item: Item): Markup =>
  html`<li class="item ${item.urgency}" data-id="${item.request_id}"><a href="${hrefOf(view, view.filters, item.request_id)}"${current(
    view.selected?.request_id === item.request_id,
  )}>
<span class="line"><span class="kind">${item.kind}</span> <time class="due" datetime="${item.deadline_at}" title="${inUtc(item.deadline_at)}">${timeLeft(view.now, item.deadline_at)}</time></span>
<span class="headline">${item.headline}</span>
<span class="by"><span class="from">${item.asked_by} · ${item.run_id}</span><span class="state">${item.note ?? ''}</span></span></a></li>`

function nothing({ filters, root }: InboxView): Markup {
  if (filters.type !== undefined || filters.urgency !== undefined)
    return html`<div class="empty"><h2>Nothing of this kind waits for you</h2><p><a href="${root}/console/inbox">Show all that waits</a></p></div>`
  return html`<div class="empty"><h2 id="nothing">Nothing waits for you</h2>
<p>When an agent must stop and ask, its question appears here by itself. Try it from a shell beside the lane:</p>
<pre><code>npx lane ask "Ship the release today?" \\
  --impact "Decides whether the pipeline goes on" \\
  --yes-no --deadline 10m --default HALT</code></pre>
<p>Whatever you answer stands in your <a href="${root}/console/inbox?view=past">history</a>.</p></div>`
}

const hint = ({ items }: InboxView): Markup | null =>
  items.length === 0
    ? null
    : html`<div class="empty keys"><h2>Choose a request</h2>
<dl><div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>move through the list</dd></div><div><dt><kbd>Enter</kbd></dt><dd>opens it here; opening decides nothing</dd></div><div><dt><kbd>y</kbd> <kbd>n</kbd></dt><dd>choose YES or NO, and send nothing</dd></div><div><dt><kbd>Enter</kbd> on <em>Send answer</em></dt><dd>sends it</dd></div></dl></div>`

/** Phrases as a page tells them. */
export const phrases = (told: readonly Phrase[]): Markup[] =>
  draw(told, {
    words: text => html`${text}`,
    named: text => html`<strong>${text}</strong>`,
    at: instant => html`<time datetime="${instant}">${inUtc(instant)}</time>`,
  })
