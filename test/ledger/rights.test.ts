// What the seal of a row is over: every column of it, so that no value of a row that gives a right can be exchanged, taken away
// or moved to another row, column or table.
import Sqlite from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { RIGHT_TABLES, RIGHTS, type Row, wordsOfRow } from '../../src/ledger/rights.js'
import { migrate } from '../../src/ledger/sqlite/schema.js'

const db = new Sqlite(':memory:')
migrate(db)
afterAll(() => db.close())

const columnsOf = (table: string): string[] =>
  (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)

/** Tables whose rows give nobody anything: the ledger itself, what is projected from it, counters, contents, places. */
const GIVE_NOTHING = [
  ...['entries', 'head', 'requests', 'directed_runs', 'policy_tokens', 'claims', 'asked', 'attempts'],
  ...[
    'open_codes',
    'code_misses',
    'code_rests',
    'raw_replies',
    'evidence',
    'cursors',
    'bundles',
    'bundles_by_handle',
    'grants_by_handle',
    'indexed_to',
    'blob_use',
    'checkpoint',
    'inbox',
  ],
]

/** A row's number says where it stands, and nothing of what it gives. */
const NUMBER = 'place'

test('every table is one whose rows are sealed, or one that is known to give nothing', () => {
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[]
  expect(tables.sort()).toEqual([...RIGHT_TABLES, ...GIVE_NOTHING].sort())
})

describe.each(RIGHT_TABLES)('the seal of a row of %s', table => {
  const { columns, identity } = RIGHTS[table]
  const row: Row = Object.fromEntries(columns.map((column, at) => [column, `v${at}`]))

  test('is over every column there is, those it is found by among them', () => {
    expect([...columns].sort()).toEqual(
      columnsOf(table)
        .filter(name => name !== 'seal' && name !== NUMBER)
        .sort(),
    )
    expect(columns).toEqual(expect.arrayContaining([...identity]))
  })

  test.each(columns)('is another where %s is another, is gone, or is moved to its neighbour', column => {
    const at = (columns as readonly string[]).indexOf(column)
    const next = columns[(at + 1) % columns.length] ?? ''
    const [own = null, other = null] = [row[column], row[next]]
    const changed: Row[] = [
      { ...row, [column]: 'x' },
      { ...row, [column]: null },
      { ...row, [column]: '' },
      { ...row, [column]: '-' },
      { ...row, [column]: other, [next]: own },
      { ...row, [column]: `${own}\n2:${other}`, [next]: '' },
    ]
    const words = [row, ...changed].map(one => wordsOfRow(table, one))
    expect(new Set(words).size).toBe(words.length)
  })

  test('is of this table alone', () => {
    const every: Row = Object.fromEntries(
      RIGHT_TABLES.flatMap(one => RIGHTS[one].columns.map(name => [name, 'v'])),
    )
    expect(new Set(RIGHT_TABLES.map(one => wordsOfRow(one, every))).size).toBe(RIGHT_TABLES.length)
  })
})

test('bytes are sealed as hexadecimal, and no text passes for them but the same digits', () => {
  const row = { kid: 'k', purpose: 'seal', public_jwk: null, not_before: 1, verify_until: null }
  const words = (wrapped: string | Uint8Array): string => wordsOfRow('keys', { ...row, wrapped })
  expect(words(Uint8Array.of(1, 255))).toBe(words('01ff'))
  expect(words(Uint8Array.of(1, 255))).not.toBe(words(Uint8Array.of(1, 254)))
})
