// A run of `ail` in a process group of its own, and the end of that group. Processes are ended by what was recorded when they were
// started, and by nothing else.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../config/settings.js'
import { birthOf, bootId, groupOf } from '../../folder/holder.js'

export type Started = {
  readonly pid: number
  readonly group: number
  /** In the system's own ticks; null where it does not tell. */
  readonly born: string | null
  readonly boot: string | null
}

/** `ail` behaves otherwise inside of another agent's session. */
const REMOVED = ['CLAUDECODE']

/** Null if it could not be started. The first of a session leads a group of the same number. */
export async function startRun(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<{ readonly child: ChildProcess; readonly started: Started } | string> {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !REMOVED.includes(name)))
  const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'], env: kept })
  const flaw = await new Promise<string | null>(resolve => {
    child.once('spawn', () => resolve(null))
    child.once('error', error => resolve(error.message))
  })
  const { pid } = child
  if (flaw !== null || pid === undefined) return flaw ?? 'it has no process'
  return { child, started: { pid, group: pid, born: birthOf(pid), boot: bootId() } }
}

/** SIGKILL takes a moment to reach everybody. */
const [LOOKS, LOOK_MS] = [100, 50]

/** Whether nobody of the group is left. */
export async function endGroup(group: number): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    // Again, since one of them may just have started another.
    if (!killGroup(group)) return true
    if (look > 0 && membersOf(group).length === 0) return true
    await sleep(LOOK_MS)
  }
  return false
}

/** False where nobody of it is there. */
export function killGroup(group: number): boolean {
  try {
    return process.kill(-group, 'SIGKILL')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/** Those of the group that still run. */
export function membersOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^[0-9]+$/.test(name))
    .map(Number)
    .filter(pid => groupOf(pid) === group)
}
