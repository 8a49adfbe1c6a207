// Writes a stream into a file that is either whole or not there: under another name first, then renamed. An existing
// file is never replaced, since yesterday's backup may be the good one.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A backup holds people's words: nobody else on the machine may read it. */
const OWNER_ONLY = 0o600

export const isTaken = (file: string): boolean => existsSync(file)

/** The reason why no file can be made there, quoting the name as given; null if one can. */
export function flawOfPlace(file: string): string | null {
  const directory = dirname(file)
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    return `${file} cannot be written: its directory must exist, and ${directory} is none; make it, or name another file`
  return mayWriteIn(directory)
    ? null
    : `${file} cannot be written: this user may not write to ${directory}; name another file`
}

export function mayWriteIn(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The number of bytes written. */
export async function writeWhole(file: string, chunks: AsyncIterable<Uint8Array | string>): Promise<number> {
  const part = `${file}.part`
  const handle = await open(part, 'w', OWNER_ONLY)
  try {
    let size = 0
    for await (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      await handle.writeFile(bytes)
      size += bytes.length
    }
    await handle.sync()
    await handle.close()
    await rename(part, file)
    return size
  } catch (error) {
    await handle.close()
    await rm(part, { force: true })
    throw error
  }
}
