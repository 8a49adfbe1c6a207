// A press on a card's button: an answer, or the wish for the form. The button's value is the reply handle; its id
// holds the answer, as a person would have typed it.
import type { BlockAction, ButtonAction } from '@slack/bolt'
import type { Desk, Inbound } from '../../src/adapter/index.js'
import { type Copy, refOf } from './copy.js'
import { formView } from './form.js'
import { OPTION } from './render.js'
import { inboundOf, type Parts, settle, told } from './reply.js'

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

/** Every copy is edited to its outcome by the lane, so only a refusal needs words. */
export async function takeClick(parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<void> {
  await take(parts, body, await inboundClicked(parts, body, action, desk), desk)
}

async function take(parts: Parts, body: Click, inbound: Inbound, desk: Desk): Promise<void> {
  const verdict = await desk.take(inbound)
  const words = told(verdict)
  const copy = copyClicked(body)
  if (words !== null) parts.notices.privately(copy, body.user.id, words)
  if (verdict.kind === 'refused' && verdict.ending !== null) settle(parts, copy, inbound, desk)
}

/** The form opens only for a person who could answer; anybody else's press is recorded as a reply without words. */
export async function openForm(parts: Parts, body: Click, action: ButtonAction, desk: Desk): Promise<void> {
  const inbound = await inboundClicked(parts, body, action, desk)
  const seen = await desk.look(inbound)
  if (seen === null) return
  if (seen.reason !== null) return take(parts, body, inbound, desk)
  const copy = copyClicked(body)
  const metadata: Metadata = { ...copy, handle: action.value ?? '' }
  const view = formView(seen.display, JSON.stringify(metadata))
  // The trigger lives three seconds: it is used at once, and Slack's own answer does not wait for it.
  parts.notices.later('the form', () =>
    parts.api.prompt.views.open({ trigger_id: body.trigger_id, view }).catch(error => {
      parts.notices.privately(copy, body.user.id, NOT_OPENED)
      throw error
    }),
  )
}

const NOT_OPENED = 'The form could not be opened. Press Answer again, or reply in the thread of the message.'
