// Notices to a person beside the card: private ones, and ones in the thread they spoke in. They are sent after the
// lane has recorded, and nobody waits for them; a failure is logged.
import { type Say, Seen } from '../../src/adapter/index.js'
import { type Api, troubleOf } from './api.js'
import type { Copy } from './copy.js'
import { rich } from './document.js'
import { line, notification, shortened, words } from './inert.js'
import { INERT } from './send.js'

/** A refusal quotes at most a short line and names what would be understood. */
const NOTICE_UNITS = 2_800
/** A person whose words belong to no card is told so this rarely: everybody in a workspace can write to an app. */
const HINT_EVERY_MS = 60_000
/** People remembered for that. */
const MAX_HINTED = 1_000

export class Notices {
  readonly #api: Api
  readonly #say: Say
  /** People who were given a hint lately. */
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

  /** The same, at most once in HINT_EVERY_MS. */
  hint(copy: Copy, user: string, text: string, now: number, thread?: string): void {
    if (this.#hinted.claim(user, now + HINT_EVERY_MS - 1, now)) this.privately(copy, user, text, thread)
  }

  inThread({ channel, ts }: Copy, text: string): void {
    this.later('a notice in a thread', () =>
      this.#api.calm.chat.postMessage({ channel, thread_ts: ts, ...notice(text), ...INERT }),
    )
  }

  /** Starts the deed now; nobody waits for it. */
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
