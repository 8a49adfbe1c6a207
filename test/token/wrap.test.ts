import { describe, expect, test } from 'vitest'
import { unwrap, wrap } from '../../src/token/wrap.js'

const SECRET = { bytes: new Uint8Array(32).fill(1) }
const OTHER = { bytes: new Uint8Array(32).fill(2) }
const NONCE = new Uint8Array(12).fill(9)
const PLAIN = Buffer.from('what must not be read')

describe('wrapping', () => {
  const wrapped = Buffer.from(wrap(SECRET, 'key/code/1', PLAIN, NONCE))

  test('what was wrapped comes back, under the same secret and label only', () => {
    expect(Buffer.from(unwrap(SECRET, 'key/code/1', wrapped) ?? [])).toEqual(PLAIN)
    expect(unwrap(OTHER, 'key/code/1', wrapped)).toBeNull()
    expect(unwrap(SECRET, 'csrf', wrapped)).toBeNull()
  })

  test('one flipped bit anywhere, nonce and tag included, opens nothing', () => {
    for (let index = 0; index < wrapped.length * 8; index++) {
      const changed = Buffer.from(wrapped)
      changed.writeUInt8(changed.readUInt8(index >> 3) ^ (1 << (index & 7)), index >> 3)
      expect(unwrap(SECRET, 'key/code/1', changed)).toBeNull()
    }
  })

  test('a box cut short at any length opens nothing and does not throw', () => {
    for (let length = 0; length < wrapped.length; length++) {
      expect(unwrap(SECRET, 'key/code/1', wrapped.subarray(0, length))).toBeNull()
    }
  })

  test('a nonce of another length is refused', () => {
    expect(() => wrap(SECRET, 'x', PLAIN, new Uint8Array(11))).toThrow(RangeError)
  })
})
