// Makes the tree over the entries, in one transaction that holds the head.
import type { Progress } from '../contract.js'
import { leafOfLine, parseEntry } from '../entry.js'
import type { Seals } from '../seals.js'
import { grow, NOTHING, packed, unpacked } from '../tree/nodes.js'
import { type Client, type Connect, leave, query, type Statement } from './connection.js'
import type { LockedHead } from './tables.js'

const PAGE = 1_000

const HEAD: Statement = {
  name: 'tree_head',
  text: 'SELECT size, hash, at_ms, suspected, rules, frontier, seal FROM head FOR UPDATE',
}
const TOTAL: Statement = { name: 'tree_total', text: 'SELECT count(*) AS total FROM entries' }
const ENTRIES: Statement = {
  name: 'tree_entries',
  text: 'SELECT seq, line FROM entries WHERE seq >= $1 ORDER BY seq LIMIT $2',
}
const PUT: Statement = {
  name: 'tree_put',
  text: `UPDATE entries e SET nodes = decode(x.nodes, 'hex')
    FROM json_to_recordset($1) AS x (seq bigint, nodes text) WHERE e.seq = x.seq`,
}
const KEEP: Statement = { name: 'tree_keep', text: 'UPDATE head SET frontier = $1, seal = $2' }

export async function growTree(connect: Connect, seals: Seals, progress: Progress): Promise<void> {
  const client = await connect('grower', { answerMs: 0 })
  try {
    await client.query('BEGIN')
    const { rows } = await query(client, HEAD)
    const head = rows[0] as unknown as LockedHead
    const known = { size: head.size, peaks: unpacked(head.frontier) }
    if (!seals.headHolds(head, known, head.seal)) {
      if (head.seal !== null) seals.tellOfHead()
      await fill(client, seals, progress)
    }
    await client.query('COMMIT')
  } finally {
    await leave(client)
  }
}

async function fill(client: Client, seals: Seals, progress: Progress): Promise<void> {
  const total = Number((await query(client, TOTAL)).rows[0]?.total)
  let tree = NOTHING
  let last: string | null = null
  for (let next = 0; ; ) {
    const { rows } = await query(client, { ...ENTRIES, values: [next, PAGE] })
    const put = (rows as unknown as readonly { seq: number; line: string }[]).map(({ seq, line }) => {
      const { frontier, completed } = grow(tree, leafOfLine(line))
      tree = frontier
      last = line
      next = seq + 1
      return { seq, nodes: Buffer.from(packed(completed)).toString('hex') }
    })
    if (put.length === 0) break
    await query(client, { ...PUT, values: [JSON.stringify(put)] })
    progress(tree.size, total)
  }
  if (last === null) return
  const seal = seals.ofHead({ size: tree.size, hash: parseEntry(last).hash }, tree)
  await query(client, { ...KEEP, values: [packed(tree.peaks), seal] })
}
