// Draws /r/:handle in every state. A page that is no longer open shows nothing of the request.
import { defaultWords, inUtc, type Outcome, type Page, type PageState } from '../../src/adapter/index.js'
import { calm, moment } from './frame.js'
import { html, type Markup } from './markup.js'
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
      return calm('This request is closed', closed(state.outcome))
    case 'unknown':
      return calm('This link is not known', html`It may be mistyped, or it was never given out here.`)
    case 'stopped':
      return calm(state.title, html`${state.message}`)
  }
}

const at = (instant: string): Markup => moment(instant, inUtc(instant))

const recorded = (answer: string, instant: string): Markup =>
  html`<strong>${answer}</strong> was recorded on ${at(instant)}. You can close this page.`

function closed(outcome: Outcome): Markup {
  switch (outcome.outcome) {
    case 'answered':
      return html`It was answered${outcome.answered_by === null ? null : html` by <strong>${outcome.answered_by}</strong>`} on ${at(outcome.at)}.`
    case 'defaulted':
      return html`Nobody answered in time.${holds(outcome)}`
    case 'undelivered':
      return html`It reached nobody in time.${holds(outcome)}`
    case 'withdrawn':
      return html`It was withdrawn on ${at(outcome.at)}: nothing is asked any more.`
  }
}

function holds({ default_action, at: instant }: Outcome): Markup | null {
  if (default_action === null) return null
  return html` <strong>${default_action}</strong> holds since ${at(instant)}: ${defaultWords(default_action)}.`
}
