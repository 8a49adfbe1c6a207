import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { macUnder } from '../../src/token/mac.js'

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex')

test('HMAC-SHA-256 as RFC 4231 has it', () => {
  expect(macUnder(bytes('0b'.repeat(20)))('Hi There')).toBe(
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
  expect(macUnder(Buffer.from('Jefe'))('what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

test('the same as the platform makes, whatever the key, the words, and the words before them', () => {
  const key = fc.uint8Array({ minLength: 0, maxLength: 64 })
  const words = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3_000 }),
    fc.nat({ max: 2_100 }).map(length => 'é'.repeat(length)),
    fc.constant('\ud800'),
  )
  fc.assert(
    fc.property(key, fc.array(words, { maxLength: 4 }), (secret, several) => {
      const mac = macUnder(secret)
      for (const one of several) expect(mac(one)).toBe(createHmac('sha256', secret).update(one).digest('hex'))
    }),
  )
})

test('a key longer than a block is none of the ring', () => {
  expect(() => macUnder(new Uint8Array(65))).toThrow('no longer than a block')
})
