// One inert line in anybody's script. Nothing in it opens a link, tag, mention, code span or template in Markdown,
// HTML, Slack mrkdwn or Telegram markup: the characters that could are not in the alphabet, and the few shapes that
// programs make clickable out of plain letters are refused by name (lure.ts).
//
// GX1  Length, alphabet and shapes are judged on the NFC form, which is the answer: the checked
//      text is the one carried.
// GX2  NFC is only asked about code points of the pinned alphabet, whose normalisation never changes.
// GX3  A mark stands on a letter, at most four on one.

import { kindOf, LETTER, MARK, OTHER } from './alphabet.js'
import { carried, type ReplyReading } from './answer.js'
import { isLure } from './lure.js'
import type { ReplySchema } from './reply-schema.js'

type Text = Extract<ReplySchema, { kind: 'text' }>

const PUNCTUATION = new Set(codePointsOf(' .,;:!?\'"%+=()/-'))

/** More is a tower that covers its neighbours, not an accent. */
const MAX_MARKS = 4
/** NFC sorts a run of marks, which is not linear in the run; four marks on a letter never need more before it. */
const MAX_MARKS_BEFORE_NFC = 16

export function readText(schema: Text, said: string): ReplyReading {
  if (!isSpelt(codePointsOf(said), MAX_MARKS_BEFORE_NFC)) return 'reply_bad_charset'
  const text = said.normalize('NFC')
  const codePoints = codePointsOf(text)
  if (codePoints.length > schema.max_chars) return 'reply_too_long'
  if (!isSpelt(codePoints, MAX_MARKS)) return 'reply_bad_charset'
  if (codePoints.length === 0 || isLure(codePoints)) return 'reply_not_in_schema'
  return carried({ text })
}

function codePointsOf(text: string): number[] {
  const codePoints: number[] = []
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) ?? 0
    codePoints.push(codePoint)
    at += codePoint > 0xffff ? 2 : 1
  }
  return codePoints
}

function isSpelt(codePoints: readonly number[], maxMarks: number): boolean {
  let room = 0
  for (const codePoint of codePoints) {
    const kind = kindOf(codePoint)
    if (kind === OTHER && !PUNCTUATION.has(codePoint)) return false
    if (kind === MARK && room === 0) return false
    room = kind === LETTER ? maxMarks : kind === MARK ? room - 1 : 0
  }
  return true
}
