// The data directory: where the lane that serves it can be found. A command that finds the operator's key there finds
// beside it the one address that the key is for.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const ADDRESS_FILE = 'lane.url'

/** Where several lanes share the directory, the last one that started is found. */
export function leaveAddress(dataDir: string, url: string): void {
  const file = join(dataDir, ADDRESS_FILE)
  const part = `${file}.${process.pid}`
  writeFileSync(part, `${url}\n`, { mode: 0o600 })
  renameSync(part, file)
}

/** Null where no lane has left one that can be read. */
export function addressIn(dataDir: string): string | null {
  try {
    const url = readFileSync(join(dataDir, ADDRESS_FILE), 'utf8').trim()
    return /^https?:\/\/[^/\s]+$/.test(url) && URL.canParse(url) ? url : null
  } catch {
    return null
  }
}
