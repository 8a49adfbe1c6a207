// The data directory is its owner's alone, whoever made it and however.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addressIn, keepPrivate, leaveAddress } from '../../src/config/data-directory.js'
import { startLane } from '../lane-under-test.js'

let parent: string
let dataDir: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'lane-data-'))
  dataDir = join(parent, 'data')
})
afterEach(() => rmSync(parent, { recursive: true, force: true }))

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('a data directory that others can look into', () => {
  test('is closed at the start of a lane, with every secret in it, before anything is written there', async () => {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o775)
    const lane = await startLane({ dataDir })
    await lane.stop()
    const secrets = ['secret', 'operator.key', 'outbox.ndjson', 'ledger.db'].map(name => join(dataDir, name))
    const there = secrets.filter(file => existsSync(file))
    for (const path of [dataDir, ...there]) chmodSync(path, 0o777)
    const again = await startLane({ dataDir, keys: lane })
    await again.stop()
    expect(there).toContain(join(dataDir, 'secret'))
    expect([dataDir, ...there].map(modeOf)).toEqual([0o700, ...there.map(() => 0o600)])
  })

  test('is told of: who could read it before may have', () => {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    writeFileSync(join(dataDir, 'secret'), '', { mode: 0o640 })
    expect(keepPrivate(dataDir)).toEqual({
      corrected: [expect.stringContaining(`${dataDir} was open`), expect.stringContaining('secret was open')],
      flaws: [],
    })
    expect(keepPrivate(dataDir)).toEqual({ corrected: [], flaws: [] })
  })

  test('and is another user’s is refused with what to do', () => {
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o770)
    const forbidden = (): never => {
      throw Object.assign(new Error('chmod'), { code: 'EPERM' })
    }
    expect(keepPrivate(dataDir, forbidden)).toEqual({
      corrected: [],
      flaws: [expect.stringMatching(/may not close it \(EPERM\) → chmod 700 .* as its owner/)],
    })
  })
})

test('one that is not there is made for its owner alone', () => {
  expect(keepPrivate(dataDir)).toEqual({ corrected: [], flaws: [] })
  expect(modeOf(dataDir)).toBe(0o700)
})

describe('the address a lane leaves', () => {
  test('is found, and the last one counts', () => {
    mkdirSync(dataDir)
    expect(addressIn(dataDir)).toBeNull()
    leaveAddress(dataDir, 'http://127.0.0.1:8787')
    leaveAddress(dataDir, 'http://127.0.0.1:8788')
    expect(addressIn(dataDir)).toBe('http://127.0.0.1:8788')
    expect(modeOf(join(dataDir, 'lane.url'))).toBe(0o600)
  })

  test.each(['', 'ftp://x', 'http://a b', 'http://user@', 'http://x/sub'])('%j is none', text => {
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'lane.url'), text)
    expect(addressIn(dataDir)).toBeNull()
  })
})
