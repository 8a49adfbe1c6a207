// Word from replica to replica that there is something new. NOTIFY takes a lock of the whole database at its commit,
// so it is never part of an append; and it carries nothing but the size of the ledger, so a
// lost notice costs a second.
import { type Client, type Connect, leave } from './connection.js'
import type { Readers } from './reading.js'

const SOONEST_MS = 100
const LATEST_MS = 5_000

export class Notices {
  readonly #channel: string
  readonly #readers: Readers
  /** The newest size not told yet; null when all is told. Owned by tell(). */
  #untold: number | null = null
  #telling = false
  #closed = false
  #client: Client | null = null

  constructor(channel: string, readers: Readers) {
    this.#channel = channel
    this.#readers = readers
  }

  /** One at a time: commits made meanwhile are told with the next. */
  tell(size: number): void {
    this.#untold = size
    if (this.#telling || this.#closed) return
    this.#telling = true
    void this.#tellAll()
      // The other replicas find it at their next look.
      .catch(() => undefined)
      .then(() => {
        this.#telling = false
      })
  }

  async #tellAll(): Promise<void> {
    while (this.#untold !== null) {
      const values = [this.#channel, String(this.#untold)]
      this.#untold = null
      await this.#readers.rows({ name: 'notify', text: 'SELECT pg_notify($1, $2)', values })
    }
  }

  /** Listens until closed, whatever happens to the connection. */
  async listen(connect: Connect, heard: (size: number) => void): Promise<void> {
    for (let wait = SOONEST_MS; !this.#closed; wait = Math.min(LATEST_MS, wait * 2)) {
      try {
        const client = await connect('listener')
        client.on('notification', ({ payload }) => heard(Number(payload)))
        await this.#attend(client)
        wait = SOONEST_MS
      } catch {
        // The look once a second goes on meanwhile.
      }
      if (!this.#closed) await new Promise(resolve => setTimeout(resolve, wait))
    }
  }

  async #attend(client: Client): Promise<void> {
    const ended = new Promise(resolve => client.once('end', resolve))
    this.#client = client
    try {
      if (this.#closed) return
      await client.query(`LISTEN ${client.escapeIdentifier(this.#channel)}`)
      await ended
    } finally {
      await leave(client)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#client !== null) await leave(this.#client)
  }
}
