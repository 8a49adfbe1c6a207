// The tree's part in the cost of a request and of a reply. A lane without a tree does not exist, so the tree is grown and kept
// once more, by itself, over the very lines that the lane has just written, and what that takes of the processor is held
// against what the lane took for all of it.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { leafOf } from '../src/ledger/tree/hash.js'
import { grow, NOTHING, packed } from '../src/ledger/tree/nodes.js'
import type { Figure } from './figure.js'
import { processorMs } from './machine.js'
import { linesOf, sizeOf } from './outcome.js'
import { withPlace } from './place.js'
import { CLIENTS, drawReplies, idsOf, open, REPEATS, type Stage, withStage } from './stage.js'

const WARM_UP = 4_000
const REQUESTS = 2_000
/** Entries of one commit: about as many as a busy lane has. */
const COMMIT = 200

type Part = 'created' | 'answered'
const WORDS: Readonly<Record<Part, string>> = {
  created: 'a request created and delivered',
  answered: 'a reply compiled and resolved',
}

export async function measureTree(): Promise<Figure[]> {
  return withStage(async stage => {
    const figures = { created: [], answered: [] } as Record<Part, { all: number; tree: number }[]>
    await round(stage, 'warm', WARM_UP)
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const part = await round(stage, `tree-${repeat}`, REQUESTS)
      for (const name of ['created', 'answered'] as const) figures[name].push(part[name])
    }
    return (['created', 'answered'] as const).map(name => ({
      what: `processor time of ${WORDS[name]}, ${CLIENTS} clients`,
      unit: 'ms' as const,
      measured: figures[name].map(({ all }) => all),
      baseline: {
        what: 'the same less what the tree takes by itself',
        measured: figures[name].map(({ all, tree }) => all - tree),
      },
      goal: { judged: 'ratio' as const, better: 'less' as const, must: 1.05, aim: null },
    }))
  })
}

/** Milliseconds of processor time for one: all of it, and the tree's. */
async function round(stage: Stage, prefix: string, count: number) {
  const ids = idsOf(prefix, count)
  const created = await spent(stage, count, () => open(stage, ids))
  const calls = [...(await drawReplies(stage, ids)).values()]
  const answered = await spent(stage, count, () =>
    stage.load({ kind: 'volley', port: stage.lane.port, clients: CLIENTS, calls, status: 200, until: null }),
  )
  return { created, answered }
}

async function spent({ place, lane }: Stage, count: number, deed: () => Promise<unknown>) {
  const from = sizeOf(place.ledger)
  const before = processorMs(lane.pid)
  await deed()
  const all = (processorMs(lane.pid) - before) / count
  const lines = linesOf(place.ledger).slice(from)
  return { all, tree: (await timeTree(lines)) / count }
}

/** What it takes to hash the leaves, grow the tree and keep its nodes beside their lines, more than to keep the lines. The
 *  lane has the words of a leaf at hand; the line is longer by the hash member and stands for them. */
async function timeTree(lines: readonly string[]): Promise<number> {
  return withPlace(async ({ dir }) => {
    const db = new Sqlite(join(dir, 'tree.db'))
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = OFF')
    db.exec(
      'CREATE TABLE bare (seq INTEGER PRIMARY KEY, line TEXT); CREATE TABLE grown (seq INTEGER PRIMARY KEY, line TEXT, nodes BLOB)',
    )
    const bare = db.prepare('INSERT INTO bare VALUES (?, ?)')
    const grown = db.prepare('INSERT INTO grown VALUES (?, ?, ?)')
    let tree = NOTHING
    const without = timed(db, lines, (line, seq) => bare.run(seq, line))
    const within = timed(db, lines, (line, seq) => {
      const more = grow(tree, leafOf(line))
      tree = more.frontier
      grown.run(seq, line, packed(more.completed))
    })
    db.close()
    return Math.max(0, within - without)
  })
}

function timed(
  db: Sqlite.Database,
  lines: readonly string[],
  keep: (line: string, seq: number) => void,
): number {
  const before = process.cpuUsage()
  for (let at = 0; at < lines.length; at += COMMIT) {
    db.transaction(() => {
      for (const [index, line] of lines.slice(at, at + COMMIT).entries()) keep(line, at + index)
    })()
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
