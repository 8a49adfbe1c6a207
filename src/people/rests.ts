// The codes that rest, as far as this replica knows: read once, then heard of from any replica
// that lays them to rest.

import type { Entry } from '../event.js'
import type { Ledger, Store } from '../ledger/contract.js'
import type { Shelf } from '../ledger/shelf.js'
import type { Channel } from '../request/channel.js'

type OnRest = (channel: Channel, userId: string) => void

export class Rests {
  readonly #ledger: Ledger
  /** The end of each rest, by channel and person. Owned by #hear(). */
  readonly #until = new Map<string, number>()
  readonly #listeners = new Set<OnRest>()
  readonly #leave: () => void

  private constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#leave = ledger.onCommit(entries => this.#hear(entries), ['CODES_RESTED'])
  }

  static async open({ ledger, shelf }: Store): Promise<Rests> {
    const rests = new Rests(ledger)
    await rests.#read(shelf)
    return rests
  }

  async #read(shelf: Shelf): Promise<void> {
    for (const { channel, user_id, until_ms } of await shelf.rests(this.#ledger.now()))
      this.#until.set(nameOf(channel, user_id), until_ms)
  }

  at(userId: string, channel: Channel, now: number): boolean {
    return this.until(userId, channel) > now
  }

  /** When the codes are good again; 0 if they did not rest. */
  until(userId: string, channel: Channel): number {
    return this.#until.get(nameOf(channel, userId)) ?? 0
  }

  /** The listener is told of each rest that begins from now on. */
  listen(listener: OnRest): void {
    this.#listeners.add(listener)
  }

  stop(): void {
    this.#leave()
  }

  #hear(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.type !== 'CODES_RESTED') continue
      const { channel, user_id, until } = entry.body
      this.#until.set(nameOf(channel, user_id), Date.parse(until))
      for (const listener of this.#listeners) listener(channel, user_id)
    }
  }
}

const nameOf = (channel: Channel, userId: string): string => `${channel} ${userId}`
