// A raw message in, a value out. The stages stand in the order in which they are safe: nothing is parsed before it
// has been cut to size, nothing is believed before its author is known, and the words are read last.
//
// ER1  Bounded: size, fields, nesting and lines are refused before a pattern sees them.
// ER2  Total: every sequence of bytes gives a value. Only the ledger and the resolver can be waited for, in this order.
// ER3  An ambiguous reply is handed on in a form that no schema accepts; nothing is cut out of prose.
import { decodeWords } from 'postal-mime'
import type { Binding } from '../../../src/adapter/index.js'
import type { AskingMail } from '../asked.js'
import { readAuthor, type Voucher, vouch } from './author.js'
import { isAbsence, isAutomated, isListMail, isResent } from './automated.js'
import { answeredId, bindingField, isQuoted, readBinding } from './binding.js'
import { type Body, readBody } from './body.js'
import { readBounce } from './bounce.js'
import { MAX_SIGNATURES, soundSignatures } from './dkim.js'
import { type Field, firstOf, hasDoubled, readHead } from './head.js'
import type { Mail, MailFacts, RefusedMail } from './mail.js'
import { type Part, readParts } from './parts.js'
import type { Known } from './said.js'

export type { Mail, MailFacts, Resolver } from './mail.js'

/** A reply with the thread and the logo below it; the webhook's door takes no more either. */
const MAX_BYTES = 10 * 1024 * 1024

export async function readMail(given: Uint8Array, facts: MailFacts): Promise<Mail> {
  if (given.length > MAX_BYTES) return refused('too_large')
  const bytes = withLineEnds(given)
  const head = readHead(bytes)
  if (typeof head === 'string') return refused(head)
  const { fields } = head
  if (hasDoubled(fields)) return refused('doubled_header')
  if (soundSignatures(fields, facts.now).length > MAX_SIGNATURES) return refused('too_many_headers')
  const root = readParts(bytes)
  if (typeof root === 'string') return refused(root)
  return readBounce(fields, root, facts) ?? readReply(bytes, fields, root, facts)
}

const refused = (why: RefusedMail): Mail => ({ kind: 'refused', why })

async function readReply(
  bytes: Buffer,
  fields: readonly Field[],
  root: Part,
  facts: MailFacts,
): Promise<Mail> {
  if (isResent(fields)) return { kind: 'ignored', why: 'resent' }
  if (isListMail(fields)) return { kind: 'ignored', why: 'mailing_list' }
  const binding = readBinding(fields, facts)
  if (typeof binding === 'string') return { kind: 'ignored', why: binding }
  const author = readAuthor(fields)
  if (author === null) return refused('no_single_author')
  const automated = isAutomated(fields, root, author)
  const asked = await facts.asked(binding, author)
  const voucher = await vouch(bytes, fields, author, facts, asked?.isKnown === true)
  if (voucher.kind === 'later') return voucher
  const body = readBody(root, known(fields, facts, asked?.decisions ?? null))
  const named = await namedBy(fields, asked, author, facts)
  const about = isAbout(binding, body, named)
  return {
    kind: 'reply',
    binding,
    sender: author,
    authenticated: about && isCovered(voucher, bindingField(binding, fields, facts), body),
    proof: 'dmarc',
    text: about ? body.text : '',
    message_id: /<([^<>\s]{1,250})>/.exec(firstOf(fields, 'message-id') ?? '')?.[1] ?? null,
    automated,
    absent: automated && isAbsence(fields, root),
    loosely: named === 'nothing',
    noticeId: asked?.noticeId ?? null,
  }
}

/** The mail that this one says it answers: the mail that asked, another one, or none. */
type Named = 'asked' | 'another' | 'nothing'

/** A server that gives mails its own ids has told us the id, and the ledger knows the delivery by it. */
async function namedBy(
  fields: readonly Field[],
  asked: AskingMail | null,
  author: string,
  facts: MailFacts,
): Promise<Named> {
  const id = answeredId(fields)
  if (id === null) return 'nothing'
  if (asked === null) return 'another'
  if ([asked.messageId, asked.noticeId, ...asked.reminderIds].includes(id.toLowerCase())) return 'asked'
  const other = await facts.asked({ kind: 'ref', ref: id }, author)
  return other?.delivery_id === asked.delivery_id ? 'asked' : 'another'
}

/** Whether it can answer this request at all: it names the mail that asked and quotes no other, or it names none and
 *  quotes that mail. */
function isAbout(binding: Binding, { marker }: Body, named: Named): boolean {
  if (marker === null) return named === 'asked'
  return named !== 'another' && isQuoted(binding, marker)
}

/** Whether somebody vouches for the author and for the binding (author.ts, EW3): by the field the binding was read
 *  from, or by the mail of ours that is quoted. */
const isCovered = (voucher: Voucher, field: string, { marker }: Body): boolean =>
  voucher.kind === 'vouched' && (marker !== null || voucher.covers === 'all' || voucher.covers.has(field))

/** A subject is a line of a mail; the longest we write has about three hundred characters. */
const MAX_SUBJECT_CHARS = 1_000

const known = (
  fields: readonly Field[],
  { replyTo, from, banners }: MailFacts,
  decisions: Known['decisions'],
): Known => ({
  decisions,
  own: [from, `${replyTo.local}@${replyTo.domain}`].map(address => address.toLowerCase()),
  banners,
  subject: decodeWords((firstOf(fields, 'subject') ?? '').slice(0, MAX_SUBJECT_CHARS)),
})

const LF = 0x0a
const CR = 0x0d

/** Mailboxes on disk keep LF, the wire has CRLF, and signatures are made over the wire. */
function withLineEnds(given: Uint8Array): Buffer {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  let lone = 0
  for (let at = nextLone(bytes, 0); at !== -1; at = nextLone(bytes, at + 1)) lone++
  if (lone === 0) return bytes
  const whole = Buffer.alloc(bytes.length + lone)
  let from = 0
  let to = 0
  for (let at = nextLone(bytes, 0); at !== -1; at = nextLone(bytes, at + 1)) {
    to += bytes.copy(whole, to, from, at)
    whole[to++] = CR
    from = at
  }
  bytes.copy(whole, to, from)
  return whole
}

function nextLone(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(LF, from)
  while (at !== -1 && bytes[at - 1] === CR) at = bytes.indexOf(LF, at + 1)
  return at
}
