// A lock on a file of a folder: one process at a time writes it, whoever is killed meanwhile.
//
// LK1  A lock appears whole or not at all, under a name that the system gives to one: it is written elsewhere and linked
//      there. It names its process and a word of its own that no other lock ever has.
// LK2  The lock of a process that is gone is taken away by one process alone: by whoever holds the lock that is called
//      after that very word. So nobody takes away a lock that was put there since. The same holds for those locks.
import { randomBytes } from 'node:crypto'
import { closeSync, constants, linkSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf, type Folder, namesIn, placeOf } from './folder.js'
import { isGone, thisProcess } from './holder.js'

type Holding = ReturnType<typeof thisProcess> & { readonly word: string }
type Taken =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly detail: string }

/** Behind the name of the file that is locked. */
const LOCK = '.lock'
/** A lock that is being written. */
const DRAFT = '.draft'
const PAUSE_MS = 5
const LONGEST_PAUSE_MS = 50

/** Waits until it has the lock, or until its patience ends. */
export async function lockFile(
  folder: Folder,
  name: string,
  { patienceMs, sleep }: { readonly patienceMs: number; readonly sleep: (ms: number) => Promise<void> },
): Promise<Taken> {
  const lock = `${name}${LOCK}`
  for (let waited = 0, pause = PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (take(folder, lock)) {
      removeDrafts(folder, lock)
      return { ok: true, release: () => remove(folder, lock) }
    }
    const held = holdingOf(folder, lock)
    if (held !== null && isGone(held) && takeAway(folder, lock, held)) continue
    if (waited >= patienceMs) return { ok: false, detail: sentence(folder, lock, held) }
    // Chance keeps many that wait from coming back together.
    const rest = Math.ceil(pause * (0.5 + (randomBytes(1)[0] ?? 0) / 256))
    waited += rest
    await sleep(rest)
  }
}

function take(folder: Folder, lock: string): boolean {
  const word = randomBytes(12).toString('hex')
  const draft = `${lock}.${word}${DRAFT}`
  // No lock outlives the machine, so none is brought to the disk.
  const made = placeOf(folder, draft)
  writeFileSync(made, JSON.stringify({ ...thisProcess(), word }), { flag: 'wx' })
  try {
    linkSync(made, placeOf(folder, lock))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    remove(folder, draft)
  }
}

/** Whether it is worth trying again at once (LK2). */
function takeAway(folder: Folder, lock: string, gone: Holding): boolean {
  const right = `${lock}.${gone.word}`
  if (take(folder, right)) {
    if (holdingOf(folder, lock)?.word === gone.word) remove(folder, lock)
    remove(folder, right)
    return true
  }
  const other = holdingOf(folder, right)
  return other !== null && isGone(other) && takeAway(folder, right, other)
}

const remove = (folder: Folder, name: string): void => rmSync(placeOf(folder, name), { force: true })

/** No lock of ours is longer. */
const MOST_BYTES = 1024
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Null where there is none, or none of ours. A lock whose maker was killed may still have its draft's name too. */
function holdingOf(folder: Folder, lock: string): Holding | null {
  let fd: number
  try {
    fd = openSync(placeOf(folder, lock), READ)
  } catch {
    return null
  }
  try {
    const bytes = Buffer.alloc(MOST_BYTES)
    const { pid, host, born, word } = JSON.parse(bytes.toString('utf8', 0, readSync(fd, bytes)))
    const isWhole = typeof pid === 'number' && typeof host === 'string' && /^[0-9a-f]{24}$/.test(word)
    return isWhole ? { pid, host, born: typeof born === 'string' ? born : null, word } : null
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}

/** A draft is linked by its maker alone: once that is gone, nobody misses it. */
function removeDrafts(folder: Folder, lock: string): void {
  for (const name of namesIn(folder).filter(one => one.startsWith(`${lock}.`) && one.endsWith(DRAFT))) {
    const maker = holdingOf(folder, name)
    if (maker !== null && isGone(maker)) remove(folder, name)
  }
}

const sentence = ({ path }: Folder, lock: string, held: Holding | null): string =>
  held === null
    ? `${path}/${lock} is there and is no lock of ours: take it away if nobody writes this file`
    : `${path}/${lock} is held by process ${held.pid} on ${held.host}`
