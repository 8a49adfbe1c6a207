// Words meant to command a reader that is a model. What a person or a file says is data, and data that speaks so is not handed
// on. It is a net, not a wall: what passes it is data all the same.
import { inOrder, type Pattern } from './pattern.js'

/** Those of AAHP's page, of its template of .aiignore, and of its own tool. */
const WORDS: readonly (readonly string[])[] = [
  ['ignore', 'instructions'],
  ['system', 'prompt'],
  ['you are now'],
  ['disregard'],
  ['ignore all previous'],
  ['ignore prior'],
  ['override', 'safety'],
  ['act as', 'unrestricted'],
  ['jailbreak'],
  ['admin_override'],
  ['sudo mode'],
]

/** By their names. */
export const COMMANDS: Readonly<Record<string, Pattern>> = Object.fromEntries(
  WORDS.map(words => [words.join(' … '), inOrder(...words)]),
)

/** The name of the first that a line holds; null for none. */
export const commandIn = (line: string): string | null =>
  Object.entries(COMMANDS).find(([, { holds }]) => holds(line))?.[0] ?? null
