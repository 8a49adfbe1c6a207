// The ledger's file, opened read-only beside a lane that may be writing it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { findSecret } from '../../keys/secret.js'
import { JUMP_MS } from '../../ledger/clock.js'
import { durability, LEDGER_FILE, openReadOnly, SQLITE_AT_LEAST } from '../../ledger/sqlite/open.js'
import { SCHEMA_VERSION } from '../../ledger/sqlite/schema.js'
import { reasonOf } from '../../say.js'
import { isAtLeast } from '../../version.js'
import { sayDuration } from '../duration.js'
import { type Finding, fail, ok, warn } from './finding.js'
import { checkAbsences } from './ladder.js'
import { obstacleTo } from './machine.js'
import { checkSeals, type Each } from './seals.js'

export async function checkStore(dataDir: string, given: string | null, now: number): Promise<Finding[]> {
  // The directory's own finding says so already; "`lane serve` makes it" would be untrue here.
  if (obstacleTo(dataDir) !== null) return []
  const file = join(dataDir, LEDGER_FILE)
  if (!existsSync(file)) return [warn('ledger', `there is no ${file} yet`, 'the first `lane serve` makes it')]
  let db: Database | null = null
  try {
    db = openReadOnly(file)
    const schema = checkSchema(db)
    return [
      ok('ledger', `${file} opens`),
      checkSqlite(db),
      checkJournal(db),
      schema,
      checkLast(db, now),
      ...(schema.status === 'ok'
        ? [
            await checkSeals(eachIn(db), findSecret(dataDir, given)),
            ...(await checkAbsences(eachIn(db), now)),
          ]
        : []),
    ]
  } catch (error) {
    return [fail('ledger', `${file}: ${reasonOf(error)}`, 'check its owner and rights, or restore a backup')]
  } finally {
    db?.close()
  }
}

const eachIn = (db: Database): Each =>
  async function* (sql) {
    yield* db.prepare(sql).iterate() as Iterable<Record<string, unknown>>
  }

function checkSqlite(db: Database): Finding {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string
  return isAtLeast(version, SQLITE_AT_LEAST)
    ? ok('sqlite', `SQLite ${version}`)
    : fail(
        'sqlite',
        `SQLite ${version} can corrupt a ledger`,
        `install a better-sqlite3 with ${SQLITE_AT_LEAST} or newer`,
      )
}

function checkJournal(db: Database): Finding {
  const { journal_mode } = durability(db)
  return journal_mode === 'wal'
    ? ok('journal', 'journal_mode is wal')
    : fail(
        'journal',
        `journal_mode is ${journal_mode}, not wal`,
        'start the lane once: it sets wal and checks it',
      )
}

function checkSchema(db: Database): Finding {
  const version = db.pragma('user_version', { simple: true }) as number
  if (version === SCHEMA_VERSION) return ok('schema', `schema version ${version}`)
  const message = `schema version ${version}, this program knows ${SCHEMA_VERSION}`
  return version < SCHEMA_VERSION
    ? warn('schema', message, 'the next `lane serve` brings it forward; take a backup first')
    : fail('schema', message, 'run the newer lane, or restore a backup')
}

function checkLast(db: Database, now: number): Finding {
  const line = db.prepare('SELECT line FROM entries ORDER BY seq DESC LIMIT 1').pluck().get() as
    | string
    | undefined
  if (line === undefined) return ok('last entry', 'the ledger is empty')
  return judgeLast((JSON.parse(line) as { at: string }).at, now)
}

/** An entry from the future means that the clock was, or is, wrong: deadlines would move with it. */
export function judgeLast(at: string, now: number): Finding {
  const ahead = Date.parse(at) - now
  if (!Number.isFinite(ahead))
    return fail('last entry', 'its time cannot be read', 'run `lane ledger verify`')
  if (ahead <= JUMP_MS) return ok('last entry', `the last entry is of ${at}`)
  const message = `the last entry is ${sayDuration(ahead)} in the future (${at})`
  return fail('last entry', message, 'set the clock of this machine: deadlines wait until it has caught up')
}
