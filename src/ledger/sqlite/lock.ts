// One process per data directory. The lock is the operating system's, taken through SQLite on a file of its own, so
// it falls when the process dies, however it dies; the pid beside it is only for the message.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

export const LOCK_FILE = 'lane.lock'

export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning'
}

export function holdDirectory(dataDir: string): () => void {
  const pidFile = join(dataDir, 'lane.pid')
  const lock = new Sqlite(join(dataDir, LOCK_FILE), { timeout: 0 })
  try {
    lock.pragma('journal_mode = DELETE')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    // Anything else, such as a directory that may not be written, is not another lane.
    if (!isBusy(error)) throw error
    throw new AlreadyRunning(`already running, pid ${readPid(pidFile)} (data directory ${dataDir})`)
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return () => {
    if (lock.open) lock.close()
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')

function readPid(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
