// The stages of a reply that is one answer, in the order of docs/spec/reply-grammar.md; the first that refuses gives
// the reason. A line of a form goes through the same stages.

import type { ReplyReading } from './answer.js'
import { isAscii } from './ascii.js'
import { readChoice } from './choice.js'
import { readDate } from './date.js'
import { readMultiChoice } from './multi-choice.js'
import { readNumber } from './number.js'
import type { FormSchema, ReplySchema } from './reply-schema.js'
import { readText } from './text.js'
import { trimmed, withoutSpaces } from './trim.js'
import { isNo, readYesNo } from './yes-no.js'

/** Every kind that one string answers. */
export type PlainSchema = Exclude<ReplySchema, FormSchema>

/** UTF-16 units. The longest legal multi_choice, 26 values of 32 with ", " between and a final mark, has 883. */
const MAX_CLOSED_UNITS = 1024
/** UTF-16 units. 500 code points of NFC are at most 2000 units however they are composed. */
const MAX_TEXT_UNITS = 4096

const LONE_SURROGATE = /\p{Surrogate}/u
export const isUnicode = (reply: string): boolean => !LONE_SURROGATE.test(reply)

export function read(schema: PlainSchema, reply: string): ReplyReading {
  const isText = schema.kind === 'text'
  const atMost = isText ? MAX_TEXT_UNITS : MAX_CLOSED_UNITS
  if (reply.length > atMost) return 'reply_too_long'
  if (!isUnicode(reply)) return 'reply_bad_charset'
  const said = trimmed(reply)
  if (!isText && !isAscii(said)) return 'reply_bad_charset'
  return match(schema, said)
}

function match(schema: PlainSchema, said: string): ReplyReading {
  switch (schema.kind) {
    case 'yes_no':
      return readYesNo(said)
    case 'choice':
      return readChoice(schema, said)
    case 'multi_choice':
      return readMultiChoice(schema, said)
    case 'text':
      return readText(schema, said)
    case 'number':
      return readNumber(schema, said)
    case 'date':
      return readDate(schema, said)
  }
}

const MARK = ': '

/** `NO: wrong customer`: the answer, and the words that explain it. Behind any other answer words are a condition as
 *  often as a reason, so they are left where they are, and refused with it. */
export function apart(
  schema: PlainSchema,
  reply: string,
): { readonly said: string; readonly why: string | null } {
  if (schema.kind !== 'yes_no' || schema.reason === undefined || reply.length > MAX_TEXT_UNITS)
    return { said: reply, why: null }
  const whole = trimmed(reply)
  const at = whole.indexOf(MARK)
  const no = whole.slice(0, Math.max(at, 0))
  return isNo(no)
    ? { said: no, why: withoutSpaces(whole.slice(at + MARK.length)) }
    : { said: reply, why: null }
}
