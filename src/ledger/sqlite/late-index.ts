// An index over keys of chance that is written late. Each key would have its commit write a page of its own; so the places
// of the newest rows are kept in memory, and go into the table many at a time, in its own order.
//
// SI1  It may say too much: the row itself says whether it has the key.
// SI2  The table says how far it goes: the rows behind that are read again at the start. So a number is never given twice,
//      even if the row it was given to did not stand.
import type { Database, Statement } from 'better-sqlite3'

/** So many places go into the table together: some ten milliseconds of work, and a megabyte until then. */
const TOGETHER = 8192
/** One statement puts so many: each costs more to begin than a place does. */
const PUT = 64
/** The table is asked for so many at once: as many as a request may name. */
const ASKED = 20
const NO_BEGINNING = -1

type Place = { readonly row: number; readonly keys: readonly string[] }

/** A page of the rows behind this one, in their order. */
type Behind = (row: number) => readonly Place[]

const PREFIX = 'sha256:'.length
/** The first 48 bits of a hash, which a number holds exactly. */
const beginningOf = (hash: string): number => Number.parseInt(hash.slice(PREFIX, PREFIX + 12), 16)

export class LateIndex {
  readonly #db: Database
  readonly #name: string
  readonly #put: Statement
  readonly #putMany: Statement
  readonly #ask: Statement
  readonly #askOne: Statement
  readonly #behind: Behind
  /** Rows by the beginnings of their keys. One of an append that did not stand says too much (SI1). */
  readonly #fresh = new Map<number, number[]>()
  #last: number

  constructor(db: Database, name: IndexName, behind: Behind) {
    this.#db = db
    this.#name = name
    const put = (count: number): Statement =>
      db.prepare(
        `INSERT OR IGNORE INTO ${name} (beginning, place) VALUES ${Array(count).fill('(?, ?)').join()}`,
      )
    this.#put = put(1)
    this.#putMany = put(PUT)
    this.#askOne = db.prepare(`SELECT place FROM ${name} WHERE beginning = ?`).pluck()
    this.#ask = db
      .prepare(`SELECT place FROM ${name} WHERE beginning IN (${Array(ASKED).fill('?').join()})`)
      .pluck()
    this.#behind = behind
    this.#last = db.prepare('SELECT place FROM indexed_to WHERE name = ?').pluck().get(name) as number
    while (this.#readOn()) this.settle()
  }

  /** Whether there was a page of rows behind the last one that is known. */
  #readOn(): boolean {
    const rows = this.#behind(this.#last)
    for (const { row, keys } of rows) for (const key of keys) this.#add(key, row)
    this.#last = rows.at(-1)?.row ?? this.#last
    return rows.length > 0
  }

  /** The number of the row that is about to be written with these keys. */
  next(keys: readonly string[]): number {
    this.#last += 1
    for (const key of keys) this.#add(key, this.#last)
    return this.#last
  }

  #add(key: string, row: number): void {
    const beginning = beginningOf(key)
    const rows = this.#fresh.get(beginning)
    if (rows === undefined) this.#fresh.set(beginning, [row])
    else rows.push(row)
  }

  /** The rows that may have this key, of those whose places are not in the table yet. */
  fresh(key: string): readonly number[] {
    return this.#fresh.get(beginningOf(key)) ?? []
  }

  /** The rows that may have one of these keys, each once. */
  find(keys: readonly string[]): ReadonlySet<number> {
    return this.#known(keys.map(beginningOf))
  }

  /** The same. If there are none, somebody else may have written one: it is found too, so that what it lacks can be told. */
  findAnybodys(keys: readonly string[]): ReadonlySet<number> {
    const rows = this.find(keys)
    return rows.size === 0 && this.#readOn() ? this.find(keys) : rows
  }

  #known(beginnings: readonly number[]): ReadonlySet<number> {
    const rows = new Set<number>()
    for (let at = 0; at < beginnings.length; at += ASKED) {
      const asked = Array.from({ length: ASKED }, (_, place) => beginnings[at + place] ?? NO_BEGINNING)
      const found = beginnings.length === 1 ? this.#askOne.all(beginnings) : this.#ask.all(asked)
      for (const row of found as number[]) rows.add(row)
    }
    for (const beginning of beginnings) for (const row of this.#fresh.get(beginning) ?? []) rows.add(row)
    return rows
  }

  /** Outside of transactions: the places go into the table, if they are many. */
  settle(): void {
    if (this.#fresh.size < TOGETHER) return
    const places: number[] = []
    for (const beginning of Float64Array.from(this.#fresh.keys()).sort())
      for (const row of this.#fresh.get(beginning) ?? []) places.push(beginning, row)
    const goTo = this.#db.prepare('UPDATE indexed_to SET place = ? WHERE name = ?')
    this.#db
      .transaction(() => {
        this.#putAll(places)
        goTo.run(this.#last, this.#name)
      })
      .immediate()
    this.#fresh.clear()
  }

  #putAll(places: readonly number[]): void {
    const whole = places.length - (places.length % (2 * PUT))
    for (let at = 0; at < whole; at += 2 * PUT) this.#putMany.run(places.slice(at, at + 2 * PUT))
    for (let at = whole; at < places.length; at += 2) this.#put.run(places.slice(at, at + 2))
  }
}

type IndexName = 'bundles_by_handle' | 'grants_by_handle'
