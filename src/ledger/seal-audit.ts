// I30, for an auditor with the store and the sealing key: every append of the ledger must have its seal, and the
// ledger its LEDGER_SEALED. The lines pass through unchanged: `verify` checks all that they show by themselves.
import type { Entry } from '../event.js'
import type { SealKey } from './contract.js'
import { parseEntry } from './entry.js'
import { BEGINNING, type SealedLine, Seals, type Standing } from './seals.js'

/** Enough to see what kind of damage it is. */
const MAX_PROBLEMS = 100

export type SealProblem = { readonly invariant: 'I30'; readonly seq: number; readonly message: string }

export class SealAudit {
  readonly problems: SealProblem[] = []
  readonly #seals = new Seals()
  readonly #stories = new Map<string, Standing>()
  /** The append that is being read. */
  #rows: SealedLine[] = []
  #entries: Entry[] = []
  #isSealed = false

  constructor(key: SealKey) {
    this.#seals.unlock(key)
  }

  async *watch(rows: AsyncIterable<SealedLine>): AsyncIterable<string> {
    for await (const row of rows) {
      this.#read(row)
      yield row.line
    }
    this.#breakOff()
    if (!this.#isSealed) this.#report(0, 'the ledger has no LEDGER_SEALED, though there is a key that seals')
  }

  #read(row: SealedLine): void {
    const entry = read(row.line)
    // An append is of one story. If another story begins before a seal has come, the append has none. A line that
    // cannot be read is reported by its own flaw.
    if (entry === null || entry.request_id !== this.#entries.at(-1)?.request_id) this.#breakOff()
    if (entry === null) return
    this.#rows.push(row)
    this.#entries.push(entry)
    if (entry.type === 'LEDGER_SEALED') this.#isSealed = true
    if (row.seal !== null) this.#conclude()
  }

  #conclude(): void {
    const [first] = this.#entries
    if (first === undefined) return
    const { request_id: id } = first
    const story = id === undefined ? null : this.#standingOf(id)
    if (!this.#seals.holds(this.#rows, this.#entries, story))
      this.#report(first.seq, 'the seal of its append is not that of this lane')
    this.#next()
  }

  /** The append under way has ended without a seal. */
  #breakOff(): void {
    const [first] = this.#entries
    if (first !== undefined) this.#report(first.seq, 'its append has no seal')
    this.#next()
  }

  #next(): void {
    const { request_id: id, hash = null } = this.#entries.at(-1) ?? {}
    if (id !== undefined)
      this.#stories.set(id, {
        version: this.#standingOf(id).version + this.#entries.length,
        last: hash,
      })
    this.#rows = []
    this.#entries = []
  }

  #standingOf(requestId: string): Standing {
    return this.#stories.get(requestId) ?? BEGINNING
  }

  #report(seq: number, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ invariant: 'I30', seq, message })
  }
}

/** For a keyring without a sealing key: then no entry may say that the ledger is sealed. */
export class UnsealedAudit {
  readonly problems: SealProblem[] = []

  async *watch(rows: AsyncIterable<SealedLine>): AsyncIterable<string> {
    for await (const { line } of rows) {
      const entry = read(line)
      if (entry?.type === 'LEDGER_SEALED')
        this.problems.push({ invariant: 'I30', seq: entry.seq, message: NO_KEY })
      yield line
    }
  }
}
const NO_KEY = 'the ledger is sealed, and its keyring has not the key it was sealed with'

function read(line: string): Entry | null {
  try {
    return parseEntry(line)
  } catch {
    return null
  }
}
