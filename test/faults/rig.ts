// A lane that is to be broken: the built program in a process of its own, under the tool that breaks it, and always
// ended. Its own process group is killed whole, so that neither a tracer nor its lane outlives a failed test.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The whole of it where time allows; a sample of it in everyday work. */
export const ALL = process.env.CI === 'true'
const LANE = fileURLToPath(new URL('../../dist/src/cli/lane.js', import.meta.url))
export const API_KEY = 'fault-suite-key-0123456789abcdef'

export const CONFIG = `
recipients:
  operator: { name: Operator, web: true }
  second: { name: Second person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [console, link_code] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`

export type LaunchOptions = {
  readonly dataDir: string
  /** The data directory as this process sees it, where the lane runs in another namespace. */
  readonly seen?: string
  /** The command that runs the lane as its argument: a tracer, another namespace. */
  readonly under?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly config?: string
  /** SIGKILL this long after it was spawned, ready or not. */
  readonly killAfterMs?: number
}

export type Launched = {
  readonly url: string
  readonly dataDir: string
  /** The lane's own process, whatever it runs under. */
  readonly pid: number
  readonly ended: Promise<Ended>
  /** Everything printed so far, both streams. */
  output(): string
  /** SIGTERM to the lane itself; how it ended. */
  stop(): Promise<Ended>
  /** SIGKILL: as the power would. */
  kill(): Promise<Ended>
}
export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** The lane ended before it was ready. Where a kill was asked for, that is what was wanted. */
export class DiedAtStart extends Error {
  override readonly name = 'DiedAtStart'
  readonly ended: Ended
  constructor(ended: Ended, output: string) {
    super(`the lane ended with ${ended.code ?? ended.signal} before it was ready:\n${output}`)
    this.ended = ended
  }
}

const directories = new Set<string>()
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) killGroup(child)
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/** Removed when the tests end. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lane-faults-'))
  directories.add(directory)
  return directory
}

export async function launch(options: LaunchOptions): Promise<Launched> {
  if (!existsSync(LANE)) throw new Error('the lane is not built: npm run build')
  const cwd = freshDirectory()
  const config = join(cwd, 'lane.yaml')
  writeFileSync(config, options.config ?? CONFIG)
  const [command = '', ...args] = [...(options.under ?? []), process.execPath, LANE, 'serve']
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      LANE_DATA_DIR: options.dataDir,
      LANE_CONFIG: config,
      LANE_API_KEY: API_KEY,
      LOG_LEVEL: 'error',
      ...options.env,
    },
  })
  running.add(child)
  if (options.killAfterMs !== undefined) setTimeout(() => killGroup(child), options.killAfterMs)
  const printed: string[] = []
  child.stdout.on('data', chunk => printed.push(String(chunk)))
  child.stderr.on('data', chunk => printed.push(String(chunk)))
  const output = (): string => printed.join('')
  const ended = new Promise<Ended>(resolve =>
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    }),
  )
  const url = await ready(child, ended, output)
  // In a cluster many share a directory, and none holds it.
  const own =
    options.env?.DATABASE_URL === undefined
      ? Number(readFileSync(join(options.seen ?? options.dataDir, 'lane.pid'), 'utf8'))
      : (child.pid ?? 0)
  return {
    url,
    dataDir: options.dataDir,
    pid: own,
    ended,
    output,
    stop() {
      process.kill(own, 'SIGTERM')
      return ended
    },
    kill() {
      killGroup(child)
      return ended
    },
  }
}

function ready(child: ChildProcess, ended: Promise<Ended>, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const url = /is ready at (\S+)/.exec(output())?.[1]
      if (url !== undefined) resolve(url)
    })
    void ended.then(how => reject(new DiedAtStart(how, output())))
  })
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended between the look and the kill.
  }
}

/** For afterEach: what a failed test has left running. */
export async function endAll(): Promise<void> {
  const left = [...running]
  await Promise.all(
    left.map(child => new Promise(resolve => child.once('close', resolve) && killGroup(child))),
  )
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  directories.clear()
}

export const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0

/** The writer's files. SQLite works on the lane's main thread, so its calls are counted on one thread alone. */
export const ledgerPaths = (dataDir: string): string[] =>
  ['ledger.db', 'ledger.db-wal', 'ledger.db-shm', 'ledger.db-journal'].flatMap(name => [
    '-P',
    join(dataDir, name),
  ])

/** Resident megabytes of a lane. */
export function memoryOf({ pid }: Launched): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

export const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
