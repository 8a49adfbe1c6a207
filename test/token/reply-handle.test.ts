// What travels: 26 characters that survive a phone, a mail address and a URL.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode } from '../../src/token/crockford.js'
import { HANDLE_BYTES, hashHandle, readHandle, writeHandle } from '../../src/token/reply-handle.js'

const handleBytes = fc.uint8Array({ minLength: HANDLE_BYTES, maxLength: HANDLE_BYTES })
const HANDLE = writeHandle(new Uint8Array(HANDLE_BYTES).map((_, index) => index * 15))

describe('Crockford base32', () => {
  test('is the bits, five at a time, in the alphabet without i, l, o and u', () => {
    expect(encode(new Uint8Array([0x00, 0x44, 0x32, 0x14, 0xc7]), 8)).toBe('01234567')
    expect(encode(new Uint8Array([0x42, 0x54, 0xb6, 0x35, 0xcf]), 8)).toBe('89abcdef')
    expect(encode(new Uint8Array([0x84, 0x65, 0x3a, 0x56, 0xd7]), 8)).toBe('ghjkmnpq')
    expect(encode(new Uint8Array([0xc6, 0x75, 0xbe, 0x77, 0xdf]), 8)).toBe('rstvwxyz')
  })

  test('agrees with arithmetic on the whole number, for any bytes', () => {
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 5, maxLength: 40 }), bytes => {
        const length = Math.floor((bytes.length * 8) / 5)
        const number =
          BigInt(`0x${Buffer.from(bytes).toString('hex')}`) >> BigInt(bytes.length * 8 - length * 5)
        let expected = ''
        for (let rest = number, place = 0; place < length; place++, rest >>= 5n)
          expected = alphabet.charAt(Number(rest & 31n)) + expected
        expect(encode(bytes, length)).toBe(expected)
      }),
    )
  })

  test('too few bytes are refused rather than padded: a short handle would be guessable', () => {
    expect(() => encode(new Uint8Array(16), 26)).toThrow(RangeError)
  })
})

describe('a reply handle', () => {
  test('has 26 lower-case characters and holds 130 bits: any two inputs that differ there differ', () => {
    fc.assert(
      fc.property(handleBytes, fc.nat({ max: 129 }), (bytes, bit) => {
        const other = bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte))
        expect(writeHandle(bytes)).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
        expect(writeHandle(other)).not.toBe(writeHandle(bytes))
      }),
    )
  })

  test('is read in any case, and always as the one it is', () => {
    fc.assert(
      fc.property(handleBytes, fc.array(fc.boolean(), { minLength: 26, maxLength: 26 }), (bytes, upper) => {
        const handle = writeHandle(bytes)
        const typed = [...handle]
          .map((letter, index) => (upper[index] ? letter.toUpperCase() : letter))
          .join('')
        expect(readHandle(typed)).toBe(handle)
      }),
    )
  })

  test.each([
    ...'iIlLoOuU',
    '-',
    '_',
    ' ',
    '.',
    '+',
    '\n',
    '\0',
    '\u0131',
    '\u212a',
    '\u017f',
    '\uff10',
    '\u0430',
    '\u{1f600}',
  ])('with %j in it is none: a look-alike is refused, not folded', letter => {
    expect(readHandle(letter + HANDLE.slice(1))).toBeNull()
    expect(readHandle(HANDLE.slice(0, 25) + letter)).toBeNull()
  })

  test.each([
    ['empty', ''],
    ['one short', HANDLE.slice(1)],
    ['one long', `${HANDLE}0`],
    ['with a line feed after it', `${HANDLE}\n`],
    ['with a blank before it', ` ${HANDLE.slice(1)}`],
    ['percent-encoded', `%30${HANDLE.slice(1)}`],
  ])('%s is none', (_name, text) => {
    expect(readHandle(text)).toBeNull()
  })

  test('only its hash is kept, under a domain of its own', () => {
    expect(hashHandle(HANDLE)).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(hashHandle(HANDLE)).not.toBe(hashHandle(HANDLE.toUpperCase()))
  })
})
