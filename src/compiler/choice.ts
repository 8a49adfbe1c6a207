// One option, by letter or value. Labels are for reading: a person who types one has not chosen by the rules shown.

import { chosen, type ReplyReading } from './answer.js'
import { withoutFinalMark } from './ascii.js'
import { optionCalled } from './option.js'
import type { ReplySchema } from './reply-schema.js'

type Choice = Extract<ReplySchema, { kind: 'choice' }>

export function readChoice(schema: Choice, said: string): ReplyReading {
  const option = schema.options[optionCalled(schema.options, withoutFinalMark(said))]
  return option === undefined ? 'reply_not_in_schema' : chosen(option.value)
}
