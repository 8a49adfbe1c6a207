// The passages of a text that fit into a given room: its beginning and its end, because a command can hide at either.
// Places are counted in code points, so that every reader of the ledger counts alike.
//
// CU1  What is shown, drawn behind its margin, takes no more room than was given.
// CU2  A text that fits is shown whole. What is cut is cut between lines, or within a line that is too long by itself.
import { BLANKS_IN_A_ROW, unitsOf } from './spell.js'

/** From and to, the latter not included. */
export type Range = readonly [from: number, to: number]

/** The margin before a line, and its end. */
const MARGIN_UNITS = 3
/** Less than this says nothing: the content is named, and read elsewhere. */
const LEAST_UNITS = 64
/** The part of the room that the beginning has. */
const BEGINNING = 2 / 3

/** The room that a text takes when it is drawn as it stands, in UTF-16 units. */
export function roomOf(text: string): number {
  let room = 0
  for (const line of text.split(/\r?\n/)) room += lineRoom(line)
  return room
}

const lineRoom = (line: string): number => unitsOf(line) + MARGIN_UNITS

/** The places are in UTF-16 units. None where the room is too small to show anything of use. `needed` is what roomOf
 *  says, for whoever knows it already. */
export function cut(text: string, room: number, needed = roomOf(text)): readonly Range[] {
  if (text === '') return [[0, 0]]
  if (needed <= room) return [[0, text.length]]
  if (room < LEAST_UNITS) return []
  const first = Math.ceil(room * BEGINNING)
  const to = beginning(text, first)
  const from = ending(text, room - first)
  // Each by itself has its room, and together they have not: a long run of blanks, divided, is not named.
  const until = from > to ? to : to - characterBefore(text, to).length
  const parts: readonly Range[] = [
    [0, until],
    [Math.max(from, to), text.length],
  ]
  return parts.filter(([begin, end]) => begin < end)
}

/** Where the last line that fits ends; a line that does not fit even alone is cut. */
function beginning(text: string, room: number): number {
  let left = room
  let at = 0
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end + 1
    // A line longer than the room need not be spelt to know that it does not fit.
    const needed = next - at > left ? next - at : lineRoom(text.slice(at, next).replace(/\r?\n$/, ''))
    if (needed > left) return at > 0 ? at : partOf(text, 0, Math.min(next, room), left)
    left -= needed
    at = next
  }
  return at
}

function ending(text: string, room: number): number {
  let left = room
  let at = text.length
  while (at > 0) {
    const begin = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1
    const needed = at - begin > left ? at - begin : lineRoom(text.slice(begin, at).replace(/\r?\n$/, ''))
    if (needed > left) return at < text.length ? at : lastPart(text, Math.max(begin, at - room), at, left)
    left -= needed
    at = begin
  }
  return at
}

/** The characters from `from` on that fit, at most to `to`. */
function partOf(text: string, from: number, to: number, room: number): number {
  const meter = new Meter()
  let at = from
  while (at < to) {
    const character = characterAt(text, at)
    if (meter.add(character) > room - MARGIN_UNITS) return at
    at += character.length
  }
  return at
}

function lastPart(text: string, from: number, to: number, room: number): number {
  const meter = new Meter()
  let at = to
  while (at > from) {
    const character = characterBefore(text, at)
    if (meter.add(character) > room - MARGIN_UNITS) return at
    at -= character.length
  }
  return at
}

/** Adds up the most that characters can take, as they come, from either end of a line. */
class Meter {
  #units = 0
  /** The blanks that came last, and how often they changed their kind: as runs they are named. */
  #blanks = 0
  #runs = 0
  #last = ''

  /** With this one, all take so many units at most. */
  add(character: string): number {
    if (/^[\t ]$/.test(character)) {
      this.#runs += character === this.#last ? 0 : 1
      this.#blanks += 1
    } else {
      this.#units += blanksRoom(this.#blanks, this.#runs) + widest(character)
      this.#blanks = 0
      this.#runs = 0
    }
    this.#last = character
    return this.#units + blanksRoom(this.#blanks, this.#runs)
  }
}

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)
const characterBefore = (text: string, at: number): string =>
  /[\udc00-\udfff]/.test(text.charAt(at - 1)) ? text.slice(at - 2, at) : text.charAt(at - 1)

/** Few blanks stand as they are; the name of a run is as long as the longest of all. */
const blanksRoom = (blanks: number, runs: number): number =>
  blanks <= BLANKS_IN_A_ROW ? blanks : Math.max(runs * RUN_NAME_UNITS, BLANKS_IN_A_ROW)
const RUN_NAME_UNITS = '⟨262144 × U+0020⟩'.length

/** The longest name of a character. */
const NAME_UNITS = '⟨U+10FFFF⟩'.length
/** A character may be named or not by what stands before it. */
const widest = (character: string): number => (/^[\t -~]$/.test(character) ? 1 : NAME_UNITS)

/** The room each of several has, if it is shared: what the smaller ones do not need goes to the larger ones. */
export function share(needs: readonly number[], room: number): readonly number[] {
  const bySize = needs.map((need, at) => ({ need, at })).sort((one, other) => one.need - other.need)
  const shares = needs.map(() => 0)
  let left = room
  for (const [place, { need, at }] of bySize.entries()) {
    const given = Math.min(need, Math.floor(left / (bySize.length - place)))
    shares[at] = given
    left -= given
  }
  return shares
}
