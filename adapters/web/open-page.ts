// The page of a request that waits for an answer: asker, question, deadline, the meaning of silence, and the form.
import {
  APPROVAL_WORDS,
  ASSERTED,
  besideWords,
  type Channel,
  type Display,
  defaultWords,
  type Exhibit,
  html,
  inGroups,
  inUtc,
  isMissing,
  kindWords,
  ladderWords,
  type Markup,
  NOT_HELD,
  originWords,
  type PageState,
  type ShownHandle,
  wordsOn,
} from '../../src/adapter/index.js'
import { control } from './controls.js'
import { decisions, surroundings } from './decisions.js'
import { frame } from './frame.js'
import { handForm } from './hand.js'
import { SCRIPT } from './page-script.js'
import { remark } from './remark.js'
import { passages } from './stored-content.js'
import { timeLeft } from './time-left.js'

type Open = Extract<PageState, { kind: 'open' }>
type Refused = NonNullable<Open['refused']>

export function openPage(state: Open): string {
  const { display, refused } = state
  return frame({
    title:
      refused === null ? `${kindWords(display)}: your answer is asked` : 'Not taken: please answer again',
    pill: kindWords(display),
    main: drawOpen(state),
    foot: foot(display),
    script: SCRIPT,
  })
}

/** All of it but the sheet of paper. */
export function drawOpen(state: Open): Markup {
  const { display, refused } = state
  return html`${refused === null ? null : refusal(refused)}
<section class="sheet stack">${asker(state)}${asked(display)}${around(display)}${until(state)}${handles(state)}</section>
${wayToAnswer(state)}`
}

/** It has no heading, because it stands before the page's own. autofocus brings the reader to the reason, with or
 *  without the script. */
const refusal = (
  refused: Refused,
): Markup => html`<section class="sheet alarm" role="alert" id="refusal" tabindex="-1" autofocus>
<p class="head">Your answer was not taken</p>
<p>${refused.message}</p>
${refused.lines === undefined ? html`<dl>${told('What was read', refused.read)}${told('What would be understood', refused.accepted)}</dl>` : html`<ul class="faults">${refused.lines.map(fault)}</ul>`}
<a class="jump" href="#answer">Answer again</a>
</section>`

/** A line of a form, with the way to its decision. */
const fault = ({ decision_id, read, accepted }: NonNullable<Refused['lines']>[number]): Markup =>
  html`<li>${decision_id === null ? html`“${read}”` : html`<a href="#at-${decision_id}">“${read}”</a>`} <span class="hint">${accepted}</span></li>`

const told = (what: string, text: string): Markup | null =>
  text === '' ? null : html`<div><dt>${what}</dt><dd>${text}</dd></div>`

const asker = (state: Open): Markup => {
  const { asked_by, run_id, work_item_id, origin } = state.display
  return html`<div class="who"><p><strong>${asked_by}</strong> asks, in run <code>${run_id}</code>${
    work_item_id === null ? null : html`, work item <code>${work_item_id}</code>`
  }${origin === null ? null : html`${originWords(origin)}<code>${origin.ref}</code>`}.</p>${others(state)}</div>`
}

/** In whose place they are asked, and who else is: as it stands now. */
const others = ({ display, beside }: Open): readonly Markup[] =>
  beside === null
    ? []
    : besideWords(display, { reply: null, beside: { ...beside, local_deadline: null } }).map(
        sentence => html`<p>${sentence}</p>`,
      )

/** Beyond this a headline is a paragraph, and is set as one. */
const LONG_HEADLINE = 120

function asked(display: Display): Markup {
  const headline = html`<h1 class="${display.headline.length > LONG_HEADLINE ? 'long' : 'short'}">${display.headline}</h1>`
  switch (display.type) {
    case 'REQUEST_QUESTION':
      return html`<figure class="words"><figcaption>The caller’s words</figcaption>
<blockquote>${headline}<h2>What your answer changes</h2><p>${display.impact}</p></blockquote></figure>`
    case 'REQUEST_REVIEW':
      return html`${headline}${why(display)}<p>Look at what is listed below with this one concern in mind.</p>`
    case 'REQUEST_APPROVAL':
      return html`${headline}${why(display)}<p>${APPROVAL_WORDS}</p>`
  }
}

const around = ({ reply_schema: schema }: Display): Markup | null =>
  schema.kind === 'form' ? surroundings(schema) : null

const why = (display: Display): Markup | null =>
  display.why === null
    ? null
    : html`<figure class="words"><figcaption>Why, in the caller’s words</figcaption><blockquote><p>${display.why}</p></blockquote></figure>`

const until = ({ display, now, beside }: Open): Markup => html`<div class="until">
<p class="clock"><span class="left" id="left" role="timer" aria-label="Time left" data-now="${now}">${timeLeft(now, display.deadline_at)}</span> <span class="soft" id="left-note">left when this page was opened</span></p>
<p class="soft">Answer by <time id="deadline" datetime="${display.deadline_at}">${inUtc(display.deadline_at)}</time><br><span id="local">${beside?.local_deadline ?? ''}</span></p>
<p class="silence">If nobody answers by then: <strong>${display.default_action}</strong> — ${defaultWords(display.default_action)}.</p>${steps(display)}
</div>`

const steps = (display: Display): Markup | null => {
  const lines = ladderWords(display)
  return lines.length === 0
    ? null
    : html`<p class="soft">While nobody answers:</p><ul class="steps soft">${lines.map(line => html`<li>${line}</li>`)}</ul>`
}

function handles(state: Open): Markup | null {
  const { display } = state
  if (display.handles.length === 0) return null
  return html`<div><h2>${display.type === 'REQUEST_QUESTION' ? 'Context' : 'What it is about'}</h2>
<p class="soft">Named by the caller. Where there is a hash, other content would have another.</p><ul class="handles">${display.handles.map(
    shown => row(shown, state),
  )}</ul></div>`
}

const row = (shown: ShownHandle, { display, handle, openable }: Open): Markup =>
  html`<li>${shown.name === null ? null : html`<span class="name">${shown.name}</span>`}<p class="given"><code>${inGroups(
    shown.handle,
  )}</code>${shown.fixed ? null : html`<br><span class="soft">name only, content not fixed</span>`}${
    isMissing(display, shown) ? html`<br><span class="soft">${NOT_HELD}</span>` : null
  }</p>${openable.includes(shown.handle) ? opener(shown, handle) : null}${content(display.exhibits.get(shown.handle))}</li>`

/** The caller's content, before the form, each line behind the margin. */
const content = (exhibit: Exhibit | undefined): Markup | null =>
  exhibit === undefined
    ? null
    : html`<figure class="held"><figcaption>The caller’s content: ${wordsOn(exhibit)}</figcaption>${passages(exhibit)}</figure>`

const FIXED = /^sha256:[0-9a-f]{64}$/

// Relative to the page at …/r/<reply handle>, so that it holds under any sub-path. A new tab keeps the form.
function opener(shown: ShownHandle, replyHandle: string): Markup | null {
  if (!FIXED.test(shown.handle)) return null
  const href = `${encodeURIComponent(replyHandle)}/blobs/${shown.handle}`
  return html`<a class="open" href="./${href}" target="_blank" rel="noopener noreferrer">Open<span class="unseen"> ${
    shown.name ?? inGroups(shown.handle)
  } in a new tab</span></a>`
}

const PLACE: Readonly<Record<Channel, string>> = {
  slack: 'on its card in Slack',
  email: 'by a reply to the mail that led here',
  telegram: 'on its message in Telegram',
  sms: 'by text message, with the code that stands in it',
  web: 'by the link that came last',
}

/** The person who follows a link is not known; the channel knows whom it has asked. */
const pointed = (channel: Channel): Markup => html`<section class="sheet" id="answer">
<h2>Answer where you were asked</h2>
<p>This page is for reading. The answer is given ${PLACE[channel]}.</p>
</section>`

/** Stands in place of the form: nobody decides on contents they cannot see. */
const UNSHOWN = html`<section class="sheet alarm" id="answer"><h2>This cannot be answered yet</h2>
<p>What is decided stands in contents that the lane does not hold as text. Whoever asks has to send them; then open this page again.</p></section>`

function wayToAnswer(state: Open): Markup {
  if (state.elsewhere !== null) return pointed(state.elsewhere)
  if (state.csrf === null) return UNSHOWN
  const delegates = state.beside?.delegates ?? []
  const hands = state.typed?.hands === true
  return html`${form(state, state.csrf)}
${handForm(delegates, proof(state, 'hand-code', state.csrf, hands && state.refused !== null), actionOf(state), sending(state, 'Hand it on', 'second'), hands)}`
}

/** A form without an action is posted to the page's own address, under any path. */
const actionOf = ({ session }: Open): Markup | null =>
  session === undefined ? null : html` action="${session.action}"`

/** The field for the code, where one is asked for, and the stamp of the page that this lane has drawn. In a session the
 *  form also names the display it was drawn from. */
function proof({ session }: Open, id: string, csrf: string, isExplained: boolean): Markup {
  const stamp = html`<input type="hidden" name="csrf" value="${csrf}">`
  if (session === undefined)
    return html`${codeField(id, isExplained)}
${stamp}`
  return html`${session.asksCode ? codeField(id, isExplained) : null}
${stamp}<input type="hidden" name="display" value="${session.display_hash}">`
}

const codeField = (
  id: string,
  isExplained: boolean,
): Markup => html`<div class="proof"><label class="ask" for="${id}">Code</label>
<p class="hint" id="${id}-hint">The 4 characters that came with the link.</p>
<input class="code" id="${id}" name="code" type="text" required maxlength="8" pattern="\\s*[0-9A-Za-z]{4}\\s*" title="4 letters or digits" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" aria-describedby="${id}-hint${isExplained ? ' refusal' : ''}"></div>`

function form(state: Open, csrf: string): Markup {
  const { refused, standing, display } = state
  const isExplained = refused !== null && state.typed?.hands !== true
  return html`<form class="sheet stack" id="answer" method="post"${actionOf(state)} autocomplete="off">
${answers(state, isExplained ? ' refusal' : '')}
${proof(state, 'code', csrf, isExplained)}
<div>${sending(state, 'Send answer', null)}
<p class="hint final">${finality(display, standing)} Opening this page has decided nothing.</p></div>
</form>`
}

/** The way to send a form: as it is, or confirmed by a passkey, where the session alone is not enough. Only a script can ask for
 *  one: until it has found that the browser knows passkeys, its button is not there. */
function sending({ session }: Open, words: string, look: 'second' | null): Markup {
  const send = html`<button type="submit"${look === null ? null : html` class="${look}"`}>${words}</button>`
  const confirming = session?.confirming ?? null
  if (confirming === null) return send
  const { isNeeded, challenge, passkeys } = confirming
  if (challenge === null)
    return html`<p class="needs">This must be confirmed with a passkey, and you have none that is enough. <a href="${passkeys}">Your passkeys</a></p>`
  return html`${isNeeded ? html`<p class="needs">This must be confirmed with your passkey.</p>` : send}
<button type="button"${isNeeded && look === null ? null : html` class="second"`} data-challenge="${challenge}" hidden>Confirm with your passkey</button>
<p class="hint confirming" role="status">A browser asks for a passkey only with JavaScript.</p>
${ASSERTED.map(name => html`<input type="hidden" name="${name}" value="">`)}`
}

/** The control of one answer, with its reason, or those of a form's decisions. */
function answers(state: Open, explained: string): Markup {
  const { reply_schema: schema } = state.display
  if (schema.kind === 'form') return decisions(schema, state)
  const one = control(schema, state.typed?.hands ? '' : (state.typed?.reply ?? ''), `accepted${explained}`)
  const reason = 'reason' in schema ? schema.reason : undefined
  if (reason === undefined) return one
  const typed = state.typed?.fields.reason ?? ''
  return html`${one}${remark(reason, { name: 'reason', id: 'reason', label: 'Reason', typed })}`
}

function finality({ reply_schema }: Display, standing: string | null): string {
  if (reply_schema.kind === 'form')
    return `The first accepted answer to each decision is final, and you may leave some for later.${standing === null ? '' : ` ${standing}`}`
  return standing === null ? 'The first accepted answer is final.' : `Your vote is final. ${standing}`
}

const foot = (display: Display): Markup => html`<p>Request <code>${display.request_id}</code></p>
<p>Request hash <code>${inGroups(display.request_hash)}</code></p><p>The answer is recorded for exactly this request.</p>`
