// The tree is RFC 6962's: known answers, another implementation, and every way of spoiling a proof.
import { readFileSync } from 'node:fs'
import { RFC9162 } from '@transmute/rfc9162'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leafOfLine } from '../../../src/ledger/entry.js'
import { consistencyOf, isConsistent } from '../../../src/ledger/tree/consistency.js'
import { EMPTY_ROOT, isSameHash, leafOf, nodeOf, type TreeHash } from '../../../src/ledger/tree/hash.js'
import { inclusionOf, rootAbove } from '../../../src/ledger/tree/inclusion.js'
import { completedBy, grow, NOTHING, packed, rootOf, unpacked } from '../../../src/ledger/tree/nodes.js'
import { ALL } from '../../faults/rig.js'
import { type Grown, grown, grownOf } from './grown.js'

const hex = (hash: TreeHash): string => Buffer.from(hash).toString('hex')
/** Every size up to here, and every place in it. */
const EVERY = ALL ? 300 : 128
/** A store may hold a million entries; building them all takes seconds. */
const MANY = ALL ? 1_000_000 : 20_000

/** The leaves and roots that implementations of RFC 6962 are tried with. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

describe('known answers of RFC 6962', () => {
  test('the root of no leaves is the hash of nothing', () => {
    expect(hex(EMPTY_ROOT)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(rootOf(NOTHING)).toEqual(EMPTY_ROOT)
  })

  test('eight leaves have the roots that everybody gets', () => {
    let frontier = NOTHING
    const roots: string[] = []
    for (const leaf of LEAVES) {
      ;({ frontier } = grow(frontier, leafOf(Buffer.from(leaf, 'hex').toString('latin1'))))
      roots.push(hex(rootOf(frontier)))
    }
    expect(roots).toEqual(ROOTS)
  })

  test('an inclusion proof of theirs is ours', () => {
    const tree = grown(8, index => Buffer.from(LEAVES[index] ?? '', 'hex').toString('latin1'))
    expect(tree.hashes(inclusionOf(5, 8)).map(hex)).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
    expect(tree.hashes(inclusionOf(2, 3)).map(hex)).toEqual([ROOTS[1]])
  })
})

describe('another implementation', () => {
  const words = (index: number): string => `leaf ${index}`
  test.each([1, 2, 3, 5, 8, 13, 64, 65])('agrees on a tree of %i leaves', async size => {
    const tree = grown(size, words)
    const entries = Array.from({ length: size }, (_, index) => RFC9162.strToBin(words(index)))
    expect(hex(await RFC9162.treeHead(entries))).toBe(hex(tree.root(size)))
    for (const [index, entry] of entries.entries()) {
      const theirs = await RFC9162.inclusionProof(entry, entries)
      const path = tree.hashes(inclusionOf(index, size))
      expect(theirs.inclusion_path.map(hex)).toEqual(path.map(hex))
      const ours = { log_id: '', tree_size: size, leaf_index: index, inclusion_path: [...path] }
      expect(await RFC9162.verifyInclusionProof(tree.root(size), tree.leaf(index), ours)).toBe(true)
    }
    for (let smaller = 1; smaller < size; smaller++) {
      const theirs = (await RFC9162.PROOF(smaller, entries)).map(hex)
      const ours = tree.hashes(consistencyOf(smaller, size)).map(hex)
      // It repeats the smaller root where that is a complete node; the RFC leaves it out.
      const root = hex(tree.root(smaller))
      expect(theirs).toEqual(theirs[0] === root ? [root, ...ours] : ours)
    }
  })
})

describe(`proofs of every size up to ${EVERY}`, () => {
  const tree = grown(EVERY)

  test('each leaf is included in each tree, and in no other place of it', () => {
    for (let size = 1; size <= EVERY; size++)
      for (let index = 0; index < size; index++) {
        const path = tree.hashes(inclusionOf(index, size))
        const above = rootAbove(tree.leaf(index), index, size, path)
        if (above === null || !isSameHash(above, tree.root(size))) expect.fail(`${index} of ${size}`)
        const elsewhere = rootAbove(tree.leaf(index), index ^ 1, size, path)
        if (size > 1 && elsewhere !== null && isSameHash(elsewhere, tree.root(size)))
          expect.fail(`${index} of ${size} also stands at ${index ^ 1}`)
      }
  })

  test('each tree is the beginning of each larger one', () => {
    for (let larger = 0; larger <= EVERY; larger++)
      for (let smaller = 0; smaller <= larger; smaller++) {
        const path = tree.hashes(consistencyOf(smaller, larger))
        if (!isConsistent(at(tree, smaller), at(tree, larger), path)) expect.fail(`${smaller} of ${larger}`)
      }
  })

  test('every node is kept once, with the leaf that completes it', () => {
    let kept = 0
    for (let seq = 0; seq < EVERY; seq++) kept += completedBy(seq)
    let nodes = 0
    for (let level = 0; 2 ** level <= EVERY; level++) nodes += Math.floor(EVERY / 2 ** level)
    expect(kept).toBe(nodes)
  })
})

describe('altered proofs', () => {
  const tree = grown(EVERY)
  const sizes = fc.integer({ min: 2, max: EVERY })

  test('an inclusion proof with one change does not hold', () => {
    const proofs = sizes.chain(size =>
      fc.record({ size: fc.constant(size), index: fc.integer({ min: 0, max: size - 1 }) }),
    )
    fc.assert(
      fc.property(proofs, fc.nat(), ({ size, index }, chance) => {
        const path = tree.hashes(inclusionOf(index, size))
        for (const spoilt of spoilings(path, chance)) {
          const above = rootAbove(tree.leaf(index), index, size, spoilt)
          expect(above !== null && isSameHash(above, tree.root(size))).toBe(false)
        }
        const another = rootAbove(leafOf('another'), index, size, path)
        expect(another !== null && isSameHash(another, tree.root(size))).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('a consistency proof with one change does not hold', () => {
    const proofs = sizes.chain(larger =>
      fc.record({ larger: fc.constant(larger), smaller: fc.integer({ min: 1, max: larger - 1 }) }),
    )
    fc.assert(
      fc.property(proofs, fc.nat(), ({ larger, smaller }, chance) => {
        const path = tree.hashes(consistencyOf(smaller, larger))
        for (const spoilt of spoilings(path, chance))
          expect(isConsistent(at(tree, smaller), at(tree, larger), spoilt)).toBe(false)
        const forked = { size: smaller, root: nodeOf(EMPTY_ROOT, tree.root(smaller)) }
        expect(isConsistent(forked, at(tree, larger), path)).toBe(false)
        expect(isConsistent(at(tree, larger), at(tree, smaller), path)).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('places outside the tree have no proof', () => {
    for (const [index, size] of [
      [0, 0],
      [3, 3],
      [-1, 3],
      [0.5, 3],
      [Number.NaN, 3],
    ] as const)
      expect(rootAbove(tree.leaf(0), index, size, [])).toBeNull()
  })
})

test(`random proofs in a tree of ${MANY} leaves hold, and their altered ones do not`, () => {
  const tree = grown(MANY)
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: MANY }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      fc.nat(),
      (size, part, chance) => {
        const index = Math.floor(part * size)
        const path = tree.hashes(inclusionOf(index, size))
        expect(rootAbove(tree.leaf(index), index, size, path)).toEqual(tree.root(size))
        const smaller = Math.max(1, index)
        const line = tree.hashes(consistencyOf(smaller, size))
        expect(isConsistent(at(tree, smaller), at(tree, size), line)).toBe(true)
        for (const spoilt of spoilings(path, chance))
          expect(rootAbove(tree.leaf(index), index, size, spoilt)).not.toEqual(tree.root(size))
        for (const spoilt of spoilings(line, chance))
          expect(isConsistent(at(tree, smaller), at(tree, size), spoilt)).toBe(false)
      },
    ),
    { numRuns: 200 },
  )
}, 60_000)

test('hashes that are packed come back one by one', () => {
  const hashes = [leafOf('a'), leafOf('b'), leafOf('c')]
  expect(unpacked(packed(hashes)).map(hex)).toEqual(hashes.map(hex))
})

const at = (tree: Grown, size: number) => ({ size, root: tree.root(size) })

/** The proof with one bit flipped, one hash less, one more, and two in each other's place. */
function* spoilings(path: readonly TreeHash[], chance: number): Iterable<readonly TreeHash[]> {
  const place = chance % Math.max(1, path.length)
  const flipped = path[place]
  if (flipped !== undefined) {
    const other = Uint8Array.from(flipped)
    other[chance % other.length] = (other[chance % other.length] as number) ^ (1 << (chance % 8))
    yield path.with(place, other)
    yield path.toSpliced(place, 1)
  }
  yield [...path, leafOf('one more')]
  yield [leafOf('one more'), ...path]
  const next = path[place + 1]
  if (flipped !== undefined && next !== undefined) yield path.toSpliced(place, 2, next, flipped)
}

describe('the vectors', () => {
  const vectors = new URL('../../vectors/proofs/', import.meta.url)
  const held = JSON.parse(readFileSync(new URL('tree.json', vectors), 'utf8')) as {
    ledger: string
    roots: { size: number; root: string }[]
    inclusion: { index: number; size: number; leaf: string; hashes: string[] }[]
    consistency: { from: number; to: number; hashes: string[] }[]
  }
  const lines = readFileSync(new URL(held.ledger, vectors), 'utf8').split('\n').slice(0, -1)
  const tree = grownOf(lines.map(leafOfLine))
  const base64 = (hash: TreeHash): string => Buffer.from(hash).toString('base64')

  test('are what the tree over that ledger gives', () => {
    for (const { size, root } of held.roots) expect(base64(tree.root(size))).toBe(root)
    for (const { index, size, leaf, hashes } of held.inclusion) {
      expect(base64(tree.leaf(index))).toBe(leaf)
      expect(tree.hashes(inclusionOf(index, size)).map(base64)).toEqual(hashes)
    }
    for (const { from, to, hashes } of held.consistency)
      expect(tree.hashes(consistencyOf(from, to)).map(base64)).toEqual(hashes)
  })
})
