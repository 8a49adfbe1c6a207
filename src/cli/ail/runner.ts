// `lane ail runner`: the lane as a runner of `ail`. It is started for one step, asks what the step's prompt says, and ends.
//
// ARN1  Standard output is the protocol's alone. What people should know goes to standard error.
// ARN2  It ends soon after shutdown, SIGTERM or the end of its input; what is still open is taken back.
import { randomBytes } from 'node:crypto'
import { type ShownCase, sayAnswer } from '../../client/case.js'
import { sleep } from '../../client/pace.js'
import type { Submission } from '../../client/put.js'
import { readJson } from '../../http/json.js'
import { findInvocation, readInvocation } from '../../interop/ail/invocation.js'
import {
  type Call,
  ERRORS,
  failure,
  initialized,
  readCall,
  responded,
  result,
} from '../../interop/ail/plugin.js'
import { commandIn } from '../../interop/injection.js'
import { idOf } from '../../request/request.js'
import { reasonOf } from '../../say.js'
import { readVersion } from '../../version.js'
import { readArguments } from '../arguments.js'
import { misuse, type Shell } from '../command.js'
import type { Subcommand } from '../deeds.js'
import { DURATION_WORDS, parseDuration } from '../duration.js'
import { EXIT } from '../exit-code.js'
import { linesOf } from '../lines.js'
import { complain } from '../tell.js'
import { enterWatching, type Watching } from '../watcher.js'
import { type GateVerdict, takeBack, verdictOn } from './asking.js'

/** A restart passes; a lane that is not there is told soon. */
const OPEN_MS = 30_000

type Session = {
  readonly shell: Shell
  readonly deadlineSeconds: number
  readonly to: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Opened and without an outcome. Changed only by `invoke`. */
  readonly open: Set<string>
  /** The lane, looked for when the first step asks. */
  watching: Watching | null
}

export const runner: Subcommand = async (args, shell) => {
  const options = {
    deadline: { type: 'string', default: '1h' },
    to: { type: 'string', multiple: true },
    // As every command of its kind; its lines are JSON anyhow.
    json: { type: 'boolean' },
  } as const
  const read = readArguments(args, options)
  if (!read.ok) return misuse(...read.flaws)
  const deadlineSeconds = parseDuration(read.values.deadline)
  if (deadlineSeconds === null) return misuse(`--deadline takes ${DURATION_WORDS}`)
  const ending = new AbortController()
  const stop = (): void => {
    ending.abort(new Error('the run has ended'))
    process.stdin.destroy()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  const session = {
    shell,
    deadlineSeconds,
    to: read.values.to,
    signal: ending.signal,
    open: new Set<string>(),
    watching: null,
  }
  try {
    await serve(session)
  } catch (error) {
    if (!ending.signal.aborted) throw error
  }
  stop()
  const { watching, open } = session as Session
  if (watching !== null)
    await Promise.all([...open].map(id => takeBack(watching.endpoint, id, 'the pipeline has ended')))
  return EXIT.ok
}

/** Until shutdown, or the end of the input. */
async function serve(session: Session): Promise<void> {
  const { stdout } = session.shell
  for await (const line of linesOf(process.stdin)) {
    if (line.trim() === '') continue
    const read = readCall(line)
    if (!read.ok) {
      stdout.write(read.answer)
      continue
    }
    const { call } = read
    switch (call.method) {
      case 'initialize':
        stdout.write(initialized(call, readVersion()))
        break
      case 'invoke':
        // Not waited for: a shutdown must be heard meanwhile.
        void invoke(session, call).then(answer => {
          if (!session.signal.aborted) stdout.write(answer)
        })
        break
      case 'shutdown':
        stdout.write(result(call.id, {}))
        return
      default:
        // A notification asks for no answer.
        if (call.id !== null)
          stdout.write(
            failure(
              call.id,
              ERRORS.method,
              `there is no method ${call.method}; there are initialize, invoke, shutdown`,
            ),
          )
    }
  }
}

async function invoke(session: Session, { id, params }: Call): Promise<string> {
  const { shell, signal, open } = session
  const read = submissionOf(session, params.prompt)
  if (!read.ok) return failure(id, ERRORS.params, read.detail)
  const { submission } = read
  const asked = idOf(submission.request)
  try {
    session.watching ??= await enterWatching(shell, 'the pipeline, and every step of it,', signal)
    if (session.watching === null)
      return failure(
        id,
        ERRORS.refused,
        'there is no API key: set LANE_API_KEY, or name a file at lane ail install',
      )
    open.add(asked)
    const asking = { endpoint: session.watching.endpoint, pace: { clock: shell.clock, sleep }, signal }
    const verdict = await verdictOn(asking, submission, { openMs: OPEN_MS })
    // Where the outcome could not be learned it may still be open.
    if (verdict.kind !== 'unknown') open.delete(asked)
    return answerTo(id, verdict)
  } catch (error) {
    if (!signal.aborted) complain(shell, [reasonOf(error)])
    return failure(id, ERRORS.unknown, 'the outcome could not be learned')
  }
}

type ReadSubmission =
  | { readonly ok: true; readonly submission: Submission }
  | { readonly ok: false; readonly detail: string }

function submissionOf({ deadlineSeconds, to }: Session, prompt: unknown): ReadSubmission {
  if (typeof prompt !== 'string') return { ok: false, detail: 'invoke has a prompt, a text' }
  const block = findInvocation(prompt)
  if (!block.ok) return block
  const json = readJson(block.json)
  if (!json.ok) return json
  const terms = { id: `ail-${randomBytes(12).toString('hex')}`, deadlineSeconds, to }
  // The lane judges the request; here it is only known to be an object of a known type.
  return readInvocation(json.value, block.around, terms) as ReadSubmission
}

function answerTo(id: Call['id'], verdict: GateVerdict): string {
  if (verdict.kind !== 'yes') return failure(id, ERRORS[verdict.kind], verdict.detail)
  const response = saidIn(verdict.subject)
  // The response stands in a later prompt: words that command its reader are not handed on.
  const command = commandIn(response)
  return command === null
    ? responded(id, response)
    : failure(id, ERRORS.refused, `the answer holds words that command a model (${command})`)
}

const saidIn = ({ answer }: ShownCase): string => (answer === null ? '' : sayAnswer(answer))
