// An index over keys of chance that is written late. Each key would have its commit write a page of its own; so the places
// of the newest rows are kept in memory, and go into the table many at a time, in its own order.
//
// SI1  It may say too much: the row itself says whether it has the key.
// SI2  The table says how far it goes, and the rows behind that are read again at the start. A number is given twice only
//      after a crash, and only if the row it was given to did not stand: then the table may say too much.
// SI3  Places go in a piece at a time, each between two commits: however large the table is, nobody waits for all of them. A piece
//      is larger than what came since the last one, so places never pile up.
import type { Database, Statement } from 'better-sqlite3'
import { Fresh } from './fresh.js'

/** So many places are put in order together. The more they are, the more of them lie on each page that is written. */
const TOGETHER = 16_384
/** The least piece of them: a millisecond of work in a small table, and some fifteen behind ten million places, of which each
 *  then lies on a page of its own. */
const PIECE = 512
/** Where more come between two commits, so many times as many go in: they never pile up. */
const FASTER = 2
/** One statement puts so many: each costs more to begin than a place does. */
const PUT = 64
/** The table is asked for so many at once: as many as a request may name. */
const ASKED = 20
const NO_BEGINNING = -1

type Place = { readonly row: number; readonly keys: readonly string[] }

/** Places on their way into the table: in its order, beginning and row by turns, up to `at` in it already. */
type Leaving = {
  readonly rows: Fresh
  readonly places: Float64Array
  at: number
  /** The row that the table goes up to when they are all in. */
  readonly last: number
}

/** A page of the rows behind this one, in their order. */
type Behind = (row: number) => readonly Place[]

const PREFIX = 'sha256:'.length
/** The first 48 bits of a hash, which a number holds exactly. */
const beginningOf = (hash: string): number => Number.parseInt(hash.slice(PREFIX, PREFIX + 12), 16)

export class LateIndex {
  readonly #db: Database
  readonly #name: string
  readonly #putOne: Statement
  readonly #putMany: Statement
  readonly #goTo: Statement
  readonly #ask: Statement
  readonly #askOne: Statement
  readonly #behind: Behind
  /** One of an append that did not stand says too much (SI1). */
  #fresh = new Fresh()
  #leaving: Leaving | null = null
  /** The places that were added since some were put into the table. */
  #added = 0
  #last: number

  constructor(db: Database, name: IndexName, behind: Behind) {
    this.#db = db
    this.#name = name
    const put = (count: number): Statement =>
      db.prepare(
        `INSERT OR IGNORE INTO ${name} (beginning, place) VALUES ${Array(count).fill('(?, ?)').join()}`,
      )
    this.#putOne = put(1)
    this.#putMany = put(PUT)
    this.#goTo = db.prepare('UPDATE indexed_to SET place = ? WHERE name = ?')
    // Each is looked up where it is: for a list of values SQLite makes a table of its own first.
    const one = `SELECT place FROM ${name} WHERE beginning = ?`
    this.#askOne = db.prepare(one).pluck()
    this.#ask = db.prepare(Array(ASKED).fill(one).join(' UNION ALL ')).pluck()
    this.#behind = behind
    this.#last = db.prepare('SELECT place FROM indexed_to WHERE name = ?').pluck().get(name) as number
    while (this.#readOn()) while (this.settle());
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
    this.#fresh.add(beginningOf(key), row)
    this.#added += 1
  }

  /** The rows that may have this key, of those whose places are not in the table yet. */
  fresh(key: string): readonly number[] {
    const rows: number[] = []
    this.#eachFresh(beginningOf(key), row => rows.push(row))
    return rows
  }

  #eachFresh(beginning: number, on: (row: number) => void): void {
    this.#leaving?.rows.each(beginning, on)
    this.#fresh.each(beginning, on)
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
    const keep = (row: number): unknown => rows.add(row)
    for (const beginning of beginnings) this.#eachFresh(beginning, keep)
    return rows
  }

  /** Outside of transactions: where places have become many, a piece of them goes into the table. Whether one did. */
  settle(): boolean {
    if (this.#leaving === null && this.#fresh.size < TOGETHER) return false
    const leaving = this.#leaving ?? this.#leave()
    const piece = Math.max(PIECE, FASTER * this.#added)
    const end = Math.min(leaving.at + 2 * piece, leaving.places.length)
    this.#db.transaction(() => this.#put(leaving, end)).immediate()
    this.#added = 0
    leaving.at = end
    if (end === leaving.places.length) this.#leaving = null
    return true
  }

  #leave(): Leaving {
    const rows = this.#fresh
    this.#fresh = new Fresh()
    this.#added = 0
    this.#leaving = { rows, places: rows.inOrder(), at: 0, last: this.#last }
    return this.#leaving
  }

  #put({ places, at: from, last }: Leaving, end: number): void {
    const whole = from + Math.floor((end - from) / (2 * PUT)) * (2 * PUT)
    for (let at = from; at < whole; at += 2 * PUT) this.#putMany.run([...places.subarray(at, at + 2 * PUT)])
    for (let at = whole; at < end; at += 2) this.#putOne.run([...places.subarray(at, at + 2)])
    if (end === places.length) this.#goTo.run(last, this.#name)
  }
}

type IndexName = 'bundles_by_handle' | 'grants_by_handle'
