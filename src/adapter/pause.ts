// Waiting that ends early. A loop waits often on one signal, so nothing is left behind on it; and an abort that has
// already happened ends a wait before it begins, or a stop would last as long as the pause it fell into.

/** Waits until one of these is aborted. */
export async function aborted(...ends: readonly AbortSignal[]): Promise<void> {
  if (ends.some(end => end.aborted)) return
  let over = (): void => undefined
  const ended = new Promise<void>(resolve => {
    over = resolve
  })
  for (const end of ends) end.addEventListener('abort', over)
  await ended
  for (const end of ends) end.removeEventListener('abort', over)
}

/** Waits so long, or until one of these is aborted. */
export async function pause(ms: number, ...ends: readonly AbortSignal[]): Promise<void> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  await aborted(over.signal, ...ends)
  clearTimeout(timer)
}

/** The pauses between tries at something that fails: each twice as long as the one before, up to a bound. */
export class Retries {
  readonly #first: number
  readonly #most: number
  readonly #stopping: AbortSignal
  /** The next pause. Owned by pause() and reset(). */
  #wait: number

  constructor(first: number, most: number, stopping: AbortSignal) {
    this.#first = first
    this.#most = most
    this.#stopping = stopping
    this.#wait = first
  }

  /** Called after a failure; `atLeast` is the wait that the failing side has asked for. */
  async pause(atLeast = 0): Promise<void> {
    const wait = Math.max(this.#wait, atLeast)
    this.#wait = Math.min(this.#wait * 2, this.#most)
    await pause(wait, this.#stopping)
  }

  /** Called after a success: the next failure is a first one again. */
  reset(): void {
    this.#wait = this.#first
  }
}
