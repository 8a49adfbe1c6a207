// Decides when the next message may leave. Telegram blocks a bot for everything when it sends too fast, so the lane
// keeps to about one message a second to a chat and thirty in all. A send that would have to wait too long is told to
// come back at its turn, and the turn is kept.

/** These follow Telegram's own advice; the exact numbers are not published. */
const CHAT_GAP_MS = 1_000
const OVERALL_GAP_MS = 34
/** The longest a send waits here: it has ten seconds in all, and the call needs some of them. */
export const LONGEST_WAIT_MS = 5_000
/** A turn that was not used is given up this long after. */
const GIVEN_UP_MS = 60_000
/** From so many entries on, old ones are removed. */
const SWEEP_AT = 1_000

export class Pace {
  /** The instant until which Telegram takes nothing. Owned by hold(). */
  #held = 0
  /** The instants at which the next message of all may leave, and the next to each chat. Owned by turn(). */
  #free = 0
  readonly #chats = new Map<number, number>()
  /** Turns that were told to come back, by delivery. Owned by turn(). */
  readonly #kept = new Map<string, number>()

  /** The wait in ms. If it is more than LONGEST_WAIT_MS, the sender must come back after it. */
  turn(delivery: string, chat: number, now: number): number {
    const kept = this.#kept.get(delivery)
    // Turns from before a hold are lost: they would all leave in one burst when it ends.
    const holds = kept !== undefined && kept >= this.#held
    const at = Math.max(holds ? kept : this.#next(chat, now), now)
    if (at - now > LONGEST_WAIT_MS) this.#kept.set(delivery, at)
    else this.#kept.delete(delivery)
    return at - now
  }

  /** Called when Telegram has said that it takes nothing for this long. */
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
