// What the bridge does about a run, decided from what the run says and what people answered: no process, no clock, no lane.
//
// AIV1  A gate is opened by one line, after its event, for a YES (or a text) to that gate, and never by anything else.
// AIV2  Whatever is not a YES to a gate ends the run. `ail` would go on after any answer, and takes the end of its input for one.
// AIV3  Two gates at once cannot be: `ail` does not look which step an answer names, so both would be the first one's. The run is
//      ended. Of two prompts about tools one has lost its place: both are denied.
// AIV4  A run that goes on, or says that it ended, while its gate is open has not waited: it is ended. An answer that came later
//      would open its next gate.
// AIV5  A run that was denied stays denied, however it says it ended.
import type { Hash } from '../../canonical.js'
import { commandIn } from '../injection.js'
import { type Earlier, idOf, MODIFY_CHARS, MOST_EARLIER, type Point, type Run } from './ask.js'
import { allowing, denying, opening } from './control.js'
import type { Event, GateEvent, PermissionEvent } from './event.js'

export type OpenGate = {
  /** The id of its request. */
  readonly id: string
  readonly point: Point
  readonly event: GateEvent | PermissionEvent
}
export type Watch = {
  readonly session: string
  readonly run: Run
  readonly stepId: string
  readonly earlier: readonly Earlier[]
  readonly reached: ReadonlyMap<string, number>
  readonly gate: OpenGate | null
  readonly prompt: OpenGate | null
  /** Why the run was ended by the bridge. */
  readonly denied: string | null
  readonly ended: { readonly failed: string | null } | null
  /** Lines that were no events. */
  readonly garbage: number
}
export type BridgeDeed =
  | { readonly do: 'ask'; readonly open: OpenGate }
  | { readonly do: 'write'; readonly line: string }
  | { readonly do: 'take_back'; readonly open: OpenGate }
  | { readonly do: 'end'; readonly why: string }
  | { readonly do: 'close_input' }
/** What a request came to: the answer of a YES is the text where one was asked for. */
export type GateAnswer =
  | { readonly kind: 'yes'; readonly by: string; readonly text: string | null }
  | { readonly kind: 'no'; readonly detail: string }
type Next = { readonly watch: Watch; readonly deeds: readonly BridgeDeed[] }

/** `session` names the bridge, and the run until it has said its own name. */
export const begin = (session: string): Watch => ({
  session,
  run: { runId: session, source: null },
  stepId: 'invocation',
  earlier: [],
  reached: new Map(),
  gate: null,
  prompt: null,
  denied: null,
  ended: null,
  garbage: 0,
})

export function heard(watch: Watch, event: Event): Next {
  const { gate, denied } = watch
  if (gate !== null && denied === null && isPast(gate, event))
    return end(watch, `the run went past its gate (${gate.point.stepId}) without an answer`)
  switch (event.kind) {
    case 'run_started': {
      const { runId, source } = event
      return only({ ...watch, run: { runId, source }, earlier: [], reached: new Map(), ended: null })
    }
    case 'step_started':
      return only({ ...watch, stepId: event.stepId })
    case 'step_completed':
      return only(completed(watch, event.stepId, event.response))
    case 'pause':
    case 'modify':
      return gateReached(watch, event)
    case 'permission':
      return promptRaised(watch, event)
    case 'pipeline_ended':
      // An abort is told twice; the first that failed is the one to tell.
      return only({ ...watch, ended: { failed: watch.ended?.failed ?? event.failed } })
    case 'chat_ended':
      return { watch, deeds: [{ do: 'close_input' }] }
    case 'garbage':
      return only({ ...watch, garbage: watch.garbage + 1 })
    default:
      return only(watch)
  }
}

/** Whether the run can no longer be waiting at this gate (AIV4). A gate of `on_result` comes behind the end of its own step. */
function isPast({ point }: OpenGate, event: Event): boolean {
  if (event.kind === 'step_completed') return event.stepId === point.stepId
  return event.kind === 'pipeline_ended' || event.kind === 'run_started' || event.kind === 'chat_ended'
}

const only = (watch: Watch): Next => ({ watch, deeds: [] })

function completed(watch: Watch, stepId: string, response: string | null): Watch {
  if (response === null || response === '') return watch
  return { ...watch, earlier: [...watch.earlier, { stepId, text: response }].slice(-MOST_EARLIER) }
}

function gateReached(watch: Watch, event: GateEvent): Next {
  if (watch.denied !== null) return only(watch)
  if (watch.gate !== null) return end(watch, `a second gate (${event.stepId}) was reached while one was open`)
  const { reached, open } = opened(watch, event.stepId, event, event.hash)
  return { watch: { ...watch, reached, gate: open }, deeds: [{ do: 'ask', open }] }
}

function promptRaised(watch: Watch, event: PermissionEvent): Next {
  if (watch.denied !== null) return only(watch)
  const { prompt } = watch
  if (prompt !== null)
    return {
      watch: { ...watch, prompt: null },
      deeds: [
        { do: 'take_back', open: prompt },
        {
          do: 'write',
          line: denying('Denied: two prompts at once cannot be told apart. Ask again, one by one.'),
        },
      ],
    }
  const { reached, open } = opened(watch, watch.stepId, event, event.hash)
  return { watch: { ...watch, reached, prompt: open }, deeds: [{ do: 'ask', open }] }
}

function opened(watch: Watch, stepId: string, event: OpenGate['event'], hash: Hash) {
  const ordinal = (watch.reached.get(stepId) ?? 0) + 1
  const point = { session: watch.session, run: watch.run, stepId, ordinal, earlier: watch.earlier }
  const reached = new Map([...watch.reached, [stepId, ordinal] as const])
  return { reached, open: { id: idOf(point, hash), point, event } }
}

/** The answer to a request; one that is no longer waited for changes nothing (AIV1). */
export function answered(watch: Watch, { id, event }: OpenGate, answer: GateAnswer): Next {
  if (watch.denied !== null) return only(watch)
  if (event.kind === 'permission') return watch.prompt?.id === id ? prompted(watch, answer) : only(watch)
  if (watch.gate?.id !== id) return only(watch)
  if (answer.kind === 'no') return end(watch, answer.detail)
  const text = event.kind === 'pause' ? `approved ${id}` : textFor(answer.text)
  if (typeof text !== 'string') return end(watch, text.flaw)
  return { watch: { ...watch, gate: null }, deeds: [{ do: 'write', line: opening(event.stepId, text) }] }
}

/** The text of a person for a prompt, or why it does not go there. */
function textFor(text: string | null): string | { readonly flaw: string } {
  if (text === null || text === '') return { flaw: 'the answer holds no text' }
  if ([...text].length > MODIFY_CHARS) return { flaw: `the text has more than ${MODIFY_CHARS} characters` }
  const command = commandIn(text)
  return command === null ? text : { flaw: `the text holds words that command a model (${command})` }
}

function prompted(watch: Watch, answer: GateAnswer): Next {
  const line =
    answer.kind === 'no' ? denying(answer.detail) : answer.text === null ? allowing() : denying(answer.text)
  return { watch: { ...watch, prompt: null }, deeds: [{ do: 'write', line }] }
}

const end = (watch: Watch, why: string): Next => ({
  watch: { ...watch, denied: why },
  deeds: [{ do: 'end', why }],
})

/** How the run ended, whatever it says itself (AIV5). */
export function endOf({ denied, ended }: Watch, exitCode: number | null): 'denied' | 'completed' | 'failed' {
  if (denied !== null) return 'denied'
  return ended !== null && ended.failed === null && exitCode === 0 ? 'completed' : 'failed'
}
