// Names held by one process at a time, as advisory locks of a connection that does nothing else.
//
// PH1  The lock falls with the connection. The holder of a name is told when the connection breaks, and asks anew.
// PH2  A connection that has gone silent is noticed here (PULSE_MS + ANSWER_MS) before the server gives up on it
//      (SILENCE_MS) and lets another have the name.
// PH3  A process that hangs, or is stopped, has no pulse: its names pass on after SILENCE_MS.
import type { Hold } from '../contract.js'
import { type Client, type Connect, query, type Statement } from './connection.js'
import { failureOf, unavailable } from './failure.js'
import { DatabaseSession } from './session.js'

const PULSE_MS = 2_000
const ANSWER_MS = 5_000
const SILENCE_MS = 15_000

const TAKE: Statement = {
  name: 'hold_take',
  text: 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
}
const LET_GO: Statement = { name: 'hold_let_go', text: 'SELECT pg_advisory_unlock(hashtextextended($1, 0))' }
const FALL: Statement = { name: 'hold_fall', text: `SET idle_session_timeout = ${SILENCE_MS}` }
const PULSE: Statement = { name: 'hold_pulse', text: 'SELECT 1' }

export class Holds {
  readonly #session: DatabaseSession
  readonly #place: string
  /** The names this process holds, each with the function to call when it is lost. */
  readonly #held = new Map<string, () => void>()
  #pulse: NodeJS.Timeout | null = null

  /** `place` tells one lane's names from another's in the same database. */
  constructor(connect: Connect, place: string) {
    this.#place = place
    this.#session = new DatabaseSession(async () => {
      const client = await connect('holder', { answerMs: ANSWER_MS })
      client.once('end', () => this.#lose())
      await query(client, FALL)
      return client
    })
  }

  async take(name: string, lost: () => void): Promise<Hold | null> {
    if (this.#held.has(name)) return null
    // Kept before the answer: the loss of the connection must be heard of while the question is under way.
    this.#held.set(name, lost)
    const taken = await this.#take(name).catch(error => {
      this.#held.delete(name)
      throw unavailable(error)
    })
    if (!taken) this.#held.delete(name)
    if (!taken || !this.#held.has(name)) return null
    this.#beat()
    return { release: () => this.#letGo(name, lost) }
  }

  async #take(name: string): Promise<boolean> {
    const client = await this.#session.client()
    const { rows } = await this.#ask(client, TAKE, name)
    return (rows[0] as { taken: boolean }).taken
  }

  async #letGo(name: string, lost: () => void): Promise<void> {
    // The name was lost, and perhaps another part of this process holds it anew: then it is not ours to release.
    if (this.#held.get(name) !== lost) return
    this.#held.delete(name)
    const client = await this.#session.client()
    await this.#ask(client, LET_GO, name).catch(() => this.#session.drop(client))
  }

  async #ask(client: Client, statement: Statement, name: string) {
    try {
      return await query(client, { ...statement, values: [`lane ${this.#place} ${name}`] })
    } catch (error) {
      if (failureOf(error) === 'lost') this.#session.drop(client)
      throw error
    }
  }

  #beat(): void {
    this.#pulse ??= setInterval(async () => {
      const client = await this.#session.client().catch(() => null)
      if (client !== null) await query(client, PULSE).catch(() => this.#session.drop(client))
    }, PULSE_MS)
  }

  #lose(): void {
    const lost = [...this.#held.values()]
    this.#held.clear()
    for (const tell of lost) tell()
  }

  async close(): Promise<void> {
    if (this.#pulse !== null) clearInterval(this.#pulse)
    this.#held.clear()
    await this.#session.close()
  }
}
