// The machine underneath: the cores of a process, the cost of one fsync, and the description beside the numbers. The
// generator and the server are kept on different cores if the system allows it.
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { arch, cpus, loadavg, release, type } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'

export type Seat = 'server' | 'load' | 'anywhere'

/** fsync is timed for this long: enough for a disk to show its usual pace. */
const FSYNC_MS = 2_000
/** About what one small commit appends to the write-ahead log. */
const FSYNC_BYTES = 4_096

/** The command with its arguments, on the core of its seat if there are taskset and a second core. */
export function seated(seat: Seat, command: string, args: readonly string[]): [string, string[]] {
  const core = seat === 'server' ? CORES[0] : CORES[1]
  if (!IS_PINNED || core === undefined || seat === 'anywhere') return [command, [...args]]
  return ['taskset', ['--cpu-list', String(core), command, ...args]]
}

/** Milliseconds of each append + fsync in a loop, in the directory whose disk is meant. */
export function timeFsync(dir: string): number[] {
  const path = join(dir, 'fsync.probe')
  const file = openSync(path, 'a', 0o600)
  const bytes = Buffer.alloc(FSYNC_BYTES, 'x')
  const times: number[] = []
  try {
    for (const end = performance.now() + FSYNC_MS; performance.now() < end; ) {
      const start = performance.now()
      writeSync(file, bytes)
      fsyncSync(file)
      times.push(performance.now() - start)
    }
    return times
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

/** Ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const TICK_MS = 10

/** A process as /proc tells of it; null for one that has gone. */
function statOf(pid: number): { readonly name: string; readonly parent: number; readonly ms: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]]
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
    return { name, parent, ms: (user + system) * TICK_MS }
  } catch {
    return null
  }
}

/** Processor time of all its threads so far, in milliseconds. */
export const processorMs = (pid: number): number => statOf(pid)?.ms ?? 0

/** PostgreSQL and Redis among the descendants of a process: each is several processes. */
export function serversOf(pid: number): Readonly<Record<'postgres' | 'redis', readonly number[]>> {
  const all = new Map(
    readdirSync('/proc')
      .filter(name => /^[0-9]+$/.test(name))
      .map(name => [Number(name), statOf(Number(name))]),
  )
  const isOurs = (one: number): boolean => {
    const parent = all.get(one)?.parent ?? 0
    return parent === pid || (parent > 1 && isOurs(parent))
  }
  const named = (name: string): number[] =>
    [...all].filter(([one, stat]) => stat?.name === name && isOurs(one)).map(([one]) => one)
  return { postgres: named('postgres'), redis: named('redis-server') }
}

export function describeMachine(): string {
  const db = new Sqlite(':memory:')
  const sqlite = db.prepare('SELECT sqlite_version()').pluck().get()
  db.close()
  const [first] = cpus()
  return [
    `Node ${process.version}, SQLite ${sqlite}, ${type()} ${release()} ${arch()}`,
    `${CORES.length} cores (${first?.model.trim() ?? 'unknown'})`,
    IS_PINNED ? 'server and generator on cores of their own' : 'server and generator not pinned',
    `load average before the run ${(loadavg()[0] ?? 0).toFixed(2)}`,
  ].join('; ')
}

/** The cores this process may use, which in a container are not always the first ones. */
function allowedCores(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    return list.split(',').flatMap(part => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  } catch {
    return cpus().map((_, index) => index)
  }
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const CORES = allowedCores()
const IS_PINNED = CORES.length > 1 && hasTaskset()
