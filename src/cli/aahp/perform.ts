// Writes a handoff: lock, files, manifest, unlock, one commit. A crash anywhere leaves a lock or uncommitted files behind,
// by which the next one sees it; nothing else is needed to come back. On a branch that is not checked out there are no
// files to lock: the commit alone is made, and it stands whole or not at all.
//
// AP1  The lock stands before the first file changes, and is gone before the commit.
// AP2  The commit holds paths of the handoff alone, and moves the branch only from the commit that was read.
import { createFile, removeFile, writeFile } from '../../folder/file.js'
import type { Folder } from '../../folder/folder.js'
import { thisProcess } from '../../folder/holder.js'
import { commit } from '../../git/commit.js'
import { commitOf, keptAt } from '../../git/repository.js'
import { AGENT, type AgentSession, LOCK } from '../../interop/aahp/words.js'
import { type Branch, boardAt, differences, readBoard } from './project.js'

export const AUTHOR = { name: AGENT, email: 'lane@localhost.invalid' }

/** Contents by name, in the order of writing; null takes a file away. */
export type Changes = ReadonlyMap<string, string | Uint8Array | null>
/** Told after each step, for whoever wants to know how far it came. */
export type OnStep = (step: string) => void
export type Performed =
  | { readonly ok: true; readonly commit: string }
  | { readonly ok: false; readonly code: 'locked' | 'changed' | 'moved' | 'linked'; readonly detail: string }

export type Handoff = {
  /** Null where the branch is not checked out. */
  readonly folder: Folder | null
  readonly branch: Branch
  readonly changes: Changes
  readonly session: AgentSession
  readonly message: string
  /** By the wall clock. */
  readonly at: number
}

export async function perform(handoff: Handoff, seen: Branch['board'], told: OnStep): Promise<Performed> {
  const { folder, changes, session } = handoff
  if (folder === null) return await commitAll(handoff, handoff.branch.tip, told)
  if (!createFile(folder, LOCK, lockText(session, [...changes.keys()])))
    return { ok: false, code: 'locked', detail: `${LOCK} was put there meanwhile` }
  told('locked')
  const now = readBoard(folder)
  if (!now.ok || differences(now.board, seen).length > 0) {
    removeFile(folder, LOCK)
    return { ok: false, code: 'changed', detail: 'files of the handoff were changed meanwhile' }
  }
  return await writeLocked({ ...handoff, folder }, told)
}

/** The rest, once the lock is ours. */
export async function writeLocked(
  handoff: Handoff & { readonly folder: Folder },
  told: OnStep,
): Promise<Performed> {
  const { folder, changes } = handoff
  for (const [name, contents] of changes) {
    if (contents === null) removeFile(folder, name)
    else writeFile(folder, name, contents)
    told(name)
  }
  removeFile(folder, LOCK)
  told('unlocked')
  return await commitAll(handoff, handoff.branch.tip, told)
}

export const lockText = ({ id, at }: AgentSession, updating: readonly string[]): string =>
  `${JSON.stringify({ agent: AGENT, started: at, updating, session_id: id, ...thisProcess() }, null, 2)}\n`

/** Somebody may commit code meanwhile; while nobody else touches the handoff, ours comes behind it. */
const MOST_TRIES = 5

async function commitAll(
  { branch, changes, message, at }: Handoff,
  first: string,
  told: OnStep,
): Promise<Performed> {
  const { repository, path, ref } = branch
  const files = new Map(
    [...changes].map(([name, contents]) => [
      `${path}/${name}`,
      contents === null ? null : Buffer.from(contents),
    ]),
  )
  let parent = first
  for (let attempt = 1; ; attempt++) {
    const made = await commit(repository, { ref, parent, files, message, by: AUTHOR, at }, told)
    if (made.ok || made.code === 'linked') return made
    const tip = await commitOf(repository, ref)
    const alone = tip !== null && differences(await boardAt(repository, tip, path), branch.board).length === 0
    if (tip === null || !alone || attempt === MOST_TRIES) return made
    parent = tip
  }
}

/** Whether the branch holds this file. */
export const isCommitted = async ({ repository, tip, path }: Branch, name: string): Promise<boolean> =>
  (await keptAt(repository, tip, `${path}/${name}`)).size > 0
