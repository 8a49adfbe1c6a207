// L13: the tree over the entries.
import { describe, expect, test } from 'vitest'
import type { Ledger } from '../../../src/ledger/contract.js'
import { leafOfLine } from '../../../src/ledger/entry.js'
import { type Node, nodesOf, rootOf } from '../../../src/ledger/tree/nodes.js'
import { grownOf } from '../../ledger/tree/grown.js'
import { MISSHAPEN, note, type Opener, open, STARTED, stageFor, withdraw } from './stage.js'

export function treeContract(opener: Opener): void {
  const stage = stageFor(opener)

  /** Every complete node there is, and what the entries themselves give for it. */
  const compare = async (ledger: Ledger): Promise<void> => {
    const lines: string[] = []
    for await (const line of ledger.lines(0)) lines.push(line)
    const tree = grownOf(lines.map(leafOfLine))
    const kept = await ledger.tree()
    expect(kept.size).toBe(lines.length)
    expect(Buffer.from(rootOf(kept))).toEqual(Buffer.from(tree.root(lines.length)))
    const wanted: Node[] = []
    for (let level = 0; 2 ** level <= lines.length; level++)
      for (let index = 0; (index + 1) * 2 ** level <= lines.length; index++) wanted.push({ level, index })
    const found = await ledger.nodes(wanted)
    const ranges = wanted.map(({ level, index }) => ({
      from: index * 2 ** level,
      to: (index + 1) * 2 ** level,
    }))
    expect(found.map(hash => hash && Buffer.from(hash))).toEqual(
      tree.hashes(ranges).map(hash => Buffer.from(hash)),
    )
  }

  describe('L13 the tree', () => {
    test('is empty where nothing was appended', async () => {
      expect(await stage.ledger.tree()).toEqual({ size: 0, peaks: [] })
      expect(await stage.ledger.nodes([{ level: 0, index: 0 }])).toEqual([null])
    })

    test('has every complete node of what is committed, in one append and in many', async () => {
      await note(stage.ledger, [STARTED, STARTED, STARTED])
      await Promise.all(Array.from({ length: 9 }, (_, index) => open(stage.ledger, `q-${index}`)))
      await withdraw(stage.ledger, 'q-1')
      await compare(stage.ledger)
    })

    test('goes on where it stood, after closing and opening again', async () => {
      await note(stage.ledger, [STARTED, STARTED, STARTED])
      await stage.reopen()
      await note(stage.ledger)
      await stage.reopen()
      await compare(stage.ledger)
    })

    test('is as it was after an append that was refused, beside one that was not', async () => {
      const refused = note(stage.ledger, [STARTED, MISSHAPEN]).catch(() => undefined)
      await Promise.all([note(stage.ledger), refused, note(stage.ledger)])
      await compare(stage.ledger)
    })

    test('that is whole is left as it is when the lane starts', async () => {
      await note(stage.ledger, [STARTED, STARTED])
      const told: number[] = []
      await stage.store.growTree(done => told.push(done))
      expect(told).toEqual([])
      expect(stage.store.seals.broken()).toEqual([])
    })

    test('nodes that do not exist are not given', async () => {
      await note(stage.ledger, [STARTED, STARTED, STARTED])
      expect(await stage.ledger.nodes([...nodesOf({ from: 0, to: 4 }), { level: 1, index: 1 }])).toEqual([
        null,
        null,
      ])
    })
  })
}
