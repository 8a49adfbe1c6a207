// A lane as an operator runs it: the built program, in a process of its own, with a data directory of its own. It
// shows what a lane in the same process cannot: signals, crashes, exit codes, and the console.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const LANE = fileURLToPath(new URL('../../dist/src/cli/lane.js', import.meta.url))

export type StartOptions = {
  /** A directory of its own if absent. */
  readonly dataDir?: string
  /** 0 lets the system choose: the next start on the same data can then name the port that was chosen. */
  readonly port?: number
  /** The text of lane.yaml; the shipped file if absent. */
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}

export type Gateway = {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly pid: number
  /** Printed by the first start only; empty afterwards. */
  readonly agentKey: string
  readonly operatorKey: string
  /** SIGTERM; the exit code, once everything under way was finished. */
  stop(): Promise<number | null>
  /** Nobody reads its console any more: the next word it prints is an error. */
  hangUp(): void
  /** SIGKILL: as the power would. */
  kill(): Promise<void>
  /** Everything printed so far, both streams. */
  output(): string
}

/** Only what a program needs to run at all: the tester's own lane, key or proxy must not leak in. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR'].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), ...more }
}

/** Removed when the tests end. */
const directories: string[] = []
process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lane-cli-'))
  directories.push(directory)
  return directory
}

export async function start(options: StartOptions = {}): Promise<Gateway> {
  if (!existsSync(LANE)) throw new Error('the lane is not built: npm run build')
  const dataDir = options.dataDir ?? join(freshDirectory(), 'data')
  const cwd = freshDirectory()
  const config = join(cwd, 'lane.yaml')
  if (options.config !== undefined) writeFileSync(config, options.config)
  const child = spawn(process.execPath, [LANE, 'serve'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnv({
      PORT: String(options.port ?? 0),
      LANE_DATA_DIR: dataDir,
      ...(options.config !== undefined && { LANE_CONFIG: config }),
      ...options.env,
    }),
  })
  const printed: string[] = []
  child.stdout.on('data', chunk => printed.push(String(chunk)))
  child.stderr.on('data', chunk => printed.push(String(chunk)))
  const output = (): string => printed.join('')
  const url = await ready(child, output)
  return {
    url,
    port: Number(new URL(url).port),
    dataDir,
    pid: child.pid ?? 0,
    agentKey: /for an agent\s+(lane_\w+)/.exec(output())?.[1] ?? '',
    operatorKey: keyIn(dataDir),
    stop: () => end(child, 'SIGTERM'),
    hangUp() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    kill: () => end(child, 'SIGKILL').then(() => undefined),
    output,
  }
}

const READY = /is ready at (\S+)/

function ready(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const url = READY.exec(output())?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', look)
    child.once('exit', code =>
      reject(new Error(`the lane ended with ${code} before it was ready:\n${output()}`)),
    )
  })
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode)
    child.once('exit', code => resolve(code))
    child.kill(signal)
  })
}

function keyIn(dataDir: string): string {
  const file = join(dataDir, 'operator.key')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}
