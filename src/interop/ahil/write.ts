// New entries, strictly: what the rules ask of a writer is refused here before it stands in a file for good. They are put
// behind the last entry of the file's own bytes, and every other byte stays.
//
// WE1  What stands in the file is a prefix of what is written: of its entries always, and of its bytes up to the last one.

import { canonical } from '../../canonical.js'
import { quote } from '../../request/text.js'
import type { Fields } from '../fields.js'
import { ALL, BROADCAST, type Entry, type EntryType, HUMAN, REFERRING, refOf, type Status } from './entry.js'
import { dayOf, numbering } from './id.js'
import type { Log } from './log.js'

/** An entry before it has its id and day. */
export type Draft = {
  readonly type: EntryType
  readonly from: string
  readonly to: string
  /** Of an acknowledgement; others begin as their type does. */
  readonly status?: Status
  readonly content: string
  readonly context?: Fields
}
type DraftFlaw = { readonly code: DraftFlawCode; readonly detail: string }
type DraftFlawCode =
  | 'slug'
  | 'not_theirs'
  | 'broadcast'
  | 'status'
  | 'no_ref'
  | 'unknown_ref'
  | 'acknowledges_acknowledgement'
  | 'not_actionable'
  | 'text'

export const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const SLUG_WORDS = 'a slug of letters, digits, . _ -, at most 64'
const MOST_CHARS = 10_000

/** Types that agents write; a person's are the rest. An approval may be either's, an acknowledgement anybody's. */
const BY_AGENTS: readonly EntryType[] = ['observation', 'recommendation', 'alert']
const BY_PEOPLE: readonly EntryType[] = ['order', 'override']
const ENDS: readonly Status[] = ['noted', 'acted', 'rejected']

/** Everything that stands against writing it; `known` are the entries it would stand behind. */
export function flawsOfDraft(draft: Draft, known: ReadonlyMap<string, Entry>): DraftFlaw[] {
  const { type, from, to, status, content } = draft
  const flaws: DraftFlaw[] = []
  const flaw = (code: DraftFlawCode, detail: string): void => void flaws.push({ code, detail })
  if (!SLUG.test(from) || from === ALL) flaw('slug', `from is ${SLUG_WORDS}, or human; read ${quote(from)}`)
  if (!SLUG.test(to)) flaw('slug', `to is ${SLUG_WORDS}, human or all; read ${quote(to)}`)
  if (to === ALL && !BROADCAST.includes(type))
    flaw('broadcast', `only ${BROADCAST.join(', ')} may be for all: name who is to answer the ${type}`)
  if (from === HUMAN && BY_AGENTS.includes(type)) flaw('not_theirs', `${type} is written by agents`)
  if (from !== HUMAN && BY_PEOPLE.includes(type)) flaw('not_theirs', `${type} is written by a person`)
  if (status !== undefined && (type !== 'acknowledgement' || !ENDS.includes(status)))
    flaw('status', `an acknowledgement is ${ENDS.join(', ')}; every other entry begins as its type does`)
  if (REFERRING.includes(type)) flaws.push(...flawsOfRef(draft, known))
  if (!isText(content)) flaw('text', `content is text of at most ${MOST_CHARS} characters, without controls`)
  else if (!isActionable(content))
    flaw('not_actionable', 'content says what is meant by itself; it is blank, or nothing but a reference')
  return flaws
}

function flawsOfRef(draft: Draft, known: ReadonlyMap<string, Entry>): DraftFlaw[] {
  const ref = refOf(draft)
  if (ref === null)
    return [{ code: 'no_ref', detail: `${draft.type} names the entry it is about in context.ref` }]
  const about = known.get(ref)
  if (about === undefined)
    return [{ code: 'unknown_ref', detail: `context.ref names an entry of this log; read ${quote(ref)}` }]
  return draft.type === 'acknowledgement' && about.type === 'acknowledgement'
    ? [{ code: 'acknowledges_acknowledgement', detail: 'an acknowledgement is the end: it is not answered' }]
    : []
}

/** Controls but for the end of a line, and halves of characters. */
const NO_TEXT = /(?!\n)\p{Cc}|\p{Surrogate}/u
const isText = (content: string): boolean => content.length <= MOST_CHARS && !NO_TEXT.test(content)

/** An entry's id, a handle, an address, a number with its sign; and the words that only lead to one. */
const REFERENCES =
  /\b[a-z]+:\/\/\S+|\b(?:sha256|doc|receipt|diff|run|artifact):\S+|\b[\w.-]+-\d{8}-\d{3,}\b|#\d+|\b(?:see|ref|re|cf|as per)\b/gi
const isActionable = (content: string): boolean => /\p{L}/u.test(content.replace(REFERENCES, ''))

const INITIAL: Readonly<Record<EntryType, Status>> = {
  observation: 'noted',
  recommendation: 'pending',
  alert: 'noted',
  order: 'pending',
  approval: 'pending',
  override: 'pending',
  acknowledgement: 'noted',
}

/** An alert that a person must act on is pending: both are in use, and a noted one is easily passed over. */
const statusOf = ({ type, to, status }: Draft): Status =>
  status ?? (type === 'alert' && to === HUMAN ? 'pending' : INITIAL[type])

/** The entries as they will stand: ids that follow those that are there, and the UTC day of `at`. */
export function entriesOf(
  drafts: readonly Draft[],
  before: readonly Pick<Entry, 'id'>[],
  at: string,
): Entry[] {
  const next = numbering(before)
  return drafts.map(draft => entryOf(draft, next, at))
}

/** One of them, by a numbering that goes on. */
export function entryOf(draft: Draft, next: ReturnType<typeof numbering>, at: string): Entry {
  const { type, from, to, content, context } = draft
  const date = dayOf(at)
  return {
    id: next(from, date),
    type,
    from,
    to,
    date,
    status: statusOf(draft),
    content,
    context: { at, ...context },
  }
}

/** Whether an entry says what a draft says, whenever it was written and under whatever id. */
export const isSaidBy = (entry: Entry, draft: Draft): boolean =>
  canonical([entry.type, entry.from, entry.to, entry.status, entry.content, entry.context ?? {}]) ===
  canonical([draft.type, draft.from, draft.to, statusOf(draft), draft.content, draft.context ?? {}])

/** The file's bytes with these entries behind its last one (WE1), in the layout of the file. */
export function addTo(
  log: Pick<Log, 'bytes' | 'place'>,
  entries: readonly object[],
): Pick<Log, 'bytes' | 'place'> {
  const { bytes, place } = log
  const { open, first, last } = place
  if (entries.length === 0) return log
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('utf8')
  const isEmpty = last === open
  const isLaidOut = isEmpty ? bytes.includes(LINE_END) : text(open, first).includes('\n')
  const gap = isEmpty ? (isLaidOut ? '\n    ' : '') : text(open, first)
  const spelt = entries.map(entry => gap + spell(entry, isLaidOut ? gap : null)).join(',')
  const added = Buffer.from(isEmpty ? spelt : `,${spelt}`)
  const end = Buffer.from(isEmpty && isLaidOut ? '\n  ' : '')
  const rest = bytes.subarray(isEmpty ? first : last)
  return {
    bytes: Buffer.concat([bytes.subarray(0, last), added, end, rest]),
    place: { open, first: isEmpty ? open + gap.length : first, last: last + added.length },
  }
}

const LINE_END = 0x0a

function spell(entry: object, gap: string | null): string {
  if (gap === null) return JSON.stringify(entry)
  const margin = gap.slice(gap.lastIndexOf('\n') + 1)
  return JSON.stringify(entry, null, 2).replaceAll('\n', `\n${margin}`)
}

/** A log that has no entry yet. */
export const emptyLog = (description: string): string =>
  `${JSON.stringify({ schema_version: '1.0', description, entries: [] }, null, 2)}\n`
