// A project with a handoff: its folder, held open; the repository around it; the files as they are and as the branch has
// them.
import { isThere, PART, readFile } from '../../folder/file.js'
import { closeFolder, type Folder, namesIn, openFolder } from '../../folder/folder.js'
import { sayLink } from '../../git/commit.js'
import { linkAt } from '../../git/home.js'
import {
  blobs,
  checkedOutAt,
  commitOf,
  headOf,
  historyOf,
  type Kept,
  keptAt,
  openRepository,
  type Repository,
  stagedAt,
} from '../../git/repository.js'
import { ALLOW_LIST } from '../../interop/aahp/allow-list.js'
import { type Board, filesOf } from '../../interop/aahp/board.js'
import { AIIGNORE } from '../../interop/aahp/firewall.js'
import { checksumOf, MANIFEST, type Manifest, parseManifest } from '../../interop/aahp/manifest.js'
import { LOCK, textOf } from '../../interop/aahp/words.js'

const BENEATH = ['.ai', 'handoff']

/** A branch, and the commit it stands at. */
export type Branch = {
  readonly repository: Repository
  /** From the top of the work tree to the handoff, without a slash at its end. */
  readonly path: string
  readonly ref: string
  readonly tip: string
  /** The files of the handoff there, as the tree lists them and as they read. */
  readonly kept: ReadonlyMap<string, Kept>
  readonly board: Board
}
export type Project = {
  readonly directory: string
  /** Null if there is no handoff, or if the branch is not checked out: it then has no files but those of its commit. */
  readonly folder: Folder | null
  /** Null if there is no handoff. */
  readonly board: Board | null
  /** Names that a crash has left half written. */
  readonly parts: readonly string[]
  /** Null without a repository, a branch or a commit; `why` then says so. */
  readonly branch: Branch | null
  readonly why: string | null
}
type Opened =
  | { readonly ok: true; readonly project: Project }
  | { readonly ok: false; readonly detail: string }

/** `ref` names the branch; null for whichever is checked out. */
export async function openProject(
  directory: string,
  { shared, ref = null }: { shared: boolean; ref?: string | null },
): Promise<Opened> {
  const opened = openFolder(directory, BENEATH, { shared })
  if (!opened.ok && opened.code !== 'absent') return { ok: false, detail: opened.detail }
  const folder = opened.ok ? opened.folder : null
  const around = await branchOf(directory, ref)
  const branch = around.ok ? around.branch : null
  const why = around.ok ? null : around.detail
  if (around.ok && !around.isHere) {
    if (folder !== null) closeFolder(folder)
    const board = around.branch.board.size === 0 ? null : around.branch.board
    return { ok: true, project: { directory, folder: null, board, parts: [], branch, why } }
  }
  const read = folder === null ? null : readBoard(folder)
  if (read !== null && !read.ok) return read
  const { board, parts } = read ?? { board: null, parts: [] }
  return { ok: true, project: { directory, folder, board, parts, branch, why } }
}

export const closeProject = ({ folder }: Project): void => {
  if (folder !== null) closeFolder(folder)
}

type ReadBoard =
  | { readonly ok: true; readonly board: Board; readonly parts: readonly string[] }
  | { readonly ok: false; readonly detail: string }

/** All files, each whole. A lock is one whatever it is: a link under its name is as good as any. */
export function readBoard(folder: Folder): ReadBoard {
  const board = new Map<string, Uint8Array>()
  const parts: string[] = []
  for (const name of namesIn(folder)) {
    if (name.endsWith(PART)) {
      parts.push(name)
      continue
    }
    const file = readFile(folder, name)
    if (file.ok) board.set(name, file.bytes)
    else if (name === LOCK) board.set(name, new Uint8Array())
    else return { ok: false, detail: file.detail }
  }
  if (isThere(folder, LOCK) && !board.has(LOCK)) board.set(LOCK, new Uint8Array())
  return { ok: true, board, parts }
}

type Around =
  /** `isHere` is true for the branch that is checked out in this directory. */
  | { readonly ok: true; readonly branch: Branch; readonly isHere: boolean }
  | { readonly ok: false; readonly detail: string }

async function branchOf(directory: string, asked: string | null): Promise<Around> {
  const opened = await openRepository(directory)
  if (!opened.ok) return { ok: false, detail: opened.detail }
  const { repository } = opened
  const head = await headOf(repository)
  const ref = asked ?? head
  if (ref === null) return { ok: false, detail: 'no branch is checked out' }
  const isHere = ref === head
  const elsewhere = isHere ? null : await checkedOutAt(repository, ref)
  if (elsewhere !== null) return { ok: false, detail: `${ref} is checked out at ${elsewhere}: run it there` }
  // Told before a file is changed: no commit could follow.
  const link = linkAt(repository.home, ref)
  if (link !== null) return { ok: false, detail: sayLink(link) }
  const tip = await commitOf(repository, ref)
  if (tip === null)
    return { ok: false, detail: isHere ? 'the branch has no commit yet' : `there is no ${ref}` }
  const path = `${repository.prefix}${BENEATH.join('/')}`
  const kept = await keptAt(repository, tip, `${path}/`)
  const board = await boardFrom(repository, path, kept)
  return { ok: true, isHere, branch: { repository, path, ref, tip, kept, board } }
}

/** The handoff as a commit has it. */
export const boardAt = async (repository: Repository, commit: string, path: string): Promise<Board> =>
  boardFrom(repository, path, await keptAt(repository, commit, `${path}/`))

async function boardFrom(
  repository: Repository,
  path: string,
  kept: ReadonlyMap<string, Kept>,
): Promise<Board> {
  const rows = [...kept]
    .map(([whole, row]) => ({ name: whole.slice(path.length + 1), ...row }))
    .filter(({ name, mode }) => !name.includes('/') && mode.startsWith('100'))
  const contents = await blobs(
    repository,
    rows.map(({ oid }) => oid),
  )
  return new Map(
    rows.flatMap(({ name }, index) => (contents[index] ? [[name, contents[index]] as const] : [])),
  )
}

/** Files of the protocol, as against whatever else lies beside them. */
export const protocolNames = (board: Board): string[] => [
  ...filesOf(board),
  ...[MANIFEST, AIIGNORE, ALLOW_LIST].filter(name => board.has(name) && !filesOf(board).includes(name)),
]

/** Names whose contents differ, line ends aside, or that only one of the two has. */
export function differences(one: Board, other: Board): string[] {
  const names = new Set([...protocolNames(one), ...protocolNames(other)])
  return [...names].filter(name => !isSame(one.get(name), other.get(name))).sort()
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (Buffer.compare(one, other) === 0 || checksumOf(one) === checksumOf(other))

/** What lies uncommitted in the handoff; null where git tells nothing, and where nothing can lie. */
export async function leftOver({
  folder,
  board,
  branch,
}: Project): Promise<{ files: string[]; staged: string[] } | null> {
  if (folder === null || board === null || branch === null) return null
  const { repository, kept, path } = branch
  const staged = await stagedAt(repository, `${path}/`)
  const paths = new Set([...kept.keys(), ...staged.keys()])
  const behind = [...paths].filter(one => kept.get(one)?.oid !== staged.get(one)?.oid)
  return { files: differences(board, branch.board), staged: behind.map(one => one.slice(path.length + 1)) }
}

/** The manifest of the handoff before the one that stands. */
export async function manifestBefore({ branch }: Project): Promise<Manifest | null> {
  if (branch === null) return null
  const { repository, tip, path } = branch
  const [, before] = await historyOf(repository, tip, `${path}/${MANIFEST}`, 2)
  if (before === undefined) return null
  return manifestIn(await boardAt(repository, before, path))
}

export function manifestIn(board: Board): Manifest | null {
  const text = textOf(board.get(MANIFEST))
  const parsed = text === null ? null : parseManifest(text)
  return parsed?.ok ? parsed.manifest : null
}
