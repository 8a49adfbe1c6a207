// The words of a message, from the parts that a mail program shows as the letter. Text and HTML are two spellings of
// it: different people see one or the other, so both must say the same.

import { findMarker, type Marker } from '../marker.js'
import { decodeText } from './decode.js'
import { linesOfHtml } from './html.js'
import { folded, isBlank, type Line, linesOf, trimmed } from './lines.js'
import type { Part } from './parts.js'
import { type Known, readSaid, type Said } from './said.js'

export type Body = {
  /** The text to compile. */
  readonly text: string
  /** The mail of ours that is quoted below, if one is. */
  readonly marker: Marker | null
}

/** Sentences programs write before the first part, for readers without MIME. Others there would be hidden text. */
const PREAMBLES = new Set([
  '',
  'This is a multi-part message in MIME format.',
  'This is a multipart message in MIME format.',
  'This is a multi-part message in MIME format',
  'This is a cryptographically signed message in MIME format.',
  'This is an OpenPGP/MIME signed message (RFC 4880 and 3156)',
])
/** A letter is one part; pictures between its paragraphs make a few. */
const MAX_SPOKEN_PARTS = 10
/** The limit for all spoken parts together: as many as one of HTML may have. */
const MAX_SPOKEN_CHARS = 512 * 1024
/** Characters of an unclear reply that are quoted: enough to recognise it, few enough for every schema's length. */
const MAX_UNCLEAR_CHARS = 900
const MAX_UNCLEAR_LINES = 12
const MAX_UNCLEAR_LINE_CHARS = 200
/** Names no decision, so that a form refuses every line before it. */
const CUT = '...'

export function readBody(root: Part, known: Known): Body {
  const leaves = spokenParts(root)
  // A part that is neither plain text nor HTML is not read, and makes the letter unclear.
  const text = linesOfParts(leaves.filter(({ type }) => type !== 'text/html'))
  const html = linesOfParts(leaves.filter(({ type }) => type === 'text/html'))
  const shown = text.some(({ text: line }) => !isBlank(line)) ? text : html
  const [marker = null, other = marker] = [text, html].flatMap(lines => markerIn(lines) ?? [])
  // A mail that quotes two of ours would answer one for readers of its text and the other for readers of its HTML.
  const isOne = marker?.handleTag === other?.handleTag && marker?.idTag === other?.idTag
  const answer = isOne && !hasStrangePreamble(root) ? agreed(text, html, known) : null
  return { text: answer ?? unread(unclear(shown, html), known), marker }
}

/** A form is answered in lines, so an unclear letter to one ends with a line that names no decision: none of the lines
 *  before it is taken then. */
const unread = (words: string, { decisions }: Known): string =>
  decisions === null || words === '' ? words : `${words}\n${CUT}`

/** Parts a mail program shows as the letter itself, in order. A spelling inside multipart/alternative is shown even
 *  if it has a file name. */
function spokenParts(part: Part): Part[] {
  if (part.attached) return []
  if (!part.type.startsWith('multipart/')) return isSpoken(part) ? [part] : []
  const isSpelling = part.type === 'multipart/alternative'
  return part.children.flatMap(child => (isSpelling && isSpoken(child) ? [child] : spokenParts(child)))
}

/** Some program shows each kind of text, and parts without a proper type. */
const isSpoken = ({ type }: Part): boolean =>
  type.startsWith('text') || type.startsWith('application/xhtml') || !/^[^/]+\/[^/]+$/.test(type)

/** A part that is not read: two lines, so that it is no answer. */
const TOO_MUCH: readonly Line[] = [
  { text: '…', role: 'own' },
  { text: '…', role: 'own' },
]

function linesOfParts(parts: readonly Part[]): readonly Line[] {
  if (parts.length > MAX_SPOKEN_PARTS) return TOO_MUCH
  const texts = parts.map(decodeText)
  const length = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  if (length > MAX_SPOKEN_CHARS) return TOO_MUCH
  return parts.flatMap((part, at) => linesOfPart(part, texts[at] ?? null) ?? TOO_MUCH)
}

function linesOfPart(part: Part, text: string | null): readonly Line[] | null {
  if (text === null) return null
  if (part.type === 'text/html') return linesOfHtml(text)
  return part.type === 'text/plain' ? linesOf(text, flowed(part)) : null
}

function flowed({ parameters }: Part): 'no' | 'yes' | 'delsp' {
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return 'no'
  return parameters.get('delsp')?.toLowerCase() === 'yes' ? 'delsp' : 'yes'
}

/** The answer both give; null where they differ or either is unclear. A part that shows nothing says nothing. */
function agreed(text: readonly Line[], html: readonly Line[], known: Known): string | null {
  const isSeen = ({ text: line }: Line): boolean => !isBlank(line)
  const byHtml: Said | null = html.some(isSeen) ? readSaid(html, known, null) : null
  const byText: Said | null = text.some(isSeen) ? readSaid(text, known, byHtml) : null
  // If both say the same, the HTML has the plainer blanks.
  const one = byHtml ?? byText
  const other = byText ?? byHtml
  if (one?.kind !== 'said' || other?.kind !== 'said') return null
  return isSameAnswer(one.answer, other.answer) ? trimmed(one.answer) : null
}

/** Line by line: what stands on one line here and on two there would answer different decisions of a form. */
function isSameAnswer(one: string, other: string): boolean {
  const [lines, others] = [one.split('\n'), other.split('\n')]
  return (
    lines.length === others.length && lines.every((line, at) => folded(line) === folded(others[at] ?? ''))
  )
}

const markerIn = (lines: readonly Line[]): Marker | null => {
  for (const { text } of lines) {
    const marker = findMarker(text)
    if (marker !== null) return marker
  }
  return null
}

const hasStrangePreamble = (part: Part): boolean =>
  !PREAMBLES.has(part.preamble.toString('latin1', 0, 200).trim()) || part.children.some(hasStrangePreamble)

/** The beginning of the letter, on several lines: no grammar of one answer has a line break, so no such schema accepts
 *  it. The lines of the HTML follow those of the text; a single line in all is not handed on. */
export function unclear(shown: readonly Line[], other: readonly Line[]): string {
  const lines = [...shown.slice(0, 200), ...(shown === other ? [] : other.slice(0, 200))]
    .map(({ text }) => text.trim().slice(0, MAX_UNCLEAR_LINE_CHARS))
    .filter(line => !isBlank(line))
    .slice(0, MAX_UNCLEAR_LINES)
  let text = ''
  let count = 0
  for (const line of lines) {
    if (text.length + line.length > MAX_UNCLEAR_CHARS) break
    text += `${line}\n`
    count++
  }
  return count > 1 ? text.trim() : ''
}
