// Back to a clean state after a session that ended in the middle, with a lock or without. What it left is kept under a ref
// of its own before anything is put back, so nothing is lost; what it claimed is unknown from then on.
import { createFile, removeFile } from '../../folder/file.js'
import { isGone } from '../../folder/holder.js'
import { commit, stage } from '../../git/commit.js'
import { commitOf, historyOf, keptAt, stagedAt } from '../../git/repository.js'
import { type Board, isTrusted, mismatches } from '../../interop/aahp/board.js'
import { readLock } from '../../interop/aahp/health.js'
import { MANIFEST, type Manifest } from '../../interop/aahp/manifest.js'
import { AGENT, type AgentSession, LOCK } from '../../interop/aahp/words.js'
import { type Interruption, tellRecovery } from '../../interop/aahp/write.js'
import { AUTHOR, isCommitted, lockText, type OnStep, writeLocked } from './perform.js'
import {
  type Branch,
  boardAt,
  differences,
  leftOver,
  manifestIn,
  type Project,
  protocolNames,
} from './project.js'

type Recovered =
  | {
      readonly ok: true
      readonly did: 'nothing' | 'index' | 'restored' | 'assumed'
      readonly told: Interruption | null
      readonly commit: string | null
    }
  | { readonly ok: false; readonly details: readonly string[] }

/** Commits that are looked at for the last clean state. */
const MOST_COMMITS = 100
const NOTHING: Recovered = { ok: true, did: 'nothing', told: null, commit: null }
const refuse = (...details: readonly string[]): Recovered => ({ ok: false, details })

/** What a lock of ours says of the process that put it there; null for anybody else's. */
function holderOf(lock: Uint8Array | undefined): Parameters<typeof isGone>[0] | null {
  if (lock === undefined) return null
  const { agent, fields } = readLock(lock)
  const { pid, host, born } = fields
  if (agent !== AGENT || typeof pid !== 'number' || typeof host !== 'string') return null
  return { pid, host, born: typeof born === 'string' ? born : null }
}

/** Whether what was left is the lane's own, and nobody is at it any more: then it may be put right without being asked. */
export async function isOurs(project: Project, staged: readonly string[]): Promise<boolean> {
  const { board, branch } = project
  if (board === null || branch === null) return false
  if (board.has(LOCK)) {
    const holder = holderOf(board.get(LOCK))
    return holder !== null && isGone(holder)
  }
  const changed = differences(board, branch.board)
  if (changed.length > 0) return manifestIn(board)?.last_session.agent === AGENT && changed.includes(MANIFEST)
  return await isBehind(branch, staged)
}

export async function recover(
  project: Project,
  session: AgentSession,
  at: number,
  told: OnStep,
): Promise<Recovered> {
  const { folder, board, branch, parts } = project
  if (folder === null || board === null) return refuse('there is no handoff here')
  if (branch === null) return refuse(project.why ?? 'git tells nothing here')
  const holder = holderOf(board.get(LOCK))
  if (holder !== null && !isGone(holder))
    return refuse(`the lane itself is at work here: process ${holder.pid} on ${holder.host}`)
  for (const part of parts) removeFile(folder, part)
  const left = await leftOver(project)
  if (board.has(LOCK) || (left?.files.length ?? 0) > 0)
    return await restore(project, branch, session, at, told)
  if ((left?.staged.length ?? 0) > 0) return await bringIndex(branch, left?.staged ?? [])
  const manifest = manifestIn(board)
  if (manifest === null)
    return refuse(`${MANIFEST} is missing or broken, and nothing is left uncommitted: mend it by hand`)
  const found = mismatches(manifest, board)
  if (isTrusted(found)) return NOTHING
  const assumed = found.filter(({ why }) => why !== 'unlisted').map(({ name }) => name)
  const interruption = { agent: 'somebody outside the protocol', unknown: [], assumed, kept: null }
  return await putBack(project, branch, {
    clean: board,
    manifest,
    interruption,
    session,
    at,
    told,
    did: 'assumed',
  })
}

/** A commit of ours that the index has not followed: it still holds what stood before. What somebody else has staged is
 *  theirs. */
async function bringIndex(branch: Branch, names: readonly string[]): Promise<Recovered> {
  const { repository, tip, kept } = branch
  if (!(await isBehind(branch, names)))
    return refuse(`staged, and not the lane's: ${names.join(', ')}; commit it or take it back`)
  if (!(await stage(repository, kept))) return refuse('the index is held by somebody else; try again')
  return { ok: true, did: 'index', told: null, commit: tip }
}

async function isBehind(
  { repository, tip, path, board }: Branch,
  names: readonly string[],
): Promise<boolean> {
  if (manifestIn(board)?.last_session.agent !== AGENT || (await commitOf(repository, `${tip}^`)) === null)
    return false
  const [before, staged] = await Promise.all([
    keptAt(repository, `${tip}^`, `${path}/`),
    stagedAt(repository, `${path}/`),
  ])
  return names.every(name => before.get(`${path}/${name}`)?.oid === staged.get(`${path}/${name}`)?.oid)
}

async function restore(
  project: Project,
  branch: Branch,
  session: AgentSession,
  at: number,
  told: OnStep,
): Promise<Recovered> {
  const board = project.board ?? new Map()
  const clean = await lastClean(branch)
  if (clean === null)
    return refuse('no commit of this branch has a handoff without a lock whose checksums hold')
  const unknown = differences(board, clean.board)
  // A manifest that the session has not yet written is of the one before it.
  const said = unknown.includes(MANIFEST) ? manifestIn(board)?.last_session.agent : null
  const agent = readLock(board.get(LOCK) ?? new Uint8Array()).agent ?? said
  const kept = unknown.length === 0 ? null : await keep(branch, board, session, at)
  told('kept')
  const interruption = { agent: agent ?? 'somebody who left no name', unknown, assumed: [], kept }
  const { manifest } = clean
  return await putBack(project, branch, {
    clean: clean.board,
    manifest,
    interruption,
    session,
    at,
    told,
    did: 'restored',
  })
}

type Clean = { readonly board: Board; readonly manifest: Manifest }

/** The newest commit without a lock whose checksums hold. If the lock was never committed that is the newest at all. */
async function lastClean({ repository, tip, path }: Branch): Promise<Clean | null> {
  const commits = [tip, ...(await historyOf(repository, tip, path, MOST_COMMITS))]
  for (const one of commits) {
    const board = await boardAt(repository, one, path)
    const manifest = manifestIn(board)
    if (manifest !== null && !board.has(LOCK) && isTrusted(mismatches(manifest, board)))
      return { board, manifest }
  }
  return null
}

/** Everything as it was found, in a commit that no branch names. */
async function keep(
  { repository, tip, path }: Branch,
  board: Board,
  session: AgentSession,
  at: number,
): Promise<string> {
  const ref = `refs/lane/interrupted/${session.id}`
  const files = new Map([...board].map(([name, bytes]) => [`${path}/${name}`, bytes]))
  const message = `aahp: what an interrupted session left, found by ${session.id}\n`
  // Its parent gives it a place in the history; the ref is new, so it cannot have moved.
  const made = await commit(repository, { ref, parent: tip, files, message, by: AUTHOR, at, isNew: true })
  if (!made.ok) throw new Error(made.detail)
  return ref
}

type Back = {
  readonly clean: Board
  readonly manifest: Manifest
  readonly interruption: Interruption
  readonly session: AgentSession
  readonly at: number
  readonly told: OnStep
  readonly did: 'restored' | 'assumed'
}

async function putBack(project: Project, branch: Branch, back: Back): Promise<Recovered> {
  const { folder } = project
  const { clean, manifest, interruption, session, at, told } = back
  const found = project.board ?? new Map()
  const written = tellRecovery(clean, manifest, interruption, session)
  if (!written.ok) return refuse(...written.details)
  if (folder === null) return refuse('there is no handoff here')
  const gone = protocolNames(found).filter(name => !clean.has(name))
  const restored = differences(found, clean).flatMap(name => {
    const bytes = clean.get(name)
    return bytes === undefined ? [] : [[name, bytes] as const]
  })
  // The manifest comes last, also where it is both restored and written anew.
  const changes = new Map<string, string | Uint8Array | null>([
    ...gone.map(name => [name, null] as const),
    ...restored.filter(([name]) => name !== MANIFEST),
    ...[...written.files].filter(([name]) => name !== MANIFEST),
    [MANIFEST, written.files.get(MANIFEST) ?? ''],
  ])
  removeFile(folder, LOCK)
  if (!createFile(folder, LOCK, lockText(session, [...changes.keys()])))
    return refuse(`${LOCK} was put there meanwhile`)
  told('locked')
  const committed = (await isCommitted(branch, LOCK)) ? new Map([...changes, [LOCK, null] as const]) : changes
  // It also stands where people paste from, so that of another's name only plain characters do.
  const message = `aahp: recovery after ${interruption.agent.replace(/[^A-Za-z0-9 ._-]/g, '?')}\n`
  const done = await writeLocked({ folder, branch, changes: committed, session, message, at }, told)
  return done.ok ? { ok: true, did: back.did, told: interruption, commit: done.commit } : refuse(done.detail)
}
