import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../src/clock.js'
import { keepGiven } from '../../src/keys/first-keys.js'
import { hashKey, KeyBook, keyFrom, makeKey } from '../../src/keys/key-book.js'
import { START } from '../lane/stage.js'
import { openShelf } from '../token/ring.js'

const AT = '2026-11-01T12:00:00.000Z'
let opened: ReturnType<typeof openShelf>
let book: KeyBook
beforeEach(() => {
  opened = openShelf()
  book = new KeyBook(opened.store)
})
afterEach(() => opened.close())

describe('an API key', () => {
  test('is 200 random bits, different each time, shown once and kept as a hash alone', async () => {
    const { secret, key } = makeKey('agent', ['request'], AT)
    expect(secret).toMatch(/^lane_[0-9a-hjkmnp-tv-z]{40}$/)
    expect(makeKey('agent', ['request'], AT).secret).not.toBe(secret)
    await book.add(key, 'key-1')
    expect(JSON.stringify(await opened.shelf.apiKeys())).not.toContain(secret.slice(5))
    expect(key.secret_hash).toBe(hashKey(secret))
  })

  test('opens the door with its own name and scopes, and nothing near it does', async () => {
    const { secret, key } = makeKey('agent', ['request', 'audit'], AT)
    await book.add(key, 'key-1')
    expect(book.authenticate(secret)).toMatchObject({
      key_id: key.key_id,
      name: 'agent',
      scopes: ['request', 'audit'],
    })
    for (const near of [
      secret.toUpperCase(),
      secret.slice(0, -1),
      `${secret} `,
      key.secret_hash,
      key.key_id,
      '',
    ]) {
      expect(book.authenticate(near)).toBeNull()
    }
  })

  test('is known again by another book on the same shelf, and not before it has looked', async () => {
    const { secret, key } = makeKey('agent', ['request'], AT)
    await book.add(key, 'key-1')
    const other = new KeyBook(opened.store)
    expect(other.authenticate(secret)).toBeNull()
    await other.reload()
    expect(other.authenticate(secret)).not.toBeNull()
  })

  test('that was revoked opens nothing, and keeps its name for the record', async () => {
    const { secret, key } = makeKey('agent', ['request'], AT)
    await book.add(key, 'key-1')
    await book.revoke(key.key_id, 'key-1')
    expect(book.authenticate(secret)).toBeNull()
    expect(book.nameOf(key.key_id)).toBe('agent')
    expect(book.get(key.key_id)?.revoked_at).toBe(instant(START))
  })

  test('has an id that says nothing of its secret: a guess cannot be checked against it', () => {
    const made = [makeKey('agent', ['request'], AT), ...[1, 2].map(() => keyFrom('chosen', 'env', [], AT))]
    for (const { secret, key } of made) {
      expect(key.key_id).toMatch(/^key-[0-9a-f]{16}$/)
      expect(hashKey(secret)).not.toContain(key.key_id.slice(4))
    }
    expect(new Set(made.map(({ key }) => key.key_id)).size).toBe(3)
  })

  test('that the operator chose is found by its secret, also after it was revoked: a restart knows it again', async () => {
    const { key } = keyFrom('chosen', 'env', ['request'], AT)
    await book.add(key, 'key-1')
    await book.revoke(key.key_id, 'key-1')
    const again = new KeyBook(opened.store)
    await again.reload()
    expect(again.holding('chosen')).toMatchObject({ key_id: key.key_id, revoked_at: instant(START) })
    expect(again.holding('Chosen')).toBeNull()
  })

  test('that was made before ids were random keeps the id it has', async () => {
    const { key } = keyFrom('chosen', 'LANE_API_KEY', ['request'], AT)
    const former = `key-${hashKey('chosen').slice(7, 19)}`
    await book.add({ ...key, key_id: former }, 'key-1')
    await keepGiven(book, 'chosen', AT)
    expect(book.all().map(({ key_id, revoked_at }) => [key_id, revoked_at])).toEqual([[former, null]])
  })

  test('cannot be added twice under one secret', async () => {
    await book.add(keyFrom('chosen', 'env', ['request'], AT).key, 'key-1')
    await expect(book.add(keyFrom('chosen', 'again', ['audit'], AT).key, 'key-1')).rejects.toThrow()
    expect(book.authenticate('chosen')?.scopes).toEqual(['request'])
  })

  test('nobody has an id that was not given', () => {
    expect(book.get('__proto__')).toBeNull()
    expect(book.nameOf('key-1')).toBe('key-1')
    expect(book.all()).toEqual([])
  })
})
