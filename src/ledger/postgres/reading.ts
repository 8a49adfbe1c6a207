// The reading side: a few pipelined connections, each question to the least busy. A question that lost its connection
// is asked again; it changes nothing, or nothing a second time.
import type { Clock } from '../../clock.js'
import { type Connect, type Query, type QueryAnswer, type Row, together } from './connection.js'
import { Away, away, failureOf, refusal, unavailable } from './failure.js'
import { DatabaseSession } from './session.js'

/** Enough that a long export does not hold up a short question; each costs the server a process. */
const CONNECTIONS = 3
/** How long a question or an append waits for a database that is away. */
export const PATIENCE_MS = 5_000

type Reader = { readonly session: DatabaseSession; busy: number }

export class Readers {
  readonly #readers: readonly Reader[]
  readonly #clock: Pick<Clock, 'monotonic'>

  constructor(connect: Connect, clock: Pick<Clock, 'monotonic'>) {
    const session = (): DatabaseSession => new DatabaseSession(() => connect('reader'))
    this.#readers = Array.from({ length: CONNECTIONS }, () => ({ session: session(), busy: 0 }))
    this.#clock = clock
  }

  async rows<R = Row>(asked: Query): Promise<readonly R[]> {
    const [answer] = await this.all([asked])
    return (answer?.rows ?? []) as readonly R[]
  }

  async one<R = Row>(asked: Query): Promise<R | null> {
    return (await this.rows<R>(asked))[0] ?? null
  }

  /** Asked in order, with none of our other questions in between. */
  async all(asked: readonly Query[]): Promise<readonly QueryAnswer[]> {
    for (const since = this.#clock.monotonic(); ; ) {
      try {
        return await this.#once(asked)
      } catch (error) {
        if (!(error instanceof Away) || this.#clock.monotonic() - since > PATIENCE_MS) throw error
      }
    }
  }

  async #once(asked: readonly Query[]): Promise<readonly QueryAnswer[]> {
    const reader = this.#readers.reduce((least, one) => (one.busy < least.busy ? one : least))
    reader.busy += 1
    try {
      const client = await reader.session.client()
      return await together(client, asked).catch(error => {
        const failure = failureOf(error)
        if (failure === 'refused') throw refusal(error)
        if (failure === 'unavailable') throw unavailable(error)
        reader.session.drop(client)
        throw away(error)
      })
    } finally {
      reader.busy -= 1
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map(({ session }) => session.close()))
  }
}
