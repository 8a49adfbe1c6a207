import { cutToUnits } from '../../../src/adapter/index.js'
// A body as lines, each with its role: words of the author's own, or a quotation. Text says so by `>`; HTML says so
// by its elements (html.ts).

export type Role = 'own' | 'quoted'
export type Line = { readonly text: string; readonly role: Role }

/** Characters of a body. A reply with a whole thread below it has a few thousand. */
const MAX_TEXT_CHARS = 64 * 1024
/** UTF-16 units. The longest possible answer has fewer, so a line that is cut here is never one. */
export const MAX_LINE_CHARS = 2_048

/** Null for a text longer than anybody reads. `flowed` as of RFC 3676. */
export function linesOf(text: string, flowed: 'no' | 'yes' | 'delsp'): readonly Line[] | null {
  if (text.length > MAX_TEXT_CHARS) return null
  const lines = text.split(/\r\n|\n|\r/).map(cut)
  return flowed === 'no' ? lines.map(asWritten) : unfolded(lines, flowed === 'delsp')
}

const asWritten = (text: string): Line => ({ text, role: isQuoted(text) ? 'quoted' : 'own' })

/** An address broken before its bracket leaves `>:` on a line of its own. */
const isQuoted = (line: string): boolean => line.startsWith('>') && line.trimEnd() !== '>:'

/** The sign that a cut leaves at the end is in no answer's alphabet. */
export const cut = (line: string): string => cutToUnits(line, MAX_LINE_CHARS)

const SIGNATURE = '-- '

/** Soft line breaks undone. Only lines outside quotations are joined: the others are not read. */
function unfolded(lines: readonly string[], delsp: boolean): Line[] {
  const whole: Line[] = []
  let open = false
  for (const written of lines) {
    // A blank before a line marks the ">" behind it as the author's own, not as a sign of quotation.
    const { role } = asWritten(written)
    const line = written.startsWith(' ') ? written.slice(1) : written
    const isText = role === 'own' && line !== SIGNATURE
    const isSoft = isText && line.endsWith(' ')
    const text = isSoft && delsp ? line.slice(0, -1) : line
    const last = whole.at(-1)?.text ?? ''
    const isJoined = open && isText && line !== '' && last.length < MAX_LINE_CHARS
    if (isJoined) whole[whole.length - 1] = { text: last + text, role }
    else whole.push({ text, role })
    open = isSoft
  }
  return whole
}

/** Text of which a person sees nothing. */
const BLANK = /^[\s\u00a0\u00ad\u180e\u200b-\u200f\u2060\ufeff]*$/
export const isBlank = (text: string): boolean => BLANK.test(text)

/** For comparing two parts: line breaks and the width of gaps are not part of what was said. */
export const folded = (text: string): string => text.replace(/[\s\u00a0]+/g, ' ').trim()
export const dense = (text: string): string => text.replace(/[\s\u00a0]+/g, '')

const isEdge = (unit: number): boolean => unit === 0x20 || unit === 0x09

/** Cuts SP and TAB off at both ends and nothing else, as the grammar does, in one pass. */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isEdge(text.charCodeAt(start))) start++
  while (end > start && isEdge(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
