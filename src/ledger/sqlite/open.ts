// Opens the embedded store: asserts the settings its promises rest on before anything is acknowledged.
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import type { Clock } from '../../clock.js'
import { isAtLeast } from '../../version.js'
import type { Progress, Store } from '../contract.js'
import { Seals } from '../seals.js'
import { copyOut } from './backup.js'
import { openLate } from './late.js'
import { SqliteLedger } from './ledger.js'
import { holdDirectory } from './lock.js'
import { migrate } from './schema.js'
import { sealAll } from './seal-all.js'
import { sqliteShelf } from './shelf.js'
import { Storage } from './storage.js'
import { growTree } from './tree.js'

/** Before 3.51.3 two connections that checkpoint at once could corrupt a WAL file. */
export const SQLITE_AT_LEAST = '3.51.3'
/** Of files that are made from now on. Contents lie page behind page, and every page is written twice, with its own calls. */
const PAGE_BYTES = 8_192
/** So much of the log before it is carried into the file: a start reads that back in well under a second. */
const CHECKPOINT_BYTES = 40 * 1024 * 1024
const CACHE_KIB = 16_384
export const LEDGER_FILE = 'ledger.db'

export type SqliteStore = Store & { readonly file: string }

export function openSqlite(dataDir: string, clock: Clock): SqliteStore {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const release = holdDirectory(dataDir)
  const file = join(dataDir, LEDGER_FILE)
  try {
    const db = new Sqlite(file)
    chmodSync(file, 0o600)
    assertDurable(db)
    migrate(db)
    const storage = new Storage()
    const seals = new Seals()
    const late = openLate(db)
    const ledger = new SqliteLedger(db, clock, storage, seals, late, release)
    const grow = (progress: Progress): void => storage.write(() => growTree(db, seals, progress))
    return {
      ledger,
      shelf: sqliteShelf(db, storage, seals, late),
      seals,
      sealAll: async () => storage.write(() => sealAll(db, seals)),
      growTree: async (progress = () => undefined) => ledger.mendTree(() => grow(progress)),
      file,
      backup: () => copyOut(db, dataDir),
      // One process has the directory, so it has every name in it.
      hold: async () => ({ release: async () => undefined }),
    }
  } catch (error) {
    release()
    throw error
  }
}

/** For auditors: the same file, read while a lane may be writing it. */
export function openReadOnly(file: string): Database {
  return new Sqlite(file, { readonly: true, fileMustExist: true })
}

function assertDurable(db: Database): void {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string
  if (!isAtLeast(version, SQLITE_AT_LEAST)) {
    throw new Error(`SQLite ${version} is too old: ${SQLITE_AT_LEAST} or newer is needed`)
  }
  // A file that is there already keeps its own.
  db.pragma(`page_size = ${PAGE_BYTES}`)
  db.pragma('journal_mode = WAL')
  // better-sqlite3 builds WAL databases as NORMAL, which may lose the last commits when the power fails.
  db.pragma('synchronous = FULL')
  db.pragma('fullfsync = ON')
  db.pragma('busy_timeout = 5000')
  // Erased bytes are overwritten, not only given free.
  db.pragma('secure_delete = ON')
  // A checkpoint stops the writer; with SQLite's own bound of 4 MB a busy lane would checkpoint at every other commit.
  const pageBytes = db.pragma('page_size', { simple: true }) as number
  db.pragma(`wal_autocheckpoint = ${Math.floor(CHECKPOINT_BYTES / pageBytes)}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  const settings = durability(db)
  if (settings.journal_mode !== 'wal' || settings.synchronous !== 2) {
    throw new Error(
      `the ledger needs journal_mode=wal and synchronous=FULL, it has ${JSON.stringify(settings)}`,
    )
  }
}

export function durability(db: Database): { journal_mode: unknown; synchronous: unknown } {
  return {
    journal_mode: db.pragma('journal_mode', { simple: true }),
    synchronous: db.pragma('synchronous', { simple: true }),
  }
}
