// Work for a ledger that is being broken, and the worker's own record of the answers it got: notes that name
// themselves, so that one written twice is seen, and requests that are opened and withdrawn.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Entry } from '../../../src/event.js'
import { type Ledger, LedgerUnavailable } from '../../../src/ledger/contract.js'
import { note, open, withdrawDirected } from '../../contract/ledger/stage.js'
import { expectKept, Journal } from '../../faults/journal.js'

/** A worker whose ledger cannot be used just now tries again this much later. */
const AGAIN_MS = 20

export class Work {
  readonly journal = new Journal()
  readonly noted: string[] = []
  /** How often the ledger could not be used. */
  refusals = 0
  #number = 0

  /** Notes something of its own name; true if it was told that it is recorded. */
  async note(ledger: Ledger): Promise<boolean> {
    const version = `note-${this.#number++}`
    const draft = {
      type: 'LANE_STARTED',
      body: { version, grammar: '1', profile: 'cluster', rules: '2' },
    } as const
    const done = await this.#try(() => note(ledger, [draft]))
    if (done?.kind === 'appended') this.noted.push(version)
    return done?.kind === 'appended'
  }

  /** Opens a request and withdraws it, in the hands of whichever ledger, until it was told that each is done. */
  async life(ledgers: readonly Ledger[]): Promise<void> {
    const id = `q-${this.#number++}`
    const [one, other] = [ledgers[0], ledgers.at(-1)]
    if (one === undefined || other === undefined) throw new Error('no ledger to work on')
    const opened = await this.#insist(() => open(one, id))
    const first =
      opened.kind === 'appended' ? opened.entries[0] : (await this.#insist(() => one.story(id)))[0]
    if (first !== undefined) this.journal.open(id, first)
    const done = await this.#insist(() => withdrawDirected(other, id))
    if (done.kind === 'appended' || done.kind === 'moved') this.journal.end(id, 'withdrawn')
  }

  async #insist<T>(deed: () => Promise<T>): Promise<T> {
    for (;;) {
      const done = await this.#try(deed)
      if (done !== null) return done
      await sleep(AGAIN_MS)
    }
  }

  async #try<T>(deed: () => Promise<T>): Promise<T | null> {
    try {
      return await deed()
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error
      this.refusals += 1
      return null
    }
  }

  /** The ledger verifies, holds all that was acknowledged, and nothing twice. */
  async expectKept(ledger: Ledger): Promise<Entry[]> {
    const lines: string[] = []
    for await (const line of ledger.lines(0)) lines.push(line)
    const entries = await expectKept(this.journal, lines)
    const notes = entries.flatMap(entry => (entry.type === 'LANE_STARTED' ? [entry.body.version] : []))
    expect(notes.length).toBe(new Set(notes).size)
    expect(this.noted.filter(name => !notes.includes(name))).toEqual([])
    return entries
  }
}
