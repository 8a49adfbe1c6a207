// A checkpoint (c2sp.org/tlog-checkpoint): the size and the root of a log, as three lines of a note.
import type { TreeHash } from '../ledger/tree/hash.js'
import { HASH_BYTES } from '../ledger/tree/hash.js'
import { decode, encode } from './base64.js'
import { type Check, type Note, readNote, signersOf, type VerifierKey } from './note.js'

export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: TreeHash }

export const textOf = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${encode(root)}\n`

/** Null for a note that says something else. */
export function readCheckpoint({ text }: Note): Checkpoint | null {
  const [, origin = '', digits = '', hash = ''] =
    /^([^\s+]+)\n(0|[1-9][0-9]{0,15})\n(.+)\n$/u.exec(text) ?? []
  const root = decode(hash)
  const size = Number(digits)
  if (origin === '' || root?.length !== HASH_BYTES || !Number.isSafeInteger(size)) return null
  return { origin, size, root }
}

/** The checkpoint that these words are, if one of these keys has signed it in the name of its origin; else null. */
export async function trustedCheckpoint(
  words: string,
  keys: readonly VerifierKey[],
  check: Check,
): Promise<Checkpoint | null> {
  const note = readNote(words)
  const said = note && readCheckpoint(note)
  if (note === null || said === null) return null
  const signers = await signersOf(note, keys, check)
  return signers?.some(({ name }) => name === said.origin) ? said : null
}
