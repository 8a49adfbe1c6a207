// A content as a copy shows it. The row says which places of it are shown, and stands in the display; the exhibit is
// what is drawn of them: inert lines, each to be set behind the margin, and sentences of ours about them.
//
// EX1  The lines of an exhibit are the passages of its row, drawn, and nothing else.
// EX2  Drawing changes the blanks between the tokens of JSON, and only where the content is shown whole.
// EX3  What is left out is said, with its amount.
// EX4  A content is read through once, however often it is asked how much of it a copy could show: then each answer costs
//      what is shown, not what there is.

import { type Hash, hashOf, spellOnce } from '../../canonical.js'
import { Memo } from '../../memo.js'
import { cut, type Range, roomOf, share } from './cut.js'
import { type Diff, readDiff, type Sign } from './diff.js'
import { type Json, readJson } from './json.js'
import { lookAlike } from './look-alike.js'
import { countPoints, inPoints, passagesOf } from './places.js'
import { hides, linesOf, spell } from './spell.js'

/** What the lane holds under a handle of a request. */
export type Content = {
  readonly handle: Hash
  /** The name of the parameter it is; null where it has none. */
  readonly name: string | null
  /** In bytes. */
  readonly size: number
  /** Null for bytes that are no text: not UTF-8, or with a NUL. */
  readonly text: string | null
  /** The code points of its text, or null; and the hash of all of it as one passage: where they are known already. */
  readonly chars?: number | null
  readonly whole_hash?: Hash
}

/** The code points of a content's text; null for bytes that are no text. */
export function charsOf(content: Content): number | null {
  if (content.chars !== undefined) return content.chars
  return content.text === null ? null : countPoints(content.text)
}

/** The places of a content that a copy shows. */
export type ShownContent = {
  readonly handle: Hash
  readonly name: string | null
  /** Code points in all; null for bytes that are no text. */
  readonly chars: number | null
  readonly shown: readonly Range[]
  /** Of the passages at these places. */
  readonly shown_hash: Hash
  readonly whole: boolean
}

export type Line = { readonly sign: Sign | null; readonly text: string }

export type Exhibit = {
  readonly kind: 'text' | 'json' | 'diff' | 'bytes'
  readonly whole: boolean
  /** How much there is of it, and how much of that is shown. */
  readonly measure: string
  /** Our own words about it. */
  readonly notes: readonly string[]
  /** The lines of each passage; something is left out between one and the next. */
  readonly parts: readonly (readonly Line[])[]
}
/** By their handles. */
export type Exhibits = Pick<ReadonlyMap<string, Exhibit>, 'get' | 'has'>

/** Under which the passages shown are hashed. */
export const SHOWN = 'lane/shown/v1'
const hashPassages = (passages: readonly string[]): Hash => hashOf(SHOWN, passages)

const NOTHING_SHOWN = hashPassages([])

/** All that is said of a text, whatever is shown of it (EX4). */
type Study = {
  /** Drawn as it stands. */
  readonly room: number
  readonly chars: number
  readonly lines: number
  readonly json: Json | null
  readonly diff: Diff | null
  readonly notes: readonly string[]
}

const studies = new Memo<Content, Study>()

function study(content: Content, text: string): Study {
  const known = studies.get(content)
  if (known !== undefined) return known
  const json = readJson(text)
  const lines = linesOf(text)
  const diff = json === null ? readDiff(lines) : null
  const notes = notesOf(text, json, diff)
  const fresh = { room: roomOf(text), chars: countPoints(text), lines: lines.length, json, diff, notes }
  studies.set(content, fresh)
  return fresh
}

function rowOf(content: Content, ranges: readonly Range[]): ShownContent {
  const { handle, name, text } = content
  if (text === null) return noText(content)
  const [range] = ranges
  if (ranges.length === 1 && range?.[0] === 0 && range[1] === text.length) return rowOfWhole(content)
  const shown_hash = hashPassages(ranges.map(([from, to]) => text.slice(from, to)))
  return { handle, name, chars: countPoints(text), shown: inPoints(text, ranges), shown_hash, whole: false }
}

const noText = ({ handle, name }: Content): ShownContent => ({
  handle,
  name,
  chars: null,
  shown: [],
  shown_hash: NOTHING_SHOWN,
  whole: false,
})

function rowOfWhole(content: Content): ShownContent {
  const chars = charsOf(content)
  if (chars === null) return noText(content)
  const { handle, name, whole_hash } = content
  const shown_hash = whole_hash ?? hashPassages([content.text ?? ''])
  return { handle, name, chars, shown: [[0, chars]], shown_hash, whole: true }
}

/** The rows of contents that share so much room. */
export function rowsWithin(contents: readonly Content[], room: number): readonly ShownContent[] {
  const isEasy = contents.reduce((sum, { size }) => sum + MOST_UNITS_PER_BYTE * size, 0) <= room
  if (isEasy) return rowsOfAll(contents)
  const rooms = share(
    contents.map(content => (content.text === null ? 0 : study(content, content.text).room)),
    room,
  )
  return contents.map((content, at) => {
    const { text } = content
    return rowOf(content, text === null ? [] : cut(text, rooms[at] ?? 0, study(content, text).room))
  })
}

/** A NUL has the longest name for its bytes, and an empty line costs its margin. */
const MOST_UNITS_PER_BYTE = 8
/** Rows are asked for again and again while a request is opened: once for each copy, and each time the store decides. */
const wholeRows = new Memo<readonly Content[], readonly ShownContent[]>()

function rowsOfAll(contents: readonly Content[]): readonly ShownContent[] {
  const known = wholeRows.get(contents)
  if (known !== undefined) return known
  const rows = contents.map(rowOfWhole)
  wholeRows.set(contents, rows)
  // They stand in the display and in the entry that claims its copy.
  spellOnce(rows)
  return rows
}

/** All of it, on a page of its own. */
export const exhibitWhole = (content: Content): Exhibit => exhibitOf(content, rowOfWhole(content))

/** `plainly`: JSON is drawn as it stands, for want of room. */
export function exhibitOf(content: Content, row: ShownContent, plainly = false): Exhibit {
  const { text, size } = content
  if (text === null)
    return { kind: 'bytes', whole: false, measure: `${size} bytes that are no text`, notes: [], parts: [] }
  const { json, diff, lines, notes } = study(content, text)
  const kind = json?.kind === 'json' ? 'json' : diff?.kind === 'diff' ? 'diff' : 'text'
  const measure = measureOf(lines, text, row)
  const parts = partsOf(text, row, json?.kind === 'json' && !plainly ? json.text : null, signsOf(diff))
  return { kind, whole: row.whole, measure, notes, parts }
}

/** The exhibits of these rows, each drawn when it is first asked for: a link shows none, and its page is opened later. */
export function exhibitsOf(
  contents: readonly Content[],
  rows: readonly ShownContent[],
  plainly: boolean,
): Exhibits {
  const shownOf = new Map<string, ShownContent>(rows.map(row => [row.handle, row]))
  const contentOf = new Map<string, Content>()
  // Two parameters may have one content: the first of them names it.
  for (const content of contents) if (!contentOf.has(content.handle)) contentOf.set(content.handle, content)
  const drawn = new Map<string, Exhibit>()
  const draw = (handle: string): Exhibit | undefined => {
    const [content, row] = [contentOf.get(handle), shownOf.get(handle)]
    if (content === undefined || row === undefined) return undefined
    const exhibit = exhibitOf(content, row, plainly)
    drawn.set(handle, exhibit)
    return exhibit
  }
  return {
    has: handle => contentOf.has(handle) && shownOf.has(handle),
    get: handle => drawn.get(handle) ?? draw(handle),
  }
}

const signsOf = (diff: Diff | null): readonly Sign[] | null => (diff?.kind === 'diff' ? diff.signs : null)

function partsOf(
  text: string,
  row: ShownContent,
  indented: string | null,
  signs: readonly Sign[] | null,
): Exhibit['parts'] {
  if (row.whole && indented !== null) return [drawn(linesOf(indented), null)]
  const passages = passagesOf(text, row.shown)
  if (signs === null) return passages.map(passage => drawn(linesOf(passage), null))
  const last = passages.length - 1
  return passages.map((passage, at) => {
    const lines = linesOf(passage)
    // The lines of the last passage are the last lines of the text.
    return drawn(lines, at === 0 ? signs : at === last ? signs.slice(-lines.length) : null)
  })
}

const drawn = (lines: readonly string[], signs: readonly Sign[] | null): Line[] =>
  lines.map((line, at) => ({ sign: signs?.[at] ?? null, text: spell(line) }))

function notesOf(text: string, json: Json | null, diff: Diff | null): readonly string[] {
  const mark = lookAlike(text)
  return [
    ...(json?.kind === 'doubled' ? ['JSON with a name given twice: shown as plain text'] : []),
    ...(diff?.kind === 'unsound' ? ['a diff whose counts do not add up: shown as plain text'] : []),
    ...(hides(text) ? ['holds characters that are not seen: they are named, as ⟨U+202E⟩'] : []),
    ...(mark === null ? [] : [mark]),
  ]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function measureOf(lines: number, text: string, { chars, shown, whole }: ShownContent): string {
  const all = chars ?? 0
  if (whole) return counted(all, 'character')
  if (shown.length === 0) return `${counted(all, 'character')}, all of them on the page`
  const passages = passagesOf(text, shown)
  const showsLines = passages.every((passage, at) => isOfLines(text, passage, at))
  const seen = passages.reduce((sum, passage) => sum + linesOf(passage).length, 0)
  const amount = showsLines
    ? `${seen} of ${counted(lines, 'line')}`
    : `${shown.reduce((sum, [from, to]) => sum + to - from, 0)} of ${counted(all, 'character')}`
  return `showing ${amount}, the rest on the page`
}

/** Whether a passage is made of whole lines: the first ends with one, the last begins with one. */
const isOfLines = (text: string, passage: string, at: number): boolean =>
  at === 0 ? passage.endsWith('\n') : text.at(-passage.length - 1) === '\n'
