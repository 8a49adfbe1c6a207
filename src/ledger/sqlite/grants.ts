// The grants that handles stand for. A handle is a key of chance, and so its index is written late.
import type { Database } from 'better-sqlite3'
import type { Hash } from '../../canonical.js'
import type { Grant } from '../shelf.js'
import { LateIndex } from './late-index.js'
import { Rows } from './rows.js'

const PAGE = 500

const COLUMNS = [
  'handle_hash',
  'use',
  'code_hash',
  'token',
  'request_id',
  'delivery_id',
  'channel',
  'user_id',
  'seal',
] as const
export const GRANT_COLUMNS = COLUMNS.map(column => `g.${column}`).join()

type GrantRow = Grant & { readonly seal: string | null }

export class Grants {
  /** Of the transaction, not written yet. */
  readonly rows: Rows
  readonly #index: LateIndex
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.rows = new Rows(db, 'grants', ['place', ...COLUMNS])
    this.#statements = prepare(db)
    this.#index = new LateIndex(db, 'grants_by_handle', row =>
      (this.#statements.behind.all(row, PAGE) as { place: number; handle_hash: Hash }[]).map(
        ({ place, handle_hash }) => ({ row: place, keys: [handle_hash] }),
      ),
    )
  }

  /** Within a transaction. */
  put(grant: Grant, seal: string): void {
    const { handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id } = grant
    const place = this.#index.next([handle_hash])
    this.rows.add(place, handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal)
  }

  /** Most are asked for soon after they were put. */
  find(handleHash: string): GrantRow | null {
    const lately = this.#standing(this.#index.fresh(handleHash), [handleHash])[0]
    return lately ?? this.findAll([handleHash])[0] ?? null
  }

  /** The newest last. */
  findAll(handleHashes: readonly string[]): readonly GrantRow[] {
    const places = [...this.#index.findAnybodys(handleHashes)].sort((one, other) => one - other)
    return this.#standing(places, handleHashes)
  }

  /** Those of these rows that have one of the handles. */
  #standing(places: readonly number[], handleHashes: readonly string[]): readonly GrantRow[] {
    const rows = places.map(place => this.#statements.row.get(place) as GrantRow | undefined)
    return rows.filter((row): row is GrantRow => row !== undefined && handleHashes.includes(row.handle_hash))
  }

  /** Outside of transactions. Whether places went into the index. */
  settle(): boolean {
    return this.#index.settle()
  }
}

const prepare = (db: Database) => ({
  row: db.prepare(`SELECT ${GRANT_COLUMNS} FROM grants g WHERE place = ?`),
  behind: db.prepare('SELECT place, handle_hash FROM grants WHERE place > ? ORDER BY place LIMIT ?'),
})
