// Reads an exported ledger, line by line, and says whether it holds. Nothing but the lines is consulted, so whoever has
// them can do the same; what a chain of hashes cannot show by itself is on the page docs/spec/ledger.md.
//
// V1  Every line is read, whatever was wrong with those before it; the problems are kept up to MAX_PROBLEMS.
// V2  No input makes it throw.
// V3  Memory grows with the requests and the accepted replies, a little for each; only open requests are kept whole.
import type { Hash } from '../canonical.js'
import type { Entry } from '../event.js'
import { GENESIS } from './entry.js'
import { type Book, openBook } from './invariant/book.js'
import type { Flaw, Invariant } from './invariant/invariants.js'
import { type Link, type Members, readLine } from './invariant/line.js'
import { flawOfSecrecy, flawOfShape } from './invariant/shape.js'
import { checkStory, flawOfPrevious } from './invariant/story.js'
import { checkTime } from './invariant/time.js'

/** Enough to see what kind of damage it is; a ledger with one broken link can be wrong a million times. */
export const MAX_PROBLEMS = 100
const PROGRESS_EVERY = 10_000

export type Problem = { readonly invariant: Invariant; readonly seq: number; readonly message: string }

export type Verification = {
  readonly ok: boolean
  readonly entries: number
  /** The hash of the last entry: kept elsewhere, it shows later whether the ledger was cut or rewritten. */
  readonly head: Hash
  readonly problems: readonly Problem[]
}

export async function verify(
  lines: AsyncIterable<string> | Iterable<string>,
  options: { readonly onProgress?: (entries: number) => void } = {},
): Promise<Verification> {
  const problems: Problem[] = []
  const report: Report = (seq, flaw) => {
    if (flaw !== null && problems.length < MAX_PROBLEMS) problems.push({ seq, ...flaw })
  }
  const book = openBook()
  let entries = 0
  let head: Hash = GENESIS
  const read = (line: string): void => {
    head = checkLine(book, line, { seq: entries, prev: head }, report)
    entries += 1
    if (entries % PROGRESS_EVERY === 0) options.onProgress?.(entries)
  }
  // Lines that are all there need no waiting for each.
  if (Symbol.iterator in lines) for (const line of lines) read(line)
  else for await (const line of lines) read(line)
  return { ok: problems.length === 0, entries, head, problems }
}

type Report = (seq: number, flaw: Flaw | null) => void

/** The hash the next line must name. */
function checkLine(book: Book, line: string, link: Link, report: Report): Hash {
  const { seq, prev } = link
  const { members, flaws } = readLine(line, link)
  for (const found of flaws) report(seq, found)
  report(seq, flawOfSecrecy(line))
  book.previous = members === null ? null : checkEntry(book, members, seq, report)
  return flaws.length === 0 || isHash(members?.hash) ? (members?.hash as Hash) : prev
}

/** The entry, if its schema holds; else nothing more can be said about it. */
function checkEntry(book: Book, members: Members, seq: number, report: Report): Entry | null {
  const misshapen = flawOfShape(members)
  report(seq, misshapen)
  if (misshapen !== null) return null
  const entry = members as unknown as Entry
  report(seq, checkTime(book, entry))
  report(seq - 1, flawOfPrevious(book, entry))
  report(seq, checkStory(book, entry))
  return entry
}

const isHash = (value: unknown): value is Hash =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value)
