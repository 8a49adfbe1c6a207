// The process that holds a lock, as its lock file names it, and whether it is still there. A process id comes round
// again, so its start is named too, where the system tells it.
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

export type Holder = {
  readonly pid: number
  readonly host: string
  /** In the system's own ticks since its start; null where it does not tell. */
  readonly born: string | null
}

export const thisProcess = (): Holder => ({ pid: process.pid, host: hostname(), born: birthOf(process.pid) })

/** False where it cannot be known: another machine's processes are not seen from here. */
export function isGone({ pid, host, born }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Not allowed to signal it is a sign of life.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
  const now = birthOf(pid)
  return born !== null && now !== null && born !== now
}

/** Field 22 of proc_pid_stat(5). */
export const birthOf = (pid: number): string | null => statOf(pid)?.[19] ?? null

/** Its process group, field 5; null for none that is there. A process that has ended and was not yet waited for is gone. */
export function groupOf(pid: number): number | null {
  const stat = statOf(pid)
  return stat === null || ENDED.includes(stat[0] ?? '') ? null : Number(stat[2])
}
const ENDED = ['Z', 'X']

/** Made anew at every start of the machine; null where the system does not tell. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

/** The fields behind the second one, which is the program's name, in brackets, and may hold anything. */
function statOf(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
