// YES, Y, NO, N. "do not approve", a quoted YES and a look-alike letter are none of these.
import { chosen, type ReplyReading } from './answer.js'
import { isSame, withoutFinalMark } from './ascii.js'

export function readYesNo(said: string): ReplyReading {
  const word = withoutFinalMark(said)
  if (isSame(word, 'YES') || isSame(word, 'Y')) return chosen('YES')
  if (isNo(word)) return chosen('NO')
  return 'reply_not_in_schema'
}

export const isNo = (word: string): boolean => isSame(word, 'NO') || isSame(word, 'N')
