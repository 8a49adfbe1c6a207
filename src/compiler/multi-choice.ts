// Several options, commas between, spaces around the commas. The answer is in the schema's order, so that the same
// selection is always the same value.

import { carried, type ReplyReading } from './answer.js'
import { withoutFinalMark } from './ascii.js'
import { optionCalled } from './option.js'
import type { ReplySchema } from './reply-schema.js'
import { withoutSpaces } from './trim.js'

type MultiChoice = Extract<ReplySchema, { kind: 'multi_choice' }>

export function readMultiChoice(schema: MultiChoice, said: string): ReplyReading {
  const list = withoutFinalMark(said)
  // Spaces stand beside commas; before the final mark there is none.
  if (list.endsWith(' ')) return 'reply_not_in_schema'
  const called = new Set<number>()
  for (const name of list.split(',')) {
    const index = optionCalled(schema.options, withoutSpaces(name))
    // A name of nothing, or the same option twice: the meaning is not certain.
    if (index === -1 || called.has(index)) return 'reply_not_in_schema'
    called.add(index)
  }
  if (called.size < schema.min || called.size > schema.max) return 'reply_not_in_schema'
  return carried({
    selected: schema.options.filter((_, index) => called.has(index)).map(option => option.value),
  })
}
