// Draws /r/:handle in every state. A page that is no longer open shows nothing of the request.
import {
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
import { calm, moment } from './frame.js'
import { openPage } from './open-page.js'
import { CONTENT_HEADERS, HEADERS } from './page-headers.js'
import { contentPage } from './stored-content.js'

export const page = (state: PageState, status: number): Page => ({
  status,
  headers: HEADERS,
  body: bodyOf(state),
})

export const blobPage = (handle: string, content: Uint8Array, askedBy: string): Page => ({
  status: 200,
  headers: CONTENT_HEADERS,
  body: contentPage(handle, content, askedBy),
})

function bodyOf(state: PageState): string {
  switch (state.kind) {
    case 'open':
      return openPage(state)
    case 'recorded':
      return calm('Your answer is recorded', recorded(state.answer, state.at))
    case 'closed':
      return calm('This request is closed', closed(state.ending))
    case 'unknown':
      return calm('This link is not known', html`It may be mistyped, or it was never given out here.`)
    case 'stopped':
      return calm(state.title, html`${state.message}`)
  }
}

const at = (instant: string): Markup => moment(instant, inUtc(instant))

const recorded = (answer: string, instant: string): Markup =>
  html`<strong>${answer}</strong> was recorded on ${at(instant)}. You can close this page.`

/** The person who opens a link is not known, so neither the answer nor who gave it is shown. */
const closed = (ending: Ending): Markup =>
  html`${draw(endingWords(unnamed(ending), 'with its meaning'), {
    words: text => html`${text}`,
    named: text => html`<strong>${text}</strong>`,
    at,
  })}`
