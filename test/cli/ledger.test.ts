// What an auditor is told of a ledger that is not whole: an empty one, an altered one, one with a line lost. A sound one is
// read from each side in audit.test.ts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, lane, operatorOf } from './command-line.js'
import { freshDirectory, type Gateway, start } from './gateway.js'

const QUESTION = [
  ...['ask', 'Ship the release today?', '--impact', 'Decides whether the pipeline goes on', '--yes-no'],
  ...['--deadline', '10m', '--default', 'HALT', '--id', 'audited'],
]

let gateway: Gateway
let env: Record<string, string>
const cwd = freshDirectory()
const text = (): string => readFileSync(join(cwd, 'ledger.ndjson'), 'utf8')

beforeAll(async () => {
  gateway = await start()
  env = operatorOf(gateway)
  await lane(QUESTION, { env })
  expect(await answer(gateway, 'audited', 'yes')).toBe(200)
  expect((await lane(['ledger', 'export', 'ledger.ndjson'], { env, cwd })).code).toBe(0)
  expect((await lane(['backup', 'emptied.db'], { env, cwd })).code).toBe(0)
})
afterAll(() => gateway.kill())

describe('a ledger without an entry', () => {
  test.each(['verify', 'replay'])(
    'is no ledger: %s of an empty export exits 1 and says what to do',
    async deed => {
      writeFileSync(join(cwd, 'empty.ndjson'), '')
      const { code, stdout, stderr } = await lane(['ledger', deed, 'empty.ndjson'], { cwd })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /empty\.ndjson does not hold, there is no entry in it: every ledger begins with LANE_STARTED/,
      )
      expect(stderr).toContain('lane ledger export FILE')
      const json = await lane(['ledger', deed, 'empty.ndjson', '--json'], { cwd })
      expect([json.code, JSON.parse(json.stdout)]).toMatchObject([1, { ok: false, problems: [{ seq: 0 }] }])
    },
  )

  test('is told of a store too: no lane has started on it, or it was emptied', async () => {
    const db = new Sqlite(join(cwd, 'emptied.db'))
    const guards = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").pluck().all()
    for (const name of guards) db.exec(`DROP TRIGGER ${name}`)
    db.exec('DELETE FROM entries')
    db.close()
    const { code, stderr } = await lane(['ledger', 'verify', 'emptied.db'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('no lane has started on this'),
    })
  })
})

describe('a ledger that was touched', () => {
  test('an answer altered in an export: replay has no words to read again, and yet never says that it holds', async () => {
    const altered = text().replaceAll('"parsed_choice":"YES"', '"parsed_choice":"NO"')
    expect(altered).not.toBe(text())
    writeFileSync(join(cwd, 'altered.ndjson'), altered)
    expect((await lane(['ledger', 'replay', 'ledger.ndjson'], { cwd })).code).toBe(0)
    const { code, stdout, stderr } = await lane(['ledger', 'replay', 'altered.ndjson'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('altered.ndjson is broken') })
    expect(stderr).toMatch(/^ {2}entry \d+: the hash is not that of the entry \(I1\)\n/)
  })

  test.each(['verify', 'replay'])('a line that was deleted is named once by %s', async deed => {
    const lines = text().split('\n')
    const at = lines.findIndex(line => line.includes('"type":"OUTBOUND_REQUEST_SENT"'))
    writeFileSync(join(cwd, 'shorter.ndjson'), lines.toSpliced(at, 1).join('\n'))
    const { code, stderr } = await lane(['ledger', deed, 'shorter.ndjson'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `  entry ${at}: the entry is missing: in its place stands entry ${at + 1} (I1)\n`,
    })
  })
})

test('a ledger in a database on another machine is not read over a wire that others may write on', async () => {
  const env = { DATABASE_URL: 'postgres://lane:geheim@db.example.org/lane' }
  const { code, stderr } = await lane(['ledger', 'verify'], { env })
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('the database cannot be read: DATABASE_URL leads'),
  ])
  expect(stderr).not.toContain('geheim')
})

test('export to - is export to standard output, and makes no file of that name', async () => {
  const before = readdirSync(cwd)
  const named = await lane(['ledger', 'export', '-'], { env, cwd })
  expect(named).toMatchObject({ code: 0, stderr: '' })
  expect(named.stdout).toBe((await lane(['ledger', 'export'], { env, cwd })).stdout)
  expect(named.stdout.startsWith(text())).toBe(true)
  expect(readdirSync(cwd)).toEqual(before)
})
