// A lane as a contestant of the whole cycle: created and awaited over HTTP by a caller that keeps its connections, the
// notice a POST to a provider on loopback, the reply that provider's signed webhook. LANE_CLI names the program, so that
// an earlier build can be asked the same. LANE_LEDGER names a ledger that the lane begins with, and takes over.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEDGER_FILE } from '../src/ledger/sqlite/open.js'
import { freePort } from '../test/port.js'
import { type Child, launch } from './child.js'
import { PLACES } from './place.js'
import { ACCOUNT, choiceOf, configOf, question } from './question.js'
import { SECRET } from './unlocking.js'

const KEY = 'lane_bench_key_of_one_run_only'
/** A house of 100 000 people takes its time to be read. */
const READY_WITHIN_MS = 180_000

const {
  LANE_CLI = '',
  LANE_PEOPLE = '200',
  LANE_NODE_ARGS = '',
  LANE_LEDGER,
  DATABASE_URL,
  REDIS_URL,
} = process.env
const people = Number(LANE_PEOPLE)
const agent = new Agent({ keepAlive: true, maxSockets: 512, maxFreeSockets: 512 })
const dir = mkdtempSync(PLACES)
let url = ''
let lane: ChildProcess | undefined
let phone: Child<string, void> | undefined

type Answer = {
  readonly status: number
  readonly body: { readonly answer?: { readonly parsed_choice?: string } }
}

function call(method: 'GET' | 'POST', path: string, sent?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const data = sent && JSON.stringify(sent)
    const headers = {
      authorization: `Bearer ${KEY}`,
      ...(data && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }),
    }
    const made = request(url + path, { agent, method, headers }, response => {
      let body = ''
      response
        .setEncoding('utf8')
        .on('data', chunk => {
          body += chunk
        })
        .on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) }))
    })
    made.on('error', reject)
    made.end(data)
  })
}

export async function start(): Promise<Readonly<Record<string, number>>> {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  phone = await launch<string, void>('anywhere', 'phone.js')
  const provider = phone.first as { readonly url: string; readonly pid: number }
  await phone.ask(`${url}/hooks/sms`)
  const config = join(dir, 'lane.yaml')
  writeFileSync(config, configOf(people))
  mkdirSync(join(dir, 'data'), { mode: 0o700 })
  if (LANE_LEDGER !== undefined) renameSync(LANE_LEDGER, join(dir, 'data', LEDGER_FILE))
  lane = spawn(process.execPath, [...LANE_NODE_ARGS.split(' ').filter(Boolean), LANE_CLI, 'serve'], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: url,
      LANE_DATA_DIR: join(dir, 'data'),
      LANE_CONFIG: config,
      LANE_API_KEY: KEY,
      LANE_SECRET: SECRET,
      LOG_LEVEL: 'error',
      SMS_ACCOUNT_SID: ACCOUNT.sid,
      SMS_AUTH_TOKEN: ACCOUNT.token,
      SMS_FROM: ACCOUNT.from,
      SMS_API_URL: provider.url,
      ...(DATABASE_URL && { DATABASE_URL, REDIS_URL }),
    },
  })
  for (const end = performance.now() + READY_WITHIN_MS; ; await sleep(50)) {
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      break
    if (lane.exitCode === null && performance.now() < end) continue
    await stop()
    throw new Error('the lane did not get ready')
  }
  return { lane: lane.pid ?? 0, phone: provider.pid }
}

export async function cycle(n: number): Promise<void> {
  const opened = await call('POST', '/v1/requests', question(n, people))
  if (opened.status !== 201) throw new Error(`asked ${n}: ${opened.status} ${JSON.stringify(opened.body)}`)
  for (;;) {
    const { status, body } = await call('GET', `/v1/requests/cycle-${n}/wait?timeout_seconds=30`)
    if (status === 202) continue
    const { parsed_choice } = body.answer ?? {}
    if (parsed_choice !== choiceOf(n))
      throw new Error(`${n} came back with ${parsed_choice}, not ${choiceOf(n)}`)
    return
  }
}

export async function look(path: string): Promise<void> {
  const { status } = await call('GET', path)
  if (status !== 200) throw new Error(`${path} is answered with ${status}`)
}

export async function stop(): Promise<void> {
  agent.destroy()
  if (lane !== undefined && lane.exitCode === null) {
    const ended = new Promise(resolve => lane?.once('exit', resolve))
    lane.kill('SIGTERM')
    await ended
  }
  await phone?.stop()
  rmSync(dir, { recursive: true, force: true })
}
