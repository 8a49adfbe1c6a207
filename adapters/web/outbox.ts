// The file a link goes to when no channel carries it: one JSON line per delivery, readable by its owner alone.
//
// WO1  Lines are whole and in the order of the calls; calls made in one turn share a write.
// WO2  A write that returned has reached the operating system: it survives this process, not a power cut.
// WO3  After a failed write or a moved file the next one opens anew, and closes a torn last line first.
//
// Written where it stands: the ledger beside it is, and a trip to another thread costs more than the few lines do.
import { closeSync, fchmodSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'

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
  /** Writes what waits; the outbox is not used afterwards. */
  readonly close: () => void
}

/** A link with its code answers for a person: nobody else on the machine may read it. */
const OWNER_ONLY = 0o600

export function outboxWriter(path: string): Outbox {
  let waiting: Waiting[] = []
  let file: Held | null = null

  function writeAll(): void {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      if (file !== null && isMoved(file, path)) file = closed(file)
      file ??= opened(path)
      append(file, batch.map(line => line.text).join(''))
      for (const line of batch) line.done()
    } catch (error) {
      file = closed(file)
      for (const line of batch) line.fail(error)
    }
  }

  return {
    write: line =>
      new Promise((done, fail) => {
        if (waiting.push({ text: `${JSON.stringify(line)}\n`, done, fail }) === 1) setImmediate(writeAll)
      }),
    close() {
      writeAll()
      file = closed(file)
    },
  }
}

type Waiting = {
  readonly text: string
  readonly done: () => void
  readonly fail: (error: unknown) => void
}

/** An open file, and its identity even if its name changes. */
type Held = { readonly descriptor: number; readonly ino: number; readonly dev: number }

function opened(path: string): Held {
  const descriptor = openSync(path, 'a+', OWNER_ONLY)
  try {
    fchmodSync(descriptor, OWNER_ONLY) // the mode given to open counts only for a file that is new
    const { size, ino, dev } = fstatSync(descriptor)
    const file = { descriptor, ino, dev }
    const last = Buffer.alloc(1, '\n')
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1)
    if (last.toString() !== '\n') append(file, '\n')
    return file
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** The system may take a part at a time. */
function append({ descriptor }: Held, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}

function isMoved({ ino, dev }: Held, path: string): boolean {
  const named = statSync(path, { throwIfNoEntry: false })
  return named === undefined || named.ino !== ino || named.dev !== dev
}

/** The descriptor is given up either way; an error on closing is of no use to anybody. */
function closed(file: Held | null): null {
  try {
    if (file !== null) closeSync(file.descriptor)
  } catch {
    // It is gone.
  }
  return null
}
