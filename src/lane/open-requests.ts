// A bound on the requests a key may have open at once. A caller in a loop is told so and
// takes nothing from the others.

/** A key that has no room left is counted again no sooner than this. */
export const COUNT_AGAIN_MS = 1_000

type Room = { left: number; readonly countAgainAt: number }

/**
 * The open requests are counted in the store only when the room found by the last count is used up: a count at every
 * opening would cost more the more there are. Replicas that share a store may each use up the room they found.
 */
export class OpenRequests {
  readonly #count: (keyId: string, atMost: number) => Promise<number>
  readonly #atMost: number
  readonly #now: () => number
  readonly #rooms = new Map<string, Room>()
  /** A count under way, by key, for all who wait for it. */
  readonly #counts = new Map<string, Promise<Room>>()

  /** 0 is no limit. */
  constructor(count: (keyId: string, atMost: number) => Promise<number>, atMost: number, now: () => number) {
    this.#count = count
    this.#atMost = atMost
    this.#now = now
  }

  /** Whether this key may have one more. */
  async admit(keyId: string): Promise<boolean> {
    if (this.#atMost === 0) return true
    const known = this.#rooms.get(keyId)
    const isStale = known === undefined || (known.left <= 0 && this.#now() >= known.countAgainAt)
    const room = isStale ? await this.#look(keyId) : known
    return room.left-- > 0
  }

  #look(keyId: string): Promise<Room> {
    const under = this.#counts.get(keyId)
    if (under !== undefined) return under
    const counting = this.#count(keyId, this.#atMost)
      .then(open => {
        const room = { left: this.#atMost - open, countAgainAt: this.#now() + COUNT_AGAIN_MS }
        this.#rooms.set(keyId, room)
        return room
      })
      .finally(() => this.#counts.delete(keyId))
    this.#counts.set(keyId, counting)
    return counting
  }
}
