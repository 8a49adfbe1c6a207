// A directory of somebody else's, held open. Whoever can write in it may be hostile, so nothing on the way down is
// followed, and names are looked up in the directory that was checked, not in one that has taken its place since.
//
// FO1  No link is followed beneath the root, neither to a directory nor to a file.
// FO2  A directory that others can write in is refused, unless the caller says that it is shared.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'

export type Folder = {
  /** As people know it, for messages. */
  readonly path: string
  /** Held open: names are looked up in this very directory. */
  readonly fd: number
}

type FolderFlaw = 'absent' | 'link' | 'not_a_directory' | 'others_can_write' | 'not_allowed'
type Opened =
  | { readonly ok: true; readonly folder: Folder }
  | { readonly ok: false; readonly code: FolderFlaw; readonly detail: string }

const OTHERS_WRITE = 0o022
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY
const BENEATH = DIRECTORY | constants.O_NOFOLLOW

/** `beneath` are the names of directories below the root, in order. The root is what the caller typed: links that lead
 *  to it are the caller's own. */
export function openFolder(
  root: string,
  beneath: readonly string[],
  { shared }: { shared: boolean },
): Opened {
  let at = openDirectory(root, () => openSync(realpathSync(root), DIRECTORY), shared)
  for (const name of beneath) {
    if (!at.ok) return at
    const { folder } = at
    at = openDirectory(join(folder.path, name), () => openSync(placeOf(folder, name), BENEATH), shared)
    closeFolder(folder)
  }
  return at
}

export const closeFolder = ({ fd }: Folder): void => closeSync(fd)

/** The names in it, sorted, without those of directories. */
export function namesIn(folder: Folder): string[] {
  const found = readdirSync(placeOf(folder, '.'), { withFileTypes: true })
  return found
    .filter(entry => !entry.isDirectory())
    .map(entry => entry.name)
    .sort()
}

const BY_DESCRIPTOR = '/proc/self/fd'
const hasDescriptors = existsSync(BY_DESCRIPTOR)

/** The path of a name in the directory that is held (FO1). Where the system has no paths by descriptor, the directory
 *  is compared with the one that was opened. */
export function placeOf({ path, fd }: Folder, name: string): string {
  if (name.includes('/') || name.includes('\0') || name === '' || name === '..')
    throw new TypeError(`${JSON.stringify(name)} is no name of a file`)
  if (hasDescriptors) return `${BY_DESCRIPTOR}/${fd}/${name}`
  const [held, now] = [fstatSync(fd), lstatSync(path)]
  if (held.dev !== now.dev || held.ino !== now.ino)
    throw new Error(`${path} was exchanged for another directory`)
  return join(path, name)
}

function openDirectory(path: string, open: () => number, shared: boolean): Opened {
  let fd: number
  try {
    fd = open()
  } catch (error) {
    return refusal(path, codeOf(error))
  }
  if (shared || !isOthersToo(fd)) return { ok: true, folder: { path, fd } }
  closeSync(fd)
  const detail = `others can write in ${path}: whoever can, acts with this key; chmod go-w it, or say --shared`
  return { ok: false, code: 'others_can_write', detail }
}

/** The superuser can write anywhere, and is no other. */
function isOthersToo(fd: number): boolean {
  const { mode, uid } = fstatSync(fd)
  return (mode & OTHERS_WRITE) !== 0 || (uid !== 0 && uid !== process.getuid?.())
}

export const codeOf = (error: unknown): string => {
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

function refusal(path: string, code: string): Opened {
  switch (code) {
    case 'ENOENT':
      return { ok: false, code: 'absent', detail: `${path} is not there` }
    case 'ELOOP':
      return { ok: false, code: 'link', detail: `${path} is a link, and links are not followed here` }
    case 'ENOTDIR': {
      const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
      return isLink
        ? refusal(path, 'ELOOP')
        : { ok: false, code: 'not_a_directory', detail: `${path} is no directory` }
    }
    default:
      return { ok: false, code: 'not_allowed', detail: `${path} cannot be opened (${code})` }
  }
}
