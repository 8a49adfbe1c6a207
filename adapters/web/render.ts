// Draws /r/:handle in every state. A page that is no longer open shows nothing of the request.
import {
  type Content,
  draw,
  type Ending,
  endingWords,
  html,
  inUtc,
  type Markup,
  type Page,
  type PageState,
  unnamed,
} from '../../src/adapter/index.js'
import { calm, frame, moment } from './frame.js'
import { openPage } from './open-page.js'
import { CONTENT_HEADERS, HEADERS, headersOf } from './page-headers.js'
import { STYLE } from './page-style.js'
import { storedContent } from './stored-content.js'

export const page = (state: PageState, status: number): Page => ({
  status,
  headers: headersFor(state),
  body: bodyOf(state),
})

function headersFor(state: PageState): Page['headers'] {
  if (state.kind !== 'outside' || state.passkey === undefined) return HEADERS
  const { use, script } = state.passkey
  return headersOf({ style: STYLE, scripts: [script], passkeys: use })
}

export const contentPage = (content: Content, askedBy: string): Page => ({
  status: 200,
  headers: CONTENT_HEADERS,
  body: storedContent(content, askedBy),
})

function bodyOf(state: PageState): string {
  switch (state.kind) {
    case 'open':
      return openPage(state)
    case 'recorded':
      return calm('Your answer is recorded', recorded(state))
    case 'closed':
      return calm('This request is closed', closed(state.ending))
    case 'unknown':
      return calm('This link is not known', html`It may be mistyped, or it was never given out here.`)
    case 'stopped':
      return calm(state.title, html`${state.message}`)
    case 'outside':
      return frame({
        title: state.title,
        main: state.main,
        ...(state.passkey && { script: state.passkey.script }),
      })
  }
}

const at = (instant: string): Markup => moment(instant, inUtc(instant))

const recorded = ({ answer, at: instant, missing }: Extract<PageState, { kind: 'recorded' }>): Markup =>
  html`<strong>${answer}</strong> was recorded on ${at(instant)}. ${missing === null ? null : html`${missing} `}${missing === null ? 'You can close this page.' : html`<a href="">Open the page again</a>, or close it.`}`

/** The person who opens a link is not known, so neither the answer nor who gave it is shown. */
const closed = (ending: Ending): Markup =>
  html`${draw(endingWords(unnamed(ending), 'with its meaning'), {
    words: text => html`${text}`,
    named: text => html`<strong>${text}</strong>`,
    at,
  })}`
