// How the person is told something in return: in the webhook's own answer, so that it costs no second call and goes to
// nobody but the number that wrote.
import type { HookAnswer } from '../../src/adapter/index.js'

const XML = { 'content-type': 'text/xml; charset=utf-8' }
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, sign => ENTITIES[sign] ?? sign)

/** Taken, and nothing to say. */
export const SILENT: HookAnswer = { status: 200, headers: XML, body: '<Response/>' }

export const tell = (text: string): HookAnswer => ({
  status: 200,
  headers: XML,
  body: `<Response><Message>${escaped(text)}</Message></Response>`,
})
