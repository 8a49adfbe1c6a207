// The web channel: a link with a code, the page it opens, and the form that comes back. Another channel carries the
// link, and this one sends nothing; with the outbox on it shows the link at the console.
import type { Adapter, ReplyPage } from '../../src/adapter/index.js'
import { drawOpen } from './open-page.js'
import { headersOf } from './page-headers.js'
import { SCRIPT } from './page-script.js'
import { STYLE } from './page-style.js'
import { readForm } from './receive.js'
import { contentPage, page } from './render.js'
import { type Console, gathering, send } from './send.js'

export { type Outbox, type OutboxLine, outboxWriter } from './outbox.js'
export { type FormFault, readForm } from './receive.js'

/** A delivered link is not edited when the request closes: the page it opens says so itself. */
export function webAdapter(options: Console): Adapter & ReplyPage {
  const console: Console = { ...options, print: gathering(options.print) }
  return {
    channel: 'web',
    shows: () => true,
    send: (display, outbound) => send(console, display, outbound),
    page,
    contentPage,
    readForm,
    drawOpen,
    headersOf,
    style: STYLE,
    script: SCRIPT,
  }
}
