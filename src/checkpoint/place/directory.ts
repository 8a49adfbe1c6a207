// A directory: one file for each checkpoint, which is never changed. Folders of at most a thousand keep it quick to list,
// however long the log is.
import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { logOf } from '../origin.js'
import type { Place } from './place.js'

/** A checkpoint comes with an entry of its own, so every second size at most has one. */
const SIZES_PER_FOLDER = 2048
const NUMBER = /^([0-9]+)$/
const NOTE = /^([0-9]+)\.note$/

export function directoryPlace(path: string): Place {
  return {
    name: `directory ${path}`,
    async put({ origin, size, note }) {
      // An absent directory is a disk that is not mounted, and not a place to begin anew.
      await stat(path)
      const { logId, epoch } = logOf(origin)
      const folder = join(path, logId, String(epoch), String(Math.floor(size / SIZES_PER_FOLDER)))
      await mkdir(folder, { recursive: true })
      const file = join(folder, `${size}.note`)
      await writeOnce(file, note)
    },
    async *notes(origin) {
      await stat(path)
      const { logId, epoch: own } = logOf(origin)
      for (const epoch of (await numbersIn(join(path, logId), NUMBER)).filter(one => one >= own)) {
        const root = join(path, logId, String(epoch))
        for (const folder of await numbersIn(root, NUMBER))
          for (const size of await numbersIn(join(root, String(folder)), NOTE))
            yield await readFile(join(root, String(folder), `${size}.note`), 'utf8')
      }
    },
  }
}

/** Whole or not at all: a name is given to the file once its bytes are on the disk. */
async function writeOnce(file: string, note: string): Promise<void> {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(fresh, 'wx', 0o644)
  try {
    await handle.writeFile(note)
    await handle.sync()
    await handle.close()
    await link(fresh, file).catch(async error => {
      if (error.code !== 'EEXIST') throw error
      if ((await readFile(file, 'utf8')) !== note) throw new Error(`${file} is there and says something else`)
    })
  } finally {
    await handle.close().catch(() => undefined)
    await rm(fresh, { force: true })
  }
}

/** The numbers that names there begin with, the largest first; none for a folder that is not there. */
async function numbersIn(folder: string, shape: RegExp): Promise<number[]> {
  const names = await readdir(folder).catch(error => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .flatMap(name => shape.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a)
}
