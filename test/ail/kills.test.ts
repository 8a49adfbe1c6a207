// Kills at random moments: of the bridge, of the lane, of the run. Whatever dies, and whatever people answered before or after, the
// step behind the gate leaves a mark only after a YES. Every day a few runs, with CI=true two hundred.
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer, link } from '../e2e/spawned-lane.js'
import { ALL, API_KEY, freshDirectory, type Launched, launch } from '../faults/rig.js'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { bridge, CONFIG, isAlive, recordIn, type Script, script } from './scene.js'

const RUNS = ALL ? 200 : 4
const AT_ONCE = 4
const LONGEST_MS = 2500
const VICTIMS = ['bridge', 'lane', 'run', 'nobody'] as const
const ANSWERS = ['yes', 'no', 'silence'] as const

const dataDir = freshDirectory()
const place = freshDirectory()
let port: number
let lane: Launched
const start = async (): Promise<void> => {
  lane = await launch({ dataDir, config: CONFIG, env: { PORT: String(port) } })
}
beforeAll(async () => {
  port = await freePort()
  await start()
})
afterAll(() => lane?.kill())

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T
const by = () => ({ url: `http://127.0.0.1:${port}`, agentKey: API_KEY })
/** Under one directory of records, so that each bridge ends what earlier ones have left. */
const supervised = (one: Script) => bridge(by(), one, '--deadline', '2s', '--state', join(place, 'state'))
const HERE = { ...script(() => []), place }
const records = (): string[] =>
  existsSync(join(place, 'state'))
    ? readdirSync(join(place, 'state')).filter(name => name.endsWith('.json'))
    : []

type Shown = { readonly request_id: string; readonly answer: { readonly parsed_choice: string } | null }
/** Null while the lane is away. */
const requestsOf = async ({ runId }: Script): Promise<readonly Shown[] | null> => {
  const headers = { authorization: `Bearer ${API_KEY}` }
  const response = await fetch(`${by().url}/v1/requests?run_id=${runId}`, { headers }).catch(() => null)
  return response?.ok ? ((await response.json()) as { items: Shown[] }).items : null
}

let restarting: Promise<void> | null = null
async function kill(
  victim: (typeof VICTIMS)[number],
  bridgePid: number,
  ended: () => boolean,
): Promise<void> {
  if (victim === 'bridge' && !ended()) process.kill(bridgePid, 'SIGKILL')
  if (victim === 'lane')
    restarting ??= lane
      .kill()
      .then(start)
      .finally(() => {
        restarting = null
      })
  if (victim === 'run') for (const name of records()) killRun(name, bridgePid)
}

/** The record, or the run, may be gone by now. */
function killRun(name: string, bridgePid: number): void {
  try {
    const { bridge: holder, run } = recordIn(HERE, name)
    if (holder.pid === bridgePid) process.kill(run.pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))))
      throw error
  }
}

async function person(one: Script, says: (typeof ANSWERS)[number], ended: () => boolean): Promise<void> {
  if (says === 'silence') return
  for (let id: string | undefined; ; await sleep(25)) {
    id = (await requestsOf(one).catch(() => null))?.[0]?.request_id
    if (id !== undefined) {
      const reply = await link(dataDir, id, () => !ended()).catch(() => null)
      // A lane that was killed answers nobody; the person may try again.
      const status = reply === null ? 0 : await answer(by().url, reply, says).catch(() => null)
      if (status !== null) return
    }
    if (ended()) return
  }
}

async function round(at: number): Promise<string> {
  const [victim, says] = [pick(VICTIMS, at), pick(ANSWERS, at + Math.floor(at / VICTIMS.length))]
  const one = script(file => [
    { kind: 'prompt', id: 'build', response: 'built' },
    { kind: 'gate', id: 'hold' },
    { kind: 'mark', file: file() },
  ])
  const run = supervised(one)
  let isOver = false
  const exited = once(run.child, 'exit').then(() => {
    isOver = true
  })
  const killing = sleep(Math.random() * LONGEST_MS).then(() => kill(victim, run.child.pid ?? 0, () => isOver))
  await Promise.all([exited, killing, person(one, says, () => isOver)])
  // A run that was left behind has this long to do what it must not.
  await sleep(200)
  await restarting
  const answers = await until(
    'the lane to be back',
    async () => (await requestsOf(one).catch(() => null)) ?? null,
  )
  const isYes = answers.some(({ answer: given }) => given?.parsed_choice === 'YES')
  if (one.marked() && !isYes) return `run ${at}: ${victim} was killed, ${says} was said, and the step ran`
  if (victim === 'nobody' && isYes && !one.marked()) return `run ${at}: a YES did not open the gate`
  return 'held'
}

test(
  `[AIL-208, AIL-242] over ${RUNS} runs with kills at random moments nothing but a YES lets the step behind the gate run`,
  async () => {
    const found: string[] = []
    for (let at = 0; at < RUNS; at += AT_ONCE)
      found.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => round(at + more)))))
    expect(found.filter(one => one !== 'held')).toEqual([])
    expect(found).toHaveLength(RUNS)
    const groups = records().map(name => recordIn(HERE, name).run.pid)
    const last = supervised(script(() => []))
    await last.ended
    expect(groups.filter(isAlive)).toEqual([])
    expect(records()).toEqual([])
  },
  ALL ? 1_200_000 : 60_000,
)
