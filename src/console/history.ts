// What a person was asked before, and how it ended. Of what they handed on nothing but that is shown.
import { html, type Markup } from '../adapter/markup.js'
import type { Case } from '../agenda/case.js'
import { phrases } from './inbox.js'
import { endedFor, type Item, isTheirs } from './item.js'

type PastView = {
  readonly root: string
  readonly user_id: string
  readonly entries: readonly { readonly subject: Case; readonly item: Item }[]
  readonly next: string | null
}

export const drawPast = (view: PastView): Markup => html`<section class="whole" aria-labelledby="past-title">
<div class="head"><h1 id="past-title">History</h1></div>
${view.entries.length === 0 ? html`<div class="empty"><h2>Nothing has been settled yet</h2><p>Every request that was put to you is found here once it has ended: answered, defaulted, or withdrawn.</p></div>` : html`<ol class="items">${view.entries.map(entry => row(view, entry))}</ol>`}
${view.next === null ? null : html`<p class="more"><a href="${view.next}">Older</a></p>`}
</section>`

const row = ({ root, user_id }: PastView, { subject, item }: PastView['entries'][number]): Markup =>
  isTheirs(subject, user_id)
    ? html`<li class="item"><a href="${root}/console/requests/${item.request_id}"><span class="line"><span class="kind">${item.kind}</span> <span class="state">${OUTCOMES[subject.state] ?? ''}</span></span>
<span class="headline">${item.headline}</span><span class="by"><span>${phrases(endedFor(subject, user_id))}</span></span></a></li>`
    : html`<li class="item"><div class="gone"><span class="line"><span class="kind">${item.kind}</span></span><span class="by">${phrases(endedFor(subject, user_id))}</span></div></li>`

const OUTCOMES: Readonly<Partial<Record<Case['state'], string>>> = {
  answered: 'Answered',
  defaulted: 'Default',
  undelivered: 'Undelivered',
  withdrawn: 'Withdrawn',
}
