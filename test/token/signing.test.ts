// The keys in memory, where others change them too: a key this process was not told of is looked for before it is refused.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { KNOWN_EVERYWHERE_MS, keepKeyring, type Signing } from '../../src/signing.js'
import { rotate } from '../../src/token/keyring.js'
import { mint, verify } from '../../src/token/reply-token.js'
import { SECRET, START, StageClock } from '../lane/stage.js'
import { unlocked } from '../unlocked.js'
import { CLAIMS } from './ring.js'

let dir: string
let store: Store
let signing: Signing
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'signing-'))
  store = unlocked(openSqlite(dir, new StageClock()))
  signing = await keepKeyring(store, SECRET, KNOWN_EVERYWHERE_MS, error => {
    throw error
  })
})
afterEach(async () => {
  signing.stop()
  await store.ledger.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a token of a key whose rotation was cut short before it was recorded, or heard of, is accepted', async () => {
  const { kid, keyring } = await rotate(store.shelf, SECRET, START)
  const before = signing.current().signing.kid
  expect(await verify(signing.current(), mint(keyring, CLAIMS), START)).toEqual({ ok: true, claims: CLAIMS })
  // It is known now, and signs once it is known everywhere.
  expect(
    signing
      .current()
      .jwks(START)
      .keys.map(key => key.kid),
  ).toContain(kid)
  expect(signing.current().signing.kid).toBe(before)
})

test('a token of a key that nobody has is refused', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'signing-'))
  const other = unlocked(openSqlite(elsewhere, new StageClock()))
  const { keyring } = await rotate(other.shelf, SECRET, START)
  const verified = await verify(signing.current(), mint(keyring, CLAIMS), START)
  expect(verified).toEqual({ ok: false, flaw: 'token_unknown_key' })
  await other.ledger.close()
  rmSync(elsewhere, { recursive: true, force: true })
})
