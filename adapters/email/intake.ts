// A message, whichever way it came, is read, handed in at the desk, and answered at most once. The place in the
// mailbox it was read from, if any, is stored together with the reply.
import { createHash } from 'node:crypto'
import type { Desk, Inbound, Say, Verdict } from '../../src/adapter/index.js'
import { findAsked, type Namer } from './asked.js'
import { findMessageIds } from './marker.js'
import type { Mail } from './reading/mail.js'
import { type MailFacts, readMail } from './reading/read.js'
import { type NoticeDesk, tell } from './sending/notice.js'

/** The parts that are the same for every message. */
export type Intake = {
  readonly facts: Omit<MailFacts, 'now' | 'last' | 'asked'>
  readonly namer: Namer
  readonly notices: NoticeDesk
  readonly say: Say
}

/** `theirs`: the mail is not meant for us, so it is not ours to touch. */
export type Fate = 'taken' | 'refused' | 'theirs' | 'later'

/** Addresses and references stand before everything else. */
export const HEAD_BYTES = 64 * 1024

/** One try at a message: the place it was read from, where there is one, and whether another try follows. */
type Try = { readonly cursor?: string; readonly last: boolean }

export async function handIn(intake: Intake, bytes: Uint8Array, desk: Desk, turn: Try): Promise<Fate> {
  const mail = await readMail(bytes, {
    ...intake.facts,
    asked: (binding, author) => findAsked(intake.namer, desk, binding, author),
    last: turn.last,
    now: desk.now(),
  })
  if (mail.kind === 'reply') return takeReply(intake, mail, bytes, desk, turn)
  if (mail.kind === 'bounce') await reportBounce(mail, desk)
  if (mail.kind === 'refused')
    intake.say('warn', 'a mail was refused unread', { channel: 'email', why: mail.why })
  if (mail.kind !== 'later' && turn.cursor !== undefined) await desk.keep(turn.cursor)
  return fateOf(mail, isMeantForUs(intake, bytes))
}

/** The fate of a message that was handed in before, judged by its looks alone. */
export async function fateAgain(intake: Intake, bytes: Uint8Array, now: number): Promise<Fate> {
  const mail = await readMail(bytes, { ...intake.facts, asked: async () => null, last: true, now })
  return fateOf(mail, isMeantForUs(intake, bytes))
}

function fateOf(mail: Mail, isOurs: boolean): Fate {
  switch (mail.kind) {
    case 'reply':
    case 'bounce':
      return 'taken'
    case 'ignored':
      if (mail.why === 'no_failure') return 'taken'
      return isOurs && mail.why !== 'names_no_request' ? 'refused' : 'theirs'
    case 'refused':
      return isOurs ? 'refused' : 'theirs'
    case 'later':
      return 'later'
  }
}

/** Whether the beginning of a message names us as only a reply does. Any other mail is its owner's. */
export function isMeantForUs({ facts: { replyTo } }: Pick<Intake, 'facts'>, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1').toLowerCase()
  const address = `${replyTo.local}${replyTo.delimiter}`.toLowerCase()
  return head.includes(address) || findMessageIds(head, replyTo.domain).length > 0
}

type Reply = Extract<Mail, { kind: 'reply' }>

async function takeReply(
  { notices, say }: Intake,
  mail: Reply,
  bytes: Uint8Array,
  desk: Desk,
  { cursor }: Try,
): Promise<Fate> {
  const verdict = await desk.take(inboundOf(mail, bytes), cursor)
  const messageId = mail.noticeId
  if (messageId !== null && isTold(verdict, mail) && (await desk.notice(verdict))) {
    const posted = await tell(notices, { refused: verdict, reply: mail, messageId }, desk.now())
    if (posted.kind === 'failed')
      say('warn', 'a notice could not be sent', { channel: 'email', why: posted.code })
  }
  return verdict.kind === 'recorded' ? 'taken' : 'refused'
}

/** A program is never answered: two of them would keep each other talking. */
const isTold = (verdict: Verdict, { automated }: Reply): verdict is Extract<Verdict, { kind: 'refused' }> =>
  verdict.kind === 'refused' && !automated

/** A message without an id is known by its content. */
function inboundOf(mail: Reply, bytes: Uint8Array): Inbound {
  const { sender, authenticated, proof, binding, text, automated, absent, loosely } = mail
  const provider_message_id = mail.message_id ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const told = { sender, proof, authenticated, binding, text, automated }
  return {
    channel: 'email',
    provider_message_id,
    ...told,
    ...(absent && { absent: true }),
    ...(loosely && { loosely }),
  }
}

/** A bounce means that the mail was given up, so a temporary status in it is as final as any other. */
function reportBounce({ about, status }: Extract<Mail, { kind: 'bounce' }>, desk: Desk): Promise<void> {
  return desk.report({ channel: 'email', about, status, stands: false })
}
