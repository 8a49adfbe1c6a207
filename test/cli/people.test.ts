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
import { until } from '../until.js'
import { answer, lane, operatorOf } from './command-line.js'
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

test('lane recipients passkey prints a link for somebody whom no channel vouches for', async () => {
  const config = 'recipients: { ann: { name: Ann, web: true } }\n'
  const gateway = await start({ config, env: { PUBLIC_URL: 'https://lane.example' } })
  try {
    const env = operatorOf(gateway)
    const invite = (...args: string[]) => lane(['recipients', 'passkey', ...args], { env })
    const { code, stdout } = await invite('ann')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^https:\/\/lane\.example\/console\/passkeys\/new\?link=\S+\nfor ann alone/),
    ])
    expect((await invite('zoe')).code).toBe(1)
    expect((await invite()).code).toBe(2)
  } finally {
    await gateway.stop()
  }
})

test('lane recipients passkey lists what somebody has, and teaches whoever names none of it', async () => {
  const gateway = await start({ config: 'recipients: { ann: { name: Ann, web: true } }\n' })
  try {
    const env = operatorOf(gateway)
    const invite = (...args: string[]) => lane(['recipients', 'passkey', ...args], { env })
    const listed = await invite('ann', '--list')
    expect([listed.code, listed.stdout]).toEqual([0, 'CREDENTIAL  BY  REGISTERED\n'])
    const taken = await invite('ann', '--revoke', '1a2b-3c4d')
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining('ann has no such passkey, and no passkey'),
    ])
    expect((await invite('ann', '--list', '--revoke', '1a2b')).code).toBe(2)
  } finally {
    await gateway.stop()
  }
})

test('lane show tells what comes, which steps were done and through whose hands it went; who may not be urgent is told', async () => {
  const people =
    'recipients:\n  ann: { name: Ann, web: true, delegates: [bo] }\n  bo: { name: Bo, web: true }\n  cy: { name: Cy, web: true }\n'
  const gateway = await start({ config: people })
  try {
    const env = { ...operatorOf(gateway), LANE_API_KEY: gateway.agentKey }
    const question = [
      'ask',
      'Ship it?',
      '--impact',
      'It ships',
      '--yes-no',
      '--deadline',
      '1h',
      '--default',
      'HALT',
    ]
    const steps = [
      '--to',
      'ann',
      '--escalate',
      '1s=cy',
      '--remind',
      '10m',
      '--urgency',
      'high',
      '--id',
      'q-1',
    ]
    const asked = await lane([...question, ...steps], { env })
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringMatching(/\nnot high: .*--urgent/)])
    expect(await answer(gateway, 'q-1', 'DELEGATE bo', 'ann')).toBe(200)
    const shown = await until('the step', async () => {
      const { stdout } = await lane(['show', 'q-1'], { env })
      return stdout.includes('Escalated') ? stdout : undefined
    })
    expect(shown).toMatch(/Urgency +normal, though high was asked: .*--urgent/)
    expect(shown).toMatch(
      /Ladder +1 s after it was asked: cy is asked too\n +10 min after it was asked: a reminder\n/,
    )
    expect(shown).toMatch(/Escalated +to cy, 20/)
    expect(shown).toMatch(/Handed +by ann to bo, 20/)
    const { stdout: json } = await lane(['show', 'q-1', '--json'], { env })
    expect(JSON.parse(json)).toMatchObject({
      terms: { urgency: 'normal', urgency_asked: 'high', ladder: [{ do: 'add' }, { do: 'remind' }] },
    })
    expect(JSON.parse(json).terms).not.toHaveProperty('policy')
  } finally {
    await gateway.stop()
  }
})
