// The tree over the entries, as the file keeps it: the nodes beside the entries that complete them, the frontier in the
// head.
import type { Database } from 'better-sqlite3'
import { type Progress, SealBroken } from '../contract.js'
import { type Head, leafOfLine, parseEntry } from '../entry.js'
import { HEAD, type Seals } from '../seals.js'
import type { TreeHash } from '../tree/hash.js'
import { HASH_BYTES } from '../tree/hash.js'
import { type Frontier, grow, NOTHING, type Node, packed, seqOf, unpacked } from '../tree/nodes.js'

const PAGE = 1_000

type HeadRow = { readonly size: number; readonly frontier: Uint8Array; readonly seal: string | null }

/** The tree of a ledger with this head; SealBroken where the lane has not sealed it. */
export function readTree(db: Database, head: Head, seals: Seals): Frontier {
  const { size, frontier, seal } = db.prepare('SELECT size, frontier, seal FROM head').get() as HeadRow
  const tree = { size, peaks: unpacked(frontier) }
  if (!seals.headHolds(head, tree, seal)) throw new SealBroken(HEAD)
  return tree
}

export function readNodes(db: Database): (wanted: readonly Node[]) => readonly (TreeHash | null)[] {
  const one = db.prepare('SELECT substr(nodes, ?, ?) FROM entries WHERE seq = ?').pluck()
  return wanted =>
    wanted.map(node => {
      const found = one.get(node.level * HASH_BYTES + 1, HASH_BYTES, seqOf(node)) as
        | Uint8Array
        | undefined
        | null
      return found?.length === HASH_BYTES ? found : null
    })
}

/** All of it from the entries, in one transaction. */
export function growTree(db: Database, seals: Seals, progress: Progress): void {
  const page = db.prepare('SELECT seq, line FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?')
  const put = db.prepare('UPDATE entries SET nodes = ? WHERE seq = ?')
  const total = db.prepare('SELECT count(*) FROM entries').pluck().get() as number
  const fill = db.transaction(() => {
    let tree = NOTHING
    let last: string | null = null
    for (let next = 0; ; ) {
      const rows = page.all(next, PAGE) as { seq: number; line: string }[]
      for (const { seq, line } of rows) {
        const grown = grow(tree, leafOfLine(line))
        tree = grown.frontier
        last = line
        next = seq + 1
        put.run(packed(grown.completed), seq)
      }
      if (rows.length === 0) break
      progress(tree.size, total)
    }
    if (last === null) return
    const seal = seals.ofHead({ size: tree.size, hash: parseEntry(last).hash }, tree)
    db.prepare('UPDATE head SET size = ?, frontier = ?, seal = ?').run(tree.size, packed(tree.peaks), seal)
  })
  fill.immediate()
}
