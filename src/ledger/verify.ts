// Reads an exported ledger, line by line, and says whether it holds. Nothing but the lines is consulted, so anybody
// who has them can do the same; docs/spec/ledger.md says what a chain of hashes cannot show by itself.
//
// LV1  Every line is read, however wrong those before it were; the problems are kept up to MAX_PROBLEMS.
// LV2  No input makes it throw.
// LV3  Memory grows with the requests and the accepted replies, a little for each, and with the entries since the last
//      checkpoint, 32 bytes each; only open requests are kept whole.
// LV4  A missing line is one problem: the reading goes on from the entry that is there. A later entry that needs the
//      missing one has a problem of its own.
// LV5  Entries are judged by the rules they were written under. The reading ends at rules that are not known here.
import type { Hash } from '../canonical.js'
import type { Entry } from '../event.js'
import { GENESIS, wordsOfLine } from './entry.js'
import { type Book, openBook, rulesOf } from './invariant/book.js'
import { addLeaf } from './invariant/checkpoint.js'
import { type Flaw, flaw, type Invariant } from './invariant/invariants.js'
import { type ChainLink, type Members, readLine } from './invariant/line.js'
import { type Beyond, beyondOf, checkRules } from './invariant/rules.js'
import { flawOfSecrecy, flawOfShape } from './invariant/shape.js'
import { checkStory, flawOfPrevious } from './invariant/story.js'
import { checkTime } from './invariant/time.js'

/** Enough to see what kind of damage it is; a ledger with one broken link can be wrong a million times. */
export const MAX_PROBLEMS = 100

type Problem = { readonly invariant: Invariant; readonly seq: number; readonly message: string }

export type Verification = {
  readonly ok: boolean
  readonly entries: number
  /** The hash of the last entry: kept elsewhere, it shows later whether the ledger was cut or rewritten. */
  readonly head: Hash
  readonly problems: readonly Problem[]
  /** The point where the ledger goes on under rules that are not known here. Nothing from there on was judged: it is
   *  not broken, and this program cannot say that it holds. */
  readonly beyond: Beyond | null
}

export async function verify(lines: AsyncIterable<string> | Iterable<string>): Promise<Verification> {
  const problems: Problem[] = []
  const report: Report = (seq, flaw) => {
    if (flaw !== null && problems.length < MAX_PROBLEMS) problems.push({ seq, ...flaw })
  }
  const book = openBook()
  let entries = 0
  let link = FIRST_LINK
  let beyond: Beyond | null = null
  /** False for the line on which the reading ends. */
  const read = (line: string): boolean => {
    const followed = follow(line, link)
    beyond = beyondOf(followed)
    if (beyond !== null) return false
    checkLine(book, line, link, followed, report)
    link = followed.next
    entries += 1
    return true
  }
  // Lines that are all there already need no await each.
  if (Symbol.iterator in lines) {
    for (const line of lines) if (!read(line)) break
  } else {
    for await (const line of lines) if (!read(line)) break
  }
  const ok = problems.length === 0 && beyond === null
  return { ok, entries, head: link.prev, problems, beyond }
}

/** The place of a ledger's first line. */
export const FIRST_LINK: ChainLink = { seq: 0, prev: GENESIS }

export type Followed = {
  readonly members: Members | null
  readonly flaws: readonly Flaw[]
  /** The line without its hash member; null for an unsound one. */
  readonly words: string | null
  /** The entry the line is: the one that is due, unless it can be shown to be another. */
  readonly seq: number
  /** The place of the line after it. */
  readonly next: ChainLink
}

/** I1, one step: checks a line against its place in the chain, and gives the next place. */
export function follow(line: string, due: ChainLink): Followed {
  const { members, flaws, words } = readLine(line, due)
  if (flaws.length === 0)
    return { members, flaws, words, seq: due.seq, next: { seq: due.seq + 1, prev: members?.hash as Hash } }
  const strayed = strayedFrom(line, members, due.seq)
  const seq = strayed ?? due.seq
  const next = { seq: seq + 1, prev: isHash(members?.hash) ? members.hash : due.prev }
  return { members, flaws: strayed === null ? flaws : [flawOfPlace(due.seq, strayed)], words, seq, next }
}

/**
 * The seq of a sound entry that stands where another is due; null for any other line. Only a line with its own hash is
 * believed about its place, so that one altered seq does not make a gap of every line after it.
 */
function strayedFrom(line: string, members: Members | null, due: number): number | null {
  const seq = members?.seq
  const prev = members?.prev
  if (!isPlace(seq) || seq === due || !isHash(prev)) return null
  return readLine(line, { seq, prev }).flaws.length === 0 ? seq : null
}

function flawOfPlace(due: number, seq: number): Flaw {
  if (seq < due) return flaw('I1', `in its place stands entry ${seq}, again or out of order`)
  const others = seq - due === 1 ? '' : `, and so are all up to entry ${seq - 1}`
  return flaw('I1', `the entry is missing${others}: in its place stands entry ${seq}`)
}

type Report = (seq: number, flaw: Flaw | null) => void

function checkLine(book: Book, line: string, due: ChainLink, followed: Followed, report: Report): void {
  const { members, flaws, words, seq } = followed
  for (const found of flaws) report(due.seq, found)
  report(seq, flawOfSecrecy(line))
  // Beyond a gap the line before is not the entry before, so the two are not judged as neighbours.
  if (seq !== due.seq) book.previous = null
  addLeaf(book, words ?? wordsOfLine(line), seq === due.seq)
  book.previous = members === null ? null : checkEntry(book, members, seq, report)
}

/** The entry, if its schema holds; otherwise nothing more can be said about it. */
function checkEntry(book: Book, members: Members, seq: number, report: Report): Entry | null {
  const rulesBefore = book.rules
  report(seq, checkRules(book, members))
  const misshapen = flawOfShape(members, rulesOf(book))
  report(seq, misshapen)
  if (misshapen !== null) return null
  const entry = members as unknown as Entry
  report(seq, checkTime(book, entry))
  report(seq - 1, flawOfPrevious(book, rulesBefore, entry))
  report(seq, checkStory(book, entry))
  return entry
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isHash = (value: unknown): value is Hash =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
