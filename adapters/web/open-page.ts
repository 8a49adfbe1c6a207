// The page of a request that waits for an answer: asker, question, deadline, the meaning of silence, and the form.
import {
  type Channel,
  type Display,
  defaultWords,
  html,
  inGroups,
  inUtc,
  type Markup,
  type PageState,
  type ShownHandle,
  typeWord,
} from '../../src/adapter/index.js'
import { control } from './controls.js'
import { frame } from './frame.js'
import { spelled } from './stored-content.js'
import { timeLeft } from './time-left.js'

type Open = Extract<PageState, { kind: 'open' }>
type Refused = NonNullable<Open['refused']>

export function openPage(state: Open): string {
  const { display, refused } = state
  return frame({
    title:
      refused === null ? `${typeWord(display.type)}: your answer is asked` : 'Not taken: please answer again',
    pill: typeWord(display.type),
    main: html`${refused === null ? null : refusal(refused)}
<section class="sheet stack">${asker(display)}${asked(display)}${until(state)}${handles(state)}</section>
${wayToAnswer(state)}`,
    foot: foot(display),
    counts: true,
  })
}

/** It has no heading, because it stands before the page's own. autofocus brings the reader to the reason, with or
 *  without the script. */
const refusal = (
  refused: Refused,
): Markup => html`<section class="sheet alarm" role="alert" id="refusal" tabindex="-1" autofocus>
<p class="head">Your answer was not taken</p>
<p>${refused.message}</p>
<dl>${told('What was read', refused.read)}${told('What would be understood', refused.accepted)}</dl>
<a class="jump" href="#answer">Answer again</a>
</section>`

const told = (what: string, text: string): Markup | null =>
  text === '' ? null : html`<div><dt>${what}</dt><dd>${text}</dd></div>`

const asker = (display: Display): Markup =>
  html`<p class="who"><strong>${display.asked_by}</strong> asks, in run <code>${display.run_id}</code>${
    display.work_item_id === null ? null : html`, work item <code>${display.work_item_id}</code>`
  }.</p>`

/** Beyond this a headline is a paragraph, and is set as one. */
const LONG_HEADLINE = 120

function asked(display: Display): Markup {
  const headline = html`<h1 class="${display.headline.length > LONG_HEADLINE ? 'long' : 'short'}">${display.headline}</h1>`
  switch (display.type) {
    case 'REQUEST_QUESTION':
      return html`<figure class="words"><figcaption>The caller’s words</figcaption>
<blockquote>${headline}<h2>What your answer changes</h2><p>${display.impact}</p></blockquote></figure>`
    case 'REQUEST_REVIEW':
      return html`${headline}<p>Look at what is listed below with this one concern in mind.</p>`
    case 'REQUEST_APPROVAL':
      return html`${headline}<p>A YES allows this action once, on exactly what is listed below.</p>`
  }
}

const until = ({ display, now }: Open): Markup => html`<div class="until">
<p class="clock"><span class="left" id="left" role="timer" aria-label="Time left" data-now="${now}">${timeLeft(now, display.deadline_at)}</span> <span class="soft" id="left-note">left when this page was opened</span></p>
<p class="soft">Answer by <time id="deadline" datetime="${display.deadline_at}">${inUtc(display.deadline_at)}</time><br><span id="local"></span></p>
<p class="silence">If nobody answers by then: <strong>${display.default_action}</strong> — ${defaultWords(display.default_action)}.</p>
</div>`

function handles(state: Open): Markup | null {
  const { display } = state
  if (display.handles.length === 0) return null
  return html`<div><h2>${display.type === 'REQUEST_QUESTION' ? 'Context' : 'What it is about'}</h2>
<p class="soft">Named by the caller. Where there is a hash, other content would have another.</p><ul class="handles">${display.handles.map(
    shown => row(shown, state),
  )}</ul></div>`
}

const row = (shown: ShownHandle, { handle, openable, contents }: Open): Markup =>
  html`<li>${shown.name === null ? null : html`<span class="name">${shown.name}</span>`}<p class="given"><code>${inGroups(
    shown.handle,
  )}</code>${shown.fixed ? null : html`<br><span class="soft">name only, content not fixed</span>`}</p>${
    openable.includes(shown.handle) ? opener(shown, handle) : null
  }${content(contents.get(shown.handle))}</li>`

/** The whole content, in the caller's words, before the form. */
const content = (bytes: Uint8Array | undefined): Markup | null =>
  bytes === undefined
    ? null
    : html`<figure class="held"><figcaption>The caller’s content, whole: ${bytes.byteLength} bytes</figcaption><pre class="content">
${spelled(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))}</pre></figure>`

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
  return state.csrf === null ? UNSHOWN : form(state, state.csrf)
}

/** A form without an action is posted to the page's own address, under any path. */
function form({ display, refused }: Open, csrf: string): Markup {
  const explained = refused === null ? '' : ' refusal'
  return html`<form class="sheet stack" id="answer" method="post" autocomplete="off">
${control(display.reply_schema, refused?.typed ?? '', `accepted${explained}`)}
<div class="proof"><label class="ask" for="code">Code</label>
<p class="hint" id="code-hint">The 4 characters that came with the link.</p>
<input class="code" id="code" name="code" type="text" required maxlength="8" pattern="\\s*[0-9A-Za-z]{4}\\s*" title="4 letters or digits" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" aria-describedby="code-hint${explained}"></div>
<input type="hidden" name="csrf" value="${csrf}">
<div><button type="submit">Send answer</button>
<p class="hint final">The first accepted answer is final. Opening this page has decided nothing.</p></div>
</form>`
}

const foot = (display: Display): Markup => html`<p>Request <code>${display.request_id}</code></p>
<p>Request hash <code>${inGroups(display.request_hash)}</code></p><p>The answer is recorded for exactly this request.</p>`
