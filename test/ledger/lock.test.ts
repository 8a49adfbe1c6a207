import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AlreadyRunning, holdDirectory } from '../../src/ledger/sqlite/lock.js'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a second one in the same directory is told who is there, until the first lets go', () => {
  const letGo = holdDirectory(dir)
  expect(() => holdDirectory(dir)).toThrow(AlreadyRunning)
  expect(() => holdDirectory(dir)).toThrow(`already running, pid ${process.pid}`)
  letGo()
  holdDirectory(dir)()
})

test('a lock that cannot be taken for another reason is not taken for another lane', () => {
  writeFileSync(join(dir, 'lane.lock'), 'no database, and longer than the header of one'.repeat(10))
  expect(() => holdDirectory(dir)).toThrow(expect.objectContaining({ code: 'SQLITE_NOTADB' }))
})
