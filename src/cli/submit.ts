// Puts a request to the lane, and waits if asked to. The id stays the same, so trying again cannot ask twice.
import { randomBytes } from 'node:crypto'
import { type Endpoint, type HttpAnswer, jsonOf, type Trouble } from '../client/call.js'
import { isOpen, isYesWithoutRight, readCase, type ShownCase } from '../client/case.js'
import { GRACE_MS, isPassing } from '../client/pace.js'
import { put, type Submission } from '../client/put.js'
import { waitForOutcome } from '../client/wait.js'
import { instant } from '../clock.js'
import { idOf } from '../request/request.js'
import { outcomeLines } from './card.js'
import type { Shell } from './command.js'
import { EXIT, type ExitCode, exitFor } from './exit-code.js'
import { LOWERED } from './people.js'
import { paintFor, say, sayInstant } from './print.js'
import { type Made, runIdOf } from './submission.js'
import { complain, enter, strange, tell, tellTrouble, writeBody } from './tell.js'

/** With doubling pauses some four seconds in all: enough for a restart, not for an outage. */
const ATTEMPTS = 5

type How = { readonly wait?: boolean | undefined; readonly json?: boolean | undefined }
/** The lane that a command has found itself, and what trouble with it is worth as an exit code. */
type Door = { readonly endpoint: Endpoint; exitOf(trouble: Trouble): ExitCode }

/** Ids for this call, if the caller gives none; `id` is the request's, if one was given. */
export function makeIds(shell: Shell, noun: string, id: string | undefined): Made {
  const random = randomBytes(12).toString('hex')
  const today = instant(shell.clock.wall())
  return { requestId: `${noun}-${random}`, runId: runIdOf(shell.env, id, today, random.slice(0, 8)) }
}

export async function submit(shell: Shell, submission: Submission, how: How): Promise<ExitCode> {
  const endpoint = enter(shell)
  if (endpoint === null) return EXIT.error
  return await submitTo({ endpoint, exitOf: () => EXIT.error }, shell, submission, how)
}

export async function submitTo(
  { endpoint, exitOf }: Door,
  shell: Shell,
  submission: Submission,
  { wait, json }: How,
): Promise<ExitCode> {
  const troubled = (trouble: Trouble, next: readonly string[] = []): ExitCode => {
    tellTrouble(shell, trouble, endpoint, json, next)
    return exitOf(trouble)
  }
  const giveUpAt = shell.clock.monotonic() + submission.request.deadline_seconds * 1000 + GRACE_MS
  const opened = await put(shell, endpoint, submission, { isFinal })
  if (opened.kind !== 'answer') return troubled(opened, sameAgain(opened, submission))
  const subject = readCase(jsonOf(opened))
  if (subject === null) return troubled(strange(opened))
  if (!wait) return tell(shell, opened, endpoint, json, () => openedLines(shell, subject))
  if (!json) say(shell.stderr, openedLines(shell, subject))
  const ended = await waitForOutcome(shell, endpoint, subject.request_id, giveUpAt)
  if (ended.kind === 'open') throw new Error('a wait without an end came back open')
  return ended.kind === 'outcome' ? finish(shell, ended, json) : troubled(ended)
}

/** A lane that was never there is reported at once; one that has just broken off may come back. */
function isFinal(trouble: Trouble, attempt: number): boolean {
  if (attempt === ATTEMPTS) return true
  return (
    attempt === 1 &&
    trouble.kind === 'unreachable' &&
    (trouble.why === 'refused' || trouble.why === 'unknown_host')
  )
}

function finish(
  shell: Shell,
  ended: { readonly answer: HttpAnswer; readonly subject: ShownCase },
  json: boolean | undefined,
): ExitCode {
  if (json) writeBody(shell.stdout, ended.answer.body)
  else say(shell.stdout, outcomeLines(ended.subject, shell.clock.wall(), paintFor(shell.stdout, shell.env)))
  if (isYesWithoutRight(ended.subject)) complain(shell, SPENT)
  return exitFor(ended.subject)
}

const SPENT = [
  'the YES gives no right to act any more: it was spent, taken back or has expired, or its run does not go on',
  'ask anew, under another --id',
]

function openedLines(shell: Shell, subject: ShownCase): string[] {
  const { request_id, state, deadline_at, default_action } = subject
  if (!isOpen(subject)) return [`${request_id}  ${state}: asked and resolved before`]
  const until = sayInstant(deadline_at, shell.clock.wall())
  const lowered = subject.terms?.urgency_asked
  return [
    `${request_id}  ${state} until ${until}, then ${default_action} holds`,
    ...(lowered === undefined ? [] : [`not ${lowered}: ${LOWERED}`]),
  ]
}

/** If it is unknown whether the lane has the request: tells how to send the same one again. */
function sameAgain(trouble: Trouble, { request, run }: Submission): string[] {
  if (!isPassing(trouble)) return []
  return [`to try the same request again, not a second one: --id ${idOf(request)} --run ${run.run_id}`]
}
