// Shapes of plain letters that programs turn into something to click or to run. The alphabet already keeps out every
// sign of markup; these few are made of signs that people need.
import { DIGIT, kindOf, LETTER, MARK } from './alphabet.js'

const DOLLAR = 0x24
const OPEN = 0x28
const STOP = 0x2e
const SLASH = 0x2f

type CodePoints = readonly number[]

const kindAt = (text: CodePoints, at: number): number => kindOf(text[at] ?? 0)
const isLetter = (text: CodePoints, at: number): boolean => kindAt(text, at) === LETTER
const isLetterOrMark = (text: CodePoints, at: number): boolean =>
  isLetter(text, at) || kindAt(text, at) === MARK
const isInWord = (text: CodePoints, at: number): boolean =>
  isLetterOrMark(text, at) || kindAt(text, at) === DIGIT

export const isLure = (text: CodePoints): boolean => text.some((_, at) => isLureAt(text, at))

function isLureAt(text: CodePoints, at: number): boolean {
  switch (text[at]) {
    case STOP:
      return isHost(text, at) || isWww(text, at)
    case SLASH:
      return text[at + 1] === SLASH || isCommand(text, at)
    case DOLLAR:
      return isLetter(text, at + 1) || text[at + 1] === OPEN
    default:
      return false
  }
}

/** `example.com`: mail and chat programs link it without being asked. */
const isHost = (text: CodePoints, at: number): boolean =>
  isInWord(text, at - 1) && isLetter(text, at + 1) && isLetterOrMark(text, at + 2)

const isW = (codePoint: number | undefined): boolean => codePoint === 0x77 || codePoint === 0x57
const isWww = (text: CodePoints, at: number): boolean =>
  isW(text[at - 1]) && isW(text[at - 2]) && isW(text[at - 3])

/** `/start` runs in Slack as the first word and in Telegram wherever it stands; `and/or` does not. */
const isCommand = (text: CodePoints, at: number): boolean =>
  at === 0 || (isInWord(text, at + 1) && !isInWord(text, at - 1))
