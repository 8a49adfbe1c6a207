// The newest head a process knows of, when answers overtake each other.
import { expect, test } from 'vitest'
import { Newest } from '../../../src/ledger/postgres/newest.js'
import type { Head } from '../../../src/ledger/postgres/tables.js'

const head = (size: number, hash = `sha256:${size}`): Head =>
  ({ size, hash, at_ms: size, suspected: null }) as Head

test('an answer that was overtaken is no loss, and does not make less known', () => {
  const newest = new Newest()
  newest.keep(head(3))
  const known = newest.head
  newest.keep(head(5))
  newest.see(head(4), known)
  expect(newest.head).toEqual(head(5))
})

test.each([
  ['fewer entries', head(4)],
  ['another last entry', head(5, 'sha256:other')],
])('%s than were known when it was asked for are a loss, for good', (_what, found) => {
  const newest = new Newest()
  newest.keep(head(5))
  expect(() => newest.see(found, newest.head)).toThrow('fewer entries than before')
  expect(() => newest.see(head(9), newest.head)).toThrow('fewer entries than before')
  expect(newest.isWhole).toBe(false)
})
