// Seals: HMACs by which the lane recognises its own writing. Anybody can make a hash; nobody who has only the
// database can make a seal.
//
// LS1  Each append has one seal, kept with its last entry: over the first and last seq, the last hash, the hash of
//      the entry that ended its story before, and the story's version before and after.
// LS2  A story is what its seals say: whole from version 0 on, each append unbroken and following the one before it,
//      every entry hashed again. So it was once told exactly as it stands: an append of another story, or of another
//      telling of this one, follows a different entry. Lines this process has sealed or checked lately are only
//      held against the hashes it knew.
// LS3  A row that gives a right has a seal of its own (rights.ts).
// LS4  A story or row without a sound seal gives no right, and is reported until it is found sound again.
// LS5  The head has one too: over its size, the last hash and the frontier of the tree. The frontier is what the next
//      append grows from, so nobody else can make the lane sign another tree.
import { timingSafeEqual } from 'node:crypto'
import type { Hash } from '../canonical.js'
import type { Entry } from '../event.js'
import { SealBroken, type Sealing, type SealKey, unlessBroken } from './contract.js'
import { type Head, hashOfLine, parseEntry } from './entry.js'
import { Known } from './known.js'
import { identityOfRow, nameOfRow, type RightTable, type Row, wordsOfRow } from './rights.js'
import { type Frontier, packed } from './tree/nodes.js'

export type SealedLine = { readonly line: string; readonly seal: string | null }

/** The place of an append in its story: after this many entries, the last of which has this hash. */
export type Standing = { readonly version: number; readonly last: Hash | null }
export const BEGINNING: Standing = { version: 0, last: null }

/** The content of one seal; `follows` is null for the first append of a story, and for entries of no request. */
export type Sealed = {
  readonly first: number
  readonly last: number
  readonly hash: Hash
  readonly follows: Hash | null
  readonly before: number
  readonly after: number
}

/** Names that are reported. More would only say that an attacker has broken many. */
const TOLD = 100

export const HEAD = 'the head of the ledger'

export const LOCKED = 'the store is locked: the key that seals was not opened'

export class Seals implements Sealing {
  #key: SealKey | null = null
  readonly #known = new Known()
  /** Names by story or row. Owned by #tell(), story() and sound(). */
  readonly #broken = new Map<string, string>()
  #onBroken: (name: string) => void = () => undefined

  unlock(key: SealKey): void {
    this.#key = key
  }

  get isLocked(): boolean {
    return this.#key === null
  }

  broken(): readonly string[] {
    return [...new Set(this.#broken.values())]
  }

  onBroken(tell: (name: string) => void): void {
    this.#onBroken = tell
  }

  ofAppend(sealed: Sealed): string {
    return this.#seal(wordsOfAppend(sealed))
  }

  /** LEDGER_SEALED stands second in its append, after LANE_STARTED. */
  ledgerSealed(rows: readonly SealedLine[]): Entry {
    const entries = rows.map(({ line }) => read(line))
    const whole = entries.every(entry => entry !== null) && this.holds(rows, entries as Entry[], null)
    const last = entries.at(-1)
    if (!whole || last?.type !== 'LEDGER_SEALED') throw new SealBroken('LEDGER_SEALED')
    return last
  }

  ofRow(table: RightTable, row: Row): string {
    return this.#seal(wordsOfRow(table, row))
  }

  ofHead({ size, hash }: Head, { peaks }: Frontier): string {
    return this.#seal(`lane/head/v1\n${size}\n${hash}\n${Buffer.from(packed(peaks)).toString('hex')}`)
  }

  /** Whether the lane has sealed this head with this frontier. A ledger without entries has no seal yet. */
  headHolds(head: Head, frontier: Frontier, seal: string | null): boolean {
    if (frontier.size !== head.size) return false
    if (seal === null) return head.size === 0 && frontier.peaks.length === 0
    return isSame(seal, this.ofHead(head, frontier))
  }

  /** After the commit: these entries stand in the ledger, the first of them at this place of its story. */
  keep(entries: readonly Entry[], { version: before, last }: Standing): void {
    let version = before
    let follows = last
    for (const { seq, hash } of entries) {
      this.#known.add(seq, hash, { version, follows })
      version++
      follows = hash
    }
  }

  /** Whether this process has sealed or checked this entry lately, and these are its very bytes. */
  knows({ seq, hash }: Entry, line: string): boolean {
    return this.#known.has(seq, hash) && hashOfLine(line, hash) === hash
  }

  /** The entries of a story that must have `version` of them, or SealBroken. */
  story(requestId: string, version: number, rows: readonly SealedLine[]): readonly Entry[] {
    const name = `request ${requestId}`
    const entries = rows.map(({ line }) => read(line))
    if (rows.length !== version || !this.#isSound(requestId, rows, entries)) {
      this.#tell(name, name)
      throw new SealBroken(name)
    }
    this.#broken.delete(name)
    return entries as readonly Entry[]
  }

  /** The row without its seal. Null, and reported, where the seal is not the lane's. */
  sound<T extends object>(table: RightTable, row: T & { readonly seal: string | null }): T | null {
    const { seal, ...right } = row
    const isSound = seal !== null && isSame(seal, this.ofRow(table, right as unknown as Row))
    if (!isSound)
      this.#tell(identityOfRow(table, row as unknown as Row), nameOfRow(table, row as unknown as Row))
    else if (this.#broken.size > 0) this.#broken.delete(identityOfRow(table, row as unknown as Row))
    return isSound ? (right as unknown as T) : null
  }

  #isSound(requestId: string, rows: readonly SealedLine[], entries: readonly (Entry | null)[]): boolean {
    if (!entries.every((entry): entry is Entry => entry?.request_id === requestId)) return false
    if (this.#isKnown(rows, entries)) return true
    if (!this.#isSealed(rows, entries)) return false
    this.keep(entries, BEGINNING)
    return true
  }

  #isKnown(rows: readonly SealedLine[], entries: readonly Entry[]): boolean {
    return entries.every(({ seq, hash }, version) => {
      const place = { version, follows: entries[version - 1]?.hash ?? null }
      return this.#known.hasAt(seq, hash, place) && hashOfLine(rows[version]?.line ?? '', hash) === hash
    })
  }

  /** Whether seals cover the story from its first entry to its last. */
  #isSealed(rows: readonly SealedLine[], entries: readonly Entry[]): boolean {
    let at = BEGINNING
    for (const [index, { seal }] of rows.entries()) {
      if (seal === null) continue
      const version = index + 1
      if (!this.holds(rows.slice(at.version, version), entries.slice(at.version, version), at)) return false
      at = { version, last: entries[index]?.hash ?? null }
    }
    return at.version === rows.length
  }

  /** Whether these rows are one append, sealed at this place of its story; null for entries of no request. */
  holds(rows: readonly SealedLine[], entries: readonly Entry[], story: Standing | null): boolean {
    const seal = rows.at(-1)?.seal ?? null
    if (seal === null || !isUnbroken(entries, rows)) return false
    return isSame(seal, this.ofAppend(placeOf(entries, story)))
  }

  #seal(words: string): string {
    if (this.#key === null) throw new Error(LOCKED)
    return `${this.#key.kid}.${this.#key.mac(words)}`
  }

  /** Somebody else has written the head. It stays reported: that it was mended does not undo it. */
  tellOfHead(): void {
    this.#tell(HEAD, HEAD)
  }

  #tell(which: string, name: string): void {
    if (this.#broken.has(which) || this.#broken.size >= TOLD) return
    this.#broken.set(which, name)
    this.#onBroken(name)
  }
}

const wordsOfAppend = ({ first, last, hash, follows, before, after }: Sealed): string =>
  `lane/append/v1\n${first}\n${last}\n${hash}\n${follows ?? ''}\n${before}\n${after}`

/** Entries of no request stand at no version of any story. */
export function placeOf(entries: readonly Entry[], story: Standing | null): Sealed {
  const [first] = entries
  const last = entries.at(-1)
  if (first === undefined || last === undefined) throw new Error('an append that is sealed has an entry')
  const { version: before, last: follows } = story ?? BEGINNING
  const after = story === null ? before : before + entries.length
  return { first: first.seq, last: last.seq, hash: last.hash, follows, before, after }
}

/** Each entry is what its hash says, and follows on the one before it. */
function isUnbroken(entries: readonly Entry[], rows: readonly SealedLine[]): boolean {
  return entries.every((entry, index) => {
    const previous = entries[index - 1]
    const follows = previous === undefined || (entry.seq === previous.seq + 1 && entry.prev === previous.hash)
    return follows && hashOfLine(rows[index]?.line ?? '', entry.hash) === entry.hash
  })
}

function read(line: string): Entry | null {
  try {
    return parseEntry(line)
  } catch {
    return null
  }
}

function isSame(given: string, ours: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(ours)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The entries of these lines, without those of unsound stories. A story is read where this process
 *  does not know its line. */
export async function* soundEntries(
  seals: Seals,
  lines: AsyncIterable<string>,
  story: (requestId: string) => Promise<unknown>,
): AsyncIterable<Entry> {
  for await (const line of lines) {
    const entry = read(line)
    if (entry === null) continue
    const { request_id } = entry
    const isKnown = request_id === undefined || seals.knows(entry, line)
    if (!isKnown) await story(request_id).catch(unlessBroken)
    if (isKnown || seals.knows(entry, line)) yield entry
  }
}
