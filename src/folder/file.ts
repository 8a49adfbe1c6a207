// A file in a folder: read whole or not at all, written whole or not at all.
//
// FI1  Only a regular file with one name and of bounded size is read; it is looked at again through the descriptor, and
//      once more behind the last byte: a file that changed meanwhile is no file that somebody wrote.
// FI2  What is written lies under another name until it is on the disk, then takes its place in one step: whoever reads
//      finds the old file or the new one.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { codeOf, type Folder, placeOf } from './folder.js'

/** Nothing that people or agents write by hand comes near. */
export const MOST_BYTES = 64 * 1024 * 1024
/** Behind the name of a file that is being written. One that is found was left by a crash. */
export const PART = '.lane-part'

type FileFlaw = 'absent' | 'not_a_file' | 'many_names' | 'too_large' | 'changed' | 'not_allowed'
type ReadFile =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly code: FileFlaw; readonly detail: string }

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const FILE_MODE = 0o666
const MODE_BITS = 0o777

export function readFile(folder: Folder, name: string): ReadFile {
  const path = placeOf(folder, name)
  const seen = lstatSync(path, { throwIfNoEntry: false })
  const flaw = flawOf(seen)
  if (flaw !== null) return refuse(folder, name, flaw)
  let fd: number
  try {
    fd = openSync(path, READ)
  } catch (error) {
    return refuse(folder, name, FLAWS[codeOf(error)] ?? 'not_allowed')
  }
  try {
    return readOpened(folder, name, fd, seen)
  } finally {
    closeSync(fd)
  }
}

function readOpened(folder: Folder, name: string, fd: number, seen: Stats | undefined): ReadFile {
  const opened = fstatSync(fd)
  if (!isSame(opened, seen)) return refuse(folder, name, 'changed')
  const flaw = flawOf(opened)
  if (flaw !== null) return refuse(folder, name, flaw)
  const bytes = Buffer.alloc(opened.size)
  let length = 0
  for (let read = 1; read > 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, length)
  const after = fstatSync(fd)
  const whole = length === after.size && isSame(after, opened) && after.mtimeMs === opened.mtimeMs
  return whole ? { ok: true, bytes } : refuse(folder, name, 'changed')
}

/** Puts a file in its place, over the one that is there (FI2). `isStill` is asked when all of it is on the disk: if it
 *  says no, because somebody else has written meanwhile, the file stays as it is, and this is false. `mode` is that of a file that was
 *  not there. */
export function writeFile(
  folder: Folder,
  name: string,
  bytes: string | Uint8Array,
  isStill: () => boolean = () => true,
  mode: number | null = null,
): boolean {
  const place = placeOf(folder, name)
  const part = placeOf(folder, `${name}${PART}`)
  const before = lstatSync(place, { throwIfNoEntry: false })
  const flaw = before === undefined ? null : flawOf(before)
  if (flaw !== null) throw new Error(sentenceOf(folder, name, flaw))
  rmSync(part, { force: true })
  writeNew(part, bytes, before === undefined ? mode : before.mode & MODE_BITS)
  if (!isStill()) {
    rmSync(part, { force: true })
    return false
  }
  renameSync(part, place)
  fsyncSync(folder.fd)
  return true
}

/** Makes a file that was not there; false, and nothing is touched, where there is anything under this name. */
export function createFile(folder: Folder, name: string, bytes: string | Uint8Array): boolean {
  try {
    writeNew(placeOf(folder, name), bytes, null)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  fsyncSync(folder.fd)
  return true
}

/** The name is gone afterwards, whatever it named but a directory; a link is removed, not followed. */
export function removeFile(folder: Folder, name: string): void {
  if (lstatSync(placeOf(folder, name), { throwIfNoEntry: false })?.isDirectory())
    throw new Error(sentenceOf(folder, name, 'not_a_file'))
  rmSync(placeOf(folder, name), { force: true })
  fsyncSync(folder.fd)
}

/** Differs once a file was changed or has taken another's place; null where nothing is there. */
export function stampOf(folder: Folder, name: string): string | null {
  const seen = lstatSync(placeOf(folder, name), { throwIfNoEntry: false, bigint: true })
  return seen === undefined ? null : [seen.dev, seen.ino, seen.size, seen.mtimeNs, seen.ctimeNs].join(' ')
}

/** Whether anything at all stands under this name. */
export const isThere = (folder: Folder, name: string): boolean =>
  lstatSync(placeOf(folder, name), { throwIfNoEntry: false }) !== undefined

function writeNew(path: string, bytes: string | Uint8Array, mode: number | null): void {
  const fd = openSync(path, NEW, FILE_MODE)
  try {
    if (mode !== null) fchmodSync(fd, mode)
    writeFileSync(fd, bytes)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const FLAWS: Readonly<Record<string, FileFlaw>> = { ENOENT: 'absent', ELOOP: 'not_a_file' }

function flawOf(stats: Stats | undefined): FileFlaw | null {
  if (stats === undefined) return 'absent'
  if (!stats.isFile()) return 'not_a_file'
  if (stats.nlink !== 1) return 'many_names'
  return stats.size > MOST_BYTES ? 'too_large' : null
}

const isSame = (one: Stats, other: Stats | undefined): boolean =>
  one.dev === other?.dev && one.ino === other.ino && one.size === other.size

const SENTENCES: Readonly<Record<FileFlaw, string>> = {
  absent: 'is not there',
  not_a_file: 'is no regular file, and links are not followed here',
  many_names: 'has a second name elsewhere, and could be changed or read there',
  too_large: `has more than ${MOST_BYTES} bytes`,
  changed: 'changed while it was read',
  not_allowed: 'may not be read by this user',
}
const sentenceOf = ({ path }: Folder, name: string, flaw: FileFlaw): string =>
  `${path}/${name} ${SENTENCES[flaw]}`
const refuse = (folder: Folder, name: string, code: FileFlaw): ReadFile => ({
  ok: false,
  code,
  detail: sentenceOf(folder, name, code),
})
