// What is open is found among what is open, however much was ever resolved: every question that a store asks about it is
// overheard on its way to the database, and the database says by which index it would answer.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import type { Grant, Shelving } from '../../src/ledger/shelf.js'
import { openReadOnly, openSqlite } from '../../src/ledger/sqlite/open.js'
import { present, startPostgres } from '../cluster/postgres.js'
import { open, TestClock } from '../contract/ledger/stage.js'
import { unlocked } from '../unlocked.js'
import { hashed } from './craft.js'

const CODED: Grant = {
  handle_hash: hashed('handle'),
  use: 'reply',
  code_hash: 'hmac:code',
  token: 'token',
  request_id: 'q-1',
  delivery_id: 'd-1',
  channel: 'sms',
  user_id: 'ada',
}
const REST: Shelving = {
  put: 'rest',
  since_ms: 0,
  rest: { channel: 'sms', user_id: 'ada', until_ms: 0, length_ms: 1 },
}

/** Everything that depends on whether a request is open. */
async function askAll({ ledger, shelf }: Store): Promise<void> {
  await open(ledger, 'q-1', {
    guards: [
      { kind: 'open_questions', opened_by: 'key-1', run_id: 'run-1', at_most: 9 },
      { kind: 'open_codes', channel: 'sms', user_id: 'ada', request_id: 'q-1', at_most: 9 },
    ],
    shelve: [{ put: 'grant', grant: CODED }, REST],
  })
  await ledger.list({ open: true, before: 9, limit: 9 })
  await ledger.list({ state: 'pending', limit: 9 })
  await ledger.countOpen('key-1', 9)
  await shelf.openCodes('sms', 'ada')
}

type Overheard = { readonly text: string; readonly values?: readonly unknown[] }
const isAboutOpen = ({ text }: Overheard): boolean => /resolved_seq IS (NOT )?NULL/.test(text)

/** Each question, and the indexes of `requests` that it is answered by: searched, or walked through. */
type Plans = { readonly question: string; readonly by: readonly string[] }[]
const planned = (question: string, by: readonly (readonly [string, boolean])[]): Plans[number] => ({
  question,
  by: by.map(([index, isSearched]) => (isSearched ? index : `all of ${index}`)),
})

afterEach(() => {
  vi.restoreAllMocks()
})

function overSqlite(): Overheard[] {
  const heard: Overheard[] = []
  const prepare = Sqlite.prototype.prepare
  vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, text: string) {
    heard.push({ text })
    return prepare.call(this, text)
  })
  return heard
}

async function plansOfSqlite(): Promise<Plans> {
  const heard = overSqlite()
  const directory = mkdtempSync(join(tmpdir(), 'lane-open-'))
  const store = unlocked(openSqlite(directory, new TestClock()))
  await askAll(store)
  await store.ledger.close()
  const db = openReadOnly(store.file)
  const plans = heard.filter(isAboutOpen).map(({ text }) => {
    const explained = db.prepare(`EXPLAIN QUERY PLAN ${text.replace(/\?|@\w+/g, '1')}`).all()
    const steps = (explained as { detail: string }[]).map(({ detail }) => detail)
    const onRequests = steps.filter(step => / (requests|q)\b/.test(step.replace(/USING.*/, '')))
    const by = onRequests.map(
      step => [/INDEX (\w+)/.exec(step)?.[1] ?? step, step.startsWith('SEARCH')] as const,
    )
    return planned(text, by)
  })
  db.close()
  rmSync(directory, { recursive: true, force: true })
  return plans
}

function overPostgres(): Overheard[] {
  const heard: Overheard[] = []
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args as [string | Overheard]
    if (typeof asked !== 'string') heard.push(asked)
    return query.apply(this, args)
  } as never)
  return heard
}

async function plansOfPostgres(): Promise<Plans> {
  const heard = overPostgres()
  const server = await startPostgres()
  const url = await server.corner()
  const store = unlocked(await openPostgres(url))
  await askAll(store)
  await store.ledger.close()
  const client = new pg.Client(url)
  await client.connect()
  const plans: Plans = []
  // As the store's own connections are set.
  await client.query(
    'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off',
  )
  for (const { text, values } of heard.filter(isAboutOpen)) {
    const { rows } = await client.query({ text: `EXPLAIN ${text}`, values: [...(values ?? [])] })
    const steps = rows.map(row => String(row['QUERY PLAN']))
    const by = steps.flatMap((step, index) => {
      if (!/Scan.* on requests/.test(step)) return []
      return [[/using (\w+) on/.exec(step)?.[1] ?? step, /Index Cond/.test(steps[index + 1] ?? '')] as const]
    })
    plans.push(planned(text, by))
  }
  await client.end()
  await server.end()
  return plans
}

describe.each([
  ['SQLite', true, plansOfSqlite, ['sqlite_autoindex_requests_1']],
  ['PostgreSQL', present, plansOfPostgres, ['requests_request_id_key', 'requests_pkey']],
] as const)('what is open on %s', (_name, there, plansOf, byName) => {
  test.runIf(there)('is asked for by the index of what is open, or by the name of one request', async () => {
    const plans = await plansOf()
    const of = (words: RegExp): readonly string[] =>
      plans.filter(({ question }) => words.test(question)).flatMap(({ by }) => by)
    expect(of(/ORDER BY opened_seq DESC/)).toEqual(['requests_open', 'all of requests_open'])
    expect(of(/AS counted|FROM \(SELECT 1 FROM requests/)).toEqual(['requests_open_by_key'])
    expect(of(/REQUEST_QUESTION/)).toEqual(['requests_open_by_key'])
    expect(new Set(of(/open_codes|grants g/))).toEqual(new Set(byName))
    expect(plans).toHaveLength(8)
  })
})
