// The seals of rows that give a right now, and of the stories of open requests. All others are checked by `lane
// ledger verify`, and by the lane when it reads one.
import { unlessBroken } from '../../ledger/contract.js'
import { RIGHT_TABLES, RIGHTS, type RightTable, type Row } from '../../ledger/rights.js'
import { type SealedLine, Seals } from '../../ledger/seals.js'
import type { KeyRow } from '../../ledger/shelf.js'
import { KeyringSealed } from '../../token/key-row.js'
import { openSealKey } from '../../token/keyring.js'
import type { Secret } from '../../token/wrap.js'
import { type Finding, fail, ok, warn } from './finding.js'

/** The rows of a question that either database understands. Bytes that are text for the lane come as text. */
export type Each = (sql: string) => AsyncIterable<Readonly<Record<string, unknown>>>

/** Broken seals named in a finding; more are counted. */
const NAMED = 5

/** Grants, references and callbacks are as many as were ever made, so only those of open requests are checked. */
const FROM: Readonly<Record<RightTable, string>> = {
  api_keys: 'api_keys t',
  links: 'links t',
  invitations: 'invitations t',
  away: 'away t',
  sessions: 'sessions t',
  passkeys: 'passkeys t',
  enrolments: 'enrolments t',
  keys: 'keys t',
  grants: `grants t JOIN requests q ON q.request_id = t.request_id WHERE q.resolved_seq IS NULL`,
  refs: `refs t JOIN grants g ON g.handle_hash = t.handle_hash
    JOIN requests q ON q.request_id = g.request_id WHERE q.resolved_seq IS NULL`,
  callbacks: 'callbacks t JOIN requests q ON q.request_id = t.request_id WHERE q.alarm_ms IS NOT NULL',
}

const STORIES = `SELECT q.request_id, q.version, e.line, e.seal FROM requests q
  LEFT JOIN entries e ON e.story = q.opened_seq WHERE q.resolved_seq IS NULL ORDER BY q.opened_seq, e.seq`

const SEALED = `SELECT count(*) AS count FROM entries WHERE type = 'LEDGER_SEALED'`

const UNSEALED = 'the keyring has no key that seals'
const REMEDY =
  'somebody has written to the database past the lane: find out who can, and restore a backup; `lane ledger verify` shows more'

export async function checkSeals(each: Each, secret: Secret | null): Promise<Finding> {
  if (secret === null)
    return warn('seals', 'the secret is not at hand: they were not checked', 'run it where the lane runs')
  try {
    const key = openSealKey((await all(each('SELECT * FROM keys'))) as unknown as readonly KeyRow[], secret)
    if (key === null) return await judgeUnsealed(each)
    const seals = new Seals()
    seals.unlock(key)
    const rows = await checkRows(each, seals)
    const stories = await checkStories(each, seals)
    return judge(seals.broken(), rows, stories)
  } catch (error) {
    if (!(error instanceof KeyringSealed)) throw error
    return fail('seals', 'the secret is not the one of this ledger', 'put back the one it was made with')
  }
}

async function judgeUnsealed(each: Each): Promise<Finding> {
  const [row] = await all(each(SEALED))
  return Number(row?.count) > 0
    ? fail('seals', `the ledger is sealed, and ${UNSEALED}`, REMEDY)
    : warn('seals', UNSEALED, 'the next `lane serve` makes one and seals what is there; take a backup first')
}

function judge(broken: readonly string[], rows: number, stories: number): Finding {
  if (broken.length === 0)
    return ok('seals', `${stories} open requests and ${rows} rows are as the lane wrote them`)
  const more = broken.length > NAMED ? ` and ${broken.length - NAMED} more` : ''
  return fail('seals', `broken: ${broken.slice(0, NAMED).join('; ')}${more}`, REMEDY)
}

/** The number of rows checked; broken ones are in `seals.broken()`. */
async function checkRows(each: Each, seals: Seals): Promise<number> {
  let count = 0
  for (const table of RIGHT_TABLES) {
    const columns = [...RIGHTS[table].columns, 'seal'].map(column => `t.${column}`).join(', ')
    for await (const row of each(`SELECT ${columns} FROM ${FROM[table]}`)) {
      seals.sound(table, row as Row & { readonly seal: string | null })
      count += 1
    }
  }
  return count
}

type StoryRow = SealedLine & { readonly request_id: string; readonly version: number }

async function checkStories(each: Each, seals: Seals): Promise<number> {
  let count = 0
  let story: StoryRow[] = []
  const end = (): void => {
    const [first] = story
    if (first === undefined) return
    count += 1
    isSound(seals, first, story)
    story = []
  }
  for await (const row of each(STORIES)) {
    if (row.request_id !== story[0]?.request_id) end()
    story.push(row as unknown as StoryRow)
  }
  end()
  return count
}

function isSound(seals: Seals, { request_id, version }: StoryRow, story: readonly StoryRow[]): void {
  try {
    seals.story(request_id, version, story)
  } catch (error) {
    // A broken seal is reported with the others.
    unlessBroken(error)
  }
}

async function all(rows: ReturnType<Each>): Promise<Readonly<Record<string, unknown>>[]> {
  const kept: Readonly<Record<string, unknown>>[] = []
  for await (const row of rows) kept.push(row)
  return kept
}
