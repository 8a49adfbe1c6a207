// A consistent copy of the whole store, made page by page while the lane goes on writing, then streamed and removed.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'

export async function* copyOut(db: Database, dataDir: string): AsyncIterable<Uint8Array> {
  const file = join(dataDir, `backup-${randomBytes(6).toString('hex')}.tmp`)
  try {
    await db.backup(file)
    asOneFile(file)
    yield* createReadStream(file)
  } finally {
    await rm(file, { force: true })
  }
}

/** Out of WAL mode, so that a reader of the copy leaves no second and third file beside it. */
function asOneFile(file: string): void {
  const copy = new Sqlite(file)
  copy.pragma('journal_mode = DELETE')
  copy.close()
}
