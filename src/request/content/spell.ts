// A content's characters as a person sees them: each is itself, or named by its number. Nothing turns, hides, moves or
// covers what stands beside it.
//
// CS1  The drawing can be undone: ⟨ itself is named, so that no content can write a name that stands for nothing.
// CS2  A line end is a line end: LF, or CR LF. A CR alone is one to some readers only, and is named.
// CS3  Many blanks in a row would push the words behind them to where nobody looks: they are named with their number.
import { UNSEEN } from '../text.js'

/** The tab is left out: it gives content its form. */
const NAMED = new RegExp(`⟨|(?!\\t)(?:${UNSEEN.source})`, 'gu')
const ORDINARY = /^[\t -~]*$/
/** As many as the deepest indentation that a reader follows. */
export const BLANKS_IN_A_ROW = 32
const MANY_BLANKS = new RegExp(`[ \\t]{${BLANKS_IN_A_ROW + 1},}`, 'g')
const EACH_RUN = / +|\t+/g

const number = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** One line, without its end. */
export function spell(line: string): string {
  const seen = ORDINARY.test(line) ? line : line.replace(NAMED, character => `⟨${number(character)}⟩`)
  return seen.length <= BLANKS_IN_A_ROW ? seen : seen.replace(MANY_BLANKS, named)
}

const named = (blanks: string): string => blanks.replace(EACH_RUN, run => nameOfRun(run.length, run))
const nameOfRun = (length: number, run: string): string => `⟨${length} × ${number(run)}⟩`

/** The units of a line once it is spelt, counted without spelling it: a name may be ten times as long as what it names. */
export function unitsOf(line: string): number {
  let units = line.length
  if (!ORDINARY.test(line))
    for (const [character] of line.matchAll(NAMED)) units += number(character).length + 2 - character.length
  return line.length <= BLANKS_IN_A_ROW ? units : units + addedByRuns(line)
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09
/** The units of a run's name beside the number of its blanks. */
const RUN_UNITS = nameOfRun(0, ' ').length - 1

/** The units that the names of long runs have more than the runs. */
function addedByRuns(line: string): number {
  let added = 0
  for (let at = 0; at < line.length; at++) {
    if (!isBlank(line.charCodeAt(at))) continue
    const from = at
    let names = 0
    while (at < line.length && isBlank(line.charCodeAt(at))) {
      const [begin, unit] = [at, line.charCodeAt(at)]
      while (line.charCodeAt(at) === unit) at++
      names += RUN_UNITS + String(at - begin).length
    }
    if (at - from > BLANKS_IN_A_ROW) added += names - (at - from)
  }
  return added
}

const ALL_SEEN = /^[\t\n\r -~]*$/
const HIDDEN = new RegExp(`(?![\\n\\t]|\\r\\n)(?:${UNSEEN.source})`, 'u')
/** Whether something in it is named that a reader would not have seen. */
export const hides = (text: string): boolean => !ALL_SEEN.test(text) && HIDDEN.test(text)

/** The lines of a text, without their ends. The last end closes its line, and begins no other. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
