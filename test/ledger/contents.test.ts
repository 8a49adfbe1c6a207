// Contents in bundles (BU1, BU2), as the embedded store keeps them beneath the contract.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Hash, sha256 } from '../../src/canonical.js'
import { Contents } from '../../src/ledger/sqlite/contents.js'
import { migrate } from '../../src/ledger/sqlite/schema.js'

/** The schema of the day before contents came in bundles. */
const BEFORE_BUNDLES = 13
/** More places than are kept out of the index. */
const MANY = 16_384

let directory: string
let db: Database
let contents: Contents

const reopen = (): void => {
  db?.close()
  db = new Sqlite(join(directory, 'ledger.db'))
  db.pragma('secure_delete = ON')
  // No power fails here, and the disk need not be waited for.
  db.pragma('synchronous = OFF')
  migrate(db)
  contents = new Contents(db)
}
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lane-contents-'))
  reopen()
})
afterEach(() => {
  db.close()
  rmSync(directory, { recursive: true })
})

const sent = (...texts: string[]): Map<Hash, Uint8Array> =>
  new Map(texts.map(text => [sha256(text), Buffer.from(text)]))
const put = (key: string, ...texts: string[]): void =>
  db.transaction(() => contents.put(key, sent(...texts)))()
const erase = (key: string, text: string): void => db.transaction(() => contents.erase(key, sha256(text)))()
const held = (key: string, ...texts: string[]): string[] =>
  [
    ...contents
      .read(
        key,
        texts.map(text => sha256(text)),
      )
      .values(),
  ].map(bytes => Buffer.from(bytes).toString())
const count = (table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()

describe('what a key sends in one go', () => {
  test('is one row, and each of it is found', () => {
    put('key-1', 'one', 'two', 'three')
    expect(count('bundles')).toBe(1)
    expect(held('key-1', 'three', 'none', 'one')).toEqual(['three', 'one'])
    expect(held('key-2', 'one')).toEqual([])
    expect(contents.readAny(sha256('two'))).toEqual(Buffer.from('two'))
  })

  test('is kept and counted once, also where a guard has asked before', () => {
    put('key-1', 'one', 'two')
    const asked = ['two', 'three'].map(text => ({ handle: sha256(text), size: text.length }))
    expect(contents.lacking('key-1', asked)).toBe('three'.length)
    put('key-1', 'two', 'three')
    put('key-1', 'one', 'three')
    expect([count('bundles'), contents.used('key-1')]).toEqual([2, 'onetwothree'.length])
    expect(contents.lacking('key-1', asked)).toBe(0)
  })

  test('and that did not stand leaves nothing behind, and its number to nobody', () => {
    put('key-1', 'one')
    const fail = db.transaction(() => {
      contents.put('key-1', sent('two'))
      throw new Error('no')
    })
    expect(fail).toThrow('no')
    expect(held('key-1', 'one', 'two')).toEqual(['one'])
    put('key-1', 'three')
    expect(held('key-1', 'two', 'three')).toEqual(['three'])
    put('key-1', 'two')
    reopen()
    expect(held('key-1', 'one', 'two', 'three')).toEqual(['one', 'two', 'three'])
  })

  test('is erased from its bundle alone, to the last byte, and another key keeps its copy', () => {
    const secret = 'the words that nobody may find again'
    put('key-1', 'one', secret, 'three')
    put('key-2', secret)
    erase('key-1', secret)
    expect([held('key-1', 'one', secret, 'three'), contents.used('key-1')]).toEqual([['one', 'three'], 8])
    expect(held('key-2', secret)).toEqual([secret])
    erase('key-2', secret)
    erase('key-2', secret)
    expect([contents.readAny(sha256(secret)), contents.used('key-2'), count('bundles')]).toEqual([null, 0, 1])
    db.pragma('wal_checkpoint(TRUNCATE)')
    expect(readFileSync(join(directory, 'ledger.db')).includes(secret)).toBe(false)
    put('key-1', secret)
    expect(held('key-1', secret)).toEqual([secret])
  })
})

describe('BU2 the index', () => {
  const texts = (from: number, length: number): string[] =>
    Array.from({ length }, (_, at) => `text ${from + at}`)

  test('takes places many at a time, and what is not in it yet is found all the same, also after a start', () => {
    for (let at = 0; at < MANY; at += 512) put('key-1', ...texts(at, 512))
    put('key-1', 'late')
    expect(count('bundles_by_handle')).toBe(0)
    reopen()
    expect(held('key-1', 'text 0', `text ${MANY - 1}`, 'late')).toEqual([
      'text 0',
      `text ${MANY - 1}`,
      'late',
    ])
    while (contents.settle());
    put('key-1', 'later')
    const places = [count('bundles_by_handle'), count('bundles')]
    expect(places).toEqual([MANY + 1, MANY / 512 + 2])
    for (let round = 0; round < 2; round++) {
      expect(held('key-1', 'text 511', 'text 512', 'late', 'later')).toEqual([
        'text 511',
        'text 512',
        'late',
        'later',
      ])
      for (let at = 0; at < MANY; at += 512) {
        const some = texts(at, 512).map(text => sha256(text))
        expect(contents.find('key-1', some).size).toBe(512)
      }
      put('key-1', ...texts(0, 512))
      expect(count('bundles')).toBe(places[1])
      reopen()
    }
  })

  test('gives a number to one bundle only, though the last was erased', () => {
    for (let at = 0; at < MANY; at += 512) put('key-1', ...texts(at, 512))
    put('key-1', 'last')
    while (contents.settle());
    erase('key-1', 'last')
    reopen()
    put('key-1', 'after it')
    reopen()
    expect(held('key-1', 'last', 'after it')).toEqual(['after it'])
  })

  test('says too much at worst: a place in it gives nobody a content', () => {
    put('key-1', 'one')
    const beginning = Number.parseInt(sha256('two').slice(7, 19), 16)
    db.prepare('INSERT INTO bundles_by_handle (beginning, place) VALUES (?, 1), (?, 99)').run(
      beginning,
      beginning,
    )
    expect([held('key-1', 'two'), contents.readAny(sha256('two'))]).toEqual([[], null])
  })
})

test('whatever keys send, erase and ask for, in whatever order, is what a plain table would hold', () => {
  const key = fc.constantFrom('key-1', 'key-2')
  const text = fc.constantFrom('', 'a', 'b', 'cc', 'ddd', 'é', '\0')
  const deed = fc.oneof(
    fc.record({ do: fc.constant('put' as const), key, texts: fc.uniqueArray(text, { minLength: 1 }) }),
    fc.record({ do: fc.constant('erase' as const), key, texts: fc.tuple(text) }),
    fc.record({ do: fc.constant('reopen' as const), key, texts: fc.constant([] as string[]) }),
  )
  const all = ['', 'a', 'b', 'cc', 'ddd', 'é', '\0']
  const property = fc.property(fc.array(deed, { maxLength: 12 }), deeds => {
    db.exec('DELETE FROM bundles; DELETE FROM blob_use')
    reopen()
    const plain = new Map<string, Set<string>>([
      ['key-1', new Set()],
      ['key-2', new Set()],
    ])
    for (const { do: what, key: whose, texts } of deeds) {
      const own = plain.get(whose) ?? new Set()
      if (what === 'reopen') reopen()
      for (const one of texts) what === 'put' ? own.add(one) : own.delete(one)
      if (what === 'put') put(whose, ...texts)
      for (const one of texts) if (what === 'erase') erase(whose, one)
      for (const [name, has] of plain) {
        expect(held(name, ...all).sort()).toEqual([...has].sort())
        const bytes = [...has].reduce((sum, one) => sum + Buffer.byteLength(one), 0)
        expect(contents.used(name) ?? 0).toBe(bytes)
      }
    }
  })
  fc.assert(property, { numRuns: 60 })
})

test('a store of before is brought forward: each key keeps what it had sent, and what it counts', () => {
  db.close()
  rmSync(join(directory, 'ledger.db'))
  db = new Sqlite(join(directory, 'ledger.db'))
  migrate(db, BEFORE_BUNDLES)
  const blob = db.prepare('INSERT INTO blobs (handle, bytes) VALUES (?, ?)')
  const own = db.prepare('INSERT INTO blob_owners (handle, key_id, size) VALUES (?, ?, ?)')
  const binary = Buffer.from([0, 255, 10, 0])
  for (const bytes of [Buffer.from('one'), Buffer.from('two'), binary]) blob.run(sha256(bytes), bytes)
  own.run(sha256('one'), 'key-1', 3)
  own.run(sha256('one'), 'key-2', 3)
  own.run(sha256('two'), 'key-2', 3)
  own.run(sha256(binary), 'key-1', 4)
  reopen()
  expect([held('key-1', 'one', 'two'), held('key-2', 'one', 'two')]).toEqual([['one'], ['one', 'two']])
  expect(contents.read('key-1', [sha256(binary)]).get(sha256(binary))).toEqual(binary)
  expect([contents.used('key-1'), contents.used('key-2')]).toEqual([7, 6])
  erase('key-1', 'one')
  put('key-2', 'two', 'three')
  reopen()
  expect([held('key-1', 'one'), held('key-2', 'one', 'two', 'three')]).toEqual([[], ['one', 'two', 'three']])
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE name GLOB 'blob*' AND type = 'table'`)
  expect(tables.pluck().all()).toEqual(['blob_use'])
})
