// The comparison that every fault ends in must itself notice what it is there for.
import { describe, expect, test } from 'vitest'
import type { Hash } from '../../src/canonical.js'
import { Craft } from '../ledger/craft.js'
import { question, Tale } from '../ledger/tale.js'
import { expectKept, Journal } from './journal.js'

/** One request of each ending, in this order: answered, defaulted, withdrawn. */
const craft = new Craft()
const tales = ['q-1', 'q-2', 'q-4'].map(id => new Tale(craft, question({ question_id: id }), id).asked())
tales[0]?.answered()
tales[2]?.withdrawn()
craft.later(60_000)
tales[1]?.timedOut('defaulted')
const openedAt = craft.entries.findIndex(({ type }) => type === 'REQUEST_OPENED')
const opened = craft.entries[openedAt]
const truly = { seq: openedAt, hash: opened?.hash ?? ('' as Hash) }
const kept = (tell: (journal: Journal) => void, lines: readonly string[] = craft.lines) => {
  const journal = new Journal()
  tell(journal)
  return expectKept(journal, lines)
}

describe('the client’s record, compared with a ledger', () => {
  test('agrees where everything told is there', async () => {
    await kept(journal => {
      journal.open('q-1', truly)
      journal.end('q-1', 'YES')
      journal.end('q-2', 'defaulted')
      journal.end('q-4', 'withdrawn')
    })
  })

  test.each([
    [
      'an acknowledged opening that is missing',
      (journal: Journal) => journal.open('q-9', { ...truly, seq: 999 }),
    ],
    ['one that stands elsewhere', (journal: Journal) => journal.open('q-1', { ...truly, seq: openedAt + 1 })],
    ['one with another hash', (journal: Journal) => journal.open('q-1', { ...truly, hash: 'sha256:0' })],
    ['another answer than the one told', (journal: Journal) => journal.end('q-1', 'NO')],
    ['an ending that is missing', (journal: Journal) => journal.end('q-9', 'YES')],
    [
      'two endings told of one request',
      (journal: Journal) => {
        journal.end('q-1', 'NO')
        journal.end('q-1', 'YES')
      },
    ],
  ])('notices %s', async (_what, tell) => {
    await expect(kept(tell)).rejects.toThrow(/toEqual|deeply equal/)
  })

  test('notices a ledger that does not hold, and a request that ended twice', async () => {
    await expect(kept(() => undefined, craft.lines.toSpliced(3, 1))).rejects.toThrow(/deeply equal/)
    const twice = new Craft()
    const tale = new Tale(twice).asked()
    tale.answered()
    tale.resolved({ outcome: 'withdrawn' })
    await expect(kept(() => undefined, twice.lines)).rejects.toThrow(/deeply equal/)
  })
})
