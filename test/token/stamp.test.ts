import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { stamper } from '../../src/token/stamp.js'

const macOf = (key: string) => (words: string) => createHmac('sha256', key).update(words).digest('hex')

describe('a stamp', () => {
  const csrf = stamper(macOf('one key'))

  test('holds for its own value and key', () => {
    const stamp = csrf.stamp('handle-1')
    expect(csrf.verify('handle-1', stamp)).toBe(true)
    expect(csrf.verify('handle-2', stamp)).toBe(false)
    expect(stamper(macOf('another')).verify('handle-1', stamp)).toBe(false)
  })

  test.each(['', 'x', '\0', 'ä'.repeat(43)])('%j is not one, and is not an error either', given => {
    expect(csrf.verify('handle-1', given)).toBe(false)
  })
})
