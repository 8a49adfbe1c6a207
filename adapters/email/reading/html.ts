// HTML as the lines a person would see, in one pass from left to right. It is read for what it says and never rendered.
//
// EH1  Linear: every search starts where the last one ended, and the open elements are few.
// EH2  Markup that strikes words out, raises, turns round or hides them puts a sign beside them that is in no
//      answer's alphabet: a raised five behind a ten is no hundred and five, and words hidden by one program are
//      shown by the next.
// EH3  A letter with elements that no mail program writes, and every browser shows by rules of its own, is not read.
// EH4  Mail programs mark quotations by elements that say so. An indented block is a quotation from our marker on;
//      otherwise it is the author's own.

import { findMarker } from '../marker.js'
import { decodeReferences } from './entities.js'
import { landmarkOf } from './landmark.js'
import { cut, isBlank, type Line, type Role, trimmed } from './lines.js'
import { isHidden, isStruck, type Strikes, strikesIn } from './sheet.js'
import { type Tag, tokensOf } from './tag.js'

/** Characters. A word processor's style sheet alone may have a hundred thousand. */
const MAX_HTML_CHARS = 512 * 1024
/** Open elements. Tables in tables of a long thread have about a hundred. */
const MAX_OPEN = 400

const BLOCKS = new Set(
  (
    'address article aside blockquote body br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header ' +
    'hr li main nav ol p pre section table tbody tfoot thead tr ul'
  ).split(' '),
)
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
/** Elements whose content is no HTML, or that show words which stand in no text (EH3). */
const UNREAD = new Set(
  (
    'audio button canvas datalist embed frameset iframe input listing math noembed noframes noscript object optgroup option ' +
    'plaintext script select svg template textarea video xmp'
  ).split(' '),
)
const CELLS = new Set(['td', 'th'])
/** The beginning of one of these ends every open element inside its table. */
const ROWS = new Set([...CELLS, ...'caption col colgroup tbody tfoot thead tr'.split(' ')])
const HEADINGS = new Set('h1 h2 h3 h4 h5 h6'.split(' '))
const STRUCK = new Set('s strike del sup sub bdo'.split(' '))
const STRIKE = '~~'

type Open = {
  readonly name: string
  readonly role: Role
  readonly struck: boolean
  readonly hidden: boolean
  readonly pre: boolean
  /** For an indented (not quoted) block: its first line, else null. */
  readonly setInAt: number | null
}

/** Null for HTML that is longer than anybody reads, or has elements that no mail program writes. */
export function linesOfHtml(html: string): readonly Line[] | null {
  if (html.length > MAX_HTML_CHARS) return null
  const page = new Page(strikesIn(html))
  for (const token of tokensOf(html)) {
    if (typeof token === 'string') page.write(token)
    else if (!page.turn(token)) return null
  }
  return page.done()
}

/** The page so far. Only linesOfHtml writes on it. */
class Page {
  readonly #strikes: Strikes
  readonly #lines: Line[] = []
  readonly #open: Open[] = []
  #line = ''

  constructor(strikes: Strikes) {
    this.#strikes = strikes
  }

  write(raw: string): void {
    const seen = decodeReferences(raw).replace(/\u00a0/g, ' ')
    const text = this.#open.at(-1)?.hidden === true && !isBlank(seen) ? `${STRIKE}${seen}${STRIKE}` : seen
    if (this.#open.at(-1)?.pre !== true) {
      this.#line += text.replace(/[\t\r\n ]+/g, ' ')
      return
    }
    const [first = '', ...more] = text.split(/\r\n|\n/)
    this.#line += first
    for (const line of more) {
      this.#endLine()
      this.#line = line
    }
  }

  /** False for an element that is not read, and for nesting deeper than any mail program's. */
  turn(tag: Tag): boolean {
    if (UNREAD.has(tag.name)) return false
    if (BLOCKS.has(tag.name)) this.#endLine()
    if (ROWS.has(tag.name) && !tag.closing) this.#leaveRow()
    // A paragraph ends where the next block begins, closed or not.
    if (BLOCKS.has(tag.name) && !VOID.has(tag.name) && this.#open.at(-1)?.name === 'p') this.#close('p')
    if (CELLS.has(tag.name)) this.#line += ' '
    if (tag.closing) this.#close(tag.name)
    else this.#enter(tag)
    return this.#open.length <= MAX_OPEN
  }

  #enter(tag: Tag): void {
    const around = this.#open.at(-1)
    const mark = landmarkOf(tag)
    const setInAt = mark === 'set_in' && around?.role !== 'quoted' ? this.#lines.length : null
    const struck = STRUCK.has(tag.name) || isStruck(tag, this.#strikes)
    if (struck) this.#line += STRIKE
    // The text shown in the place of a picture.
    if (tag.name === 'img') this.#line += ` ${tag.alt} `
    if (VOID.has(tag.name)) return
    const hidden = around?.hidden === true || isHidden(tag)
    const role = mark === null ? (around?.role ?? 'own') : 'quoted'
    const pre = around?.pre === true || tag.name === 'pre'
    this.#open.push({ name: tag.name, role, struck, hidden, pre, setInAt })
  }

  /** A heading is closed by the end tag of any heading. */
  #close(name: string): void {
    const closes = HEADINGS.has(name) ? HEADINGS : new Set([name])
    const from = this.#open.findLastIndex(open => closes.has(open.name))
    if (from !== -1) this.#cutOff(from)
  }

  /** A cell that is not closed ends where the next begins, and a quotation in it with it. */
  #leaveRow(): void {
    const table = this.#open.findLastIndex(({ name }) => name === 'table')
    if (table !== -1) this.#cutOff(table + 1)
  }

  #cutOff(from: number): void {
    for (const { struck, setInAt } of this.#open.splice(from)) {
      if (struck) this.#line += STRIKE
      if (setInAt !== null) this.#settle(setInAt)
    }
  }

  /** Called where the outermost indented block ends, once for its lines: blocks inside it are not judged again. */
  #settle(from: number): void {
    for (const [at, { text }] of this.#lines.slice(from).entries()) {
      if (findMarker(text) !== null) return
      this.#lines[from + at] = { text, role: 'own' }
    }
  }

  #endLine(): void {
    const role = this.#open.at(-1)?.role ?? 'own'
    this.#lines.push({ text: cut(trimmed(this.#line)), role })
    this.#line = ''
  }

  done(): readonly Line[] {
    this.#endLine()
    for (const { setInAt } of this.#open) if (setInAt !== null) this.#settle(setInAt)
    return this.#lines
  }
}
