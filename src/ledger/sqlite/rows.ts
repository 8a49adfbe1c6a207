// Rows that hardly anything in their transaction reads. They wait until something does or it ends, and go in many by one
// statement: each costs more to begin than a row does.
import type { Database, Statement } from 'better-sqlite3'

/** So many go in together. */
const TOGETHER = 32

type Value = string | number | null | Uint8Array

export class Rows {
  readonly #put: (count: number) => Statement
  readonly #width: number
  /** The values of the rows, one behind the other. */
  #waiting: Value[] = []

  constructor(db: Database, table: string, columns: readonly string[], otherwise = '') {
    const one = `(${columns.map(() => '?').join()})`
    const statements: Statement[] = []
    this.#width = columns.length
    this.#put = count => {
      statements[count] ??= db.prepare(
        `INSERT INTO ${table} (${columns.join()}) VALUES ${Array(count).fill(one).join()} ${otherwise}`,
      )
      return statements[count]
    }
  }

  add(...row: readonly Value[]): void {
    for (const value of row) this.#waiting.push(value)
  }

  /** Within the transaction: at its end, and before whatever reads them or changes them. */
  write(): void {
    const waiting = this.#waiting
    this.#waiting = []
    const most = TOGETHER * this.#width
    for (let at = 0; at < waiting.length; at += most) {
      const some = waiting.length <= most ? waiting : waiting.slice(at, at + most)
      this.#put(some.length / this.#width).run(some)
    }
  }

  /** The transaction did not come about. */
  drop(): void {
    this.#waiting = []
  }
}
