// Every day what the tests write lies in memory: thousands of ledgers that are synced after every commit would otherwise
// wait for a disk. With CI=true it lies on one, and is really synced.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** Room for several database servers at once; a container is often given 64 MB in all. */
const ROOM_BYTES = 2 * 2 ** 30

/** Where it cannot be, or is too small, or lets no program of the tests run, the tests stay where they would be. */
function memory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < ROOM_BYTES) return null
    const made = mkdtempSync(join(MEMORY, 'lane-'))
    // Servers that refuse root have places of their own in it.
    chmodSync(made, 0o711)
    const program = join(made, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(program).status === 0) return made
    rmSync(made, { recursive: true })
    return null
  } catch {
    return null
  }
}

export default function keepInMemory(): void {
  // The projects of one run share it.
  const isThere = process.env.TMPDIR?.startsWith(MEMORY) === true
  const made = isThere || process.env.CI === 'true' ? null : memory()
  if (made === null) return
  process.env.TMPDIR = made
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  process.once('SIGTERM', () => process.exit(143))
}
