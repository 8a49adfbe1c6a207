// The file a link goes to when no channel carries it: one JSON line per delivery, readable by its owner alone.
//
// WO1  Lines are whole and in the order of the calls; calls made while a write is under way share the next one.
// WO2  A write that returned has reached the operating system: it survives this process, not a power cut.
// WO3  After a failed write or a moved file the next one opens anew, and closes a torn last line first.
import { type FileHandle, open, stat } from 'node:fs/promises'

export type OutboxLine = {
  readonly delivery_id: string
  readonly request_id: string
  readonly user_id: string
  readonly link: string
  readonly code: string | null
  readonly at: string
}

export type Outbox = {
  readonly write: (line: OutboxLine) => Promise<void>
  /** Waits for the writes under way; the outbox is not used afterwards. */
  readonly close: () => Promise<void>
}

/** A link with its code answers for a person: nobody else on the machine may read it. */
const OWNER_ONLY = 0o600

export function outboxWriter(path: string): Outbox {
  const waiting: Waiting[] = []
  let file: Held | null = null // owned by the one drain that runs at a time
  let draining: Promise<void> | null = null

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      file ??= await opened(path)
      await file.handle.appendFile(batch.map(line => line.text).join(''))
      for (const line of batch) line.done()
    } catch (error) {
      file = await closed(file)
      for (const line of batch) line.fail(error)
    }
  }

  async function drain(): Promise<void> {
    if (file !== null && (await isMoved(file, path))) file = await closed(file)
    while (waiting.length > 0) await writeBatch(waiting.splice(0))
    draining = null
  }

  return {
    write: line =>
      new Promise((done, fail) => {
        waiting.push({ text: `${JSON.stringify(line)}\n`, done, fail })
        draining ??= drain()
      }),
    close: async () => {
      await draining
      file = await closed(file)
    },
  }
}

type Waiting = {
  readonly text: string
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

/** An open file, and its identity even if its name changes. */
type Held = { readonly handle: FileHandle; readonly ino: number; readonly dev: number }

async function opened(path: string): Promise<Held> {
  const handle = await open(path, 'a+', OWNER_ONLY)
  try {
    await handle.chmod(OWNER_ONLY) // the mode given to open counts only for a file that is new
    const { size, ino, dev } = await handle.stat()
    const last = size === 0 ? null : await handle.read(Buffer.alloc(1), 0, 1, size - 1)
    if (last !== null && last.buffer.toString() !== '\n') await handle.appendFile('\n')
    return { handle, ino, dev }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function isMoved({ ino, dev }: Held, path: string): Promise<boolean> {
  const named = await stat(path).catch(() => null)
  return named === null || named.ino !== ino || named.dev !== dev
}

/** The handle is given up either way; an error on closing is of no use to anybody. */
async function closed(file: Held | null): Promise<null> {
  await file?.handle.close().catch(() => {})
  return null
}
