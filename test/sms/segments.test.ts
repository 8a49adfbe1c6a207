// What a message costs, by the tables of 3GPP TS 23.038.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countSegments } from '../../adapters/sms/segments.js'

const counted = (text: string): string => {
  const { encoding, units, segments } = countSegments(text)
  return `${encoding} ${units} in ${segments}`
}

describe('a message', () => {
  test.each([
    ['nothing', '', 'GSM-7 0 in 1'],
    ['160 septets', 'a'.repeat(160), 'GSM-7 160 in 1'],
    ['one more', 'a'.repeat(161), 'GSM-7 161 in 2'],
    ['two joined segments', 'a'.repeat(306), 'GSM-7 306 in 2'],
    ['one more than two', 'a'.repeat(307), 'GSM-7 307 in 3'],
    ['80 characters of the extension table', '€'.repeat(80), 'GSM-7 160 in 1'],
    ['one of them makes 161', `${'a'.repeat(159)}{`, 'GSM-7 161 in 2'],
    ['the whole extension table', '\f^{}\\[~]|€', 'GSM-7 20 in 1'],
    ['an escape is not torn from its letter', `${'a'.repeat(152)}[${'b'.repeat(152)}`, 'GSM-7 306 in 3'],
    ['the accents of the default alphabet', 'èéùìòÇØøÅåÆæßÉÄÖÑÜ§¿äöñüà¡£¥¤ΔΦΓΛΩΠΨΣΘΞ@_', 'GSM-7 41 in 1'],
    ['other accents', 'ê', 'UCS-2 1 in 1'],
    ['a backtick is in neither table', '`', 'UCS-2 1 in 1'],
    ['70 units', `${'a'.repeat(69)}ж`, 'UCS-2 70 in 1'],
    ['71 units', `${'a'.repeat(70)}ж`, 'UCS-2 71 in 2'],
    ['134 units', 'ж'.repeat(134), 'UCS-2 134 in 2'],
    ['35 pairs', '😀'.repeat(35), 'UCS-2 70 in 1'],
    ['a pair is not torn apart', `${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, 'UCS-2 134 in 3'],
  ])('of %s', (_name, text, cost) => expect(counted(text)).toBe(cost))

  test('never costs less when it grows', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
        fc.string({ maxLength: 20 }),
        (text, more) => {
          expect(countSegments(text + more).segments).toBeGreaterThanOrEqual(countSegments(text).segments)
        },
      ),
    )
  })
})
