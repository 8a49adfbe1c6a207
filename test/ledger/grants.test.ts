// Grants behind an index that is written late (SI1, SI2), as the embedded store keeps them beneath the contract.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { Seals } from '../../src/ledger/seals.js'
import type { Grant } from '../../src/ledger/shelf.js'
import { Grants } from '../../src/ledger/sqlite/grants.js'
import { migrate } from '../../src/ledger/sqlite/schema.js'
import { sealAll } from '../../src/ledger/sqlite/seal-all.js'

/** The schema of the day before. */
const BEFORE = 13
/** More places than are kept out of the index. */
const MANY = 16_384

let directory: string
let db: Database
let grants: Grants

const open = (to?: number): void => {
  db = new Sqlite(join(directory, 'ledger.db'))
  // No power fails here, and the disk need not be waited for.
  db.pragma('synchronous = OFF')
  migrate(db, to)
}
const reopen = (): void => {
  db.close()
  open()
  grants = new Grants(db)
}
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lane-grants-'))
  open()
  grants = new Grants(db)
})
afterEach(() => {
  db.close()
  rmSync(directory, { recursive: true })
})

const grantOf = (name: string): Grant => ({
  handle_hash: sha256(name),
  use: 'page',
  code_hash: '',
  token: `token of ${name}`,
  request_id: `q-${name}`,
  delivery_id: `d-${name}`,
  channel: 'web',
  user_id: 'operator',
})
const put = (...names: string[]): void =>
  db.transaction(() => {
    for (const name of names) grants.put(grantOf(name), `seal of ${name}`)
    grants.rows.write()
  })()
const tokenOf = (name: string): string | undefined => grants.find(sha256(name))?.token
const names = (from: number, length: number): string[] =>
  Array.from({ length }, (_, at) => `handle ${from + at}`)
const indexed = (): unknown => db.prepare('SELECT count(*) FROM grants_by_handle').pluck().get()

test('a handle leads to its grant, whole and with its seal, and another handle to none', () => {
  put('a', 'b')
  expect(grants.find(sha256('b'))).toEqual({ ...grantOf('b'), seal: 'seal of b' })
  expect(grants.find(sha256('c'))).toBeNull()
  expect(grants.findAll([sha256('b'), sha256('c'), sha256('a')]).map(({ token }) => token)).toEqual([
    'token of a',
    'token of b',
  ])
})

test('places go into the index many at a time; what is not in it yet is found all the same, also after a start', () => {
  put(...names(0, MANY))
  expect(indexed()).toBe(0)
  while (grants.settle());
  put('late')
  expect(indexed()).toBe(MANY)
  for (let round = 0; round < 2; round++) {
    for (const name of ['handle 0', `handle ${MANY - 1}`, 'late'])
      expect(tokenOf(name)).toBe(`token of ${name}`)
    expect(tokenOf('never made')).toBeUndefined()
    reopen()
  }
})

test('SI2 a grant that did not stand is not found, and its number goes to nobody else, also across a crash', () => {
  put(...names(0, MANY))
  const fail = db.transaction(() => {
    grants.put(grantOf('lost'), 'seal')
    grants.rows.write()
    throw new Error('no')
  })
  expect(fail).toThrow('no')
  while (grants.settle());
  put('next')
  expect([tokenOf('lost'), tokenOf('next')]).toEqual([undefined, 'token of next'])
  reopen()
  expect([tokenOf('lost'), tokenOf('next')]).toEqual([undefined, 'token of next'])
})

test('SI3 places go into the index a piece at a time: what is on its way is found all the same, also after a crash in the middle', () => {
  put(...names(0, MANY))
  for (let piece = 0; piece < 3; piece++) expect(grants.settle()).toBe(true)
  expect(indexed()).toBeGreaterThan(0)
  expect(indexed()).toBeLessThan(MANY / 4)
  put('between')
  const all = (): unknown[] => ['handle 0', `handle ${MANY - 1}`, 'between'].map(tokenOf)
  const expected = ['token of handle 0', `token of handle ${MANY - 1}`, 'token of between']
  expect(all()).toEqual(expected)
  reopen()
  expect(all()).toEqual(expected)
  while (grants.settle());
  reopen()
  expect(all()).toEqual(expected)
  expect(names(0, MANY).filter(name => tokenOf(name) === undefined)).toEqual([])
})

test('SI1 a place that somebody writes into the index leads nowhere', () => {
  put('a')
  const beginning = Number.parseInt(sha256('forged').slice(7, 19), 16)
  db.prepare('INSERT INTO grants_by_handle (beginning, place) VALUES (?, 1), (?, 99)').run(
    beginning,
    beginning,
  )
  expect(tokenOf('forged')).toBeUndefined()
})

test('a grant that somebody else has written is found, so that its missing seal can be told', () => {
  put('a')
  db.prepare(
    `INSERT INTO grants (handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id)
     VALUES (?, 'page', '', 'forged', 'q-a', 'd-a', 'web', 'operator')`,
  ).run(sha256('forged'))
  expect(grants.find(sha256('forged'))).toMatchObject({ token: 'forged', seal: null })
  put('b')
  expect([tokenOf('a'), tokenOf('b')]).toEqual(['token of a', 'token of b'])
})

test('a store of before is brought forward: every handle leads to the same grant, in the same order', () => {
  db.close()
  rmSync(join(directory, 'ledger.db'))
  open(BEFORE)
  const former = db.prepare(
    `INSERT INTO grants (handle_hash, use, code_hash, token, request_id, delivery_id, channel, user_id, seal)
     VALUES (@handle_hash, @use, @code_hash, @token, @request_id, @delivery_id, @channel, @user_id, @seal)`,
  )
  for (const name of names(0, 3)) former.run({ ...grantOf(name), seal: `seal of ${name}` })
  reopen()
  const found = grants.findAll(names(0, 3).map(name => sha256(name)))
  expect(found).toEqual(names(0, 3).map(name => ({ ...grantOf(name), seal: `seal of ${name}` })))
  put('next')
  expect(tokenOf('next')).toBe('token of next')
})

test('sealing a store of before finds each row that gives a right by an index: it costs no more for the millionth', () => {
  put(...names(0, 3))
  const seals = new Seals()
  seals.unlock({ kid: 'kid', mac: words => sha256(words).slice(7) })
  const prepare = db.prepare.bind(db)
  const scanned: string[] = []
  vi.spyOn(db, 'prepare').mockImplementation((sql: string) => {
    const steps =
      sql.startsWith('UPDATE') && sql.includes('WHERE (')
        ? (prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+/g, 'NULL')}`).all() as { detail: string }[])
        : []
    scanned.push(...steps.filter(({ detail }) => detail.startsWith('SCAN')).map(() => sql))
    return prepare(sql)
  })
  sealAll(db, seals)
  expect(scanned).toEqual([])
  expect(grants.find(sha256('handle 2'))?.seal).toBe(seals.ofRow('grants', { ...grantOf('handle 2') }))
  expect(prepare(`SELECT name FROM sqlite_schema WHERE name = 'grants_to_seal'`).all()).toEqual([])
})

test('SI3 places that come faster than a piece at a time do not pile up: more go in', () => {
  const ROUND = 4_096
  put(...names(0, MANY))
  let rounds = 0
  for (; (indexed() as number) < MANY; rounds++) {
    grants.settle()
    put(...names(MANY + rounds * ROUND, ROUND))
  }
  expect(rounds).toBeLessThan(MANY / ROUND)
})
