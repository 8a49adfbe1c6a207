// The grants that handles stand for. A handle is a key of chance, and so its index is written late.
import type { Database } from 'better-sqlite3'
import type { Hash } from '../../canonical.js'
import type { Grant } from '../shelf.js'
import { LateIndex } from './late-index.js'

const PAGE = 500

export const GRANT_COLUMNS =
  'g.handle_hash, g.use, g.code_hash, g.token, g.request_id, g.delivery_id, g.channel, g.user_id, g.seal'

type GrantRow = Grant & { readonly seal: string | null }

export class Grants {
  readonly #index: LateIndex
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.#statements = prepare(db)
    this.#index = new LateIndex(db, 'grants_by_handle', row =>
      (this.#statements.behind.all(row, PAGE) as { place: number; handle_hash: Hash }[]).map(
        ({ place, handle_hash }) => ({ row: place, keys: [handle_hash] }),
      ),
    )
  }

  /** Within a transaction. */
  put(grant: Grant, seal: string): void {
    const { use, code_hash, channel, user_id, request_id, handle_hash, token, delivery_id } = grant
    const place = this.#index.next([handle_hash])
    const whose = [request_id, delivery_id, channel, user_id]
    this.#statements.put.run(place, handle_hash, use, code_hash, token, ...whose, seal)
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
  put: db.prepare(
    `INSERT INTO grants (place, handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ),
  row: db.prepare(`SELECT ${GRANT_COLUMNS} FROM grants g WHERE place = ?`),
  behind: db.prepare('SELECT place, handle_hash FROM grants WHERE place > ? ORDER BY place LIMIT ?'),
})
