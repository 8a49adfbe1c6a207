// A request of AAH as a request of the lane: a form, whose decisions are put as they were written. The artifact decides
// neither who is asked nor whether it is an approval; its route does.
//
// AA1  No silence becomes an answer: HALT is what holds where nobody decides, whatever the artifact's defaults say.
// AA2  Words of the artifact are shown as its own, and only where the lane shows a caller's words.

import { readMoment } from '../../compiler/instant.js'
import { type FieldError, fieldError } from '../../request/refusal.js'
import { MAX_DEADLINE_SECONDS } from '../../request/request-shape.js'
import type { Urgency } from '../../request/terms.js'
import { cutQuestions } from '../../request/text.js'
import type { AskedDecision, Data } from './body-shape.js'
import { type Artifact, withBody } from './read.js'
import type { Route } from './route.js'
import { runIdOf } from './words.js'

/** Code points of a text, where the artifact names no bound or a wider one; and of a comment. */
const MAX_TEXT_CHARS = 500
const USUAL_DEADLINE_SECONDS = 86_400
const HOUR = 3_600
const AFTER_SECONDS = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR } as const
const AFTER_WORDS =
  'a whole number above 0 and h, d or w, such as 24h or 7d; m is refused, since it may be minutes or months'
const BOTH_WORDS = 'both after and to: nothing follows without one of them'
const PAST_WORDS = 'an instant that is still to come'

type Asked = {
  readonly ok: true
  /** The body of a submission, to be parsed as any caller's. */
  readonly body: Readonly<Record<string, unknown>>
  /** The pointer of a place in the artifact, for one in that body. */
  readonly placeOf: (field: string) => string
}
type Refused = { readonly ok: false; readonly errors: readonly FieldError[] }

type Asking = {
  readonly route: Route
  readonly escalate: Readonly<Record<string, string>>
  /** Milliseconds since 1970. */
  readonly now: number
}

export function ask(artifact: Artifact, data: Data, { route, escalate, now }: Asking): Asked | Refused {
  const whole = withBody(artifact, { data })
  const inData = (...path: readonly PropertyKey[]): PropertyKey[] => [
    ...artifact.carrier,
    'body',
    'data',
    ...path,
  ]
  const deadline = deadlineOf(artifact, data, inData('deadline'))
  const seconds = deadline === null ? (route.deadline ?? USUAL_DEADLINE_SECONDS) : (deadline.ms - now) / 1000
  if (deadline !== null && seconds < 1)
    return { ok: false, errors: [fieldError(whole, deadline.path, PAST_WORDS)] }
  const deadline_seconds = Math.min(Math.floor(seconds), MAX_DEADLINE_SECONDS)
  const step = escalationOf(data, escalate)
  if ('flaw' in step)
    return { ok: false, errors: [fieldError(whole, inData('escalation', ...step.flaw), step.accepted)] }
  // As an operator's own step would: what comes at the deadline or behind it never comes.
  const steps = step.after_seconds < deadline_seconds ? step : null
  return {
    ok: true,
    body: {
      request: requestOf(artifact, data, route, deadline_seconds),
      run: { run_id: runIdOf(artifact.request_id), mood: 'DEFERENTIAL' },
      recipients: route.to,
      ...urgencyOf(artifact),
      ...(steps !== null && {
        ladder: [{ after_seconds: steps.after_seconds, do: 'add', recipients: [steps.to] }],
      }),
      ...(route.callback_url !== undefined && { callback_url: route.callback_url }),
    },
    placeOf: placesOf(pointerTo(inData()), deadline === null ? '' : pointerTo(deadline.path)),
  }
}

function requestOf(artifact: Artifact, data: Data, route: Route, deadline_seconds: number) {
  const { title = `Decisions of ${artifact.agent_id}`, summary = `Asked by ${artifact.agent_id}` } =
    artifact.envelope.artifact
  const common = { deadline_seconds, default_action: 'HALT', reply_schema: formOf(data) }
  return route.action === undefined
    ? {
        type: 'REQUEST_QUESTION',
        question_id: artifact.request_id,
        question_text: cutQuestions(title),
        impact: summary,
        context_handles: [],
        ...common,
      }
    : {
        type: 'REQUEST_APPROVAL',
        approval_id: artifact.request_id,
        action: route.action,
        parameters: { artifact: artifact.hash },
        why: title,
        ...common,
      }
}

const formOf = ({ context, decisions, blocking }: Data) => ({
  kind: 'form',
  ...(context !== undefined && { context }),
  decisions: decisions.map(decisionOf),
  ...(blocking !== undefined && blocking.length > 0 && { blocking }),
})

/** `null` names no default. Every decision may be commented on. */
function decisionOf({ default: given, constraints, ...decision }: AskedDecision) {
  const bounds = decision.type === 'text' ? cappedText(constraints) : constraints
  return {
    ...decision,
    ...(given !== null && given !== undefined && { default: given }),
    ...(bounds !== undefined && Object.keys(bounds).length > 0 && { constraints: bounds }),
    reason: { when: 'optional', max_chars: MAX_TEXT_CHARS },
  }
}

const cappedText = (constraints: AskedDecision['constraints']) => ({
  ...constraints,
  max: Math.min(constraints?.max ?? MAX_TEXT_CHARS, MAX_TEXT_CHARS),
})

/** An artifact can say that it is less urgent than others, and never that it is more. */
const urgencyOf = ({ envelope: { handoff } }: Artifact): { readonly urgency?: Urgency } =>
  handoff?.priority === 'low' ? { urgency: 'low' } : {}

type Deadline = { readonly ms: number; readonly path: readonly PropertyKey[] }

/** The earlier of the two that an artifact may name. */
function deadlineOf(
  { envelope }: Artifact,
  { deadline }: Data,
  path: readonly PropertyKey[],
): Deadline | null {
  const named = [
    { text: deadline, path },
    { text: envelope.handoff?.response_deadline, path: ['handoff', 'response_deadline'] },
  ].flatMap(({ text, path }) => (text === undefined ? [] : [{ ms: millisecondsOf(text), path }]))
  return named.sort((one, other) => one.ms - other.ms)[0] ?? null
}

/** From 0000-01-01, where readMoment counts from, to 1970-01-01. */
const EPOCH_SECONDS = 719_528 * 86_400

function millisecondsOf(text: string): number {
  const moment = readMoment(text)?.instant ?? null
  if (moment === null) throw new Error('the envelope lets instants in alone')
  return (moment.seconds - EPOCH_SECONDS) * 1000 + moment.nanos / 1e6
}

type Step = { readonly after_seconds: number; readonly to: string }
type Flaw = { readonly flaw: readonly PropertyKey[]; readonly accepted: string }

/** Whom it goes to next, and when: never, where the artifact says nothing of it. */
function escalationOf({ escalation }: Data, escalate: Asking['escalate']): Step | Flaw {
  const { after, to } = escalation ?? {}
  if (after === undefined && to === undefined) return { after_seconds: Number.POSITIVE_INFINITY, to: '' }
  if (after === undefined || to === undefined) return { flaw: [], accepted: BOTH_WORDS }
  const read = /^0*([1-9][0-9]{0,9})([hdw])$/.exec(after)
  if (read === null) return { flaw: ['after'], accepted: AFTER_WORDS }
  const person = Object.hasOwn(escalate, to) ? escalate[to] : undefined
  if (person === undefined) return { flaw: ['to'], accepted: knownWords(Object.keys(escalate)) }
  return { after_seconds: Number(read[1]) * AFTER_SECONDS[read[2] as keyof typeof AFTER_SECONDS], to: person }
}

const knownWords = (known: readonly string[]): string =>
  known.length === 0
    ? 'nobody: this lane knows no targets (aah.escalate)'
    : `one of the targets this lane knows (aah.escalate): ${known.slice(0, 20).join(', ')}`

const pointerTo = (path: readonly PropertyKey[]): string => path.map(name => `/${String(name)}`).join('')

/** The request's own members, and where the artifact says them. What the operator's route said has no place in it. */
function placesOf(data: string, deadline: string): Asked['placeOf'] {
  const places: readonly (readonly [string, string])[] = [
    ['/request/reply_schema', data],
    ['/request/question_text', '/artifact/title'],
    ['/request/why', '/artifact/title'],
    ['/request/impact', '/artifact/summary'],
    ['/request/deadline_seconds', deadline],
    ['/ladder', `${data}/escalation/to`],
    ['/origin', '/artifact/id'],
  ]
  return field => {
    const found = places.find(([ours]) => field === ours || field.startsWith(`${ours}/`))
    if (found === undefined) return ''
    const [ours, theirs] = found
    return ours === '/request/reply_schema' ? `${theirs}${field.slice(ours.length)}` : theirs
  }
}
