// A shell step's command, read far enough to know whether it asks the lane, and whether its exit code is the lane's answer.
// It is no shell: what it cannot follow (a substitution, a compound command) counts as an exit code that is lost.

type Command = { readonly words: readonly string[] /** What stands behind it. */; readonly end: string }

const OPERATORS = ['&&', '||', ';', '|', '&', '\n', '(', ')']
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/
/** Programs that run another and pass its exit code on. */
const WRAPPERS = ['exec', 'command', 'env', 'nice', 'npx', 'timeout']
const COMPOUND = ['if', 'while', 'until', 'for', 'case', '!', '{', 'then', 'else', 'elif', 'do']
const ASKING = ['ask', 'review', 'approve']

type LaneGate = {
  /** Whether the step's exit code is that of the gate. */
  readonly isOwn: boolean
  readonly waits: boolean
}

/** Null where the command does not ask the lane. */
export function laneGateIn(script: string): LaneGate | null {
  const commands = commandsIn(script)
  const at = commands.findIndex(({ words }) => laneWords(words) !== null)
  if (at < 0) return isHidden(script) ? { isOwn: false, waits: true } : null
  const words = laneWords(commands[at]?.words ?? []) ?? []
  return { isOwn: isOwn(commands, at), waits: words[0] === 'ail' || words.includes('--wait') }
}

/** In a substitution its exit code is nobody's. */
const isHidden = (script: string): boolean =>
  /(?:\$\(|`)[^)`]*\blane\s+(?:ail\s+gate|approve|ask|review)\b/.test(script)

/** The words behind `lane`, if this command asks by it. */
function laneWords(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex(word => /(?:^|\/)(?:interrupt-)?lane$/.test(word))
  if (at < 0) return null
  const before = words.slice(0, at).filter(word => !ASSIGNMENT.test(word) && !COMPOUND.includes(word))
  if (before.length > 0 && !WRAPPERS.includes(before[0] ?? '')) return null
  const rest = words.slice(at + 1)
  const named = rest[0] === '--env' ? rest.slice(2) : rest[0]?.startsWith('--env=') ? rest.slice(1) : rest
  const asks = (named[0] === 'ail' && named[1] === 'gate') || ASKING.includes(named[0] ?? '')
  return asks ? named : null
}

function isOwn(commands: readonly Command[], at: number): boolean {
  if (commands[at]?.words.some(word => COMPOUND.includes(word))) return false
  const stops = commands.slice(0, at).some(({ words }) => words[0] === 'set' && /^-\w*e/.test(words[1] ?? ''))
  for (let place = at; place < commands.length - 1; place++) {
    const end = commands[place]?.end
    if (end === '&&') continue
    // Behind a gate that did not pass the script ends here, with a code that is not 0.
    if (end === '||') return isExit(commands[place + 1]?.words ?? [])
    if ((end === ';' || end === '\n') && stops) continue
    return false
  }
  return ![')', '|', '&'].includes(commands.at(-1)?.end ?? '')
}

const isExit = ([name, code]: readonly string[]): boolean => name === 'exit' && code !== '0'

/** Simple commands, in order: quotes are taken off, operators part them. */
function commandsIn(script: string): readonly Command[] {
  const commands: Command[] = []
  let words: string[] = []
  let word: string | null = null
  const endWord = (): void => {
    if (word !== null) words.push(word)
    word = null
  }
  const endCommand = (end: string): void => {
    endWord()
    if (words.length > 0) commands.push({ words, end })
    words = []
  }
  for (let at = 0; at < script.length; at++) {
    const sign = script[at] ?? ''
    const operator = OPERATORS.find(one => script.startsWith(one, at))
    if (sign === '\\') {
      // A line may go on behind a backslash.
      const next = script[++at] ?? ''
      if (next !== '\n') word = `${word ?? ''}${next}`
    } else if (sign === "'" || sign === '"') {
      const end = closing(script, at)
      word = `${word ?? ''}${script.slice(at + 1, end)}`
      at = end
    } else if (sign === '#' && word === null) {
      const end = script.indexOf('\n', at)
      at = end < 0 ? script.length : end - 1
    } else if (isRedirection(script, at)) {
      word = `${word ?? ''}${sign}`
    } else if (operator !== undefined) {
      endCommand(operator)
      at += operator.length - 1
    } else if (/\s/.test(sign)) endWord()
    else word = `${word ?? ''}${sign}`
  }
  endCommand('')
  return commands
}

/** `2>&1` and `&>file` part nothing. */
const isRedirection = (script: string, at: number): boolean =>
  script[at] === '&' && (script[at - 1] === '>' || script[at - 1] === '<' || script[at + 1] === '>')

function closing(script: string, at: number): number {
  const quote = script[at]
  for (let end = at + 1; end < script.length; end++) {
    if (script[end] === '\\' && quote === '"') end++
    else if (script[end] === quote) return end
  }
  return script.length
}
