// Checks a decision proof: without the lane, its data or its word. Pure but for the check of a signature, which comes in
// by parameter, so that a browser does it by the same code.
import { canonical, sha256 } from '../canonical.js'
import { decode } from '../checkpoint/base64.js'
import { type Checkpoint, readCheckpoint } from '../checkpoint/checkpoint.js'
import { type Check, readNote, signersOf, type VerifierKey } from '../checkpoint/note.js'
import { isConsistent } from '../ledger/tree/consistency.js'
import { HASH_BYTES, isSameHash, leafOf, type TreeHash } from '../ledger/tree/hash.js'
import { rootAbove } from '../ledger/tree/inclusion.js'
import { type Confirmation, checkConfirmations } from './confirmation.js'
import { checkDecision, type DecisionStory } from './decision.js'
import { type Listed, readList } from './list.js'
import { isAlways, isIssuing, isRemindedOf, lastReminder, member, tokensUsedIn } from './parts.js'
import { type Proof, readProof } from './proof.js'
import { ProofRefused } from './refused.js'
import { isTrueOf, rowsOf } from './shown.js'

type Trust = {
  /** The keys that the reader trusts; none where they have none. */
  readonly keys: readonly VerifierKey[]
  readonly check: Check
  /** A checkpoint that was published elsewhere, with the consistency proof behind it where the sizes differ. */
  readonly published?: string
}

export type ProofVerdict =
  | {
      readonly ok: true
      readonly told: DecisionStory
      readonly confirmations: readonly Confirmation[]
      readonly checkpoint: Checkpoint
      readonly isPublished: boolean
    }
  /** `untrusted`: the file fits together, and nothing is proven by it. */
  | {
      readonly ok: false
      readonly code: ProofRefused['code']
      readonly message: string
      readonly told: DecisionStory | null
    }

export async function verifyProof(bytes: Uint8Array, trust: Trust): Promise<ProofVerdict> {
  try {
    const proof = readProof(bytes)
    if (proof === null) throw new ProofRefused('malformed', 'it is no decision proof in its one spelling')
    const checkpoint = await signedCheckpoint(proof.checkpoint, trust)
    const listed = await signedList(proof, checkpoint, trust)
    checkIncluded(proof, checkpoint)
    checkParts(proof, listed)
    const entries = proof.entries.map(({ entry }) => entry)
    const told = checkDecision(proof.request_id, entries, proof.displays)
    const confirmations = await checkConfirmations(proof, told)
    checkWords(proof, told)
    if (trust.keys.length === 0) return { ok: false, code: 'untrusted', message: UNTRUSTED, told }
    if (trust.published !== undefined) await checkPublished(trust.published, checkpoint, trust)
    return { ok: true, told, confirmations, checkpoint, isPublished: trust.published !== undefined }
  } catch (error) {
    if (!(error instanceof ProofRefused)) throw error
    return { ok: false, code: error.code, message: error.message, told: null }
  }
}

const UNTRUSTED = 'it fits together, and nothing is proven: no key was given that it could be held to'

async function signedCheckpoint(words: string, { keys, check }: Trust): Promise<Checkpoint> {
  const note = readNote(words)
  const said = note && readCheckpoint(note)
  if (note === null || said === null || said.size < 1)
    throw new ProofRefused('checkpoint_unsigned', 'its checkpoint is none')
  const signers = await signersOf(note, keys, check)
  if (signers === null || (keys.length > 0 && !signers.some(({ name }) => name === said.origin)))
    throw new ProofRefused('checkpoint_unsigned', 'no trusted key of its log has signed the checkpoint')
  return said
}

async function signedList(
  proof: Proof,
  { origin, size }: Checkpoint,
  { keys, check }: Trust,
): Promise<Listed> {
  const refuse = (message: string): never => {
    throw new ProofRefused('story_unsigned', message)
  }
  const note = readNote(proof.story) ?? refuse('the list of its entries is no note')
  const own = keys.filter(({ name }) => name === origin)
  const signers = await signersOf(note, own, check)
  if (signers === null || (keys.length > 0 && signers.length === 0))
    refuse('no trusted key of its log has signed the list of its entries')
  const listed = readList(note.text) ?? refuse('the list of its entries is none')
  if (listed.origin !== origin || listed.size !== size || listed.request_id !== proof.request_id)
    refuse('the list of its entries is that of another request or checkpoint')
  const seqs = [...listed.entries.map(({ seq }) => seq), size]
  if (seqs.some((seq, index) => index > 0 && seq <= (seqs[index - 1] ?? 0)))
    refuse('the list of its entries is out of order')
  return listed
}

function checkIncluded({ entries, evidence = [] }: Proof, { size, root }: Checkpoint): void {
  for (const { entry, path } of [...entries, ...evidence.map(({ registered }) => registered)]) {
    const { hash, ...rest } = entry
    const words = canonical(rest)
    const hashes = path.map(decode)
    const isWhole = (one: TreeHash | null): one is TreeHash => one?.length === HASH_BYTES
    const above = hashes.every(isWhole) ? rootAbove(leafOf(words), entry.seq, size, hashes) : null
    if (hash !== sha256('lane/entry/v1\n', words) || above === null || !isSameHash(above, root))
      throw new ProofRefused('not_included', `entry ${entry.seq} does not stand in the tree that was signed`)
  }
}

function checkParts({ entries, evidence = [] }: Proof, { entries: listed }: Listed): void {
  const missing = (message: string): never => {
    throw new ProofRefused('part_missing', message)
  }
  const carried = new Map(entries.map(({ entry }) => [entry.seq, entry]))
  const types = new Map(listed.map(({ seq, type }) => [seq, type]))
  const reminder = lastReminder([...carried.values()])
  for (const one of listed)
    if ((isAlways(one.type) || isRemindedOf(one, reminder)) && !carried.has(one.seq))
      missing(`entry ${one.seq}, ${one.type}, was left out`)
  const used = tokensUsedIn([...carried.values()])
  const issued = new Set<unknown>()
  for (const entry of carried.values()) {
    const { seq, type, body } = entry
    if (types.get(seq) !== type) missing(`entry ${seq} is not on the list as ${type}`)
    if (isIssuing(type)) {
      const isPart =
        typeof body.token_hash === 'string' && (used.has(body.token_hash) || isRemindedOf(entry, reminder))
      if (!isPart) missing(`entry ${seq} is no part of it`)
      issued.add(body.token_hash)
    } else if (!isAlways(type)) missing(`entry ${seq}, ${type}, is no part of it`)
  }
  for (const token of used) if (!issued.has(token)) missing('the delivery behind an answer was left out')
  const told = [...carried.values()].filter(({ type }) => type === 'REPLY_EVIDENCE')
  const isWhole =
    told.length === evidence.length &&
    evidence.every(({ reply_id, registered }, at) => {
      const isOne = registered.entry.type === 'PASSKEY_REGISTERED'
      return isOne && told[at]?.body.reply_id === reply_id
    })
  if (!isWhole) missing('the evidence of a passkey was left out, or is that of something else')
}

const WORD_HASHES = ['raw_text_hash', 'reason_hash', 'comment_hash']

function checkWords({ contents, displays }: Proof, { entries, request }: DecisionStory): void {
  if (contents === undefined) return
  const refuse = (message: string): never => {
    throw new ProofRefused('words_altered', message)
  }
  const hashes = new Set(entries.flatMap(({ body }) => [...valuesUnder(WORD_HASHES, body)]))
  for (const { hash, salt, text } of contents.words) {
    const bytes = decode(salt)
    if (bytes?.length !== HASH_BYTES || sha256(bytes, text) !== hash || !hashes.has(hash))
      refuse('somebody’s words are not those that were recorded')
  }
  const named = new Set(textsIn(request))
  for (const [handle, text] of Object.entries(contents.handles))
    if (sha256(text) !== handle || !named.has(handle))
      refuse('a content is not the one that the request names')
  for (const row of displays.flatMap(rowsOf)) {
    const text = member(contents.handles, String(member(row, 'handle')))
    if (typeof text === 'string' && !isTrueOf(row, text))
      refuse('a document says of a content that another part of it was shown')
  }
}

function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* textsIn(member)
}

function* valuesUnder(names: readonly string[], value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value) && names.includes(name)) yield member
    yield* valuesUnder(names, member)
  }
}

/** The note of the published checkpoint, and the hashes behind it. */
function apart(words: string): { readonly note: string; readonly hashes: readonly string[] } {
  const lines = words.split('\n')
  const last = lines.findLastIndex(line => line.startsWith('— '))
  return {
    note: `${lines.slice(0, last + 1).join('\n')}\n`,
    hashes: lines.slice(last + 1).filter(line => line !== ''),
  }
}

async function checkPublished(words: string, ours: Checkpoint, trust: Trust): Promise<void> {
  const { note, hashes } = apart(words)
  const theirs = await signedCheckpoint(note, trust)
  const path = hashes.map(decode)
  if (theirs.origin !== ours.origin || !path.every(hash => hash !== null))
    throw new ProofRefused(
      'not_consistent',
      'the published checkpoint is of another log, or what stands behind it is no proof',
    )
  const [smaller, larger] = theirs.size < ours.size ? [theirs, ours] : [ours, theirs]
  if (!isConsistent(smaller, larger, path))
    throw new ProofRefused(
      'not_consistent',
      'the published checkpoint and that of the proof are not of one ledger, or the proof of it is missing',
    )
}
