// The uses that need not be asked about, each written out whole: a tool, `Read`, or a tool with the exact text of its
// command, `Bash(git status)`. No part of a text is ever compared, so nothing can be added to what is listed.
type Pattern = { readonly tool: string; readonly command: string | null }

const SHAPE = /^([A-Za-z0-9][A-Za-z0-9_.:/-]{0,127})(?:\((.+)\))?$/s
/** Members of an input that change nothing of what a command does. Any other makes it another use. */
const HARMLESS = ['command', 'description', 'timeout']

export const PATTERN_WORDS =
  'a tool, such as Read, or a tool with its whole command, such as "Bash(git status)"'

export function readPattern(text: string): Pattern | null {
  const [, tool, command = null] = SHAPE.exec(text) ?? []
  return tool === undefined ? null : { tool, command }
}

export const isListed = (patterns: readonly Pattern[], tool: string, input: object): boolean =>
  patterns.some(
    pattern => pattern.tool === tool && (pattern.command === null || isExactly(pattern.command, input)),
  )

const isExactly = (command: string, input: object): boolean =>
  'command' in input && input.command === command && Object.keys(input).every(name => HARMLESS.includes(name))
