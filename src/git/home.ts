// Where a repository keeps itself. A work tree that anybody may have written can name any directory as its repository, and a
// repository can lead any of its files elsewhere: git follows, and would write there with the rights of whoever calls it.
//
// GH1  The repository of a work tree lies in it, or names it in return.
// GH2  Nothing that a commit writes is reached over a link.
import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runGit } from './run.js'

/** A work tree beside the first one has a directory of its own within the one they share. */
export type Home = { readonly own: string; readonly shared: string }

const looked = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

/** Why this is not the repository of that work tree; null if it is (GH1). */
export async function flawOfHome(top: string, { own, shared }: Home): Promise<string | null> {
  const place = join(top, '.git')
  if (looked(place)?.isDirectory())
    return own === place && shared === place ? null : `${place} leads to ${shared}`
  const isBeside = dirname(dirname(own)) === shared && namesBack(own, place)
  if (looked(place)?.isFile() && (isBeside || (own === shared && (await isNamed(own, top))))) return null
  return `${place} leads to ${own}, which does not name ${top} as its work tree (core.worktree)`
}

/** Whether a directory of `git worktree` says that it belongs to this place. */
function namesBack(own: string, place: string): boolean {
  try {
    const named = readFileSync(join(own, 'gitdir'), 'utf8').replace(/\n$/, '')
    return join(realpathSync(dirname(named)), '.git') === place
  } catch {
    return false
  }
}

/** Whether its configuration names this work tree, as that of a submodule does. */
async function isNamed(own: string, top: string): Promise<boolean> {
  const told = await runGit(own, ['config', '--file', join(own, 'config'), '--get', 'core.worktree'])
  return told.ok && resolve(own, told.stdout.toString('utf8').replace(/\n$/, '')) === top
}

/** What a commit on this ref would write over a link; null if there is none (GH2). */
export function linkAt({ own, shared }: Home, ref: string): string | null {
  const ways = [
    ...wayTo(own, 'index'),
    ...wayTo(own, 'logs/HEAD'),
    ...wayTo(shared, ref),
    ...wayTo(shared, `logs/${ref}`),
    join(shared, 'objects'),
  ]
  const link = ways.find(path => looked(path)?.isSymbolicLink())
  if (link !== undefined) return link
  const objects = readdirSync(join(shared, 'objects'), { withFileTypes: true })
  const other = objects.find(entry => entry.isSymbolicLink())
  return other === undefined ? null : join(shared, 'objects', other.name)
}

/** Each step of the way down. */
const wayTo = (from: string, way: string): string[] => {
  const parts = way.split('/')
  return parts.map((_, index) => join(from, ...parts.slice(0, index + 1)))
}
