// Proves that the measured work really happened: the entries by type, exactly as many as were asked for, and the
// ledger's own never-invariants over all of it. A fast lane that does something else has measured nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { EntryOf, EventType } from '../src/event.js'
import { openReadOnly } from '../src/ledger/sqlite/open.js'
import { verify } from '../src/ledger/verify.js'

export class WrongOutcome extends Error {
  override readonly name = 'WrongOutcome'
}

export type Counts = Readonly<Partial<Record<EventType, number>>>

/** The entries of n answered questions: the reply, its meaning, the outcome, and the director's decision. */
export const answered = (n: number): Counts => ({
  INBOUND_REPLY_RECEIVED: n,
  HUMAN_REPLY_EVENT: n,
  REQUEST_RESOLVED: n,
  DIRECTOR_DECIDED: n,
  AHDB_DELTA: n,
})

/** The entries of n requests that nobody answered: the receipt, the outcome, and the director's decision. */
export const timedOut = (n: number): Counts => ({
  TIMEOUT_RECEIPT: n,
  REQUEST_RESOLVED: n,
  DIRECTOR_DECIDED: n,
})
export const ENTRIES_PER_TIMEOUT = Object.keys(timedOut(1)).length

/** A lane that has not got there after this long never will. */
const PATIENCE_MS = 60_000

function reading<T>(file: string, read: (db: Database) => T): T {
  const db = openReadOnly(file)
  try {
    return read(db)
  } finally {
    db.close()
  }
}

const SIZE = 'SELECT coalesce(max(seq), -1) + 1 FROM entries'
export const sizeOf = (file: string): number => reading(file, db => db.prepare(SIZE).pluck().get() as number)

/** Fulfils within a millisecond or two of the ledger having `size` entries committed; tells of each look meanwhile. */
export async function watchHead(
  file: string,
  size: number,
  onLook: (size: number) => void = () => undefined,
): Promise<void> {
  const db = openReadOnly(file)
  const head = db.prepare(SIZE).pluck()
  const end = performance.now() + PATIENCE_MS
  try {
    for (;;) {
      const found = head.get() as number
      onLook(found)
      if (found >= size) return
      if (performance.now() > end) throw new WrongOutcome(`${found} entries where ${size} were awaited`)
      await sleep(1)
    }
  } finally {
    db.close()
  }
}

/** Throws unless the entries from `from` on are exactly these. */
export function requireCounts(file: string, from: number, wanted: Counts): void {
  const rows = reading(
    file,
    db =>
      db.prepare('SELECT type, count(*) AS n FROM entries WHERE seq >= ? GROUP BY type').all(from) as {
        type: EventType
        n: number
      }[],
  )
  const found: Counts = Object.fromEntries(rows.map(({ type, n }) => [type, n]))
  const types = new Set([...Object.keys(wanted), ...Object.keys(found)] as EventType[])
  const wrong = [...types].filter(type => (wanted[type] ?? 0) !== (found[type] ?? 0))
  if (wrong.length === 0) return
  const said = wrong.map(type => `${found[type] ?? 0} ${type} where ${wanted[type] ?? 0} belong`)
  throw new WrongOutcome(said.join('; '))
}

/** Throws unless so many requests are open and will ring: a figure for a crowd needs the crowd. */
export function requirePending(file: string, wanted: number): void {
  const sql = 'SELECT count(*) FROM requests WHERE resolved_seq IS NULL AND alarm_ms IS NOT NULL'
  const found = reading(file, db => db.prepare(sql).pluck().get() as number)
  if (found !== wanted) throw new WrongOutcome(`${found} requests are pending where ${wanted} belong`)
}

export const linesOf = (file: string): string[] =>
  reading(file, db => db.prepare('SELECT line FROM entries ORDER BY seq').pluck().all() as string[])

export const entriesOf = <T extends EventType>(file: string, type: T): EntryOf<T>[] =>
  reading(file, db =>
    db.prepare('SELECT line FROM entries WHERE type = ? ORDER BY seq').pluck().all(type),
  ).map(line => JSON.parse(line as string))

export async function requireHolds(file: string, but: readonly string[] = []): Promise<void> {
  // Line by line, and not all at once: a ledger may have a million.
  const { problems } = await reading(file, db =>
    verify(db.prepare('SELECT line FROM entries ORDER BY seq').pluck().iterate() as Iterable<string>),
  )
  const [first] = problems.filter(({ invariant }) => !but.includes(invariant))
  if (first !== undefined)
    throw new WrongOutcome(
      `the ledger does not hold: entry ${first.seq}, ${first.invariant}: ${first.message}`,
    )
}
