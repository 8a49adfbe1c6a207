// Seals a ledger from before there were seals, and the rows that give a right, as they stand; in one transaction.
import { parseEntry } from '../entry.js'
import { RIGHT_TABLES, RIGHTS, type Row as Right, type RightTable } from '../rights.js'
import { Runs } from '../runs.js'
import type { Sealed, Seals } from '../seals.js'
import { type Client, type Connect, leave, query, type Row, type Statement } from './connection.js'

const PAGE = 1_000

const ENTRIES: Statement = {
  name: 'seal_entries',
  text: 'SELECT seq, story, line FROM entries WHERE seq > $1 ORDER BY seq LIMIT $2',
}
const CLEAR: Statement = { name: 'seal_clear', text: 'UPDATE entries SET seal = NULL WHERE seal IS NOT NULL' }
const PUT: Statement = {
  name: 'seal_put',
  text: `UPDATE entries e SET seal = x.seal FROM json_to_recordset($1) AS x (seq bigint, seal text)
    WHERE e.seq = x.seq`,
}

export async function sealAll(connect: Connect, seals: Seals): Promise<void> {
  const client = await connect('sealer', { answerMs: 0 })
  try {
    await client.query('BEGIN')
    await sealEntries(client, seals)
    // The ring is sealed by the code that makes its sealing key.
    for (const table of RIGHT_TABLES) if (table !== 'keys') await sealRows(client, seals, table)
    await client.query('COMMIT')
  } finally {
    await leave(client)
  }
}

async function sealEntries(client: Client, seals: Seals): Promise<void> {
  const runs = new Runs()
  const put = async (ended: readonly (Sealed | null)[]): Promise<void> => {
    const rows = ended.flatMap(run => (run === null ? [] : [{ seq: run.last, seal: seals.ofAppend(run) }]))
    await query(client, { ...PUT, values: [JSON.stringify(rows)] })
  }
  // An earlier try sealed with a key that nobody has.
  await query(client, CLEAR)
  for (let last = -1; ; ) {
    const { rows } = await query(client, { ...ENTRIES, values: [last, PAGE] })
    const page = rows as readonly { seq: number; story: number | null; line: string }[]
    await put(page.map(({ story, line }) => runs.add(parseEntry(line), story)))
    const end = page.at(-1)
    if (end === undefined) break
    last = end.seq
  }
  await put([runs.end()])
}

/** Columns that are bytes here and text for the lane. */
const SPELT: Readonly<Partial<Record<RightTable, string>>> = { refs: 'ref', links: 'address' }

async function sealRows(client: Client, seals: Seals, table: RightTable): Promise<void> {
  const { columns, identity } = RIGHTS[table]
  const names = identity.join(', ')
  await client.query(`DECLARE seal_${table} NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table}`)
  const places = identity.map((_, index) => `$${index + 2}`).join(', ')
  const text = `UPDATE ${table} SET seal = $1 WHERE (${names}) = (${places})`
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${PAGE} FROM seal_${table}`)
    if (rows.length === 0) return
    const puts = rows.map(row => {
      const seal = seals.ofRow(table, spelt(row, SPELT[table]))
      return query(client, {
        name: `seal_${table}`,
        text,
        values: [seal, ...identity.map(name => row[name])],
      })
    })
    await Promise.all(puts)
  }
}

function spelt(row: Row, column: string | undefined): Right {
  const value = column === undefined ? null : row[column]
  return (Buffer.isBuffer(value) ? { ...row, [column ?? '']: value.toString('utf8') } : row) as Right
}
