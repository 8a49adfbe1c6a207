// A refused reply, short enough and plain enough to be put before the person again. Characters that hide, reorder or
// break a line are spelt out; the place that shows it escapes the rest.
import { kindOf, LETTER, MARK, OTHER } from './alphabet.js'

/** UTF-16 units: enough to recognise one's own words, too few to carry a message to somebody else. */
const MAX_READ_UNITS = 120
const MAX_MARKS = 4

const UNCOMMON = /[^ -[\]-~]/
const SP = 0x20
const BACKSLASH = 0x5c
/** Signs outside the alphabet that are still seen as what they are. Only pictures and
 *  signs; no spaces, controls, fillers. */
const VISIBLE = /[\p{P}\p{S}]/u
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u

export function quote(reply: string): string {
  // Most refused replies are ordinary words.
  if (reply.length <= MAX_READ_UNITS && !UNCOMMON.test(reply)) return reply
  let read = ''
  let room = 0
  for (const character of reply) {
    const codePoint = character.codePointAt(0) ?? 0
    const kind = kindOf(codePoint)
    const isPlain = kind === MARK ? room > 0 : kind !== OTHER || isSeen(character, codePoint)
    const shown = isPlain ? character : escaped(codePoint)
    if (read.length + shown.length > MAX_READ_UNITS) return `${read}…`
    read += shown
    room = kind === LETTER ? MAX_MARKS : kind === MARK ? room - 1 : 0
  }
  return read
}

const isSeen = (character: string, codePoint: number): boolean =>
  codePoint === SP || (codePoint !== BACKSLASH && VISIBLE.test(character) && !INVISIBLE.test(character))

const escaped = (codePoint: number): string =>
  codePoint === BACKSLASH ? '\\\\' : `\\u{${codePoint.toString(16).toUpperCase()}}`
