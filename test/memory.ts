// Every day what the tests write lies in memory: thousands of ledgers that are synced after every commit would otherwise
// wait for a disk. With CI=true it lies on one, and is really synced. Wherever it lies, it lies in one directory, which goes
// when the run ends: a process of the tests is ended by a signal, and can be relied on to remove nothing.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const MEMORY = '/dev/shm'
const PREFIX = 'lane-run-'
/** Room for several database servers at once; a container is often given 64 MB in all. */
const ROOM_BYTES = 2 * 2 ** 30

function directoryIn(place: string): string {
  const made = mkdtempSync(join(place, PREFIX))
  // Servers that refuse root have places of their own in it.
  chmodSync(made, 0o711)
  return made
}

/** Where it cannot be, or is too small, or lets no program of the tests run, the tests stay where they would be. */
function memory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < ROOM_BYTES) return null
    const made = directoryIn(MEMORY)
    const program = join(made, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(program).status === 0) return made
    rmSync(made, { recursive: true })
    return null
  } catch {
    return null
  }
}

export default function keepTogether(): void {
  // The projects of one run share it.
  if (basename(process.env.TMPDIR ?? '').startsWith(PREFIX)) return
  const made = (process.env.CI === 'true' ? null : memory()) ?? directoryIn(tmpdir())
  process.env.TMPDIR = made
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(143))
}
