// With no channel to carry it, the link goes to the console: into the outbox file, then on the screen. The file comes
// first: a link on the screen is already recorded for the program that reads the outbox.
import {
  besideWords,
  cutToCharacters,
  type Display,
  defaultWords,
  describeReply,
  inUtc,
  kindWords,
  ladderWords,
  type Outbound,
  restWords,
  type Sent,
} from '../../src/adapter/index.js'
import type { OutboxLine } from './outbox.js'

export type Console = {
  readonly outbox: boolean
  readonly write: (line: OutboxLine) => Promise<void>
  /** Receives one block of lines, without the final line break. */
  readonly print: (text: string) => void
}

export async function send(console: Console, display: Display, outbound: Outbound): Promise<Sent> {
  if (!console.outbox) return { kind: 'failed', code: 'no_carrier', retryable: false }
  try {
    await console.write(lineOf(display, outbound))
  } catch {
    return { kind: 'failed', code: 'outbox_unwritable', retryable: true }
  }
  console.print(blockOf(display, outbound))
  return { kind: 'sent' }
}

/** Blocks printed in one turn go out in one piece: each write is a trip to the system, and a burst has hundreds. */
export function gathering(print: Console['print']): Console['print'] {
  let blocks: string[] = []
  return block => {
    if (blocks.push(block) > 1) return
    setImmediate(() => {
      const all = blocks
      blocks = []
      print(all.join('\n'))
    })
  }
}

const lineOf = (display: Display, outbound: Outbound): OutboxLine => ({
  delivery_id: outbound.delivery_id,
  request_id: display.request_id,
  user_id: outbound.recipient.user_id,
  link: outbound.page.link,
  code: outbound.page.code,
  at: outbound.at,
})

/** Two lines of a terminal: the question only has to be recognised here, and is read on the page. */
const MAX_WORDS = 160
const cut = (text: string): string => cutToCharacters(text, MAX_WORDS)

function blockOf(display: Display, outbound: Outbound): string {
  const { recipient, page, rested } = outbound
  const silence = defaultWords(display.default_action)
  return [
    '',
    `${kindWords(display)} for ${cut(recipient.name)}: ${cut(display.headline)}`,
    `  asked by   ${cut(display.asked_by)}, run ${cut(display.run_id)}`,
    `  answer by  ${inUtc(display.deadline_at)}; otherwise ${display.default_action}: ${silence}`,
    `  answer     ${describeReply(display.reply_schema)}`,
    `  link       ${page.link}`,
    ...(page.code === null ? [] : [`  code       ${page.code}`]),
    ...ladderWords(display).map(step => `  ${cut(step)}`),
    ...besideWords(display, { ...outbound, reply: null }).map(words => `  ${words}`),
    ...(rested === undefined ? [] : [`  ${restWords(rested)}`]),
    '',
  ].join('\n')
}
