// The way from Slack to the desk and back to the person, shared by clicks, forms and threads.
import type { Binding, Desk, Inbound, Reason, Verdict } from '../../src/adapter/index.js'
import type { Api } from './api.js'
import { close } from './close.js'
import type { Copy } from './copy.js'
import type { SlackSpeaker, Speakers } from './speaker.js'
import type { Notices } from './tell.js'
import { refusalText } from './words.js'

export type Parts = { readonly api: Api; readonly speakers: Speakers; readonly notices: Notices }

export const inboundOf = (speaker: SlackSpeaker, binding: Binding, id: string, text: string): Inbound => ({
  channel: 'slack',
  provider_message_id: id,
  ...speaker,
  proof: 'slack_signed',
  binding,
  text,
  automated: false,
})

/** Reasons told to the sender alone, not before the others who see the card. */
const PRIVATE: readonly Reason[] = [
  'rate_limited',
  'unknown_sender',
  'wrong_recipient',
  'sender_unauthenticated',
]
export const isPrivate = (reason: Reason): boolean => PRIVATE.includes(reason)

/** The words for a refused person; null for a message that Slack handed over twice, because they spoke once. */
export const told = (verdict: Verdict): string | null =>
  verdict.kind !== 'refused' || verdict.reason === 'duplicate_message' ? null : refusalText(verdict)

/** Closes a card that still shows its buttons though its request is settled: its edit failed, or its place was not
 *  known until now. */
export function settle({ api, notices }: Parts, copy: Copy, inbound: Inbound, desk: Desk): void {
  notices.later('the ending on a card', async () => {
    const seen = await desk.look(inbound)
    if (seen !== null && seen.ending !== null) await close(api, copy, seen.ending, seen.display)
  })
}
