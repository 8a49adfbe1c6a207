// Words in a card's thread: bound by the card they answer, compiled by the same grammar, and answered in the thread.
// A reply that is also shown in the conversation is one; edits, deletions, files, bots and everything else that Slack calls
// a message are none.
import type { Desk } from '../../src/adapter.js'
import { refOf } from './copy.js'
import { typed } from './inert.js'
import { inboundOf, isPrivate, type Parts, told } from './reply.js'

/** Of a message event, what is looked at. */
export type Message = {
  readonly channel: string
  readonly ts: string
  readonly channel_type?: string
  readonly subtype?: string
  readonly bot_id?: string
  readonly user?: string
  readonly user_team?: string
  readonly text?: string
  readonly thread_ts?: string
}

const BESIDE =
  'Nothing was recorded. Answer with the buttons of the message that asks, or reply in the thread below it.'

const SAID: readonly (string | undefined)[] = [undefined, 'thread_broadcast']

export async function takeMessage(parts: Parts, message: Message, desk: Desk): Promise<void> {
  const { subtype, bot_id, user, thread_ts, ts, channel } = message
  if (!SAID.includes(subtype) || bot_id !== undefined || user === undefined) return
  if (thread_ts !== undefined && thread_ts !== ts)
    return takeReply(parts, { ...message, user, thread_ts }, desk)
  // Somebody who writes to the lane and hears nothing would believe to have answered.
  if (message.channel_type === 'im') parts.notices.hint({ channel, ts }, user, BESIDE, desk.now())
}

type Reply = Message & { readonly user: string; readonly thread_ts: string }

async function takeReply(parts: Parts, reply: Reply, desk: Desk): Promise<void> {
  const { channel, user, user_team, ts, thread_ts, text = '' } = reply
  const card = { channel, ts: thread_ts }
  const binding = { kind: 'ref', ref: refOf(card) } as const
  const id = `message:${refOf({ channel, ts })}`
  // Most threads of a channel are about something else: nobody is asked who speaks there.
  if ((await desk.look(inboundOf(NOBODY, binding, id, ''))) === null) return
  const speaker = await parts.speakers.find(user, user_team ?? null, desk.now())
  const verdict = await desk.take(inboundOf(speaker, binding, id, typed(text)))
  const words = verdict.kind === 'recorded' ? `Recorded: ${verdict.answer}` : told(verdict)
  if (words === null) return
  if (verdict.kind === 'refused' && isPrivate(verdict.reason))
    parts.notices.privately(card, user, words, thread_ts)
  else parts.notices.inThread(card, words)
}

const NOBODY = { sender: { team: '', user: '' }, authenticated: false } as const
