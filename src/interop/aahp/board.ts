// The files of a handoff as they were read at one moment, and what they come to together.

import { ALLOW_LIST, readAllowList } from './allow-list.js'
import { AIIGNORE, type Firewall, firewall, type Hit, hitsIn } from './firewall.js'
import { ARCHIVE_INDEX } from './log.js'
import { checksumOf, type Manifest } from './manifest.js'
import { LOCK, textOf } from './words.js'

/** By name, without their directory. */
export type Board = ReadonlyMap<string, Uint8Array>

/** Files the manifest lists, sorted. */
export const filesOf = (board: Board): string[] =>
  [...board.keys()]
    .filter(name => name.endsWith('.md') || name === ALLOW_LIST || name === ARCHIVE_INDEX)
    .sort()

type Mismatch = { readonly name: string; readonly why: 'missing' | 'changed' | 'unlisted' }

/** Files that are not as the manifest says. One it does not list is no reason to doubt the others. */
export function mismatches({ files }: Manifest, board: Board): Mismatch[] {
  const listed = Object.entries(files).flatMap(([name, { checksum }]): Mismatch[] => {
    const bytes = board.get(name)
    if (bytes === undefined) return [{ name, why: 'missing' }]
    return checksumOf(bytes) === checksum ? [] : [{ name, why: 'changed' }]
  })
  const unlisted = filesOf(board).filter(name => !Object.hasOwn(files, name))
  return [...listed, ...unlisted.map(name => ({ name, why: 'unlisted' as const }))]
}

export const isTrusted = (found: readonly Mismatch[]): boolean => found.every(({ why }) => why === 'unlisted')

export type FoundHit = Hit & { readonly file: string }
type Guarded = { readonly wall: Firewall; readonly flaws: readonly string[] }

/** The firewall of this project, and what is wrong with its lists. */
export function wallOf(board: Board): Guarded {
  const allowed = readAllowList(textOf(board.get(ALLOW_LIST)))
  const wall = firewall(textOf(board.get(AIIGNORE)), allowed.ok ? allowed.allowed : [])
  const unreadable = wall.unreadable.map(line => `${AIIGNORE}:${line} is no pattern`)
  return {
    wall,
    flaws: allowed.ok ? unreadable : [...unreadable, `${ALLOW_LIST} is not whole, and allows nothing`],
  }
}

/** Hits in all files but the lists themselves. */
export function hitsOn(board: Board, wall: Firewall, today: string): FoundHit[] {
  return [...board]
    .filter(([name]) => name !== AIIGNORE && name !== ALLOW_LIST && name !== LOCK)
    .flatMap(([file, bytes]) =>
      hitsIn(Buffer.from(bytes).toString('utf8'), wall, today).map(hit => ({ ...hit, file })),
    )
}
