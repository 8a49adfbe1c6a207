// The built lane as a process of its own, for things that only a process can show: log, sockets, sudden death.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANE } from '../cli/gateway.js'
import { type Reply, UNLIMITED } from '../lane-under-test.js'
import { until } from '../until.js'

export const API_KEY = 'lane_key_of_the_spawned_lane_0123456789'

export type Spawned = {
  readonly url: string
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; json: Record<string, unknown> }>
  /** Ends it at once, as a power cut of the process would. */
  kill(): Promise<void>
}

export type Ended = { readonly code: number | null; readonly stderr: string }

type Options = {
  readonly env?: Record<string, string>
  readonly preload?: string
}

function launch(dataDir: string, { env, preload }: Options): ChildProcess {
  if (!existsSync(LANE)) throw new Error('the lane is not built: npm run build')
  const config = join(dataDir, 'lane.yaml')
  writeFileSync(config, UNLIMITED)
  const before = preload === undefined ? [] : ['--require', preload]
  return spawn(process.execPath, [...before, LANE, 'serve'], {
    cwd: dataDir,
    env: {
      PORT: '0',
      LANE_DATA_DIR: dataDir,
      LANE_CONFIG: config,
      LANE_API_KEY: API_KEY,
      LOG_LEVEL: 'trace',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Starts it, or says how it ended instead. */
export async function spawnLane(dataDir: string, options: Options = {}): Promise<Spawned | Ended> {
  const child = launch(dataDir, options)
  let stdout = ''
  let stderr = ''
  const ended = new Promise<Ended>(done => child.once('close', code => done({ code, stderr })))
  const ready = new Promise<string>(done => {
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString()
      const url = /is ready at (http:\S+)/.exec(stdout)?.[1]
      if (url !== undefined) done(url)
    })
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const first = await Promise.race([ready, ended])
  if (typeof first !== 'string') return first
  return {
    url: first,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    async call(method, path, body) {
      const response = await fetch(path.startsWith('http') ? path : `${first}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${API_KEY}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = /json/.test(response.headers.get('content-type') ?? '')
        ? JSON.parse(text.split('\n')[0] ?? '')
        : { text }
      return { status: response.status, json }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export function running(started: Spawned | Ended): Spawned {
  if ('url' in started) return started
  throw new Error(`the lane ended with ${started.code}: ${started.stderr}`)
}

export type Line = Reply & { readonly request_id: string }
const outbox = (dir: string): Line[] => {
  const file = join(dir, 'outbox.ndjson')
  if (!existsSync(file)) return []
  // A process that was killed may leave half a line; it was never acknowledged.
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.endsWith('}'))
    .map(line => JSON.parse(line) as Line)
}
/** The link that was sent for a request; waits until it is there, or until nobody wants it. */
export async function link(dir: string, id: string, wanted = () => true): Promise<Line> {
  return until(`the link of ${id}`, () => {
    if (!wanted()) throw new Error(`nobody waits for the link of ${id} any longer`)
    return outbox(dir).find(line => line.request_id === id)
  })
}

/** The link is out a moment before the ledger says so: a lane killed in between would have a delivery to settle. */
export async function recordedAsSent({ call }: Spawned, id: string): Promise<void> {
  const shown = async (): Promise<string> => JSON.stringify((await call('GET', `/v1/requests/${id}`)).json)
  await until(`${id} is on record as sent`, shown, text => text.includes('"sent"'))
}

/** Answers on the page as a person would. */
export async function answer(url: string, reply: Reply, text: string, code = reply.code): Promise<number> {
  const path = `${url}${new URL(reply.link).pathname}`
  const csrf = /name="csrf" value="([^"]*)"/.exec(await (await fetch(path)).text())?.[1] ?? ''
  const response = await fetch(path, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ reply: text, code, csrf }),
  })
  await response.arrayBuffer()
  return response.status
}

/** The ledger, line by line. */
export const linesOf = async (lane: Spawned): Promise<string[]> => {
  const response = await fetch(`${lane.url}/v1/ledger`, { headers: { authorization: `Bearer ${API_KEY}` } })
  return (await response.text()).trimEnd().split('\n')
}
