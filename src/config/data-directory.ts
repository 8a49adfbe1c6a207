// The data directory: its owner's alone, and marked with the address of the lane that serves it. A command that finds
// the operator's key there finds beside it the one address that the key is for.
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ADDRESS_FILE = 'lane.url'
/** Files that give rights, or hold people's words: for their owner alone, should the directory
 *  ever be opened or copied. */
const SECRETS = ['secret', 'operator.key', 'outbox.ndjson', 'ledger.db', 'ledger.db-wal', 'ledger.db-shm']
/** Everything but the owner's own rights. */
export const OTHERS = 0o077
const OTHERS_WRITE = 0o022

type Kept = {
  /** Paths that were open to others until now. */
  readonly corrected: readonly string[]
  /** Paths that are open to others and not ours to close. */
  readonly flaws: readonly string[]
}

/** Makes the directory if it is missing, and closes it and its secret files to everybody else. The superuser may
 *  change any mode, so a test brings its own `chmod`. */
export function keepPrivate(dataDir: string, chmod: typeof chmodSync = chmodSync): Kept {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const open = [dataDir, ...SECRETS.map(name => join(dataDir, name))].filter(isOpenToOthers)
  const corrected: string[] = []
  const flaws: string[] = []
  for (const path of open) {
    const mode = path === dataDir ? 0o700 : 0o600
    try {
      chmod(path, mode)
      corrected.push(`${path} was open to others: it is now its owner's alone`)
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? error.code : 'unknown'
      const remedy = `chmod ${mode.toString(8)} ${path} as its owner, or set LANE_DATA_DIR to a directory of this user's own`
      flaws.push(`${path} is open to others, and this user may not close it (${why}) → ${remedy}`)
    }
  }
  return { corrected, flaws }
}

/** False for a path that does not exist. */
export const isOpenToOthers = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0

/** Whether others may put files of theirs there. */
export const isOthersToo = (directory: string): boolean =>
  ((statSync(directory, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS_WRITE) !== 0

/** If several lanes share the directory, the last one that started is found. */
export function leaveAddress(dataDir: string, url: string): void {
  const file = join(dataDir, ADDRESS_FILE)
  const part = `${file}.${process.pid}`
  writeFileSync(part, `${url}\n`, { mode: 0o600 })
  renameSync(part, file)
}

/** Null if no lane has left an address that can be read. */
export function addressIn(dataDir: string): string | null {
  try {
    const url = readFileSync(join(dataDir, ADDRESS_FILE), 'utf8').trim()
    return /^https?:\/\/[^/\s]+$/.test(url) && URL.canParse(url) ? url : null
  } catch {
    return null
  }
}
