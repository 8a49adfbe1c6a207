// What a person is told beside the card: privately where it is theirs alone, in the thread where they spoke there. Said
// after the lane has recorded and Slack was answered, so nobody waits for it; that it could not be said is logged.
import { type Say, Seen } from '../../src/adapter/index.js'
import { type Api, troubleOf } from './api.js'
import type { Copy } from './copy.js'
import { rich } from './document.js'
import { line, notification, shortened, words } from './inert.js'
import { INERT } from './send.js'

/** A refusal quotes at most a short line and names what would be understood. */
const NOTICE_UNITS = 2_800
/** Whoever writes what belongs to no card is told so, this often at most: everybody in a workspace can write to an app. */
const HINT_EVERY_MS = 60_000
/** So many are remembered for that. */
const MAX_HINTED = 1_000

export class Notices {
  readonly #api: Api
  readonly #say: Say
  /** Who was given a hint lately. */
  readonly #hinted = new Seen(MAX_HINTED)

  constructor(api: Api, say: Say) {
    this.#api = api
    this.#say = say
  }

  /** Seen by this person alone, beside the card or in its thread. */
  privately({ channel }: Copy, user: string, text: string, thread?: string): void {
    const message = { channel, user, ...notice(text), ...(thread !== undefined && { thread_ts: thread }) }
    this.later('a private notice', () => this.#api.calm.chat.postEphemeral(message))
  }

  /** The same, once in a while. */
  hint(copy: Copy, user: string, text: string, now: number, thread?: string): void {
    if (this.#hinted.claim(user, now + HINT_EVERY_MS - 1, now)) this.privately(copy, user, text, thread)
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
  blocks: [rich(line(words(shortened(text, NOTICE_UNITS))))],
})
