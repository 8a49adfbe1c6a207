// The ring: made, rotated, reopened, wrapped.
import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isFormer, KeyringSealed, opens, rewrapped } from '../../src/token/key-row.js'
import { openKeyring, openSealKey, rotate } from '../../src/token/keyring.js'
import { mint, verify } from '../../src/token/reply-token.js'
import { unwrap, wrap } from '../../src/token/wrap.js'
import { SECRET, START } from '../lane/stage.js'
import { CLAIMS, openShelf } from './ring.js'

const THIRTY_DAYS = 2_592_000_000
const OTHER = { bytes: new Uint8Array(32).fill(8) }
let opened: ReturnType<typeof openShelf>
beforeEach(() => {
  opened = openShelf()
})
afterEach(() => opened.close())

const reopen = async (secret = SECRET) => {
  const ring = await openKeyring(opened.shelf, secret)
  if (ring === null) throw new Error('the shelf has no key')
  return ring
}

const signer = async () => {
  const row = (await opened.shelf.keyring()).find(({ purpose }) => purpose === 'reply-token')
  if (row === undefined) throw new Error('the key was not kept')
  return row
}

describe('making and reopening', () => {
  test('an empty shelf has no ring: nothing signs by accident', async () => {
    expect(await openKeyring(opened.shelf, SECRET)).toBeNull()
  })

  test('a reopened ring verifies what was minted before, and mints the same', async () => {
    const { keyring } = await rotate(opened.shelf, SECRET, START)
    const token = await mint(keyring, CLAIMS)
    const again = await reopen()
    expect(await verify(again, token, START)).toEqual({ ok: true, claims: CLAIMS })
    expect(await mint(again, CLAIMS)).toBe(token)
  })

  test('another secret does not open it, and the message says what to put back', async () => {
    await rotate(opened.shelf, SECRET, START)
    const refused = reopen(OTHER)
    await expect(refused).rejects.toBeInstanceOf(KeyringSealed)
    await expect(refused).rejects.toThrow(/put back the data\/secret or LANE_SECRET it was wrapped under/)
  })

  test('the private key is nowhere on the shelf in the clear', async () => {
    const { keyring } = await rotate(opened.shelf, SECRET, START)
    const row = await signer()
    expect(Object.keys(JSON.parse(row.public_jwk ?? '')).sort()).toEqual([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
    ])
    expect(Buffer.from(row.wrapped).toString('latin1')).not.toContain('"d"')
    expect(keyring.jwks(START).keys.every(key => !('d' in key))).toBe(true)
  })

  test('one altered byte of the wrapped key is noticed', async () => {
    await rotate(opened.shelf, SECRET, START)
    const row = await signer()
    const wrapped = Buffer.from(row.wrapped)
    wrapped.writeUInt8(wrapped.readUInt8(40) ^ 1, 40)
    await opened.shelf.putKeys([{ ...row, wrapped }])
    await expect(reopen()).rejects.toBeInstanceOf(KeyringSealed)
  })

  test('the ring has one key of each purpose that never leaves it, and keeps it over rotations and restarts', async () => {
    const macs = async () => {
      const { code, messageId, csrf } = await reopen()
      const { kid, mac } = openSealKey(await opened.shelf.keyring(), SECRET) ?? { kid: '', mac: () => '' }
      return [kid, ...[code, messageId, csrf, mac].map(each => each('q7r2'))]
    }
    await rotate(opened.shelf, SECRET, START)
    const before = await macs()
    expect(new Set(before).size).toBe(5)
    for (const mac of before.slice(1)) expect(mac).toMatch(/^[0-9a-f]{64}$/)
    await rotate(opened.shelf, SECRET, START + 1)
    expect(await macs()).toEqual(before)
    const { keys } = (await reopen()).jwks(START)
    expect(keys).toMatchObject([{ purpose: 'reply-token' }, { purpose: 'reply-token' }])
  })

  test('a key does not open in the place of another, of another purpose or name', async () => {
    await rotate(opened.shelf, SECRET, START)
    const code = (await opened.shelf.keyring()).find(({ purpose }) => purpose === 'code')
    if (code === undefined) throw new Error('the key was not kept')
    expect(opens(code, SECRET)).toBe(true)
    expect(opens({ ...code, purpose: 'seal' }, SECRET)).toBe(false)
    expect(opens({ ...code, kid: 'another' }, SECRET)).toBe(false)
  })

  test('a key wrapped before keys had purposes is known as one, and opens once it is wrapped anew', async () => {
    const { kid } = await rotate(opened.shelf, SECRET, START)
    const row = await signer()
    const plain = unwrap(SECRET, `key/reply-token/${kid}`, row.wrapped) ?? Buffer.alloc(0)
    const former = { ...row, wrapped: wrap(SECRET, 'signing-key', plain, randomBytes(12)) }
    expect([isFormer(former, SECRET), opens(former, SECRET)]).toEqual([true, false])
    expect([isFormer(row, SECRET), isFormer(former, OTHER)]).toEqual([false, false])
    const anew = rewrapped(former, SECRET, OTHER)
    expect([opens(anew, OTHER), opens(anew, SECRET), isFormer(anew, OTHER)]).toEqual([true, false, false])
  })
})

describe('rotation', () => {
  test('[LANE-046] the old key verifies until the longest token it can have signed is over, then is refused', async () => {
    const first = await rotate(opened.shelf, SECRET, START)
    const token = await mint(first.keyring, CLAIMS)
    const { keyring } = await rotate(opened.shelf, SECRET, START + 1_000)
    const until = START + 1_000 + THIRTY_DAYS
    expect((await verify(keyring, token, until - 1)).ok).toBe(true)
    expect(await verify(keyring, token, until)).toEqual({ ok: false, flaw: 'token_unknown_key' })
  })

  test('[LANE-046] the new key signs from then on, and knows its own tokens', async () => {
    const first = await rotate(opened.shelf, SECRET, START)
    const second = await rotate(opened.shelf, SECRET, START + 1)
    expect(second.kid).not.toBe(first.kid)
    const token = await mint(second.keyring, CLAIMS)
    expect(decodeProtectedHeader(token).kid).toBe(second.kid)
    expect((await verify(second.keyring, token, START + 10 * THIRTY_DAYS)).ok).toBe(true)
    expect(await verify(first.keyring, token, START)).toEqual({ ok: false, flaw: 'token_unknown_key' })
  })

  test('the published set lists exactly the keys that verify', async () => {
    const kids: string[] = []
    for (const day of [0, 10, 20]) {
      kids.push((await rotate(opened.shelf, SECRET, START + day * 86_400_000)).kid)
    }
    const ring = await reopen()
    const listed = (day: number) => ring.jwks(START + day * 86_400_000).keys.map(key => key.kid)
    expect(listed(20)).toEqual(kids)
    expect(listed(39)).toEqual(kids)
    expect(listed(40)).toEqual(kids.slice(1))
    expect(listed(50)).toEqual(kids.slice(2))
    expect(listed(5_000)).toEqual(kids.slice(2))
    for (const day of [20, 40, 50]) {
      const verifying = kids.filter(kid => ring.verifier(kid, START + day * 86_400_000) !== null)
      expect(verifying).toEqual(listed(day))
    }
  })

  test('a ring rotated many times still has one key that signs', async () => {
    for (let round = 0; round < 5; round++) await rotate(opened.shelf, SECRET, START + round)
    const rows = (await opened.shelf.keyring()).filter(({ purpose }) => purpose === 'reply-token')
    expect(rows.filter(row => row.verify_until === null)).toHaveLength(1)
    expect((await reopen()).signing.kid).toBe(rows.find(row => row.verify_until === null)?.kid)
  })
})
