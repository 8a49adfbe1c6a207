// The newest head a process knows of, when answers overtake each other.
import { expect, test } from 'vitest'
import { KnownHead } from '../../../src/ledger/postgres/known-head.js'
import type { HeadRow } from '../../../src/ledger/postgres/tables.js'

const head = (size: number, hash = `sha256:${size}`): HeadRow =>
  ({ size, hash, at_ms: size, suspected: null }) as HeadRow

test('an answer that was overtaken is no loss, and does not make less known', () => {
  const knownHead = new KnownHead()
  knownHead.keep(head(3))
  const known = knownHead.head
  knownHead.keep(head(5))
  knownHead.see(head(4), known)
  expect(knownHead.head).toEqual(head(5))
})

test.each([
  ['fewer entries', head(4)],
  ['another last entry', head(5, 'sha256:other')],
])('%s than were known when it was asked for are a loss, for good', (_what, found) => {
  const knownHead = new KnownHead()
  knownHead.keep(head(5))
  expect(() => knownHead.see(found, knownHead.head)).toThrow('fewer entries than before')
  expect(() => knownHead.see(head(9), knownHead.head)).toThrow('fewer entries than before')
  expect(knownHead.isWhole).toBe(false)
})
