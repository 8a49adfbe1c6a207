// A run of the stand-in for `ail`, by itself or under the built bridge, with a lane and people who answer.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Called, call } from '../cli/command-line.js'
import { cleanEnv, freshDirectory } from '../cli/gateway.js'
import type { LaneUnderTest } from '../lane-under-test.js'
import { until } from '../until.js'

export const AIL = fileURLToPath(new URL('./stand-in/ail', import.meta.url))

export const CONFIG = `
recipients:
  operator: { name: Operator, web: true }
actions:
  RUN_STEP: { approvers: [operator], proofs: [console] }
  USE_TOOL: { approvers: [operator], proofs: [console] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`

export type Step = Readonly<Record<string, unknown>> & { readonly kind: string }
export type Script = {
  readonly runId: string
  readonly place: string
  readonly env: Readonly<Record<string, string>>
  /** The lines that were written to the run. */
  heard(): readonly string[]
  /** Whether the step behind the gate ran. */
  marked(name?: string): boolean
  file(name?: string): string
}

/** `steps` are given the place of their files. */
export function script(steps: (file: (name?: string) => string) => readonly Step[]): Script {
  const place = freshDirectory()
  const runId = randomUUID()
  const file = (name = 'marker'): string => join(place, name)
  writeFileSync(join(place, 'script.json'), JSON.stringify(steps(file)))
  return {
    runId,
    place,
    env: {
      AIL_SCRIPT: join(place, 'script.json'),
      AIL_HEARD: join(place, 'heard'),
      AIL_RUN_ID: runId,
      CLAUDECODE: '1',
    },
    heard: () =>
      existsSync(file('heard')) ? readFileSync(file('heard'), 'utf8').split('\n').filter(Boolean) : [],
    marked: name => existsSync(file(name)),
    file,
  }
}

/** The stand-in by itself. */
export function play({ env }: Script, ...args: readonly string[]) {
  const child = spawn(AIL, args, { env: cleanEnv(env), stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', chunk => {
    text += String(chunk)
  })
  const events = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  const reached = (type: string, count = 1) =>
    until(`${count} of ${type}`, () => events().filter(event => event.type === type).length >= count)
  return { child, events, ended, reached }
}

export const STREAM = ['stdio', '--stream', '-m', 'x']

/** The stand-in under the bridge. */
export function bridge(
  lane: Pick<LaneUnderTest, 'url' | 'agentKey'>,
  one: Script,
  ...more: readonly string[]
): Called & { json(): Promise<Record<string, unknown>[]> } {
  const env = { ...one.env, LANE_URL: lane.url, LANE_API_KEY: lane.agentKey }
  const called = call(
    ['ail', 'bridge', '--json', '--state', join(one.place, 'state'), ...more, '--', AIL, ...STREAM],
    { env },
  )
  return {
    ...called,
    json: async () =>
      (await called.ended).stdout
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line)),
  }
}

/** The ids of what is open of a run. */
export async function openIn(lane: LaneUnderTest, { runId }: Script): Promise<string[]> {
  const { json } = await lane.call('GET', `/v1/requests?state=open&run_id=${runId}`)
  return (json.items as { request_id: string }[]).map(one => one.request_id)
}
export const asked = (lane: LaneUnderTest, one: Script, known: readonly string[] = []): Promise<string> =>
  until('a request', async () => (await openIn(lane, one)).find(id => !known.includes(id)))

export const isAlive = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

/** The record of the bridge's run: its process among others. */
export const recordIn = ({ place }: Script, name: string) =>
  JSON.parse(readFileSync(join(place, 'state', name), 'utf8')) as {
    readonly bridge: { readonly pid: number }
    readonly run: {
      readonly pid: number
      readonly group: number
      readonly born: string
      readonly boot: string
    }
    readonly requests: readonly string[]
  }
