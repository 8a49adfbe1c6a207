// A message back to the person travels in the webhook's own answer, so that it costs no second call and goes to
// nobody but the number that wrote.
import { type HookAnswer, html } from '../../src/adapter/index.js'

const XML = { 'content-type': 'text/xml; charset=utf-8' }
/** The webhook was taken, and nothing is said. */
export const SILENT: HookAnswer = { status: 200, headers: XML, body: '<Response/>' }

export const tell = (text: string): HookAnswer => ({
  status: 200,
  headers: XML,
  body: html`<Response><Message>${text}</Message></Response>`.text,
})
