// The codes that people type, and what is kept of them.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  keepFormerCode,
  keepPageCode,
  keepReplyCode,
  PAGE_CODE_BYTES,
  REPLY_CODE_BYTES,
  readPageCode,
  readReplyCode,
  writePageCode,
  writeReplyCode,
} from '../../src/token/code.js'
import { hashHandle, writeHandle } from '../../src/token/reply-handle.js'
import { macOf } from './ring.js'

const [ONE, OTHER] = [1, 2].map(fill => hashHandle(writeHandle(new Uint8Array(17).fill(fill)))) as [
  ReturnType<typeof hashHandle>,
  ReturnType<typeof hashHandle>,
]
const MAC = macOf(7)

describe.each([
  ['of a page', 4, PAGE_CODE_BYTES, writePageCode, readPageCode],
  ['of a reply', 7, REPLY_CODE_BYTES, writeReplyCode, readReplyCode],
] as const)('a code %s', (_name, length, bytes, write, read) => {
  test('has upper-case characters of the alphabet of handles, and is read in any case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: bytes, maxLength: bytes }), random => {
        const code = write(random)
        expect(code).toMatch(new RegExp(`^[0-9A-HJKMNP-TV-Z]{${length}}$`))
        expect([read(code), read(code.toLowerCase())]).toEqual([code, code])
      }),
    )
  })

  const filled = (text: string): string => text.padEnd(length, 'A')

  test.each([
    ['o', '0'],
    ['O', '0'],
    ['i', '1'],
    ['I', '1'],
    ['l', '1'],
    ['L', '1'],
  ])('%s is read as the digit it resembles, %s', (typed, digit) => {
    expect(read(filled(`A${typed}B`))).toBe(filled(`A${digit}B`))
  })

  test.each(['', 'AUB', '\u00c0BC', 'A\u01312', 'A\u017fB', '\u212aBC', '\u0661\u0662\u0663', 'A B', ' AB'])(
    '%j is none',
    typed => {
      expect(read(filled(typed))).toBe(typed === '' ? filled('') : null)
    },
  )

  test('of another length is none', () => {
    for (const other of [0, 3, 4, 5, 6, 7, 8].filter(one => one !== length))
      expect(read('A'.repeat(other))).toBeNull()
    expect(read(`${filled('')}\n`)).toBeNull()
  })
})

describe('what is kept of a code', () => {
  test('counts for one page alone, and for one person on one channel alone', () => {
    const kept = [
      keepPageCode(MAC, ONE, 'AB12'),
      keepPageCode(MAC, OTHER, 'AB12'),
      keepPageCode(MAC, ONE, 'AB13'),
      keepReplyCode(MAC, 'sms', 'owner', 'AB12CD3'),
      keepReplyCode(MAC, 'sms', 'deputy', 'AB12CD3'),
      keepReplyCode(MAC, 'slack', 'owner', 'AB12CD3'),
      keepReplyCode(MAC, 'sms', 'owner', 'AB12CD4'),
    ]
    expect(new Set(kept).size).toBe(kept.length)
    for (const one of kept) expect(one).toMatch(/^hmac:[0-9a-f]{64}$/)
  })

  test('a backup does not give it away: of all codes none has it by hashing alone, and another key’s is another', () => {
    const kept = keepPageCode(MAC, ONE, 'AB12')
    const guesses = ['AB12', 'ab12'].flatMap(code =>
      ['lane/code/v1\n', 'lane/code/v2\n', 'lane/code/v2\npage\n', ''].map(
        domain => `hmac:${createHash('sha256').update(`${domain}${ONE}\n${code}`).digest('hex')}`,
      ),
    )
    expect(guesses).not.toContain(kept)
    expect(keepPageCode(macOf(8), ONE, 'AB12')).not.toBe(kept)
  })

  test('before there was a key for it, was a hash that four characters can be searched for in', () => {
    const sha = createHash('sha256').update(`lane/code/v1\n${ONE}\nAB12`).digest('hex')
    expect(keepFormerCode(ONE, 'AB12')).toBe(`sha256:${sha}`)
  })
})
