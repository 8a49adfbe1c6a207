// The rules for text that is shown to a person, and for quoting a caller's text. It reaches people's eyes on five
// channels, so it holds nothing that reorders, hides or breaks a line (Trojan Source, CVE-2021-42574).
//
// T1  Shown text is one line of assigned, visible characters and single spaces; a mark stands on a letter, at most
//     four on one, and no mark strikes a letter out or encloses it. Its length is counted in code points.
// T2  A quotation is short and inert: it never carries a blob or an invisible character back out.
import { NEWEST_RULES, type Rules } from '../rules.js'

/**
 * All controls (newlines too), format characters (bidi, zero-width, tags), surrogates, private-use and unassigned
 * characters are \p{C}. Line and paragraph separators and the default-ignorable rest (variation selectors, Hangul
 * fillers) are not, and are as invisible.
 */
const HIDDEN = '\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'
const FIRST_UNSHOWABLE = new RegExp(`[${HIDDEN}]`, 'u')
/** It stands for an object that is not there. */
const PLACEHOLDER = '\\ufffc'
/** Marks that strike out their letter (combining class 1, and those for symbols), or enclose it: "not" can be made to
 *  look deleted. */
const OVERLAYS = '\\p{Me}\\u0334-\\u0338\\u20d0-\\u20f0\\u{10a39}\\u{1bc9e}\\u{1d167}-\\u{1d169}'
/** Every blank but U+0020: some have any width, others only look like a space. The last five are symbols, letters and
 *  a mark by category, and blank by looks. */
const BLANKS =
  '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\u2800\\u{1d159}\\u{13441}\\u{13442}\\u{16fe4}'
/** A mark on nothing joins its neighbour; the fifth on a letter builds a tower that covers its neighbours. */
const MISPLACED = '(?<![\\p{L}\\p{M}])\\p{M}|(?<=\\p{M}{4})\\p{M}'

/** Every character that is not seen, or that hides its neighbours. */
export const UNSEEN = new RegExp(`[${HIDDEN}${PLACEHOLDER}${OVERLAYS}${BLANKS}]|${MISPLACED}`, 'u')
/** The second of two blanks may be the two hundredth: the text after it stands where nobody looks. */
const UNSHOWABLE = new RegExp(`${UNSEEN.source}|(?<= ) `, 'u')
const UNSHOWABLE_ALL = new RegExp(UNSHOWABLE.source, 'gu')
const BLANK = /^[\p{Zs}\u2800]*$/u

/** Long enough to recognise one's own value, too short to smuggle content through an error. */
const QUOTED_CHARS = 40

const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length += 1
  return length
}

export type TextFlaw =
  | { readonly kind: 'blank' }
  | { readonly kind: 'too_long'; readonly length: number }
  /** Two empty lines one after the other: the second may be the two hundredth. */
  | { readonly kind: 'gap' }
  | {
      readonly kind: 'unshowable'
      readonly character: string
      readonly as: 'sign' | 'blank' | 'mark'
      readonly at: number
    }

type Judge = (text: string, maxChars: number) => TextFlaw | null

/** The first reason a text may not be shown, or null. */
const judgedBy =
  (unshowable: RegExp): Judge =>
  (text, maxChars) => {
    const found = unshowable.exec(text)
    if (found) {
      const at = lengthOf(text.slice(0, found.index)) + 1
      return { kind: 'unshowable', character: codePoint(found[0]), as: nounOf(found[0]), at }
    }
    const length = lengthOf(text)
    if (length > maxChars) return { kind: 'too_long', length }
    return BLANK.test(text) ? { kind: 'blank' } : null
  }

/** By the rules a request was let in under. */
export const TEXT_RULES: Readonly<Record<Rules, Judge>> = {
  '1': judgedBy(FIRST_UNSHOWABLE),
  '2': judgedBy(UNSHOWABLE),
}
export const flawOfText: Judge = TEXT_RULES[NEWEST_RULES]

const GAP = /(?:^|\n)\n\n/

/** The same of a text that may have several lines, each judged as a line of its own. */
export function flawOfLines(text: string, maxChars: number, judge: Judge): TextFlaw | null {
  const length = lengthOf(text)
  if (length > maxChars) return { kind: 'too_long', length }
  if (BLANK.test(text.replaceAll('\n', ''))) return { kind: 'blank' }
  if (GAP.test(text)) return { kind: 'gap' }
  let before = 0
  for (const line of text.split('\n')) {
    const flaw = line === '' ? null : judge(line, maxChars)
    if (flaw?.kind === 'unshowable') return { ...flaw, at: before + flaw.at }
    if (flaw !== null) return flaw
    before += lengthOf(line) + 1
  }
  return null
}

const A_BLANK = new RegExp(`[ ${BLANKS}]`, 'u')
const A_MARK = /(?!\p{Default_Ignorable_Code_Point})\p{M}/u
const nounOf = (character: string): 'sign' | 'blank' | 'mark' =>
  A_BLANK.test(character) ? 'blank' : A_MARK.test(character) ? 'mark' : 'sign'

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}

/**
 * Every mark that ends a question in some script, so that a second question cannot hide behind a foreign one. The
 * Greek one looks like a semicolon; the ornaments are read as question marks in chat. ⁇ stands for two.
 */
const CLOSING_MARKS =
  /[?\u037e\u055e\u061f\u1367\u1945\u203d\u2047\u2048\u2049\u2753\u2754\u2cfa\u2cfb\u2e2e\ua60f\ua6f7\ufe16\ufe56\uff1f\u{11143}\u{1f679}\u{1f67b}]/gu
/** Spanish and Adlam open a question too: one opener and one closer are one question. */
const OPENING_MARKS = /[\u00bf\u2e18\u{1e95f}]/gu
const DOUBLE_MARK = '\u2047'

/** How many questions the marks of this text announce: "¿Publicamos?" is one, "¿A? ¿B" is two. */
export function questionsIn(text: string): number {
  const closing = text.match(CLOSING_MARKS) ?? []
  const doubled = closing.filter(mark => mark === DOUBLE_MARK).length
  const opening = text.match(OPENING_MARKS)?.length ?? 0
  return Math.max(opening, closing.length + doubled)
}

/** The text with one question's marks at most: of every mark the first stays, and what announces a second is taken out. */
export function cutQuestions(text: string): string {
  if (questionsIn(text) <= 1) return text
  const first = (marks: RegExp, doubled: string): ((whole: string) => string) => {
    let seen = 0
    return whole => whole.replace(marks, mark => (seen++ === 0 && mark !== doubled ? mark : ''))
  }
  const once = first(OPENING_MARKS, '')(first(CLOSING_MARKS, DOUBLE_MARK)(text))
  return once.replace(/ {2,}/g, ' ').trim()
}

/** A value as it was read, short enough for an answer: strings are cut and escaped, containers only described. */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'string') return `"${inert(value)}"`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.keys(value).length
  return `an object with ${fields} ${fields === 1 ? 'field' : 'fields'}`
}

/** The first characters of a text, with everything invisible spelt out. */
export function inert(text: string): string {
  // Cut by code units first: a megabyte is never walked for forty characters.
  const start = [...text.slice(0, 2 * QUOTED_CHARS + 1)]
  const cut = start.length > QUOTED_CHARS
  const shown = start.slice(0, QUOTED_CHARS).join('')
  const escaped = spellOut(shown)
  return cut ? `${escaped}…` : escaped
}

/** A short text with everything invisible spelt out. A mark that stood on another may then stand on nothing, and is
 *  spelt out too. */
export function spellOut(text: string): string {
  const spelt = text.replace(UNSHOWABLE_ALL, character => `<${codePoint(character)}>`)
  return spelt === text ? text : spellOut(spelt)
}
