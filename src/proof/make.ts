// Makes proofs from the store. What the cached nodes give is held against the entries themselves and the root that was
// signed before it leaves the lane.
import { type Case, fold, isOpen } from '../agenda/case.js'
import { canonical, type Hash } from '../canonical.js'
import { encode } from '../checkpoint/base64.js'
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.js'
import type { Notary } from '../checkpoint/notary.js'
import { readNote, writeNote } from '../checkpoint/note.js'
import { hashesOf, TreeBroken } from '../checkpoint/tree.js'
import type { Entry } from '../event.js'
import { hashRemark, readBeside } from '../ledger/beside.js'
import type { Store } from '../ledger/contract.js'
import { leafOfLine, parseEntry } from '../ledger/entry.js'
import type { Shelf, SignedCheckpoint } from '../ledger/shelf.js'
import { isSameHash, type TreeHash } from '../ledger/tree/hash.js'
import { inclusionOf, rootAbove } from '../ledger/tree/inclusion.js'
import { hashCredential } from '../passkey/credential.js'
import { type Evidence, isEvidence } from '../passkey/evidence.js'
import { textOf } from '../request/content/unopened.js'
import { display, documentOf, fixedHandlesOf, hashDisplay } from '../request/display.js'
import { writeList } from './list.js'
import { type AnyEntry, partsOf } from './parts.js'
import { type CarriedEvidence, FORMAT, type Proof, writeProof } from './proof.js'

type Maker = {
  readonly store: Store
  readonly notary: Notary
  readonly keyName: (keyId: string) => string
}
/** What of the texts beside the ledger goes with it. */
type Included = { readonly words: boolean; readonly handles: boolean }

/** Null while the request is open, or where there is none. */
export async function proveDecision(
  maker: Maker,
  requestId: string,
  included: Included,
): Promise<string | null> {
  const { store, notary } = maker
  const before = await store.ledger.story(requestId)
  const subject = fold(before)
  const last = before.at(-1)
  if (subject === null || last === undefined || isOpen(subject)) return null
  const signed = await notary.cover(last.seq)
  const said = saidIn(signed)
  const story = (await store.ledger.story(requestId)).filter(({ seq }) => seq < said.size)
  const carried = partsOf(story as readonly (Entry & AnyEntry)[])
  const paths = await pathsOf(maker, carried, said)
  const evidence = await evidenceOf(maker, carried as readonly Entry[], said)
  const proof: Proof = {
    format: FORMAT,
    request_id: requestId,
    checkpoint: signed.note,
    story: await listOf(notary, signed, said, requestId, story),
    entries: carried.map((entry, index) => ({ entry, path: paths[index]?.map(encode) ?? [] })),
    displays: displaysOf(maker, subject, carried as readonly Entry[]),
    ...(evidence.length > 0 && { evidence }),
    ...((included.words || included.handles) && { contents: await contentsOf(store, subject, included) }),
  }
  return writeProof(proof)
}

/** One entry as c2sp.org/tlog-proof; null where there is none of that seq. */
export async function proveLeaf({ store, notary }: Maker, seq: number): Promise<string | null> {
  if (seq >= (await store.ledger.head()).size) return null
  const signed = await notary.cover(seq)
  const said = saidIn(signed)
  for await (const line of store.ledger.lines(seq, 1)) {
    const path = await hashesOf(store.ledger, inclusionOf(seq, said.size))
    hold(leafOfLine(line), seq, said, path)
    return ['c2sp.org/tlog-proof@v1', `index ${seq}`, ...path.map(encode), '', signed.note].join('\n')
  }
  return null
}

function saidIn({ note }: SignedCheckpoint): Checkpoint {
  const read = readNote(note)
  const said = read && readCheckpoint(read)
  if (said === null) throw new TreeBroken('the newest checkpoint is none')
  return said
}

async function pathsOf(
  { store }: Maker,
  carried: readonly AnyEntry[],
  said: Checkpoint,
): Promise<readonly (readonly TreeHash[])[]> {
  const ranges = carried.map(({ seq }) => inclusionOf(seq, said.size))
  const hashes = await hashesOf(store.ledger, ranges.flat())
  let at = 0
  return carried.map((entry, index) => {
    const length = ranges[index]?.length ?? 0
    at += length
    const path = hashes.slice(at - length, at)
    hold(leafOfLine(canonical(entry)), entry.seq, said, path)
    return path
  })
}

function hold(leaf: TreeHash, seq: number, { size, root }: Checkpoint, path: readonly TreeHash[]): void {
  const above = rootAbove(leaf, seq, size, path)
  if (above === null || !isSameHash(above, root))
    throw new TreeBroken(`entry ${seq} does not stand in the tree that was signed`)
}

async function listOf(
  notary: Notary,
  { note }: SignedCheckpoint,
  { origin, size }: Checkpoint,
  request_id: string,
  story: readonly Entry[],
): Promise<string> {
  const text = writeList({ origin, size, request_id, entries: story })
  return writeNote({ text, signatures: await notary.countersign(note, text) })
}

/** The documents that were shown, made again from the story; one of before its makings were recorded may be missing. */
function displaysOf({ keyName }: Maker, subject: Case, carried: readonly Entry[]): readonly object[] {
  const frame = display(subject, keyName(subject.opened_by))
  const found = new Map<Hash, object>()
  for (const entry of carried.filter(one => one.type === 'DELIVERY_STARTED')) {
    const { body } = entry
    const contents = 'contents' in body ? (body.contents ?? []) : []
    const shown = { ...frame, contents }
    if (hashDisplay(shown) === body.display_hash) found.set(body.display_hash, documentOf(shown))
  }
  return [...found.values()]
}

/** The assertions behind the replies that passkeys confirmed, each with the entry that says whose passkey it was. */
async function evidenceOf(
  maker: Maker,
  carried: readonly Entry[],
  said: Checkpoint,
): Promise<readonly CarriedEvidence[]> {
  const found: CarriedEvidence[] = []
  for (const entry of carried)
    if (entry.type === 'REPLY_EVIDENCE') {
      const { reply_id } = entry.body
      const evidence = await keptEvidence(maker, reply_id)
      found.push({ reply_id, evidence, registered: await registrationOf(maker, evidence, said) })
    }
  return found
}

async function keptEvidence({ store }: Maker, replyId: string): Promise<Evidence> {
  const evidence: unknown = JSON.parse((await store.shelf.evidence(replyId)) ?? 'null')
  if (!isEvidence(evidence)) throw new TreeBroken(`the evidence of the reply ${replyId} is gone`)
  return evidence
}

async function registrationOf(
  maker: Maker,
  evidence: Evidence,
  said: Checkpoint,
): Promise<CarriedEvidence['registered']> {
  const { ledger } = maker.store
  const seq = await ledger.registrationOf(hashCredential(evidence))
  if (seq !== null)
    for await (const line of ledger.lines(seq, 1)) {
      const entry = parseEntry(line) as Entry & AnyEntry
      const [path = []] = await pathsOf(maker, [entry], said)
      return { entry, path: path.map(encode) }
    }
  throw new TreeBroken('the passkey behind a reply was never registered')
}

async function contentsOf(
  { shelf }: Store,
  subject: Case,
  { words, handles }: Included,
): Promise<NonNullable<Proof['contents']>> {
  const said: { hash: string; salt: string; text: string }[] = []
  for (const { reply } of words ? subject.replies : []) {
    const raw = await shelf.raw(reply.reply_id)
    if (raw === null) continue
    said.push({ hash: reply.raw_text_hash, salt: encode(raw.salt), text: raw.raw })
    for (const remark of readBeside(raw.beside).remarks)
      said.push({ hash: hashRemark(remark), salt: encode(remark.salt), text: remark.words })
  }
  return { words: said, handles: handles ? await textsOf(shelf, subject) : {} }
}

/** Of the contents that the key which asked has sent: nobody was shown another's. Bytes that are no text were shown by their
 *  size alone, and a text made of them would be none of theirs. */
async function textsOf(
  shelf: Pick<Shelf, 'ownBlobs'>,
  { request, opened_by }: Case,
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  for (const [handle, bytes] of await shelf.ownBlobs(opened_by, fixedHandlesOf(request))) {
    const text = textOf(bytes)
    if (text !== null) texts[handle] = text
  }
  return texts
}
