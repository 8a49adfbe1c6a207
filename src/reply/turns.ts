// Replies by one handle take turns. The ledger would put them in order anyway, but each that loses reads the story
// again: a storm on one link would cost the square of its size.
export class Turns {
  /** The last reply of each queue. Owned by take(). */
  readonly #last = new Map<string, Promise<unknown>>()

  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(name) ?? Promise.resolve()).then(work, work)
    this.#last.set(name, mine)
    const leave = (): void => {
      if (this.#last.get(name) === mine) this.#last.delete(name)
    }
    mine.then(leave, leave)
    return mine
  }
}
