// One watcher to a folder: two would ask the same of the lane, and write over each other's files.
import { createFile, readFile, removeFile } from '../../folder/file.js'
import { closeFolder, openFolder } from '../../folder/folder.js'
import { isGone, thisProcess } from '../../folder/holder.js'

const LOCK = '.lane-aah.lock'

type Held = { readonly ok: true } | { readonly ok: false; readonly detail: string }

/** Held for the life of this process. A lock whose process is gone is nobody's. */
export function holdFolder(directory: string, { shared }: { readonly shared: boolean }): Held {
  const opened = openFolder(directory, [], { shared })
  if (!opened.ok) return opened
  const { folder } = opened
  try {
    const mine = JSON.stringify(thisProcess())
    if (createFile(folder, LOCK, mine)) return { ok: true }
    const file = readFile(folder, LOCK)
    const detail = `another watcher holds ${directory}; if there is none, remove ${LOCK} in it`
    if (!file.ok || !isLeft(file.bytes)) return { ok: false, detail }
    removeFile(folder, LOCK)
    return createFile(folder, LOCK, mine) ? { ok: true } : { ok: false, detail }
  } finally {
    closeFolder(folder)
  }
}

/** What cannot be read was cut off while it was written. */
function isLeft(bytes: Uint8Array): boolean {
  try {
    return isGone(JSON.parse(Buffer.from(bytes).toString()))
  } catch (error) {
    if (error instanceof SyntaxError) return true
    throw error
  }
}
