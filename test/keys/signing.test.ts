// The keys in memory, where others change them too: a key this process was not told of is looked for before it is refused.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../src/clock.js'
import { KNOWN_EVERYWHERE_MS, keepKeyring, type Signing } from '../../src/keys/signing.js'
import type { Store } from '../../src/ledger/contract.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { rotate } from '../../src/token/keyring.js'
import { mint, verify } from '../../src/token/reply-token.js'
import { SECRET, START, StageClock } from '../lane/stage.js'
import { CLAIMS } from '../token/ring.js'
import { unlocked } from '../unlocked.js'

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

const kids = () =>
  signing
    .current()
    .jwks(START)
    .keys.map(key => key.kid)

describe('a key that is revoked', () => {
  test('signs and verifies nothing from then on, though others were to be told first; the next signs at once', async () => {
    const former = signing.current().signing.kid
    const token = mint(signing.current(), CLAIMS)
    expect(await verify(signing.current(), token, START)).toMatchObject({ ok: true })
    const revoked = await signing.revoke(former, 'key-1')
    expect(revoked).toEqual({ kid: former, revoked_at: instant(START) })
    expect(kids()).not.toContain(former)
    expect(signing.current().signing.kid).not.toBe(former)
    expect(await verify(signing.current(), token, START)).toEqual({ ok: false, flaw: 'token_unknown_key' })
    expect(await signing.revoke(former, 'key-1')).toEqual(revoked)
    expect([...(await signing.revoked())]).toEqual([former])
  })

  test('is recorded once, with whose deed it was', async () => {
    const { kid } = signing.current().signing
    await signing.revoke(kid, 'key-1')
    await signing.revoke(kid, 'key-2')
    const entries: { type: string; body: object }[] = []
    for await (const line of store.ledger.lines(0)) entries.push(JSON.parse(line))
    expect(entries.slice(-2).map(({ type, body }) => [type, body])).toEqual([
      ['KEY_REVOKED', { kid, by: 'key-1' }],
      ['OPERATOR_ACTED', { deed: 'signing_key_revoked', about: kid, by: 'key-1' }],
    ])
    expect(entries.filter(({ type }) => type === 'KEY_REVOKED')).toHaveLength(1)
  })

  test('and was rotated out before takes the one that signs nothing', async () => {
    const former = signing.current().signing.kid
    const token = mint(signing.current(), CLAIMS)
    await signing.rotate()
    const signs = signing.current().signing.kid
    await signing.revoke(former, 'key-1')
    expect(await verify(signing.current(), token, START)).toEqual({ ok: false, flaw: 'token_unknown_key' })
    expect(kids()).toHaveLength(1)
    // The former signed until all knew the next; what must not sign any more does not.
    expect([signs, signing.current().signing.kid]).toEqual([former, kids()[0]])
  })

  test('one that was only rotated is not among the revoked, and what is no signing key cannot be', async () => {
    await signing.rotate()
    expect(await signing.revoked()).toEqual(new Set())
    const shared = (await store.shelf.keyring()).find(row => row.public_jwk === null)
    expect(await signing.revoke(shared?.kid ?? '', 'key-1')).toBeNull()
    expect(await signing.revoke('nobody', 'key-1')).toBeNull()
  })
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
