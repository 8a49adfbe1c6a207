// A submitted form: it brings the same strings as every other way, and a refusal is shown under the input while the
// form stays open.
import { createHash } from 'node:crypto'
import type { ViewResponseAction, ViewSubmitAction } from '@slack/bolt'
import type { Desk, Inbound, RefusedReply } from '../../src/adapter/index.js'
import type { Metadata } from './click.js'
import { handingOf } from './hand.js'
import { shortened } from './inert.js'
import { ANSWER, DECISION, readInputs } from './inputs.js'
import { inboundOf, type Parts, told } from './reply.js'
import { recordedText } from './words.js'

/** An error under an input is a line or two. */
const ERROR_UNITS = 600
const UNKNOWN = 'This form is not known here any more. Close it, and look for a newer message.'

type Told = Readonly<Record<string, string>>
const errors = (told: Told): ViewResponseAction => ({
  response_action: 'errors',
  errors: Object.fromEntries(
    Object.entries(told).map(([block, text]) => [block, shortened(text, ERROR_UNITS)]),
  ),
})

type Said = Pick<Inbound, 'text' | 'fields' | 'hands'>
type State = ViewSubmitAction['view']['state']
type Answered = Promise<ViewResponseAction | undefined>

export const takeSubmission = (parts: Parts, body: ViewSubmitAction, desk: Desk): Answered =>
  take(parts, body, desk, readInputs)

/** The one chosen to answer in this person's place. */
export const takeHanding = (parts: Parts, body: ViewSubmitAction, desk: Desk): Answered =>
  take(parts, body, desk, state => handingOf(readInputs(state).text))

async function take(
  parts: Parts,
  { user, view, trigger_id }: ViewSubmitAction,
  desk: Desk,
  read: (state: State) => Said,
): Answered {
  const metadata = readMetadata(view.private_metadata)
  // Slack shows an error only under an input of the form.
  const first = Object.keys(view.state.values)[0] ?? ANSWER
  if (metadata === null) return errors({ [first]: UNKNOWN })
  const speaker = await parts.speakers.find(user.id, user.team_id ?? null, desk.now())
  // A form may be sent several times, until it is understood; each time it has another trigger.
  const attempt = createHash('sha256').update(trigger_id).digest('hex')
  const binding = { kind: 'handle', handle: metadata.handle } as const
  const said = read(view.state)
  const inbound = { ...inboundOf(speaker, binding, `form:${view.id}:${attempt}`, said.text), ...said }
  const verdict = await desk.take(inbound)
  if (verdict.kind === 'unknown') return errors({ [first]: UNKNOWN })
  if (verdict.kind === 'recorded') {
    // A card that was handed on stays open, so nothing else would tell them.
    if (verdict.missing !== null || said.hands)
      parts.notices.privately(metadata, user.id, recordedText(verdict))
    return undefined
  }
  const words = told(verdict)
  if (words === null) return undefined
  return errors({ [first]: words, ...faultsOf(verdict, Object.keys(view.state.values)) })
}

/** Each decision that was not understood is told under its own input. */
const faultsOf = ({ lines = [] }: RefusedReply, blocks: readonly string[]): Told =>
  Object.fromEntries(
    lines
      .map(
        ({ decision_id, accepted }) => [`${DECISION}${decision_id}`, `Not understood. ${accepted}`] as const,
      )
      .filter(([block]) => blocks.includes(block)),
  )

/** The metadata passed through the client: it came back signed, and is still no more than a claim about a handle. No card
 *  is closed at the place it names: that could be another request's. */
function readMetadata(text: string): Metadata | null {
  try {
    const read: unknown = JSON.parse(text)
    const { handle, channel, ts } = Object(read) as Record<string, unknown>
    const whole = typeof handle === 'string' && typeof channel === 'string' && typeof ts === 'string'
    return whole ? { handle, channel, ts } : null
  } catch {
    return null
  }
}
