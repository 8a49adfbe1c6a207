// What a person is told beside the card: privately where it is theirs alone, in the thread where they spoke there. Said
// after the lane has recorded and Slack was answered, so nobody waits for it; that it could not be said is logged.
import type { Say } from '../../src/adapter.js'
import { type Api, troubleOf } from './api.js'
import { rich } from './document.js'
import { cut, line, notification, visible, words } from './inert.js'
import { type Copy, INERT } from './send.js'

/** A refusal quotes at most a short line and names what would be understood. */
const NOTICE_UNITS = 2_800

export class Notices {
  readonly #api: Api
  readonly #say: Say

  constructor(api: Api, say: Say) {
    this.#api = api
    this.#say = say
  }

  /** Seen by this person alone, beside the card or in its thread. */
  privately({ channel }: Copy, user: string, text: string, thread?: string): void {
    const message = { channel, user, ...notice(text), ...(thread !== undefined && { thread_ts: thread }) }
    this.later('a private notice', () => this.#api.calm.chat.postEphemeral(message))
  }

  inThread({ channel, ts }: Copy, text: string): void {
    this.later('a notice in a thread', () =>
      this.#api.calm.chat.postMessage({ channel, thread_ts: ts, ...notice(text), ...INERT }),
    )
  }

  /** Starts now, and is waited for by nobody. */
  later(what: string, deed: () => Promise<unknown>): void {
    deed().catch(error =>
      this.#say('warn', `${what} could not be given`, { channel: 'slack', why: troubleOf(error).code }),
    )
  }
}

const notice = (text: string) => ({
  text: notification(text, NOTICE_UNITS),
  blocks: [rich(line(words(cut(visible(text), NOTICE_UNITS))))],
})
