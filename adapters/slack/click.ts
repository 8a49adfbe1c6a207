// A press on a card's button: an answer, or the wish for the form or for somebody else to answer. The button's value is the reply handle; its id
// holds the answer, as a person would have typed it.
import type { BlockAction, ButtonAction, types } from '@slack/bolt'
import type { Desk, Glance, Inbound } from '../../src/adapter/index.js'
import { type Copy, refOf } from './copy.js'
import { formView } from './form.js'
import { handView } from './hand.js'
import { OPTION } from './render.js'
import { inboundOf, type Parts, settle, told } from './reply.js'
import { recordedText } from './words.js'

export type Click = BlockAction<ButtonAction>

/** The data the form brings back to name its delivery and its card. */
export type Metadata = Copy & { readonly handle: string }

const copyClicked = ({ channel, message, container }: Click): Copy => ({
  channel: channel?.id ?? String(container?.channel_id ?? ''),
  ts: message?.ts ?? String(container?.message_ts ?? ''),
})

async function inboundClicked(parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<Inbound> {
  const { id, team_id } = body.user
  const speaker = await parts.speakers.find(id, team_id ?? null, desk.now())
  const unique = `click:${refOf(copyClicked(body))}:${id}:${action.action_ts}`
  const text = action.action_id.startsWith(OPTION) ? action.action_id.slice(OPTION.length) : ''
  return inboundOf(speaker, { kind: 'handle', handle: action.value ?? '' }, unique, text)
}

/** Every copy is edited to its outcome by the lane, so only a refusal needs words, and a reply that decides nothing yet. */
export async function takeClick(parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<void> {
  await take(parts, body, await inboundClicked(parts, body, action, desk), desk)
}

async function take(parts: Parts, body: Click, inbound: Inbound, desk: Desk): Promise<void> {
  const verdict = await desk.take(inbound)
  const words =
    verdict.kind === 'recorded' && verdict.missing !== null ? recordedText(verdict) : told(verdict)
  const copy = copyClicked(body)
  if (words !== null) parts.notices.privately(copy, body.user.id, words)
  if (verdict.kind === 'refused' && verdict.ending !== null) settle(parts, copy, inbound, desk)
}

export const openForm = (parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<void> =>
  openView(parts, body, action, desk, ({ display, settled }, metadata) =>
    formView(display, settled, metadata),
  )

export const openHands = (parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<void> =>
  openView(parts, body, action, desk, ({ display, delegates }, metadata) =>
    handView(display, delegates, metadata),
  )

/** A view opens only for a person who could answer; anybody else's press is recorded as a reply without words. */
async function openView(
  parts: Parts,
  body: Click,
  action: ButtonAction,
  desk: Desk,
  draw: (seen: Glance, metadata: string) => types.ModalView | null,
): Promise<void> {
  const inbound = await inboundClicked(parts, body, action, desk)
  const seen = await desk.look(inbound)
  if (seen === null) return
  if (seen.reason !== null) return take(parts, body, inbound, desk)
  const copy = copyClicked(body)
  const metadata: Metadata = { ...copy, handle: action.value ?? '' }
  const view = draw(seen, JSON.stringify(metadata))
  if (view === null) return parts.notices.privately(copy, body.user.id, NOBODY_NOW)
  // The trigger lives three seconds: it is used at once, and Slack's own answer does not wait for it.
  parts.notices.later('the form', () =>
    parts.api.prompt.views.open({ trigger_id: body.trigger_id, view }).catch(error => {
      parts.notices.privately(copy, body.user.id, NOT_OPENED)
      throw error
    }),
  )
}

const NOT_OPENED =
  'The form could not be opened. Press the button again, or reply in the thread of the message.'
const NOBODY_NOW = 'There is nobody to whom you could hand this now. It is still yours to answer.'
