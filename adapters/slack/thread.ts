// Words in a card's thread: bound by the card they answer, compiled by the same grammar, and answered in the thread.
// A reply that is also shown in the conversation counts; edits, deletions, bots and everything else that Slack calls
// a message do not. Words beside a file are a reply that is never understood: the file may say otherwise. A person
// who may believe to have answered, and has not, is told.
import type { Desk, Verdict } from '../../src/adapter/index.js'
import { refOf } from './copy.js'
import { typed } from './inert.js'
import { inboundOf, isPrivate, type Parts, told } from './reply.js'
import { recordedText } from './words.js'

/** The fields of a message event that are read. */
export type Message = {
  readonly channel: string
  readonly ts: string
  readonly channel_type?: string
  readonly subtype?: string
  readonly bot_id?: string | null
  readonly user?: string
  readonly user_team?: string
  readonly text?: string
  readonly thread_ts?: string
  /** Present also under other subtypes than `file_share`. */
  readonly files?: readonly unknown[]
  /** For a changed message: its new state. */
  readonly message?: Partial<Message> & { readonly edited?: unknown }
}

const BESIDE =
  'Nothing was recorded. Answer with the buttons of the message that asks, or reply in the thread below it.'
const EDITED = 'An edited message counts as it was first sent. To say something else, write a new reply.'

const WITH_FILE = 'file_share'
const SAID: readonly (string | undefined)[] = [undefined, 'thread_broadcast', WITH_FILE]

export async function takeMessage(parts: Parts, message: Message, desk: Desk): Promise<void> {
  const { subtype, bot_id, user, thread_ts, ts } = message
  if (subtype === 'message_changed') return hintOfEdit(parts, message, desk)
  if (!SAID.includes(subtype) || typeof bot_id === 'string' || user === undefined) return
  if (thread_ts !== undefined && thread_ts !== ts)
    return takeReply(parts, { ...message, user, thread_ts }, desk)
  hint(parts, { ...message, user }, desk)
}

/** A person who writes to the lane and hears nothing would believe to have answered. */
function hint(parts: Parts, { channel, channel_type, ts, thread_ts, user }: Spoken, desk: Desk): void {
  if (channel_type === 'im') parts.notices.hint({ channel, ts }, user, BESIDE, desk.now(), thread_ts)
}

/** Slack also reports a change when it adds the preview of a link; only an edit by the author is `edited`. */
async function hintOfEdit(parts: Parts, { channel, message = {} }: Message, desk: Desk): Promise<void> {
  const { user, bot_id, edited, thread_ts } = message
  if (edited === undefined || typeof bot_id === 'string' || user === undefined || thread_ts === undefined)
    return
  const card = { channel, ts: thread_ts }
  const inbound = inboundOf(NOBODY, { kind: 'ref', ref: refOf(card) }, '', '')
  if ((await desk.look(inbound)) !== null) parts.notices.hint(card, user, EDITED, desk.now(), thread_ts)
}

type Spoken = Message & { readonly user: string }
type Reply = Spoken & { readonly thread_ts: string }

async function takeReply(parts: Parts, reply: Reply, desk: Desk): Promise<void> {
  const { channel, user, user_team, ts, thread_ts, text = '' } = reply
  const card = { channel, ts: thread_ts }
  const binding = { kind: 'ref', ref: refOf(card) } as const
  const id = `message:${refOf({ channel, ts })}`
  // Most threads of a channel are about something else: Slack is not asked who speaks there.
  if ((await desk.look(inboundOf(NOBODY, binding, id, ''))) === null) return hint(parts, reply, desk)
  const speaker = await parts.speakers.find(user, user_team ?? null, desk.now())
  const withFile = hasFile(reply)
  const verdict = await desk.take(inboundOf(speaker, binding, id, withFile ? '' : typed(text)))
  const words = answerTo(verdict, withFile)
  if (words === null) return
  if (verdict.kind === 'refused' && isPrivate(verdict.reason))
    parts.notices.privately(card, user, words, thread_ts)
  else parts.notices.inThread(card, words)
}

const NOBODY = { sender: { team: '', user: '' }, authenticated: false } as const

const hasFile = ({ subtype, files = [] }: Message): boolean => subtype === WITH_FILE || files.length > 0

function answerTo(verdict: Verdict, withFile: boolean): string | null {
  if (verdict.kind === 'recorded') return recordedText(verdict)
  const isUnread = withFile && verdict.kind === 'refused' && verdict.accepted !== null
  return isUnread ? `A message with a file answers nothing. ${verdict.accepted}` : told(verdict)
}
