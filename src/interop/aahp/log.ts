// LOG.md, newest entry on top: ten stay, older ones go to LOG-ARCHIVE.md, whose index holds the hash of each. Entries are
// moved byte for byte.
import { sha256 } from '../../canonical.js'
import { linesOf } from './section.js'
import { inStyleOf } from './words.js'

export const LOG = 'LOG.md'
export const ARCHIVE = 'LOG-ARCHIVE.md'
export const ARCHIVE_INDEX = 'LOG-ARCHIVE.index.json'
const KEPT_ENTRIES = 10

/** A heading of the second level that begins with a day, in brackets or, as older logs have it, without. */
const HEADING = /^## (\[\d{4}-\d\d-\d\d\]|\d{4}-\d\d-\d\d\b)/

type Split = { readonly preamble: string; readonly entries: readonly string[] }

export function splitLog(text: string): Split {
  const starts: number[] = []
  // No line is read whole that does not begin an entry: an archive has very many.
  for (let at = 0; at >= 0 && at < text.length; ) {
    if (text.startsWith('## ', at) && HEADING.test(text.slice(at, at + 16))) starts.push(at)
    const newline = text.indexOf('\n', at)
    at = newline < 0 ? -1 : newline + 1
  }
  const [first = text.length] = starts
  const entries = starts.map((start, index) => text.slice(start, starts[index + 1] ?? text.length))
  return { preamble: text.slice(0, first), entries }
}

export const titleOf = (entry: string): string => entry.slice(0, lineEnd(entry)).trim()
const lineEnd = (text: string): number => {
  const end = text.indexOf('\n')
  return end < 0 ? text.length : end
}

/** As the protocol's own tools count it: without the line that parts it from the next, and with one line end. */
export function hashOfEntry(entry: string): string {
  let plain = entry.replace(/\r\n?/g, '\n').trimEnd()
  while (plain.endsWith('---')) plain = plain.slice(0, -3).trimEnd()
  return sha256(`${plain.trim()}\n`).slice('sha256:'.length)
}

type Rotated = { readonly log: string; readonly moved: readonly string[] }

/** The log with a new entry on top, and what no longer has room in it. */
export function addEntry(text: string, entry: string): Rotated {
  const { preamble, entries } = splitLog(text)
  const gap = preamble === '' || /\n\r?\n$/.test(preamble) ? '' : preamble.endsWith('\n') ? '\n' : '\n\n'
  const added = inStyleOf(text, `${gap}${entry.trim()}\n\n---\n\n`)
  const kept = entries.slice(0, KEPT_ENTRIES - 1)
  return { log: preamble + added + kept.join(''), moved: entries.slice(KEPT_ENTRIES - 1) }
}

const ARCHIVE_HEAD = '# Agent journal: archive\n\n> Older entries, moved here from LOG.md.\n\n---\n\n'

type Archive = { readonly text: string; readonly index: string }

/** The archive with these entries before its own. One that a crash has left in both places is not taken twice. */
export function archive(
  before: { text: string | null; index: string | null },
  moved: readonly string[],
): Archive {
  const { preamble, entries } = splitLog(before.text ?? ARCHIVE_HEAD)
  const known = new Set(entries.map(hashOfEntry))
  const fresh = moved.filter(entry => !known.has(hashOfEntry(entry)))
  const gap = preamble.endsWith('\n') || preamble === '' ? '' : '\n'
  const text = preamble + gap + fresh.map(parted).join('') + entries.join('')
  const rows = [...fresh.map(rowOf), ...(readIndex(before.index ?? '') ?? entries.map(rowOf))]
  return { text, index: `${JSON.stringify({ version: 1, entries: rows }, null, 2)}\n` }
}

/** The last entry of a log has nothing behind it; in the archive another one follows. */
const parted = (entry: string): string => (/\n\r?\n$/.test(entry) ? entry : `${entry.trimEnd()}\n\n---\n\n`)

type Row = { readonly sha256: string; readonly title: string }
const rowOf = (entry: string): Row => ({ sha256: hashOfEntry(entry), title: titleOf(entry) })

function readIndex(text: string): readonly Row[] | null {
  try {
    const { version, entries } = JSON.parse(text) as { version?: unknown; entries?: unknown }
    const whole =
      version === 1 &&
      Array.isArray(entries) &&
      entries.every(row => typeof row?.sha256 === 'string' && typeof row.title === 'string')
    return whole ? (entries as Row[]) : null
  } catch {
    return null
  }
}

/** What the index says and the archive does not hold; null if it holds everything. */
export function flawOfArchive(text: string | null, index: string | null): string | null {
  if (index === null) return null
  const rows = readIndex(index)
  if (rows === null) return `${ARCHIVE_INDEX} is no index of version 1`
  const held = new Set(splitLog(text ?? '').entries.map(hashOfEntry))
  const lost = rows.filter(row => !held.has(row.sha256))
  if (lost.length > 0) return `${ARCHIVE} lacks ${lost.length} entries that its index names`
  return new Set(rows.map(row => row.sha256)).size < rows.length
    ? `${ARCHIVE_INDEX} names an entry twice`
    : null
}

/** The beginnings of the newest entries, for a status that must be rebuilt. */
export const newestTitles = (text: string, count: number): string[] =>
  splitLog(text)
    .entries.slice(0, count)
    .map(entry => titleOf(entry).replace(/^## /, ''))

export const linesIn = (text: string): number => {
  let count = 0
  for (const { line, start, end } of linesOf(text)) if (end > start + line.length) count++
  return count
}
