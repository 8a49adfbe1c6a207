// The notary: signs what the ledger comes to, and keeps the newest checkpoint.
//
// CL1  Only what is committed is signed, and never under the head's lock. The leaves since the last checkpoint are
//      hashed from the entries themselves, upon a tree whose root that checkpoint has; if that is not the tree the
//      store has grown, nothing is signed.
// CL2  A note is given out only once CHECKPOINT_SIGNED stands in the ledger. A crash before leaves nothing that
//      somebody has seen.
// CL3  One signs at a time, over all replicas.
import { randomBytes } from 'node:crypto'
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises'
import { instant } from '../clock.js'
import type { Draft } from '../event.js'
import type { Ledger, Store } from '../ledger/contract.js'
import { leafOfLine, parseEntry } from '../ledger/entry.js'
import { alone } from '../ledger/replica.js'
import type { KeyRow, SignedCheckpoint } from '../ledger/shelf.js'
import { isSameHash } from '../ledger/tree/hash.js'
import { type Frontier, grow, rootOf } from '../ledger/tree/nodes.js'
import type { Secret } from '../token/wrap.js'
import { encode } from './base64.js'
import { type Checkpoint, textOf, trustedCheckpoint } from './checkpoint.js'
import {
  checkEd25519,
  type LogKey,
  logKeysIn,
  logRowsIn,
  makeLogKey,
  openLogKey,
  PURPOSE,
  verifierOf,
} from './key.js'
import { readNote, type Signature, type VerifierKey, writeNote, writeVkey } from './note.js'
import { nextEpoch, originOf } from './origin.js'
import { frontierAt, TreeBroken } from './tree.js'

const LOG_ID_BYTES = 8
/** Proofs that are asked for one after the other share a checkpoint. */
const COVER_MS = 1_000
/** Leaves are hashed in pieces of so many entries, with room for others between. */
const PIECE = 1_000

export type Notary = {
  /** The newest checkpoint; null before the first. */
  newest(): Promise<SignedCheckpoint | null>
  /** A checkpoint that covers all that is committed by now. The newest, where nothing but checkpoints came since. */
  sign(): Promise<SignedCheckpoint>
  /** The same, where none was signed for so long: replicas that wake at the same time sign one and not each their own. */
  signEvery(everyMs: number): Promise<SignedCheckpoint>
  /** A checkpoint that covers this entry: the newest, or one that is signed for it, at most one a second. */
  cover(seq: number): Promise<SignedCheckpoint>
  /** Every verifier key the log ever had, the newest last. */
  keys(): Promise<readonly VerifierKey[]>
  origin(): Promise<string>
  /** Signatures under another statement, by the keys that have signed this checkpoint. */
  countersign(note: string, text: string): Promise<readonly Signature[]>
  rotate(): Promise<{ readonly kid: string; readonly not_before: string }>
  /** Ends this epoch: its checkpoints are no longer compared. `given` is what is given up. */
  beginEpoch(given: Checkpoint, acted: Draft): Promise<void>
}

type NotaryParts = { readonly store: Store; readonly secret: Secret; readonly publicUrl: string }

/** Opens the log, or begins it. Nobody else may do so meanwhile. */
export async function openNotary({ store, secret, publicUrl }: NotaryParts): Promise<Notary> {
  const { ledger, shelf } = store
  const rows = async () => logRowsIn(await shelf.keyring())
  const announce = async (
    row: KeyRow,
    retired: readonly KeyRow[],
    more: readonly Draft[] = [],
  ): Promise<void> => {
    const key = verifierOf(row) as VerifierKey
    const body = { kid: row.kid, purpose: PURPOSE, not_before: instant(row.not_before), vkey: writeVkey(key) }
    await ledger.append({
      decide: ({ ms }) => ({
        kind: 'append',
        events: [{ type: 'KEY_ROTATED', body }, ...more],
        shelve: [
          ...retired.map(former => ({ put: 'key' as const, key: { ...former, verify_until: ms } })),
          { put: 'key' as const, key: row },
        ],
      }),
    })
  }
  if ((await rows()).length === 0) {
    const origin = originOf(publicUrl, randomBytes(LOG_ID_BYTES).toString('hex'))
    await announce(makeLogKey(origin, secret, ledger.now()), [])
  }

  /** The key that signs, and the one before it in the same epoch. */
  const current = async (): Promise<{ readonly row: KeyRow; readonly former: KeyRow | null }> => {
    const all = await rows()
    const row = all.at(-1)
    if (row === undefined) throw new Error('the log has no key')
    const before = all.at(-2) ?? null
    const isSame = before !== null && verifierOf(before)?.name === verifierOf(row)?.name
    return { row, former: isSame ? before : null }
  }
  const origin = async (): Promise<string> => verifierOf((await current()).row)?.name ?? ''

  /** The newest checkpoint of this epoch, as it says. */
  const standing = async (): Promise<(Checkpoint & SignedCheckpoint) | null> => {
    const kept = await shelf.checkpoint()
    const said = kept && (await trustedCheckpoint(kept.note, logKeysIn(await rows()), checkEd25519))
    if (kept === null || said === null || said.origin !== (await origin())) return null
    return { ...said, ...kept }
  }

  /** One that covers this entry, which may itself be about a checkpoint. */
  const sign = async (seq = -1): Promise<SignedCheckpoint> => {
    const last = await standing()
    const tree = await ledger.tree()
    if (last !== null && last.size > seq && (await isQuiet(ledger, last.size, tree.size)))
      return { size: last.size, note: last.note, at_ms: last.at_ms }
    const root = rootOf(await hashedTree(ledger, last, tree))
    const { row, former } = await current()
    const key = openLogKey(row, secret)
    const text = textOf({ origin: key.key.name, size: tree.size, root })
    // The first of a new key is signed by both, so that one who knows the former can follow.
    const isFirst = last === null || !(await isBy(last, key))
    const signers = isFirst && former !== null ? [openLogKey(former, secret), key] : [key]
    const note = writeNote({ text, signatures: signers.map(one => one.sign(text)) })
    const checkpoint = { size: tree.size, note, at_ms: Math.floor(ledger.now()) }
    const body = { size: tree.size, root: encode(root), kid: row.kid }
    await ledger.append({
      decide: () => ({
        kind: 'append',
        events: [{ type: 'CHECKPOINT_SIGNED', body }],
        shelve: [{ put: 'checkpoint', checkpoint }],
      }),
    })
    return checkpoint
  }

  let turn: Promise<unknown> = Promise.resolve()
  /** In this process one after the other, and over all replicas by a hold. */
  const inTurn = <T>(deed: () => Promise<T>): Promise<T> => {
    const next = turn.then(() => alone(store, 'checkpoint', deed))
    turn = next.catch(() => undefined)
    return next
  }

  return {
    newest: () => shelf.checkpoint(),
    sign: () => inTurn(() => sign()),
    signEvery: everyMs =>
      inTurn(async () => {
        const newest = await shelf.checkpoint()
        return newest !== null && newest.at_ms + everyMs > ledger.now() ? newest : sign()
      }),
    async cover(seq) {
      const newest = await shelf.checkpoint()
      if (newest !== null && newest.size > seq) return newest
      return inTurn(async () => {
        const meanwhile = await shelf.checkpoint()
        if (meanwhile !== null && meanwhile.size > seq) return meanwhile
        const rest = (meanwhile?.at_ms ?? 0) + COVER_MS - ledger.now()
        if (meanwhile !== null && rest > 0) await sleep(Math.min(rest, COVER_MS))
        return sign(seq)
      })
    },
    keys: async () => logKeysIn(await rows()),
    origin,
    async countersign(note, text) {
      const ids = readNote(note)?.signatures.map(({ id }) => id) ?? []
      const signers = (await rows()).filter(({ kid }) => ids.includes(kid))
      return signers.map(row => openLogKey(row, secret).sign(text))
    },
    rotate: () =>
      inTurn(async () => {
        const { row } = await current()
        const fresh = makeLogKey(await origin(), secret, ledger.now())
        await announce(fresh, [row])
        await sign()
        return { kid: fresh.kid, not_before: instant(fresh.not_before) }
      }),
    beginEpoch: (given, acted) =>
      inTurn(async () => {
        const { row } = await current()
        await announce(makeLogKey(nextEpoch(given.origin), secret, ledger.now()), [row], [acted])
      }),
  }
}

/** Whether nothing but checkpoints was appended since the last one: they say nothing new. */
async function isQuiet(ledger: Ledger, from: number, to: number): Promise<boolean> {
  for await (const line of ledger.lines(from, to - from))
    if (parseEntry(line).type !== 'CHECKPOINT_SIGNED') return false
  return true
}

const isBy = async ({ note }: SignedCheckpoint, { key }: LogKey): Promise<boolean> =>
  (await trustedCheckpoint(note, [key], checkEd25519)) !== null

/** The tree over the entries, hashed from them as far as no checkpoint vouches for them. */
async function hashedTree(ledger: Ledger, last: Checkpoint | null, grown: Frontier): Promise<Frontier> {
  let tree = await frontierAt(ledger, last?.size ?? 0)
  if (last !== null && !isSameHash(rootOf(tree), last.root))
    throw new TreeBroken(`the first ${last.size} entries have another root than was signed`)
  for (let next = tree.size; next < grown.size; next += PIECE) {
    const piece = Math.min(PIECE, grown.size - next)
    for await (const line of ledger.lines(next, piece)) tree = grow(tree, leafOfLine(line)).frontier
    await breath()
  }
  if (tree.size !== grown.size || !isSameHash(rootOf(tree), rootOf(grown)))
    throw new TreeBroken('its root is not that of the entries')
  return tree
}
