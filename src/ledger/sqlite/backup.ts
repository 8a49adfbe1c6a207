// A consistent copy of the whole store, made page by page while the lane goes on writing, then streamed and removed.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'

export async function* copyOut(db: Database, dataDir: string): AsyncIterable<Uint8Array> {
  const file = join(dataDir, `backup-${randomBytes(6).toString('hex')}.tmp`)
  try {
    await db.backup(file)
    yield* createReadStream(file)
  } finally {
    await rm(file, { force: true })
  }
}
