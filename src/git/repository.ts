// A repository with a work tree: where it lies, which branch is checked out, and what its commits hold.
import { realpathSync } from 'node:fs'
import { flawOfHome, type Home } from './home.js'
import { mustRun, runGit } from './run.js'

export type Repository = {
  /** The top of the work tree. */
  readonly top: string
  readonly home: Home
  /** From the top to the directory that was opened: '' or a path that ends in a slash. */
  readonly prefix: string
}
type RepositoryFlaw = 'no_git' | 'no_repository' | 'elsewhere'
type Opened =
  | { readonly ok: true; readonly repository: Repository }
  | { readonly ok: false; readonly code: RepositoryFlaw; readonly detail: string }

export async function openRepository(directory: string): Promise<Opened> {
  const here = realpathSync(directory)
  const asked = ['--show-toplevel', '--show-prefix', '--absolute-git-dir', '--git-common-dir']
  const found = await runGit(here, ['rev-parse', '--path-format=absolute', ...asked])
  if (!found.ok)
    return { ok: false, code: found.code === 'no_git' ? 'no_git' : 'no_repository', detail: found.detail }
  const [top = '', prefix = '', own = '', shared = ''] = line(found.stdout).split('\n')
  // A repository may name any directory as its work tree; this one must be it. A path with a line's end is none either.
  if (`${top}/${prefix}` !== `${here}/`)
    return { ok: false, code: 'elsewhere', detail: `the work tree of ${here} is ${top || 'none'}` }
  const home = { own: realpathSync(own), shared: realpathSync(shared) }
  const flaw = await flawOfHome(top, home)
  return flaw === null
    ? { ok: true, repository: { top, prefix, home } }
    : { ok: false, code: 'elsewhere', detail: flaw }
}

/** Without the line's end that git adds. */
const line = (bytes: Buffer): string => bytes.toString('utf8').replace(/\n$/, '')

/** `refs/heads/…`, also where it has no commit yet; null for a detached head. */
export async function headOf({ top }: Repository): Promise<string | null> {
  const ran = await runGit(top, ['symbolic-ref', '--quiet', 'HEAD'])
  return ran.ok ? line(ran.stdout) : null
}

/** The name of a branch as git takes it; null for any other word. */
export async function refOf({ top }: Repository, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`
  if (branch.startsWith('-')) return null
  return (await runGit(top, ['check-ref-format', ref])).ok ? ref : null
}

/** The commit a ref or another name stands for; null if there is none. */
export async function commitOf({ top }: Repository, name: string): Promise<string | null> {
  const ran = await runGit(top, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
  return ran.ok ? line(ran.stdout) : null
}

/** The commits that changed something beneath the path, newest first. */
export async function historyOf(
  { top }: Repository,
  from: string,
  path: string,
  most: number,
): Promise<string[]> {
  const listed = await mustRun(top, ['rev-list', `--max-count=${most}`, '--end-of-options', from, '--', path])
  return listed.toString('utf8').split('\n').filter(Boolean)
}

export type Kept = { readonly mode: string; readonly oid: string }

/** The files directly or deeper beneath a path in a commit, by their whole paths. */
export async function keptAt({ top }: Repository, commit: string, path: string): Promise<Map<string, Kept>> {
  const listed = await mustRun(top, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', path])
  return rows(listed, /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s)
}

/** The same for the index of the work tree. */
export async function stagedAt({ top }: Repository, path: string): Promise<Map<string, Kept>> {
  const listed = await mustRun(top, ['ls-files', '--stage', '-z', '--', path])
  return rows(listed, /^(\d+) ([0-9a-f]+) \d\t(.*)$/s)
}

function rows(listed: Buffer, shape: RegExp): Map<string, Kept> {
  const read = listed
    .toString('utf8')
    .split('\0')
    .map(row => shape.exec(row))
  return new Map(
    read.flatMap(row => (row === null ? [] : [[row[3] ?? '', { mode: row[1] ?? '', oid: row[2] ?? '' }]])),
  )
}

/** Contents of blobs, in the order asked for; null where one is missing. */
export async function blobs({ top }: Repository, oids: readonly string[]): Promise<(Buffer | null)[]> {
  if (oids.length === 0) return []
  let rest = await mustRun(top, ['cat-file', '--batch'], { input: `${oids.join('\n')}\n` })
  return oids.map(() => {
    const end = rest.indexOf(10)
    const [, kind, size] = rest.subarray(0, end).toString('utf8').split(' ')
    const length = kind === 'blob' ? Number(size) : null
    const bytes = length === null ? null : rest.subarray(end + 1, end + 1 + length)
    rest = rest.subarray(end + 1 + (length === null ? 0 : length + 1))
    return bytes
  })
}

/** Where a branch is checked out, in this or another work tree of the repository; null if nowhere. */
export async function checkedOutAt({ top }: Repository, ref: string): Promise<string | null> {
  const listed = (await mustRun(top, ['worktree', 'list', '--porcelain', '-z'])).toString('utf8')
  const tree = listed.split('\0\0').find(one => one.split('\0').includes(`branch ${ref}`))
  return (
    tree
      ?.split('\0')
      .find(one => one.startsWith('worktree '))
      ?.slice('worktree '.length) ?? null
  )
}
