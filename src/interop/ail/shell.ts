// A shell step's command, read far enough to know whether it asks the lane, and whether its exit code is the lane's answer.
// It is no shell: what it cannot follow (a substitution, a compound command) counts as an exit code that is lost.

type Command = { readonly words: readonly string[] /** What stands behind it. */; readonly end: string }

const OPERATORS = ['&&', '||', ';', '|', '&', '\n', '(', ')']
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/
/** Programs that run another and pass its exit code on. */
const WRAPPERS = ['exec', 'command', 'env', 'nice', 'nohup', 'npx', 'sudo', 'time', 'timeout']
const SHELL = /(?:^|\/)(?:ba|da|k|z)?sh$/
const COMPOUND = ['if', 'while', 'until', 'for', 'case', '!', '{', 'then', 'else', 'elif', 'do']
const ASKING = ['ask', 'review', 'approve']

type LaneGate = {
  /** Whether the step's exit code is that of the gate. */
  readonly isOwn: boolean
  readonly waits: boolean
  /** Whether every run asks under the same id. */
  readonly isSame: boolean
}

/** Null where the command does not ask the lane. */
export function laneGateIn(script: string): LaneGate | null {
  const commands = commandsIn(script)
  const gates = commands.map(({ words }) => gateOf(words))
  const at = gates.findIndex(gate => gate !== null)
  const gate = gates[at] ?? null
  if (gate !== null) return { ...gate, isOwn: gate.isOwn && isOwn(commands, at) }
  return isHidden(script) ? { isOwn: false, waits: true, isSame: false } : null
}

/** In a substitution its exit code is nobody's. */
const isHidden = (script: string): boolean =>
  /(?:\$\(|`)[^)`]*\blane\s+(?:ail\s+gate|approve|ask|review)\b/.test(script)

/** The gate that one command is, by itself or as the script of a shell. */
function gateOf(words: readonly string[]): LaneGate | null {
  const shell = words.findIndex(word => SHELL.test(word))
  if (shell >= 0 && isCalled(words, shell) && /^-\w*c$/.test(words[shell + 1] ?? ''))
    return laneGateIn(words[shell + 2] ?? '')
  const lane = laneWords(words)
  if (lane === null) return null
  const id = lane.flatMap((word, place) =>
    word === '--id' ? [lane[place + 1] ?? ''] : (/^--id=(.*)$/.exec(word)?.[1] ?? []),
  )
  return {
    isOwn: true,
    waits: lane[0] === 'ail' || lane.includes('--wait'),
    isSame: id.some(one => !one.includes('$')),
  }
}

/** The words behind `lane`, if this command asks by it. */
function laneWords(words: readonly string[]): readonly string[] | null {
  const at = words.findIndex(word => /(?:^|\/)(?:interrupt-)?lane$/.test(word))
  if (at < 0 || !isCalled(words, at)) return null
  const rest = words.slice(at + 1)
  const named = rest[0] === '--env' ? rest.slice(2) : rest[0]?.startsWith('--env=') ? rest.slice(1) : rest
  const asks = (named[0] === 'ail' && named[1] === 'gate') || ASKING.includes(named[0] ?? '')
  return asks ? named : null
}

/** Whether the word at this place is the program, and no word that another one is given. */
function isCalled(words: readonly string[], at: number): boolean {
  const before = words.slice(0, at).filter(word => !ASSIGNMENT.test(word) && !COMPOUND.includes(word))
  return before.length === 0 || WRAPPERS.includes(before[0] ?? '')
}

/** Where a list of commands ends, and the next begins whatever became of it. */
const LIST_ENDS = [';', '\n', '&']

function isOwn(commands: readonly Command[], at: number): boolean {
  if (commands[at]?.words.some(word => COMPOUND.includes(word))) return false
  // What stands before it in its list may pass it over: `test -f allowed || lane ail gate`.
  let isAlone = true
  for (let place = at - 1; place >= 0 && !LIST_ENDS.includes(commands[place]?.end ?? ''); place--) {
    if (commands[place]?.end === '||' && !isExit(commands, place + 1)) return false
    isAlone = false
  }
  const stops = stopsAtErrors(commands.slice(0, at))
  for (let place = at; place < commands.length - 1; place++) {
    const end = commands[place]?.end
    // Behind a gate that did not pass the script ends here, with a code that is not 0.
    if (end === '||') return isExit(commands, place + 1)
    if (end === '&&') isAlone = false
    // `set -e` does not look at what fails before the last `&&` of a list.
    else if (!((end === ';' || end === '\n') && stops && isAlone)) return false
    else return true
  }
  return ![')', '|', '&'].includes(commands.at(-1)?.end ?? '')
}

function stopsAtErrors(commands: readonly Command[]): boolean {
  const [sign] = commands
    .filter(({ words }) => words[0] === 'set')
    .flatMap(({ words }) => words.join(' ').match(/[-+](?=\w*e\b|o errexit)/g) ?? [])
    .slice(-1)
  return sign === '-'
}

/** Whether the script ends here with a code that is not 0: `exit 1`, or `{ echo no; exit 1; }`. */
function isExit(commands: readonly Command[], at: number): boolean {
  const [name, code = '$?'] = commands[at]?.words ?? []
  if (name === 'exit') return code === '$?' || (/^[0-9]+$/.test(code) && Number(code) % 256 !== 0)
  if (name !== '{') return false
  const end = commands.findIndex(({ words }, place) => place > at && words[0] === '}')
  const inner = commands.slice(at, end)
  return end > at + 1 && inner.every(one => [';', '\n'].includes(one.end)) && isExit(commands, end - 1)
}

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
