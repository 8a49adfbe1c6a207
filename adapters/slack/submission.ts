// A submitted form: it brings the same strings as every other way, and a refusal is shown under the input while the
// form stays open.
import { createHash } from 'node:crypto'
import type { ViewResponseAction, ViewSubmitAction } from '@slack/bolt'
import type { Desk } from '../../src/adapter/index.js'
import type { Metadata } from './click.js'
import { ANSWER, readForm } from './form.js'
import { shortened } from './inert.js'
import { inboundOf, type Parts, settle, told } from './reply.js'

/** An error under an input is a line or two. */
const ERROR_UNITS = 600
const UNKNOWN = 'This form is not known here any more. Close it, and look for a newer message.'

const errors = (text: string): ViewResponseAction => ({
  response_action: 'errors',
  errors: { [ANSWER]: shortened(text, ERROR_UNITS) },
})

export async function takeSubmission(
  parts: Parts,
  { user, view, trigger_id }: ViewSubmitAction,
  desk: Desk,
): Promise<ViewResponseAction | undefined> {
  const metadata = readMetadata(view.private_metadata)
  if (metadata === null) return errors(UNKNOWN)
  const speaker = await parts.speakers.find(user.id, user.team_id ?? null, desk.now())
  // A form may be sent several times, until it is understood; each time it has another trigger.
  const attempt = createHash('sha256').update(trigger_id).digest('hex')
  const binding = { kind: 'handle', handle: metadata.handle } as const
  const inbound = inboundOf(speaker, binding, `form:${view.id}:${attempt}`, readForm(view.state))
  const verdict = await desk.take(inbound)
  if (verdict.kind === 'unknown') return errors(UNKNOWN)
  if (verdict.kind === 'refused' && verdict.ending !== null) settle(parts, metadata, inbound, desk)
  const words = told(verdict)
  return words === null ? undefined : errors(words)
}

/** The metadata passed through the client: it came back signed, and is still no more than a claim about a handle. */
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
