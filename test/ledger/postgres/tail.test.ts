// What a replica tells of commits, where reading and committing overtake each other: the tail by itself, on its promises.
import { expect, test } from 'vitest'
import type { Entry } from '../../../src/event.js'
import { GENESIS, inscribe } from '../../../src/ledger/entry.js'
import { Tail } from '../../../src/ledger/postgres/tail.js'
import { STARTED } from '../../contract/ledger/stage.js'

const at = '2026-11-01T12:00:00.000Z'
const { entry, line } = inscribe(STARTED, { seq: 0, at, prev: GENESIS })
const seqs = (entries: readonly Entry[]): number[] => entries.map(({ seq }) => seq)

test('PT3: an own commit that was read before it was answered is told once to all, and once as our own', async () => {
  let answer: (lines: readonly string[]) => void = () => undefined
  const tail = new Tail(0, () => new Promise(resolve => (answer = resolve)))
  const [all, own]: [number[], number[]] = [[], []]
  tail.listen(entries => void all.push(...seqs(entries)), null)
  tail.listenToOwn(entries => void own.push(...seqs(entries)))
  tail.heard(1)
  tail.begin()
  answer([line])
  await new Promise(resolve => setImmediate(resolve))
  expect([all, own]).toEqual([[0], []])
  tail.end([entry])
  expect([all, own]).toEqual([[0], [0]])
})

test('PT2: while a commit of ours is under way no reading is begun; what was heard of is read after it', async () => {
  let reads = 0
  const tail = new Tail(0, async () => {
    reads += 1
    return []
  })
  tail.begin()
  tail.heard(5)
  expect(reads).toBe(0)
  tail.end([])
  expect(reads).toBe(1)
})
