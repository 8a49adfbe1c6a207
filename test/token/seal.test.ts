import { describe, expect, test } from 'vitest'
import { seal, stamper, unseal } from '../../src/token/seal.js'

const SECRET = { bytes: new Uint8Array(32).fill(1) }
const OTHER = { bytes: new Uint8Array(32).fill(2) }
const NONCE = new Uint8Array(12).fill(9)
const PLAIN = Buffer.from('what must not be read')

describe('sealing', () => {
  const sealed = Buffer.from(seal(SECRET, 'signing-key', PLAIN, NONCE))

  test('what was sealed comes back, under the same secret and purpose only', () => {
    expect(Buffer.from(unseal(SECRET, 'signing-key', sealed) ?? [])).toEqual(PLAIN)
    expect(unseal(OTHER, 'signing-key', sealed)).toBeNull()
    expect(unseal(SECRET, 'csrf', sealed)).toBeNull()
  })

  test('one flipped bit anywhere, nonce and tag included, opens nothing', () => {
    for (let index = 0; index < sealed.length * 8; index++) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(index >> 3) ^ (1 << (index & 7)), index >> 3)
      expect(unseal(SECRET, 'signing-key', changed)).toBeNull()
    }
  })

  test('a box cut short at any length opens nothing and does not throw', () => {
    for (let length = 0; length < sealed.length; length++) {
      expect(unseal(SECRET, 'signing-key', sealed.subarray(0, length))).toBeNull()
    }
  })

  test('a nonce of another length is refused', () => {
    expect(() => seal(SECRET, 'x', PLAIN, new Uint8Array(11))).toThrow(RangeError)
  })
})

describe('a stamp', () => {
  const csrf = stamper(SECRET, 'csrf')

  test('holds for its own value, secret and purpose', () => {
    const stamp = csrf.stamp('handle-1')
    expect(csrf.verify('handle-1', stamp)).toBe(true)
    expect(csrf.verify('handle-2', stamp)).toBe(false)
    expect(stamper(OTHER, 'csrf').verify('handle-1', stamp)).toBe(false)
    expect(stamper(SECRET, 'other').verify('handle-1', stamp)).toBe(false)
  })

  test.each(['', 'x', '\0', 'ä'.repeat(43)])('%j is not one, and is not an error either', given => {
    expect(csrf.verify('handle-1', given)).toBe(false)
  })
})
