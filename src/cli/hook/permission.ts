// `lane hook permission`: a coding agent's use of a tool waits for a person's YES.
//
// HP1  Only YES, in time, allows, and what --allow lists. A hook that fails in any other way denies: in the agent's own
//      JSON where the event is known, else by exit code 2, which both agents take for a denial.
// HP2  A use that has an id is asked once; one without is a new question each time, since a yes is good for one use.
import { randomBytes } from 'node:crypto'
import { type Pace, sleep } from '../../client/pace.js'
import { hashedId } from '../../mcp/key.js'
import { askForUse, whyNot } from '../../mcp/permission.js'
import { vetting } from '../../mcp/vet.js'
import { takeBack } from '../../mcp/withdraw.js'
import { readArguments } from '../arguments.js'
import { type Misuse, misuse, type Shell } from '../command.js'
import { DURATION_WORDS, parseDuration } from '../duration.js'
import { findAgentEndpoint } from '../environment.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { say, visible } from '../print.js'
import { isListed, PATTERN_WORDS, readPattern } from './allow.js'
import { allowing, denying, type HookEvent, type HookUse, readHook } from './use.js'

const DEFAULT_DEADLINE = '10m'
/** Far above what a person can be shown of an input: more is denied unread. */
const MOST_BYTES = 8 * 1024 * 1024
/** A lane that is being restarted is back by then; from one that is away the agent shall hear soon. */
const OPEN_WITHIN_SECONDS = 20
/** An agent that has gone leaves nobody to be asked for. */
const LAST_WORD_MS = 5000

export const PERMISSION_OPTIONS = {
  deadline: { type: 'string', default: DEFAULT_DEADLINE },
  to: { type: 'string', multiple: true },
  allow: { type: 'string', multiple: true, default: [] as string[] },
} as const

type Terms = {
  readonly seconds: number
  readonly recipients: readonly string[] | undefined
  readonly allow: readonly string[]
}
type Read =
  | { readonly ok: true; readonly terms: Terms }
  | { readonly ok: false; readonly flaws: readonly string[] }

export function readTerms(values: {
  readonly deadline: string
  readonly to?: readonly string[] | undefined
  readonly allow: readonly string[]
}): Read {
  const seconds = parseDuration(values.deadline)
  const flaws = [
    ...(seconds === null || seconds === 0
      ? [`--deadline takes ${DURATION_WORDS}; read "${values.deadline}"`]
      : []),
    ...values.allow
      .filter(text => readPattern(text) === null)
      .map(text => `--allow takes ${PATTERN_WORDS}; read "${text}"`),
  ]
  return seconds === null || flaws.length > 0
    ? { ok: false, flaws }
    : { ok: true, terms: { seconds, recipients: values.to, allow: values.allow } }
}

export async function permission(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, PERMISSION_OPTIONS)
  if (!read.ok) return misuse(...read.flaws)
  const terms = readTerms(read.values)
  if (!terms.ok) return misuse(...terms.flaws)
  const bytes = await readInput(process.stdin)
  const hook = bytes === null ? TOO_LARGE : readHook(bytes)
  if (!hook.ok) return tellDenial(shell, hook.event, `Denied, nobody was asked: ${hook.flaw}.`)
  const { use } = hook
  try {
    const why = await judge(shell, use, terms.terms)
    if (why !== null) return tellDenial(shell, use.event, `Denied${why}`)
  } catch (error) {
    // A fault of ours must not look like a hook that has nothing to say.
    return tellDenial(shell, use.event, `Denied: ${error instanceof Error ? error.message : String(error)}`)
  }
  const answer = allowing(use)
  if (answer !== null) say(shell.stdout, [JSON.stringify(answer)])
  return EXIT.ok
}

const TOO_LARGE = {
  ok: false,
  event: null,
  flaw: `the hook's input has more than ${MOST_BYTES} bytes, which nobody could be shown`,
} as const

/** All of it; null if there is more than anybody could be shown. */
async function readInput(input: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > MOST_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** How the sentence goes on that begins with "Denied"; null if the use is allowed. */
async function judge(shell: Shell, use: HookUse, { allow, ...options }: Terms): Promise<string | null> {
  const patterns = allow.map(readPattern).filter(pattern => pattern !== null)
  if (isListed(patterns, use.tool, use.input)) return null
  const found = findAgentEndpoint(shell.env)
  if (!found.ok) return `, nobody was asked: ${found.flaws.join('; ')}.`
  const { endpoint } = found
  const flaw = await vetting(endpoint)()
  if (flaw !== null) return `, nobody was asked: ${flaw}.`
  const pace: Pace = { clock: shell.clock, sleep }
  const id = idOf(use)
  const gone = new AbortController()
  const leave = (): void => gone.abort()
  process.once('SIGTERM', leave).once('SIGINT', leave)
  const beside = { cwd: use.cwd, ...(allow.length > 0 && { allowed_unasked: allow.join('\n') }) }
  const runId = shell.env.LANE_RUN_ID?.trim() || hashedId('hook', use.session)
  const asked = { id, runId, tool: use.tool, input: use.input, beside }
  try {
    const signals = { signal: gone.signal, openWithin: OPEN_WITHIN_SECONDS }
    return whyNot(await askForUse({ endpoint, pace }, asked, options, signals))
  } catch (error) {
    if (!gone.signal.aborted) throw error
    await takeBack({ endpoint, pace }, id, GONE, AbortSignal.timeout(LAST_WORD_MS)).catch(() => undefined)
    return `: ${GONE}.`
  }
}

const GONE = 'the agent ended the hook before anybody answered'

const idOf = ({ session, tool, input, useId }: HookUse): string =>
  useId === null ? `hook-${randomBytes(16).toString('hex')}` : hashedId('hook', session, tool, input, useId)

function tellDenial(shell: Shell, event: HookEvent | null, message: string): ExitCode {
  if (event === null) {
    say(shell.stderr, [visible(message)])
    return EXIT.usage
  }
  say(shell.stdout, [JSON.stringify(denying(event, message))])
  return EXIT.ok
}
