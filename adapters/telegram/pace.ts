// When the next message may leave. Telegram blocks a bot for everything when it sends too fast, so the lane keeps to
// about one message a second to a chat and thirty in all. A send that would wait longer than it may take is told to come
// back when its turn is, and its turn is kept.

/** What Telegram's own advice comes to; the exact numbers are not published. */
const CHAT_GAP_MS = 1_000
const OVERALL_GAP_MS = 34
/** The longest a send waits here: it has ten seconds in all, and the call needs some of them. */
export const LONGEST_WAIT_MS = 5_000
/** A turn that nobody came for is given up this long after. */
const GIVEN_UP_MS = 60_000
/** So many entries are looked through for old ones. */
const SWEEP_AT = 1_000

export class Pace {
  /** Until when Telegram takes nothing. Owned by hold(). */
  #held = 0
  /** When the next message of all may leave, and the next to each chat. Owned by turn(). */
  #free = 0
  readonly #chats = new Map<number, number>()
  /** Turns that were told to come back, by delivery. Owned by turn(). */
  readonly #kept = new Map<string, number>()

  /** How long to wait, in ms. More than LONGEST_WAIT_MS: come back after that long. */
  turn(delivery: string, chat: number, now: number): number {
    const kept = this.#kept.get(delivery)
    // A turn from before Telegram closed is lost: all of them together would leave in one burst when it opens.
    const holds = kept !== undefined && kept >= this.#held
    const at = Math.max(holds ? kept : this.#next(chat, now), now)
    if (at - now > LONGEST_WAIT_MS) this.#kept.set(delivery, at)
    else this.#kept.delete(delivery)
    return at - now
  }

  /** Telegram has said for how long it takes nothing. */
  hold(now: number, ms: number): void {
    this.#held = Math.max(this.#held, now + ms)
  }

  #next(chat: number, now: number): number {
    if (this.#chats.size + this.#kept.size > SWEEP_AT) this.#sweep(now)
    const open = Math.max(now, this.#free, this.#held)
    const at = Math.max(open, this.#chats.get(chat) ?? 0)
    this.#free = open + OVERALL_GAP_MS
    this.#chats.set(chat, at + CHAT_GAP_MS)
    return at
  }

  #sweep(now: number): void {
    for (const [chat, free] of this.#chats) if (free <= now) this.#chats.delete(chat)
    for (const [delivery, at] of this.#kept) if (at + GIVEN_UP_MS <= now) this.#kept.delete(delivery)
  }
}
