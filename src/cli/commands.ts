// The table of commands, and the choice of one. Each is loaded when it is called, so that asking a question does not
// wait for a database driver.

import { readVersion } from '../version.js'
import type { Command, Shell } from './command.js'
import { withEnvFile } from './environment.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { nearest } from './nearest.js'
import { say } from './print.js'
import { complain } from './tell.js'

type Listed = { readonly what: string; load(): Promise<Command> }

const COMMANDS: Readonly<Record<string, Listed>> = {
  serve: { what: 'run the lane', load: async () => (await import('./serve.js')).serve },
  ask: { what: 'ask a person one question', load: async () => (await import('./ask.js')).ask },
  review: { what: 'have something reviewed', load: async () => (await import('./review.js')).review },
  approve: { what: 'ask for the right to act', load: async () => (await import('./review.js')).approve },
  pending: { what: 'what waits for an answer', load: async () => (await import('./requests.js')).pending },
  show: { what: 'one request, whole', load: async () => (await import('./requests.js')).show },
  withdraw: { what: 'take a request back', load: async () => (await import('./requests.js')).withdraw },
  recipients: { what: 'who can be asked', load: async () => (await import('./recipients.js')).recipients },
  ledger: {
    what: 'verify, export or replay the ledger',
    load: async () => (await import('./ledger.js')).ledger,
  },
  proof: { what: 'a decision, proven in a file', load: async () => (await import('./proof.js')).proof },
  verify: { what: 'check such a file, offline', load: async () => (await import('./proof.js')).verify },
  keys: { what: 'API keys, and the signing key', load: async () => (await import('./keys.js')).keys },
  erase: { what: 'forget what was typed', load: async () => (await import('./erase.js')).erase },
  backup: { what: 'copy everything to a file', load: async () => (await import('./backup.js')).backup },
  doctor: { what: 'check what a lane rests on', load: async () => (await import('./doctor.js')).doctor },
  ail: { what: 'gates of AIL pipelines', load: async () => (await import('./ail.js')).ail },
  aah: { what: 'decisions as artifacts in a folder', load: async () => (await import('./aah.js')).aah },
  ahil: { what: 'exchange files of agents and people', load: async () => (await import('./ahil.js')).ahil },
  aahp: { what: 'handoffs of agents in a repository', load: async () => (await import('./aahp.js')).aahp },
  hook: { what: 'a coding agent asks before it acts', load: async () => (await import('./hook.js')).hook },
  mcp: { what: 'serve agents over MCP', load: async () => (await import('./mcp.js')).mcp },
}
const NAMES = Object.keys(COMMANDS)
/** Not --env-file: Node would take that as its own option, wherever it stands, and exit if there is no such file. */
const ENV_OPTION = '--env'

function overview(): string[] {
  return [
    'lane [--env FILE] COMMAND …',
    '',
    'Puts typed requests before people, and brings back one typed, recorded answer.',
    '',
    ...Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(12)}${what}`),
    '',
    'lane help COMMAND says more; lane --version which version this is.',
    'LANE_URL says where the lane is (http://127.0.0.1:8787), LANE_API_KEY with which key it is asked',
    '(data/operator.key beside a local lane). FILE lies beneath the environment; without one, serve and doctor read',
    '.env in the working directory, and no other command does.',
  ]
}

export async function main(args: readonly string[], shell: Shell): Promise<ExitCode> {
  const named = nameFile(args)
  if (named === null) return await choose(args, shell)
  const env = named.file === '' ? null : withEnvFile(shell.env, named.file)
  if (env !== null) return await choose(named.rest, { ...shell, env, envFile: named.file })
  const read = named.file === '' ? 'nothing' : `${named.file}, which is not there`
  complain(shell, [`--env takes a file of variables, such as .env; read ${read}`])
  return EXIT.usage
}

const wordsOf = (args: readonly string[]): readonly string[] => nameFile(args)?.rest ?? args

/** Whether the command is the lane itself. */
export const isServing = (args: readonly string[]): boolean => wordsOf(args)[0] === 'serve'

const LISTING = ['pending', 'show', 'recipients', 'help', '--help', '-h']

/** Whether the command only shows something, so that its exit code decides nothing. */
export const isListing = (args: readonly string[]): boolean => {
  const [name = '', deed] = wordsOf(args)
  return LISTING.includes(name) || asksForHelp(args) || (name === 'ledger' && deed === 'export')
}

/** The file named before the command, and the words after it; null for none. */
function nameFile(
  args: readonly string[],
): { readonly file: string; readonly rest: readonly string[] } | null {
  const [first = '', second = ''] = args
  if (first === ENV_OPTION) return { file: second, rest: args.slice(2) }
  const file = first.startsWith(`${ENV_OPTION}=`) ? first.slice(ENV_OPTION.length + 1) : null
  return file === null ? null : { file, rest: args.slice(1) }
}

async function choose(args: readonly string[], shell: Shell): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined) {
    say(shell.stderr, overview())
    return EXIT.usage
  }
  if (name === '--version' || name === '-v') {
    say(shell.stdout, [readVersion()])
    return EXIT.ok
  }
  if (name === 'help' || name === '--help' || name === '-h') return await help(rest[0], shell)
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (listed === undefined) return unknown(name, shell)
  if (asksForHelp(rest)) {
    const told = await help(name, shell)
    return isOnlyHelp(rest) ? told : EXIT.usage
  }
  return await perform(await listed.load(), name, rest, shell)
}

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).some(arg => arg === '--help' || arg === '-h')
}

/** Among other words it may be somebody's text, as in `lane approve … --why "$TEXT"`, and 0 would be taken for a YES. The step of a
 *  pipeline says 0 to a YES and to nothing else. */
const isOnlyHelp = (args: readonly string[]): boolean => args.length <= 2 && args[0] !== 'gate'

async function perform(
  command: Command,
  name: string,
  args: readonly string[],
  shell: Shell,
): Promise<ExitCode> {
  const ended = await command.run(args, shell)
  if (typeof ended === 'number') return ended
  complain(shell, [...ended.misuse, `see: lane help ${name}`])
  return EXIT.usage
}

async function help(name: string | undefined, shell: Shell): Promise<ExitCode> {
  if (name === undefined) {
    say(shell.stdout, overview())
    return EXIT.ok
  }
  const listed = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (listed === undefined) return unknown(name, shell)
  say(shell.stdout, [(await listed.load()).usage])
  return EXIT.ok
}

function unknown(name: string, shell: Shell): ExitCode {
  const meant = nearest(name, NAMES)
  const advice = meant === null ? `there are ${NAMES.join(', ')}` : `did you mean ${meant}?`
  complain(shell, [`there is no command "${name}"; ${advice}`])
  return EXIT.usage
}
