// The tree and its signed notes, in the eyes of the second verifier: it computes the published vectors, and takes no
// proof and no note that was touched.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consistencyOf, isConsistent } from '../../src/ledger/tree/consistency.js'
import { inclusionOf, rootAbove } from '../../src/ledger/tree/inclusion.js'
import { ALL } from '../faults/rig.js'
import { grown } from '../ledger/tree/grown.js'
import { chanceOf } from './chance.js'
import { maySkip, Second, without } from './second.js'
import { base64, ORIGIN, signer } from './signer.js'

const VECTORS = new URL('../vectors/proofs/tree.json', import.meta.url)
type Vectors = {
  readonly ledger: string
  readonly roots: readonly { readonly size: number; readonly root: string }[]
  readonly inclusion: readonly { index: number; size: number; leaf: string; hashes: string[] }[]
  readonly consistency: readonly { from: number; to: number; hashes: string[] }[]
}
const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vectors

const TRIALS = ALL ? 3_000 : 300
const LEAVES = 200

describe.skipIf(maySkip)(`the second verifier, of the tree${without}`, () => {
  let second: Second
  beforeAll(() => {
    second = new Second()
  })
  afterAll(() => second.end())

  const rootOf = (size: number): Promise<unknown> => {
    const ledger = base64(readFileSync(new URL(vectors.ledger, VECTORS)))
    return second.ask('root', { export: ledger, size })
  }

  test('finds the published roots', async () => {
    for (const { size, root } of vectors.roots) expect(await rootOf(size)).toBe(root)
  })

  test('finds that the published proofs prove', async () => {
    for (const proof of vectors.inclusion)
      expect(await second.ask('inclusion', proof)).toBe(await rootOf(proof.size))
    for (const proof of vectors.consistency) {
      const roots = { from_root: await rootOf(proof.from), to_root: await rootOf(proof.to) }
      expect(await second.ask('consistency', { ...proof, ...roots })).toBe(true)
    }
  })

  test(`says the same as ours of ${TRIALS} proofs, as they are and touched`, {
    timeout: 600_000,
  }, async () => {
    const tree = grown(LEAVES)
    for (let trial = 0; trial < TRIALS; trial++) {
      const chance = chanceOf(trial)
      const size = 1 + chance.upTo(LEAVES)
      const index = chance.upTo(size)
      const touched = <T>(items: readonly T[]): T[] => {
        if (items.length === 0 || chance.once(2)) return [...items]
        const at = chance.upTo(items.length)
        return chance.once(2) ? items.toSpliced(at, 1) : items.toSpliced(at, 0, items[at] as T)
      }
      const path = touched(tree.hashes(inclusionOf(index, size)))
      const place = chance.once(4) ? chance.upTo(LEAVES) : index
      const ours = rootAbove(tree.leaf(index), place, size, path)
      const leaf = base64(tree.leaf(index))
      const theirs = await second.ask('inclusion', { leaf, index: place, size, hashes: path.map(base64) })
      expect([trial, theirs]).toEqual([trial, ours === null ? null : base64(ours)])

      const to = size + chance.upTo(LEAVES - size + 1)
      const hashes = touched(tree.hashes(consistencyOf(size, to)))
      const [smaller, larger] = [
        { size, root: tree.root(size) },
        { size: chance.once(4) ? to + 1 : to, root: tree.root(to) },
      ]
      const asked = {
        from: smaller.size,
        to: larger.size,
        from_root: base64(smaller.root),
        to_root: base64(larger.root),
        hashes: hashes.map(base64),
      }
      expect([trial, await second.ask('consistency', asked)]).toEqual([
        trial,
        isConsistent(smaller, larger, hashes),
      ])
    }
  })
})

const ROOT = base64(Buffer.alloc(32, 7))

describe.skipIf(maySkip)(`the second verifier, of signed notes${without}`, () => {
  let second: Second
  beforeAll(() => {
    second = new Second()
  })
  afterAll(() => second.end())

  const text = `${ORIGIN}\n1042\n${ROOT}\n`
  const told = { origin: ORIGIN, size: 1042, root: ROOT }
  const one = signer()
  const other = signer()
  const read = (note: string, ...keys: readonly string[]): Promise<unknown> =>
    second.ask('checkpoint', { note, keys })

  test('takes a checkpoint that a key it was given has signed, and no other', async () => {
    const note = `${text}\n${one.line(text)}`
    expect(await read(note, one.vkey)).toEqual({ ...told, trusted: true })
    expect(await read(note, other.vkey)).toEqual({ ...told, trusted: false })
    expect(await read(note)).toEqual({ ...told, trusted: false })
  })

  test('takes the note of a rotation by either key, and refuses it where the signature of a key it has is wrong', async () => {
    const both = `${text}\n${other.line(text)}${one.line(text)}`
    for (const { vkey } of [one, other]) expect(await read(both, vkey)).toMatchObject({ trusted: true })
    const half = `${text}\n${other.line('something else')}${one.line(text)}`
    expect(await read(half, one.vkey)).toMatchObject({ trusted: true })
    expect(await read(half, one.vkey, other.vkey)).toBeNull()
  })

  test('takes no checkpoint in which a bit was turned over', async () => {
    const bytes = Buffer.from(`${text}\n${one.line(text)}`)
    const missed: number[] = []
    for (const at of bytes.keys()) {
      const touched = Buffer.from(bytes)
      touched[at] = (touched[at] ?? 0) ^ (1 << (at % 8))
      const read_ = (await read(touched.toString('utf8'), one.vkey)) as { trusted: boolean } | null
      if (read_?.trusted) missed.push(at)
    }
    expect(missed).toEqual([])
  })

  test.each([
    ['an extension line', `${text}more\n`],
    ['a size with a zero before it', `${ORIGIN}\n01042\n${ROOT}\n`],
    ['a size of nothing', `${ORIGIN}\n0\n${ROOT}\n`],
    ['a root that is too short', `${ORIGIN}\n1042\n${base64(Buffer.alloc(31))}\n`],
    ['a root in another spelling of base64', `${ORIGIN}\n1042\n${ROOT.replace(/=$/, '')}\n`],
    ['a control character', `${ORIGIN}\n1042\t\n${ROOT}\n`],
  ])('refuses %s, however well it is signed', async (_, wrong) => {
    expect(await read(`${wrong}\n${one.line(wrong)}`, one.vkey)).toBeNull()
  })
})
