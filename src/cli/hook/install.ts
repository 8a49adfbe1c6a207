// `lane hook install`: our hook among a coding agent's settings, put there after a yes, and taken out again.
//
// HI1  Nothing is written before the whole change was shown and somebody has typed yes.
// HI2  The file is written whole or not at all, and no link is followed: settings decide what an agent may do.
import { mkdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { readFile, writeFile } from '../../folder/file.js'
import { closeFolder, type Folder, openFolder } from '../../folder/folder.js'
import { readArguments } from '../arguments.js'
import { type Misuse, misuse, type Shell } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { nearest } from '../nearest.js'
import { say, visible } from '../print.js'
import { complain } from '../tell.js'
import { PERMISSION_OPTIONS, readTerms } from './permission.js'
import {
  AGENTS,
  type AgentName,
  PLACES,
  readSettings,
  withHook,
  withoutHook,
  writeSettings,
} from './settings.js'
import { HOOK_EVENTS } from './use.js'

const OPTIONS = {
  ...PERMISSION_OPTIONS,
  event: { type: 'string', default: HOOK_EVENTS[0] },
  matcher: { type: 'string', default: '*' },
  'dry-run': { type: 'boolean' },
  remove: { type: 'boolean' },
} as const

export async function install(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, OPTIONS, ['AGENT'])
  if (!read.ok) return misuse(...read.flaws)
  const [word = ''] = read.words
  const agent = AGENTS.find(name => name === word)
  if (agent === undefined) return misuse(unknownAgent(word))
  const { event: named, matcher, remove, 'dry-run': dry } = read.values
  const event = HOOK_EVENTS.find(name => name === named)
  if (event === undefined) return misuse(`--event takes ${HOOK_EVENTS.join(' or ')}; read "${named}"`)
  const terms = readTerms(read.values)
  if (!terms.ok) return misuse(...terms.flaws)
  const { seconds } = terms.terms
  const placed = { event, matcher, command: commandFor(shell, read.values), seconds }
  return await change(shell, agent, { placed: remove ? null : placed, dry: dry === true })
}

const unknownAgent = (word: string): string => {
  const meant = nearest(word, AGENTS)
  return `there is no agent "${word}" here; ${meant === null ? `it takes ${AGENTS.join(' or ')}` : `did you mean ${meant}?`}`
}

type Change = {
  readonly placed: Parameters<typeof withHook>[1] | null
  readonly dry: boolean
}

async function change(shell: Shell, agent: AgentName, { placed, dry }: Change): Promise<ExitCode> {
  const place = placeFor(shell, agent)
  const path = join(place.directory, place.file)
  const before = textAt(place)
  if (!before.ok) return complain(shell, [before.detail, UNCHANGED])
  const settings = readSettings(before.text)
  if (settings === null) return complain(shell, [`${path} is not JSON in which hooks could stand`, UNCHANGED])
  const after = placed === null ? withoutHook(settings) : withHook(settings, placed)
  if (JSON.stringify(after) === JSON.stringify(settings)) {
    say(shell.stdout, [`${visible(path)}: nothing to change`])
    return EXIT.ok
  }
  const text = writeSettings(after, before.text)
  say(shell.stdout, [`${visible(path)}:`, ...differing(before.text, text).map(visible)])
  if (dry) return EXIT.ok
  if (!(await isConfirmed(shell))) return complain(shell, ['no yes was typed', UNCHANGED])
  mkdirSync(place.directory, { recursive: true, mode: 0o700 })
  const now = textAt(place)
  if (!now.ok || now.text !== before.text)
    return complain(shell, [`${path} was changed by somebody else meanwhile`, UNCHANGED])
  inFolder(place.directory, folder => writeFile(folder, place.file, text))
  say(shell.stdout, [placed === null ? 'taken out.' : NEXT[agent]])
  return EXIT.ok
}

const UNCHANGED = 'nothing was changed'

const NEXT: Readonly<Record<AgentName, string>> = {
  'claude-code': 'done: it holds for every session that Claude Code begins from now on.',
  codex: 'done: Codex runs a new hook only after you have trusted it, with /hooks in its next session.',
}

type Place = { readonly directory: string; readonly file: string }
type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string }

function placeFor({ env }: Shell, agent: AgentName): Place {
  const { variable, directory, file } = PLACES[agent]
  const named = env[variable]?.trim()
  return { directory: named ? resolve(named) : join(env.HOME ?? '/', directory), file }
}

/** What stands there; no directory, or no file in it, is an empty one. */
function textAt({ directory, file }: Place): Text {
  const empty: Text = { ok: true, text: '' }
  return inFolder<Text>(
    directory,
    folder => {
      const read = readFile(folder, file)
      if (read.ok) return { ok: true, text: read.bytes.toString('utf8') }
      return read.code === 'absent' ? empty : read
    },
    ({ code, detail }) => (code === 'absent' ? empty : { ok: false, detail }),
  )
}

type Closed = Extract<ReturnType<typeof openFolder>, { readonly ok: false }>

function inFolder<T>(
  directory: string,
  deed: (folder: Folder) => T,
  otherwise: (flaw: Closed) => T = thrown,
): T {
  const opened = openFolder(directory, [], { shared: false })
  if (!opened.ok) return otherwise(opened)
  try {
    return deed(opened.folder)
  } finally {
    closeFolder(opened.folder)
  }
}

const thrown = ({ detail }: Closed): never => {
  throw new Error(detail)
}

/** Written out whole, program and all: an agent's PATH is not this one's, and another `lane` might stand in it. */
function commandFor(
  { envFile }: Shell,
  { deadline, to = [], allow }: { deadline: string; to?: readonly string[]; allow: readonly string[] },
): string {
  const words = [
    process.execPath,
    realpathSync(process.argv[1] ?? ''),
    ...(envFile === null ? [] : ['--env', resolve(envFile)]),
    'hook',
    'permission',
    ...(deadline === PERMISSION_OPTIONS.deadline.default ? [] : ['--deadline', deadline]),
    ...to.flatMap(user => ['--to', user]),
    ...allow.flatMap(pattern => ['--allow', pattern]),
  ]
  return words.map(quoted).join(' ')
}

/** For a POSIX shell. */
const quoted = (word: string): string =>
  /^[A-Za-z0-9_./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The lines that go and those that come, between the ones that stay at both ends. */
function differing(before: string, after: string): string[] {
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n')
  const now = after.replace(/\n$/, '').split('\n')
  let top = 0
  while (top < old.length && top < now.length && old[top] === now[top]) top++
  let end = 0
  while (end < old.length - top && end < now.length - top && old.at(-1 - end) === now.at(-1 - end)) end++
  const gone = old.slice(top, old.length - end).map(line => `- ${line}`)
  const come = now.slice(top, now.length - end).map(line => `+ ${line}`)
  return [...gone, ...come]
}

async function isConfirmed({ stdout }: Shell): Promise<boolean> {
  stdout.write('Change it? (yes or no) ')
  const lines = createInterface({ input: process.stdin, terminal: false })
  for await (const line of lines) {
    lines.close()
    return line.trim().toLowerCase() === 'yes'
  }
  return false
}
