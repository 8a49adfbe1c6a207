// A stateless stamp on a value, e.g. the hidden field of a form that only this lane can have drawn.
import { timingSafeEqual } from 'node:crypto'
import type { Mac } from './mac.js'

export type Stamper = ReturnType<typeof stamper>

export function stamper(mac: Mac) {
  const stamp = (value: string): string => Buffer.from(mac(value), 'hex').toString('base64url')
  return {
    stamp,
    verify(value: string, given: string): boolean {
      const expected = Buffer.from(stamp(value))
      const offered = Buffer.from(given)
      return expected.length === offered.length && timingSafeEqual(expected, offered)
    },
  }
}
