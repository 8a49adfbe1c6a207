// Seals a ledger from before there were seals, and the rows that give a right, as they stand; in one transaction.
import type { Database } from 'better-sqlite3'
import { parseEntry } from '../entry.js'
import { RIGHT_TABLES, RIGHTS, type RightTable, type Row } from '../rights.js'
import { Runs } from '../runs.js'
import type { Sealed, Seals } from '../seals.js'

const PAGE = 1_000

export function sealAll(db: Database, seals: Seals): void {
  const all = db.transaction(() => {
    sealEntries(db, seals)
    // Grants are found by an index that is written late, which is none for them all.
    db.exec('CREATE UNIQUE INDEX grants_to_seal ON grants (handle_hash)')
    // The ring is sealed by the code that makes its sealing key.
    for (const table of RIGHT_TABLES) if (table !== 'keys') sealRows(db, seals, table)
    db.exec('DROP INDEX grants_to_seal')
  })
  all.immediate()
}

function sealEntries(db: Database, seals: Seals): void {
  const page = db.prepare('SELECT seq, story, line FROM entries WHERE seq > ? ORDER BY seq LIMIT ?')
  const put = db.prepare('UPDATE entries SET seal = ? WHERE seq = ?')
  const runs = new Runs()
  const write = (run: Sealed | null): void => {
    if (run !== null) put.run(seals.ofAppend(run), run.last)
  }
  // An earlier try sealed with a key that nobody has.
  db.exec('UPDATE entries SET seal = NULL WHERE seal IS NOT NULL')
  for (let last = -1; ; ) {
    const rows = page.all(last, PAGE) as { seq: number; story: number | null; line: string }[]
    for (const { story, line } of rows) write(runs.add(parseEntry(line), story))
    const end = rows.at(-1)
    if (end === undefined) break
    last = end.seq
  }
  write(runs.end())
}

function sealRows(db: Database, seals: Seals, table: RightTable): void {
  const { columns, identity } = RIGHTS[table]
  const names = identity.join(', ')
  const named = identity.map(column => `@${column}`).join(', ')
  const page = (where: string) =>
    db.prepare(`SELECT ${columns.join(', ')} FROM ${table} ${where} ORDER BY ${names} LIMIT ${PAGE}`)
  const first = page('')
  const next = page(`WHERE (${names}) > (${named})`)
  const put = db.prepare(`UPDATE ${table} SET seal = @seal WHERE (${names}) = (${named})`)
  for (let rows = first.all() as Row[]; rows.length > 0; rows = next.all(rows.at(-1)) as Row[])
    for (const row of rows) put.run({ ...row, seal: seals.ofRow(table, row) })
}
