// The contents that keys have sent. A handle is a key of chance: a row for each content, and its place in an index, would
// have every commit write a page for each. So what comes in one go lies in one row, a bundle, and the index is written late.
//
// BU1  A bundle is of one key, and a content of a key lies in one bundle of it.
// BU2  The index may say too much: whether a content lies in a bundle, its own list says.
import type { Database } from 'better-sqlite3'
import type { Hash } from '../../canonical.js'
import { LateIndex } from './late-index.js'

const PAGE = 500

const PREFIX = 'sha256:'.length
const DIGITS = 64
/** A line of the list: the digits of the handle, and the size in as many as the longest has. */
const SIZE_DIGITS = 8
const ITEM = DIGITS + SIZE_DIGITS

type Row = { readonly key_id: string; readonly list: string }
type Item = { readonly handle: Hash; readonly from: number; readonly size: number }

const itemOf = (handle: Hash, size: number): string =>
  handle.slice(PREFIX) + size.toString(16).padStart(SIZE_DIGITS, '0')

function itemsOf(list: string): Item[] {
  const items: Item[] = []
  let from = 0
  for (let at = 0; at < list.length; at += ITEM) {
    const size = Number.parseInt(list.slice(at + DIGITS, at + ITEM), 16)
    items.push({ handle: `sha256:${list.slice(at, at + DIGITS)}`, from, size })
    from += size
  }
  return items
}

export class Contents {
  readonly #statements: ReturnType<typeof prepare>
  readonly #index: LateIndex
  /** What a guard of this transaction was told: the append behind it puts the same contents. */
  #told: { readonly keyId: string; readonly found: ReadonlyMap<Hash, number | null> } | null = null
  /** Keys that never sent any, as most: every request that names contents asks. Nobody else writes here. */
  readonly #idle = new Set<string>()

  constructor(db: Database) {
    this.#statements = prepare(db)
    this.#index = new LateIndex(db, 'bundles_by_handle', row =>
      (this.#statements.behind.all(row, PAGE) as (Pick<Row, 'list'> & { bundle: number })[]).map(
        ({ bundle, list }) => ({ row: bundle, keys: itemsOf(list).map(({ handle }) => handle) }),
      ),
    )
  }

  /** The bytes that this key has sent; null for a key that never sent any. */
  used(keyId: string): number | null {
    if (this.#idle.has(keyId)) return null
    const used = (this.#statements.used.get(keyId) as number | undefined) ?? null
    if (used === null) this.#idle.add(keyId)
    return used
  }

  /** Those of these contents that this key has sent, each with its bundle. */
  find(keyId: string, handles: readonly Hash[]): ReadonlyMap<Hash, number> {
    return this.#found(handles, row => row.key_id === keyId)
  }

  /** Within a transaction: the bytes of those contents that this key has not sent yet. */
  lacking(keyId: string, contents: readonly { readonly handle: Hash; readonly size: number }[]): number {
    const handles = contents.map(({ handle }) => handle)
    const found = this.find(keyId, handles)
    this.#told = { keyId, found: new Map(handles.map(handle => [handle, found.get(handle) ?? null])) }
    return contents.reduce((sum, { handle, size }) => sum + (found.has(handle) ? 0 : size), 0)
  }

  /** Those of these contents that this key has sent. */
  read(keyId: string, handles: readonly Hash[]): ReadonlyMap<Hash, Uint8Array> {
    const contents = new Map<Hash, Uint8Array>()
    if (this.used(keyId) === null) return contents
    const opened = new Map<number, ReadonlyMap<Hash, Uint8Array>>()
    for (const [handle, bundle] of this.find(keyId, handles)) {
      const held = opened.get(bundle) ?? this.#open(bundle)
      opened.set(bundle, held)
      const bytes = held.get(handle)
      if (bytes !== undefined) contents.set(handle, bytes)
    }
    return contents
  }

  /** Whoever has sent it. */
  readAny(handle: Hash): Uint8Array | null {
    const bundle = this.#found([handle], () => true).get(handle)
    return bundle === undefined ? null : (this.#open(bundle).get(handle) ?? null)
  }

  /** Within a transaction: those that this key has not sent yet become a bundle. */
  put(keyId: string, contents: ReadonlyMap<Hash, Uint8Array>): void {
    const fresh = this.#newOf(keyId, contents)
    this.#told = null
    if (fresh.length === 0) return
    this.#idle.delete(keyId)
    const bundle = this.#index.next(fresh.map(([handle]) => handle))
    const list = fresh.map(([handle, { length }]) => itemOf(handle, length)).join('')
    const bytes = inOne(fresh.map(([, content]) => content))
    this.#statements.put.run(bundle, keyId, list, bytes)
    this.#statements.use.run(keyId, bytes.length)
  }

  /** Within a transaction. Another key's copy stays. */
  erase(keyId: string, handle: Hash): void {
    this.#told = null
    const bundle = this.find(keyId, [handle]).get(handle)
    if (bundle === undefined) return
    const kept = [...this.#open(bundle)].filter(([one]) => one !== handle)
    const before = this.#statements.bytes.get(bundle) as number
    const bytes = Buffer.concat(kept.map(([, content]) => content))
    const list = kept.map(([one, { length }]) => itemOf(one, length)).join('')
    if (kept.length === 0) this.#statements.remove.run(bundle)
    else this.#statements.change.run(list, bytes, bundle)
    this.#statements.use.run(keyId, bytes.length - before)
  }

  /** Outside of transactions. Whether places went into the index. */
  settle(): boolean {
    this.#told = null
    return this.#index.settle()
  }

  #newOf(keyId: string, contents: ReadonlyMap<Hash, Uint8Array>): [Hash, Uint8Array][] {
    const handles = [...contents.keys()]
    const told = this.#told?.keyId === keyId ? this.#told.found : null
    const isTold = told !== null && handles.every(handle => told.has(handle))
    const found = isTold ? told : this.find(keyId, handles)
    return [...contents].filter(([handle]) => (found.get(handle) ?? null) === null)
  }

  #found(handles: readonly Hash[], isMeant: (row: Row) => boolean): ReadonlyMap<Hash, number> {
    const rows = [...this.#index.find(handles)].flatMap(bundle => {
      const row = this.#statements.row.get(bundle) as Row | undefined
      return row !== undefined && isMeant(row) ? [{ bundle, list: row.list }] : []
    })
    const found = new Map<Hash, number>()
    for (const handle of handles)
      for (const { bundle, list } of rows) if (isListed(list, handle)) found.set(handle, bundle)
    return found
  }

  #open(bundle: number): ReadonlyMap<Hash, Uint8Array> {
    const { list, bytes } = this.#statements.whole.get(bundle) as { list: string; bytes: Uint8Array }
    return new Map(itemsOf(list).map(({ handle, from, size }) => [handle, bytes.subarray(from, from + size)]))
  }
}

/** Contents that came together were cut from one piece, which is taken as it is. */
function inOne(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  if (first === undefined) return Buffer.alloc(0)
  let end = first.byteOffset
  for (const { buffer, byteOffset, byteLength } of pieces) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(pieces)
    end += byteLength
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset)
}

/** At the beginning of a line, and not by chance within one. */
function isListed(list: string, handle: Hash): boolean {
  const digits = handle.slice(PREFIX)
  for (let at = list.indexOf(digits); at !== -1; at = list.indexOf(digits, at + 1))
    if (at % ITEM === 0) return true
  return false
}

const prepare = (db: Database) => ({
  used: db.prepare('SELECT bytes FROM blob_use WHERE key_id = ?').pluck(),
  use: db.prepare(
    `INSERT INTO blob_use (key_id, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
  ),
  row: db.prepare('SELECT key_id, list FROM bundles WHERE bundle = ?'),
  whole: db.prepare('SELECT list, bytes FROM bundles WHERE bundle = ?'),
  bytes: db.prepare('SELECT length(bytes) FROM bundles WHERE bundle = ?').pluck(),
  put: db.prepare('INSERT INTO bundles (bundle, key_id, list, bytes) VALUES (?, ?, ?, ?)'),
  change: db.prepare('UPDATE bundles SET list = ?, bytes = ? WHERE bundle = ?'),
  remove: db.prepare('DELETE FROM bundles WHERE bundle = ?'),
  behind: db.prepare('SELECT bundle, list FROM bundles WHERE bundle > ? ORDER BY bundle LIMIT ?'),
})
