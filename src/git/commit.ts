// One commit, made from bytes: nothing is checked out, no filter sees them, and whatever else lies changed or staged in
// the work tree stays as it is.
//
// GC1  A branch moves only from the commit its caller has read: whoever was faster is not overwritten.
// GC2  Where the branch is checked out here, the index follows, so that `git status` shows nothing of what was committed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { linkAt } from './home.js'
import { headOf, type Kept, keptAt, type Repository } from './repository.js'
import { mustRun, runGit } from './run.js'

type Person = { readonly name: string; readonly email: string }
export type Change = {
  /** `refs/heads/…`, or another ref. */
  readonly ref: string
  /** The commit that is read as standing there; null for the first one. */
  readonly parent: string | null
  /** The ref is made: it must not be there yet. So it is without a parent. */
  readonly isNew?: boolean
  /** Paths from the top; null removes one. */
  readonly files: ReadonlyMap<string, Uint8Array | null>
  readonly message: string
  readonly by: Person
  /** Milliseconds since 1970. */
  readonly at: number
}
type Committed =
  /** `followed` is false where the index was held by somebody else all the time: `stage` can be called again. */
  | { readonly ok: true; readonly commit: string; readonly followed: boolean }
  | { readonly ok: false; readonly code: 'moved' | 'linked'; readonly detail: string }

/** What is done when the step is told. After `moved` the commit stands. */
type CommitStep = 'written' | 'moved' | 'staged'

const PLAIN_MODE = '100644'
const REMOVED: Kept = { mode: '0', oid: '0'.repeat(40) }

export async function commit(
  repository: Repository,
  { ref, parent, isNew = parent === null, files, message, by, at }: Change,
  told: (step: CommitStep) => void = () => undefined,
): Promise<Committed> {
  const { top, home } = repository
  const link = linkAt(home, ref)
  if (link !== null) return { ok: false, code: 'linked', detail: sayLink(link) }
  const rows = await storeAll(repository, parent, files)
  const silent = await withoutPrograms(top)
  const tree = await treeOf(top, parent, rows, silent)
  const parents = parent === null ? [] : ['-p', parent]
  const args = ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', tree]
  const made = await mustRun(top, args, { input: message, env: signed(by, at) })
  const oid = made.toString('utf8').trim()
  told('written')
  const moving = [
    'update-ref',
    '--no-deref',
    '--create-reflog',
    '-m',
    firstLine(message),
    ref,
    oid,
    isNew ? '' : (parent ?? ''),
  ]
  const moved = await runGit(top, moving, { env: { ...signed(by, at), ...silent } })
  if (!moved.ok) return { ok: false, code: 'moved', detail: moved.detail }
  told('moved')
  const followed = (await headOf(repository)) !== ref || (await stage(repository, rows))
  if (followed) told('staged')
  return { ok: true, commit: oid, followed }
}

export const sayLink = (link: string): string => `${link} is a link, and git would write where it leads`

/** Puts blobs that are in the repository into the index of the work tree (GC2). It is not refreshed, but git itself looks
 *  again at files that were changed in the moment of its last writing: without the filters, which are programs. */
export async function stage({ top }: Repository, rows: ReadonlyMap<string, Kept>): Promise<boolean> {
  const env = await withoutPrograms(top)
  for (let attempt = 1; ; attempt++) {
    const ran = await runGit(top, ['update-index', '-z', '--index-info'], { env, input: spelt(rows) })
    if (ran.ok) return true
    // An editor that asks for the status holds the index for a moment, again and again.
    if (attempt === MOST_TRIES) return false
    await sleep(PAUSE_MS)
  }
}
const MOST_TRIES = 20
const PAUSE_MS = 100

/** Every setting of a filter emptied, and every hook that the configuration itself names (git 2.54) switched off. By variables,
 *  because a name may hold any character. */
async function withoutPrograms(top: string): Promise<Record<string, string>> {
  const found = await runGit(top, ['config', '-z', '--name-only', '--get-regexp', '^(filter|hook)\\.'])
  const names = found.ok ? found.stdout.toString('utf8').split('\0').filter(Boolean) : []
  const hooks = names.flatMap(name => /^hook\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? [])
  const settings = [
    ...names.filter(name => name.startsWith('filter.')).map(name => [name, ''] as const),
    ...[...new Set(hooks)].map(hook => [`hook.${hook}.enabled`, 'false'] as const),
  ]
  const set = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(set) }
}

async function storeAll(
  repository: Repository,
  parent: string | null,
  files: Change['files'],
): Promise<Map<string, Kept>> {
  const rows = new Map<string, Kept>()
  for (const [path, bytes] of files) {
    const before = parent === null ? undefined : (await keptAt(repository, parent, path)).get(path)
    const mode = before?.mode === '100755' ? before.mode : PLAIN_MODE
    rows.set(path, bytes === null ? REMOVED : { mode, oid: await store(repository, bytes) })
  }
  return rows
}

/** Keeps bytes in the repository, as they are, under their hash. */
async function store({ top }: Repository, bytes: Uint8Array): Promise<string> {
  const made = await mustRun(top, ['hash-object', '-w', '--no-filters', '--stdin'], { input: bytes })
  return made.toString('utf8').trim()
}

async function treeOf(
  top: string,
  parent: string | null,
  rows: ReadonlyMap<string, Kept>,
  silent: Readonly<Record<string, string>>,
): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'lane-index-'))
  const env = { ...silent, GIT_INDEX_FILE: join(place, 'index') }
  try {
    await mustRun(top, ['read-tree', parent ?? '--empty'], { env })
    await mustRun(top, ['update-index', '-z', '--index-info'], { env, input: spelt(rows) })
    return (await mustRun(top, ['write-tree'], { env })).toString('utf8').trim()
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

const spelt = (rows: ReadonlyMap<string, Kept>): string =>
  [...rows].map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`).join('')

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

function signed({ name, email }: Person, at: number): Record<string, string> {
  const date = `@${Math.floor(at / 1000)} +0000`
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
}
