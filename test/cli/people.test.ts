// What the doctor says of people: ladders that lead to nobody, groups nobody of which can be reached, absences without
// anybody in their place; and the command that says somebody is away.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { checkAbsences, checkLadders } from '../../src/cli/check/ladder.js'
import { machineClock } from '../../src/clock.js'
import { parseConfig } from '../../src/config/config.js'
import { LEDGER_FILE, openSqlite } from '../../src/ledger/sqlite/open.js'
import { Absences, sendAway } from '../../src/people/absences.js'
import { unlocked } from '../unlocked.js'
import { lane, operatorOf } from './command-line.js'
import { freshDirectory, start } from './gateway.js'

const CONFIG = `recipients:
  ann: { name: Ann, web: true, delegates: [bo] }
  bo: { name: Bo, email: bo@example.org }
groups: { mail: [bo], both: [ann, bo] }
questions:
  ladder:
    - { after_seconds: 60, do: remind }
    - { after_seconds: 90, do: add, recipients: ["group:mail"] }
    - { after_seconds: 120, do: add, recipients: ["group:both"] }
`
function configOf(text: string) {
  const parsed = parseConfig(text, 'lane.yaml')
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  return parsed.config
}

test('the doctor names a step that can reach nobody, and a group nobody of which can be reached', () => {
  const told = (running: Parameters<typeof checkLadders>[1]) =>
    checkLadders(configOf(CONFIG), running).map(({ message }) => message)
  expect(told(['web'])).toEqual([
    'questions: step 1 of its ladder can reach nobody (bo)',
    'group:mail has nobody who can be reached (bo)',
  ])
  expect(told(['web', 'email'])).toEqual([])
})

test('the doctor names whoever is away with nobody in their place, while it lasts', async () => {
  const dir = freshDirectory()
  const store = unlocked(openSqlite(dir, machineClock))
  const absences = await Absences.open(store)
  const { recipients: people } = configOf(CONFIG)
  const now = store.ledger.now()
  const send = (plan: Parameters<typeof sendAway>[2]) => sendAway(store, { people, absences }, plan, 'key-1')
  // Somebody stands in for ann, and then goes away as well.
  await send({ user_id: 'ann', from: now + 500, until: now + 2_000, to: 'bo' })
  await send({ user_id: 'bo', from: now + 1_000, until: now + 60_000 })
  await store.ledger.close()
  const db = new Sqlite(join(dir, LEDGER_FILE), { readonly: true })
  const told = async (ms: number) =>
    (
      await checkAbsences(async function* (sql) {
        yield* db.prepare(sql).all() as Record<string, unknown>[]
      }, ms)
    ).map(({ message }) => message)
  const alone = (who: string): string => `${who} is away, and nobody is asked in their place`
  expect(await told(now + 500)).toEqual([])
  expect(await told(now + 1_000)).toEqual([alone('ann'), alone('bo')])
  expect(await told(now + 2_000)).toEqual([alone('bo')])
  expect(await told(now + 61_000)).toEqual([])
  db.close()
})

test('lane recipients away says who is asked meanwhile, and takes it back', async () => {
  const gateway = await start({ config: CONFIG.replace('email: bo@example.org', 'web: true') })
  try {
    const env = operatorOf(gateway)
    const away = (...args: string[]) => lane(['recipients', 'away', 'ann', ...args], { env })
    const gone = await away('--until', '2999-01-01T00:00:00Z', '--to', 'bo')
    expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('bo is asked in their place')])
    const back = await away('--until', '2020-01-01T00:00:00Z')
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('ann is back')])
    expect((await away('--until', '2999-01-01T00:00:00Z', '--to', 'zoe')).code).toBe(1)
    expect((await away()).code).toBe(2)
  } finally {
    await gateway.stop()
  }
})
