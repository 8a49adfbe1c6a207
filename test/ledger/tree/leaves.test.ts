// Leaves kept for a checkpoint are those of the tree, however many there are and however they are taken.
import { expect, test } from 'vitest'
import { leafOf } from '../../../src/ledger/tree/hash.js'
import { Leaves } from '../../../src/ledger/tree/leaves.js'

const words = (index: number): string => `{"seq":${index},"text":"für 𝄞"}`
const leavesOf = (from: number, to: number): Uint8Array[] =>
  Array.from({ length: to - from }, (_, index) => leafOf(words(from + index)))
const take = (leaves: Leaves, count: number): Uint8Array[] => {
  const taken: Uint8Array[] = []
  leaves.take(count, leaf => void taken.push(leaf))
  return taken
}
const plain = (leaves: readonly Uint8Array[]): string[] =>
  leaves.map(leaf => Buffer.from(leaf).toString('hex'))

test('a few and thousands, taken a part at a time, are the leaves of their words, each once and in order', () => {
  const leaves = new Leaves()
  for (let index = 0; index < 3_000; index++) leaves.add(words(index))
  expect(plain(take(leaves, 1))).toEqual(plain(leavesOf(0, 1)))
  expect(take(leaves, 0)).toEqual([])
  expect(plain(take(leaves, 1_999))).toEqual(plain(leavesOf(1, 2_000)))
  for (let index = 3_000; index < 3_100; index++) leaves.add(words(index))
  expect(plain(take(leaves, 5_000))).toEqual(plain(leavesOf(2_000, 3_100)))
  expect(take(leaves, 1)).toEqual([])
})

test('what was taken stays as it is, whatever is added behind it', () => {
  const leaves = new Leaves()
  leaves.add(words(1))
  const taken = take(leaves, 1)
  leaves.add(words(2))
  expect(plain(taken)).toEqual(plain([leafOf(words(1))]))
})
