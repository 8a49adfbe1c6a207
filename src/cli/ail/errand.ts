// One gate or prompt of a run, put before a person: what is asked, of whom, and what the answer comes to.
import { call, type Endpoint, jsonOf } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import type { Pace } from '../../client/pace.js'
import type { Submission } from '../../client/put.js'
import {
  askForText,
  askForTool,
  askQuestion,
  askToGoOn,
  type Point,
  PROMPT_ANSWER_MS,
  promptSeconds,
  type Submitted,
  type Terms,
} from '../../interop/ail/ask.js'
import type { PermissionEvent } from '../../interop/ail/event.js'
import { type AgentQuestion, ASK_USER, chosen, questionsOf } from '../../interop/ail/question.js'
import type { GateAnswer, OpenGate } from '../../interop/ail/supervision.js'
import { type GateVerdict, verdictOn } from './asking.js'

export type Errands = {
  readonly endpoint: Endpoint
  readonly pace: Pace
  readonly to: readonly string[] | undefined
  readonly deadlineSeconds: number
  readonly promptSeconds: number
  readonly allowModify: boolean
}

type Errand = {
  readonly submitted: Submitted
  readonly deadlineSeconds: number
  readonly asked: readonly AgentQuestion[] | null
}

/** Puts it before a person and comes back with what was answered; whatever goes wrong on the way is a no. */
export async function ask(errands: Errands, open: OpenGate, signal: AbortSignal): Promise<GateAnswer> {
  const errand = await errandFor(errands, open)
  if ('kind' in errand) return errand
  const { submitted, deadlineSeconds, asked } = errand
  const isPrompt = open.event.kind === 'permission'
  const now = errands.pace.clock.monotonic()
  const patience = { openMs: deadlineSeconds * 1000, ...(isPrompt && { until: now + PROMPT_ANSWER_MS }) }
  // The lane judges the request; it was made of a gate here.
  const verdict = await verdictOn(
    { endpoint: errands.endpoint, pace: errands.pace, signal },
    submitted.submission as unknown as Submission,
    patience,
  )
  return answerOf(open, asked, verdict)
}

async function errandFor(errands: Errands, { event, point }: OpenGate): Promise<Errand | GateAnswer> {
  if (event.kind === 'permission') return promptFor(errands, point, event)
  const { deadlineSeconds } = errands
  if (event.kind === 'pause') {
    const submitted = askToGoOn(point, event, { deadlineSeconds, recipients: peopleOf(errands) })
    return { submitted, deadlineSeconds, asked: null }
  }
  const recipients = await pageOnly(errands)
  if (typeof recipients === 'string') return { kind: 'no', detail: recipients }
  return {
    submitted: askForText(point, event, { deadlineSeconds, recipients }),
    deadlineSeconds,
    asked: null,
  }
}

const peopleOf = ({ to }: Errands): Terms['recipients'] => to?.map(user_id => ({ user_id }))

function promptFor(errands: Errands, point: Point, event: PermissionEvent): Errand | GateAnswer {
  const deadlineSeconds = promptSeconds(errands.promptSeconds)
  const terms = { deadlineSeconds, recipients: peopleOf(errands) }
  if (event.name !== ASK_USER)
    return { submitted: askForTool(point, event, terms), deadlineSeconds, asked: null }
  const asked = questionsOf(event.input)
  if (asked === null) return { kind: 'no', detail: noAnswer('it offers nothing to choose from') }
  return { submitted: askQuestion(point, event, asked, terms), deadlineSeconds, asked }
}

/** A text that goes into a prompt is written on the page, by people whom the page is a way to; or why it is not asked for. */
async function pageOnly({
  endpoint,
  to,
  allowModify,
}: Errands): Promise<NonNullable<Terms['recipients']> | string> {
  if (!allowModify) return 'a gate that changes text needs --allow-modify'
  const answer = await call(endpoint, { path: '/v1/recipients' })
  const body = answer.kind === 'answer' ? jsonOf(answer) : null
  if (!isFields(body) || !Array.isArray(body.items)) return 'who can be asked could not be learned'
  const known = body.items.filter(isFields)
  const wanted = to ?? known.map(({ user_id }) => String(user_id))
  if (to === undefined && wanted.length !== 1) return 'whom to ask for a text is not said: --to'
  const without = wanted.filter(name => {
    const channels = known.find(({ user_id }) => user_id === name)?.channels
    return !(Array.isArray(channels) && channels.includes('web'))
  })
  if (without.length > 0)
    return `a text is written on the page alone, and web is no channel of ${without.join(', ')}`
  return wanted.map(user_id => ({ user_id, channels: ['web'] }))
}

const noAnswer = (why: string): string => `No answer was given: ${why}. Do not assume one.`

function answerOf(
  { event }: OpenGate,
  asked: readonly AgentQuestion[] | null,
  verdict: GateVerdict,
): GateAnswer {
  if (verdict.kind !== 'yes') {
    if (event.kind !== 'permission') return { kind: 'no', detail: verdict.detail }
    return { kind: 'no', detail: asked === null ? `Denied: ${verdict.detail}.` : noAnswer(verdict.detail) }
  }
  const { answer } = verdict.subject
  const by = answer?.answered_by ?? ''
  if (event.kind === 'modify') {
    const text = answer?.parsed_payload?.text
    return { kind: 'yes', by, text: typeof text === 'string' ? text : null }
  }
  if (asked === null) return { kind: 'yes', by, text: null }
  const text = answer === null ? null : chosen(asked, answer)
  return text === null
    ? { kind: 'no', detail: noAnswer('the answer is none of those offered') }
    : { kind: 'yes', by, text }
}
