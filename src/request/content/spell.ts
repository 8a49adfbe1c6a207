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
const BLANKS_IN_A_ROW = 32
const MANY_BLANKS = new RegExp(`[ \\t]{${BLANKS_IN_A_ROW + 1},}`, 'g')
const EACH_RUN = / +|\t+/g

const number = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** One line, without its end. */
export function spell(line: string): string {
  const seen = ORDINARY.test(line) ? line : line.replace(NAMED, character => `⟨${number(character)}⟩`)
  return seen.length <= BLANKS_IN_A_ROW ? seen : seen.replace(MANY_BLANKS, named)
}

const named = (blanks: string): string => blanks.replace(EACH_RUN, run => `⟨${run.length} × ${number(run)}⟩`)

const ALL_SEEN = /^[\t\n\r -~]*$/
const HIDDEN = new RegExp(`(?![\\n\\t]|\\r\\n)(?:${UNSEEN.source})`, 'u')
/** Whether something in it is named that a reader would not have seen. */
export const hides = (text: string): boolean => !ALL_SEEN.test(text) && HIDDEN.test(text)

/** The lines of a text, without their ends. The last end closes its line, and begins no other. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
