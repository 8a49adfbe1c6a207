// What may be shown to a person, and how we quote what a caller wrote. A caller's text reaches people's eyes on
// five channels, so it holds nothing that reorders, hides or breaks a line (Trojan Source, CVE-2021-42574).
//
// T1  Shown text is one line of assigned, visible characters and spaces; its length is counted in code points.
// T2  A quotation is short and inert: it never carries a blob or an invisible character back out.
import type { Rules } from '../rules.js'

/**
 * Controls (newlines too), format characters (bidi, zero-width, tags), surrogates, private use and unassigned are
 * all of \p{C}; line and paragraph separators and the default-ignorable rest (variation selectors, Hangul fillers)
 * are not, and are as invisible.
 */
const UNSHOWABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const UNSHOWABLE_ALL = new RegExp(UNSHOWABLE.source, 'gu')
/** U+2800 is a symbol by category and blank by looks. */
const BLANK = /^[\p{Zs}\u2800]*$/u

/** Long enough to recognise one's own value, too short to smuggle content through an error. */
const QUOTED_CHARS = 40

export const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length += 1
  return length
}

export type TextFlaw =
  | { readonly kind: 'blank' }
  | { readonly kind: 'too_long'; readonly length: number }
  | { readonly kind: 'unshowable'; readonly character: string; readonly at: number }

/** The first reason this text may not be shown, or null. */
export function flawOfText(text: string, maxChars: number): TextFlaw | null {
  const found = UNSHOWABLE.exec(text)
  if (found) {
    const at = lengthOf(text.slice(0, found.index)) + 1
    return { kind: 'unshowable', character: codePoint(found[0]), at }
  }
  const length = lengthOf(text)
  if (length > maxChars) return { kind: 'too_long', length }
  return BLANK.test(text) ? { kind: 'blank' } : null
}

/** By the rules a request was let in under. */
export const TEXT_RULES: Readonly<Record<Rules, (text: string, maxChars: number) => TextFlaw | null>> = {
  '1': flawOfText,
  '2': flawOfText,
}

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

/** What was read, short enough to put into an answer: strings are cut and escaped, containers only described. */
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
  const escaped = shown.replace(UNSHOWABLE_ALL, character => `<${codePoint(character)}>`)
  return cut ? `${escaped}…` : escaped
}
