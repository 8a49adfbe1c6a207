// Tells every story again, from the facts alone, and must arrive at the same events: each case is folded entry by
// entry, each stored reply compiled again with its recorded grammar, each ending derived from its cause. The chain
// (I1) is the only invariant checked here, in the same reading; the others are the business of verify.ts.
//
// LR1  A raw reply that is kept has the hash its event gives; for one that is gone an entry records the erasure.
// LR2  Nothing in the lines makes it throw.
// LR3  Only open cases are kept; of the others only the ids.
// LR4  Never ok for a broken chain: a story whose words cannot be read again is worth no more than its hashes.
// LR5  Evidence of a passkey is kept for good, where the source has it, has the hash its entry gives, and is of a passkey that
//      was registered before, and not taken back, for the person whose reply follows, by the word that its proof says.
import { apply, type Case, isOpen } from '../agenda/case.js'
import { type Hash, sha256 } from '../canonical.js'
import { GRAMMAR } from '../compiler/compile.js'
import type { Entry, EntryOf } from '../event.js'
import { hashCredential } from '../passkey/credential.js'
import { isEvidence } from '../passkey/evidence.js'
import { areKnown, NEWEST_RULES, type Rules } from '../rules.js'
import type { Invariant } from './invariant/invariants.js'
import { textOf } from './invariant/line.js'
import { byOf } from './invariant/passkey.js'
import { type Beyond, beyondOf, rulesNamedBy } from './invariant/rules.js'
import { flawOfShape } from './invariant/shape.js'
import { resolutionOf, timeoutOf } from './replay/ending.js'
import { flawOfReading, isRecorded, type Recorded } from './replay/reading.js'
import type { RawReply } from './shelf.js'
import { FIRST_LINK, type Followed, follow } from './verify.js'

/** Enough to see what kind of damage it is. */
const MAX_PROBLEMS = 100

type Replay = {
  readonly ok: boolean
  readonly cases: number
  /** Stored replies that were read again. */
  readonly replies: number
  readonly erased: number
  /** Replies whose words are missing though no entry records an erasure. */
  readonly absent: number
  readonly problems: readonly Problem[]
  /** The point where the ledger goes on under rules that are not known here; nothing from there on was told again. */
  readonly beyond: Beyond | null
}
/** The invariant is named where the chain is broken. */
type Problem = { readonly invariant?: Invariant; readonly seq: number; readonly message: string }

type Owner = Pick<EntryOf<'PASSKEY_REGISTERED'>['body'], 'user_id' | 'by'>
type Raws = (replyId: string) => Promise<RawReply | null> | RawReply | null
/** The evidence of a reply, as it is kept; null where there is none. */
type Kept = (replyId: string) => string | null

export async function replay(
  lines: AsyncIterable<string> | Iterable<string>,
  raws: Raws,
  options: { readonly rawsMayBeAbsent?: boolean; readonly evidence?: Kept | null } = {},
): Promise<Replay> {
  const teller = new Teller(raws, options.evidence ?? null)
  for await (const line of lines) if (!(await teller.hear(line))) break
  return teller.conclude(options.rawsMayBeAbsent ?? false)
}

/** One retelling. Its fields are changed by hear() alone, line by line. */
class Teller {
  readonly #raws: Raws
  readonly #evidence: Kept | null
  readonly #open = new Map<string, Case>()
  readonly #resolved = new Set<string>()
  /** Replies without their words, by their place in the ledger; an erasure may still explain them. */
  readonly #missing = new Map<string, number>()
  readonly #erased = new Set<string>()
  /** The passkeys that were registered and not taken back, and whose they are. */
  readonly #passkeys = new Map<Hash, Owner>()
  /** What a passkey has confirmed, until it is told. */
  #confirmed: { readonly reply_id: string; readonly owner: Owner } | null = null
  readonly #problems: Problem[] = []
  #due = FIRST_LINK
  #replies = 0
  #previous: Entry | null = null
  #rules: Rules = NEWEST_RULES
  #beyond: Beyond | null = null
  /** Under rules 1 a refusal does not record its grammar: it is that of the lane that was running. */
  #grammar = GRAMMAR

  constructor(raws: Raws, evidence: Kept | null) {
    this.#raws = raws
    this.#evidence = evidence
  }

  /** False for the line on which the reading ends. */
  async hear(line: string): Promise<boolean> {
    const followed = follow(line, this.#due)
    this.#beyond = beyondOf(followed)
    if (this.#beyond !== null) return false
    for (const flaw of followed.flaws) this.#keep({ seq: this.#due.seq, ...flaw })
    const entry = this.#entryOf(followed)
    if (entry !== null) await this.#retell(entry)
    else if (followed.flaws.length === 0) this.#say(followed.seq, 'the line is not an entry')
    this.#previous = entry
    this.#due = followed.next
    return true
  }

  #entryOf({ members }: Followed): Entry | null {
    if (members === null) return null
    const named = rulesNamedBy(members)
    if (named !== null && areKnown(named)) this.#rules = named
    return flawOfShape(members, this.#rules) === null ? (members as unknown as Entry) : null
  }

  conclude(rawsMayBeAbsent: boolean): Replay {
    const absent = this.#missing.size
    if (!rawsMayBeAbsent) {
      for (const seq of this.#missing.values())
        this.#say(seq, 'the reply is not stored, and no entry erases it')
    }
    return {
      ok: this.#problems.length === 0 && this.#beyond === null,
      cases: this.#open.size + this.#resolved.size,
      replies: this.#replies,
      erased: this.#erased.size,
      absent,
      problems: this.#problems,
      beyond: this.#beyond,
    }
  }

  #say(seq: number, message: string): void {
    this.#keep({ seq, message })
  }

  #keep(problem: Problem): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem)
  }

  async #retell(entry: Entry): Promise<void> {
    if (entry.type === 'LANE_STARTED') this.#grammar = entry.body.grammar
    if (entry.type === 'RAW_ERASED') await this.#erase(entry)
    if (entry.type === 'PASSKEY_REGISTERED') this.#passkeys.set(entry.body.credential_hash, entry.body)
    if (entry.type === 'PASSKEY_REVOKED') this.#forget(entry)
    if (entry.type === 'REPLY_EVIDENCE') this.#weigh(entry)
    this.#compare(entry)
    if (entry.request_id === undefined) return
    const subject = this.#open.get(entry.request_id) ?? null
    if (isRecorded(entry)) await this.#readAgain(entry, subject)
    if (!this.#resolved.has(entry.request_id)) this.#advance(entry.request_id, subject, entry)
    else if (entry.type === 'REQUEST_RESOLVED') this.#say(entry.seq, 'the case was resolved before')
  }

  #forget({ body: { user_id, credential_hash } }: EntryOf<'PASSKEY_REVOKED'>): void {
    if (this.#passkeys.get(credential_hash)?.user_id === user_id) this.#passkeys.delete(credential_hash)
  }

  #weigh({ body, seq }: EntryOf<'REPLY_EVIDENCE'>): void {
    this.#confirmed = null
    if (this.#evidence === null) return
    const kept = this.#evidence(body.reply_id)
    const owner = kept === null ? undefined : this.#passkeys.get(credentialIn(kept) ?? 'sha256:')
    if (kept === null) this.#say(seq, 'the evidence of the reply is not stored')
    else if (sha256('lane/evidence/v1\n', kept) !== body.evidence_hash)
      this.#say(seq, 'the stored evidence is not the one recorded')
    else if (owner === undefined) this.#say(seq, 'the evidence is of a passkey that was nobody’s by then')
    else this.#confirmed = { reply_id: body.reply_id, owner }
  }

  /** The reply is that of the person whose passkey confirmed it. */
  #compare(entry: Entry): void {
    const said = this.#confirmed && speakerOf(entry)
    if (this.#confirmed === null || said?.reply_id !== this.#confirmed.reply_id) return
    const { user_id, by } = this.#confirmed.owner
    if (said.user_id !== user_id || said.by !== by)
      this.#say(
        entry.seq,
        'the evidence is of a passkey that was not this person’s, or not as its proof says',
      )
    this.#confirmed = null
  }

  async #readAgain(entry: Recorded, subject: Case | null): Promise<void> {
    const raw = await this.#raws(entry.body.reply_id)
    if (raw === null) {
      this.#missing.set(entry.body.reply_id, entry.seq)
      return
    }
    this.#replies += 1
    const grammar = 'grammar' in entry.body ? entry.body.grammar : this.#grammar
    const flaw = flawOfReading(raw, entry, subject?.request.reply_schema ?? null, grammar)
    if (flaw !== null) this.#say(entry.seq, flaw)
  }

  async #erase({ body, seq }: EntryOf<'RAW_ERASED'>): Promise<void> {
    const { reply_id } = body
    if (this.#missing.delete(reply_id)) this.#erased.add(reply_id)
    else if ((await this.#raws(reply_id)) !== null)
      this.#say(seq, 'the reply was erased, and is still stored')
    else if (!this.#erased.has(reply_id)) this.#say(seq, 'no such reply was recorded')
  }

  /** The fold goes on by one entry; an ending must be the one that follows from the fold so far. */
  #advance(requestId: string, subject: Case | null, entry: Entry): void {
    if ((subject === null) !== (entry.type === 'REQUEST_OPENED') || isUnannounced(subject, entry)) {
      this.#say(entry.seq, `a story cannot go on with ${entry.type}`)
      return
    }
    if (subject !== null && !this.#isDerived(subject, entry)) {
      this.#say(entry.seq, `${entry.type} does not follow from the story`)
    }
    const after = apply(subject, entry)
    if (isOpen(after)) this.#open.set(requestId, after)
    else {
      this.#open.delete(requestId)
      this.#resolved.add(requestId)
    }
  }

  #isDerived(subject: Case, entry: Entry): boolean {
    if (entry.type === 'TIMEOUT_RECEIPT') return textOf(timeoutOf(subject, entry.at)) === textOf(entry.body)
    if (entry.type !== 'REQUEST_RESOLVED') return true
    return textOf(resolutionOf(subject, this.#previous)) === textOf(entry.body)
  }
}

/** Whose a reply is, and by whose word a passkey of theirs that confirmed it would be theirs. */
function speakerOf({ type, body }: Entry) {
  if (type === 'HUMAN_REPLY_EVENT') {
    const { user_id, proof } = body.sender_identity
    return { reply_id: body.reply_id, user_id, by: byOf(proof) }
  }
  if (type !== 'REQUEST_DELEGATED' || body.proof === undefined) return null
  return { reply_id: body.reply_id, user_id: body.from, by: byOf(body.proof) }
}

/** The passkey that made it; null for what is no evidence. */
function credentialIn(kept: string): Hash | null {
  try {
    const evidence: unknown = JSON.parse(kept)
    return isEvidence(evidence) ? hashCredential(evidence) : null
  } catch {
    return null
  }
}

/** A reply is announced before it is told; the fold relies on it. */
const isUnannounced = (subject: Case | null, { type }: Entry): boolean =>
  type === 'HUMAN_REPLY_EVENT' && subject?.announced === null
