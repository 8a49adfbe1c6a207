// A connection that comes back. Callers ask for it each time. While the database is away each attempt waits a little
// longer than the one before, and fails by name.
import { LedgerUnavailable } from '../contract.js'
import { type Client, leave } from './connection.js'
import { away } from './failure.js'

const SOONEST_MS = 50
const LATEST_MS = 1_000

export class DatabaseSession {
  readonly #connect: () => Promise<Client>
  /** The attempt under way, or its result. Owned by client() and drop(). */
  #client: Promise<Client> | null = null
  #connected: Client | null = null
  #wait = 0
  #closed = false

  constructor(connect: () => Promise<Client>) {
    this.#connect = connect
  }

  /** Connects, or rejects after one attempt: with Away, or with another reason the ledger is unavailable. */
  client(): Promise<Client> {
    if (this.#closed) return Promise.reject(new LedgerUnavailable('the ledger is closed'))
    this.#client ??= this.#attempt()
    return this.#client
  }

  async #attempt(): Promise<Client> {
    try {
      if (this.#wait > 0) await new Promise(resolve => setTimeout(resolve, this.#wait))
      const client = await this.#connect()
      client.once('end', () => this.drop(client))
      this.#connected = client
      this.#wait = 0
      return client
    } catch (error) {
      this.#wait = Math.min(LATEST_MS, Math.max(SOONEST_MS, this.#wait * 2))
      this.#client = null
      throw away(error)
    }
  }

  /** This connection is of no use any more; the next caller gets a new one. */
  drop(client: Client): void {
    if (this.#connected !== client) return
    this.#connected = null
    this.#client = null
    void leave(client)
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = await this.#client?.catch(() => null)
    if (client) await leave(client)
  }
}
