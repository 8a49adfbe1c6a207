// Writes what was streamed into a file that is either whole or not there: beside its name first, then renamed. An
// existing file is never replaced, since yesterday's backup may be the good one.
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'

/** A backup holds what people typed: nobody else on the machine reads it. */
const OWNER_ONLY = 0o600

export const isTaken = (file: string): boolean => existsSync(file)

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
