// The answer that the author of a reply gave: one line, alone, above everything a mail program or a gateway put
// there. Nothing is cut out of prose: either everything around the answer is accounted for, line by line, or nothing
// was said clearly.
//
// ES1  The answer is the first line that no program wrote, and nothing else in the reply is the author's.
// ES2  Between it and the quotation stand only listed lines, a delimited signature, and the quotation's introduction.
// ES3  Below a quotation whose lines are marked, and below the last line of an unmarked mail of ours, the author
//      wrote at most a signature.
// ES4  No line that is passed over could be another answer.
// ES5  A form is answered by all lines of the author's own; both parts have the same ones.
//
// Each part of a mail is read so by itself. The name of an HTML element proves nothing about the words in it: an
// author's cursor can stand in any of them.

import { findLastLine, findMarker } from '../marker.js'
import { attributionLines } from './attribution.js'
import { hasCondition } from './condition.js'
import { findHeaderBlock, isSeparator } from './header-block.js'
import { dense, folded, isBlank, type Line } from './lines.js'
import { type Banners, isLiteral } from './literals.js'

/** Facts beside the body: our own addresses in lower case, lines of the operator's gateways, the mail's subject. */
export type Known = {
  readonly own: readonly string[]
  readonly banners: Banners
  readonly subject: string
  /** The ids of a form's decisions, in lower case; null where one answer is asked for. */
  readonly decisions: readonly string[] | null
}

export type Said =
  | { readonly kind: 'said'; readonly answer: string }
  | { readonly kind: 'unclear' }
  /** No line of the author's own. */
  | { readonly kind: 'nothing' }

const UNCLEAR: Said = { kind: 'unclear' }
/** A signature longer than this is a letter. */
const MAX_SIGNATURE_LINES = 40
/** Lines without a quotation mark, each of which is compared with every known one. A signature, a gateway's
 *  disclaimer and an introduction have a few dozen. */
const MAX_OWN_LINES = 500

/** `html`: the answer in the HTML of the same mail, if a program broke it into lines in the text alone. */
export function readSaid(lines: readonly Line[], known: Known, html: Said | null): Said {
  const seen = lines.filter(({ text }) => !isBlank(text))
  const boundary = seen.findIndex(({ text, role }) => role === 'quoted' || findMarker(text) !== null)
  const cutAt = boundary === -1 ? seen.length : boundary
  if (cutAt > MAX_OWN_LINES) return UNCLEAR
  const words = seen.slice(0, cutAt).filter(({ text }) => !isLiteral(text, known.banners))
  const introAt = boundary === -1 ? words.length : introductionAt(words, known)
  const signAt = Math.min(signatureAt(words), introAt)
  if (signAt === 0) return { kind: 'nothing' }
  const own = words.slice(0, signAt)
  const { answer, used } =
    known.decisions === null ? answerOf(own, html) : linesOf(own, html, known.decisions)
  if (used !== signAt || !isSignature(words.slice(signAt, introAt), known)) return UNCLEAR
  if (isOpenEnded(answer) || !isOnlyQuotation(seen.slice(cutAt), known)) return UNCLEAR
  return { kind: 'said', answer }
}

/** The index at which the introduction of the quotation below begins. */
function introductionAt(words: readonly Line[], { own, subject }: Known): number {
  const texts = words.map(({ text }) => text)
  const block = findHeaderBlock(texts, subject)
  let at = block === -1 ? texts.length - attributionLines(texts, own) : block
  while (at > 0 && isSeparator(texts[at - 1] ?? '')) at--
  return at
}

/** RFC 3676, 4.3; some programs drop the blank. */
const isDelimiter = ({ text }: Line): boolean => text.trimEnd() === '--'

function signatureAt(words: readonly Line[]): number {
  const at = words.findIndex(isDelimiter)
  return at === -1 ? words.length : at
}

/** Lines from a delimiter on. A signature begins with a name; a line drawn by hand may have a condition below it. */
function isSignature(lines: readonly Line[], { decisions }: Known): boolean {
  const [, first] = lines
  if (lines.length > MAX_SIGNATURE_LINES || lines.some(({ text }) => couldBeAnswer(text, decisions ?? [])))
    return false
  return first === undefined || !hasCondition(first.text.trim().split(/\s+/, 1))
}

const ANSWER = /^(?:yes|no|[a-z]|-?[0-9]{1,15}(?:\.[0-9]{1,6})?|[0-9]{4}-[0-9]{2}-[0-9]{2}.{0,30})[.!]?$/i
const couldBeAnswer = (text: string, decisions: readonly string[]): boolean =>
  ANSWER.test(text.trim()) || namesOne(text, decisions)
const namesOne = (text: string, decisions: readonly string[]): boolean =>
  decisions.includes(text.trim().toLowerCase().split(/\s/, 1)[0] ?? '')

/** All of the author's lines (ES5); those that a program broke in the text are whole again, as the HTML has them. A line
 *  that names a decision is no part of the one before it. */
function linesOf(
  words: readonly Line[],
  html: Said | null,
  decisions: readonly string[],
): { answer: string; used: number } {
  const written = { answer: words.map(({ text }) => text.trim()).join('\n'), used: words.length }
  if (html?.kind !== 'said') return written
  let at = 0
  for (const line of html.answer.split('\n')) {
    const wanted = dense(line)
    let joined = dense(words[at++]?.text ?? '')
    while (joined.length < wanted.length && !namesOne(words[at]?.text ?? '', decisions) && at < words.length)
      joined += dense(words[at++]?.text ?? '')
    if (joined !== wanted) return written
  }
  return { answer: html.answer, used: at }
}

/** The first line, or as many lines as the HTML has in one, if a program broke it. */
function answerOf(words: readonly Line[], html: Said | null): { answer: string; used: number } {
  const first = words[0]?.text ?? ''
  if (html?.kind === 'said' && folded(first) !== folded(html.answer)) {
    const wanted = dense(html.answer)
    let joined = ''
    for (const [index, { text }] of words.entries()) {
      joined += dense(text)
      if (joined === wanted) return { answer: html.answer, used: index + 1 }
      if (joined.length >= wanted.length) break
    }
  }
  return { answer: first, used: 1 }
}

/** An introduction in a language that is not listed: no answer ends with a colon. */
const isOpenEnded = (answer: string): boolean => /[:：]\s*$/.test(answer)

/** For the lines from the first quoted one on. Behind our unquoted marker every line is ours, up to our last. */
function isOnlyQuotation(lines: readonly Line[], known: Known): boolean {
  const open = lines.findIndex(({ text, role }) => role !== 'quoted' && findMarker(text) !== null)
  if (open === -1) return isNothingSaid(lines, known)
  const end = findLastLine(lines.map(({ text }) => text))
  return (
    isNothingSaid(lines.slice(0, open), known) && (end < open || isNothingSaid(lines.slice(end + 1), known))
  )
}

function isNothingSaid(lines: readonly Line[], known: Known): boolean {
  const { banners } = known
  const unquoted = lines.filter(({ role }) => role !== 'quoted')
  if (unquoted.length > MAX_OWN_LINES) return false
  const own = unquoted.filter(({ text }) => !isLiteral(text, banners))
  const signAt = own.findIndex(line => isDelimiter(line) || isFooter(line))
  return signAt === -1 ? own.length === 0 : signAt === 0 && isSignature(own, known)
}

/** Lists and gateways put a line of underscores above the footer they add. */
const isFooter = ({ text }: Line): boolean => /^_{2,}$/.test(text.trim())
