// Every parser of text by others: each takes a text and puts it where a stranger could.
import { createHmac } from 'node:crypto'
import { mailgun } from '../../adapters/email/provider/mailgun.js'
import { linesOfHtml } from '../../adapters/email/reading/html.js'
import { readMail } from '../../adapters/email/reading/read.js'
import { typed } from '../../adapters/slack/inert.js'
import { Webhook } from '../../adapters/slack/receive.js'
import { readReply, receive as receiveSms } from '../../adapters/sms/receive.js'
import { readPress } from '../../adapters/telegram/keyboard.js'
import { meaningOf } from '../../adapters/telegram/update.js'
import { readForm } from '../../adapters/web/receive.js'
import type { Desk, Hook } from '../../src/adapter/contract.js'
import { sha256 } from '../../src/canonical.js'
import { readNote } from '../../src/checkpoint/note.js'
import { compile } from '../../src/compiler/compile.js'
import type { FormSchema } from '../../src/compiler/reply-schema.js'
import { readJsonBytes } from '../../src/http/json.js'
import { type Content, exhibitOf, exhibitWhole, rowsWithin } from '../../src/request/content/exhibit.js'
import { cutQuestions, flawOfLines, TEXT_RULES } from '../../src/request/text.js'
import { NEWEST_RULES } from '../../src/rules.js'
import { AUTHOR, facts, letter, MARKER } from '../email/reading/letter.js'

export type Parser = {
  readonly name: string
  /** Characters: as many as the way lets through, or enough to tell. */
  readonly most: number
  readonly read: (text: string) => unknown
}

const NOW = Date.UTC(2026, 10, 16)
const read = (raw: string): unknown =>
  readMail(Buffer.from(raw, 'latin1'), facts({ authservId: 'mx.lane.example', now: NOW }))

/** A field may have 32 KiB. */
const FIELD = 32_000
/** Of what may be longer: the square of this many steps is seconds. */
const LONG = 60_000
const FIELDS = [
  'From',
  'Sender',
  'To',
  'Cc',
  'Delivered-To',
  'Subject',
  'Message-ID',
  'In-Reply-To',
  'References',
  'Return-Path',
  'Received',
  'Auto-Submitted',
  'Precedence',
  'Content-Type',
  'Content-Disposition',
  'Content-Transfer-Encoding',
  'ARC-Seal',
]

/** Of a signature that its checker looks at closely, and then refuses. */
const SIGNED = {
  'DKIM-Signature': `v=1; a=rsa-sha256; c=relaxed/relaxed; d=people.example; s=s1; h=${FIELDS.join(':').toLowerCase()}; bh=AAAA; b=AAAA`,
}

const inField = (name: string): Parser => ({
  name: `${name} of a mail`,
  most: FIELD,
  // A line of a header ends where a field would.
  read: text =>
    read(letter({ ...SIGNED, [name]: text.replace(/[\r\n]+/g, '\r\n ') }, `YES\n\n> ${MARKER}\n`)),
})

const body =
  (type: string, encoding: string, signed: boolean) =>
  (text: string): unknown =>
    read(
      letter(
        { ...(signed ? SIGNED : {}), 'Content-Type': type, 'Content-Transfer-Encoding': encoding },
        text,
      ),
    )

const EMAIL: readonly Parser[] = [
  ...FIELDS.map(inField),
  {
    name: 'the name of a mail’s author',
    most: FIELD,
    read: text => inField('From').read(`${text} <${AUTHOR}>`),
  },
  {
    name: 'Authentication-Results of a mail, as many as it may have',
    most: FIELD,
    read: text => {
      const value = `mx.lane.example; ${text.replace(/[\r\n]+/g, '\r\n ')}`
      return read(letter({ 'Authentication-Results': Array(7).fill(value) }, 'YES\n'))
    },
  },
  {
    name: 'DKIM-Signature of a mail',
    most: FIELD,
    read: text =>
      read(
        letter(
          { 'DKIM-Signature': `${SIGNED['DKIM-Signature']}; ${text.replace(/[\r\n]+/g, '\r\n ')}` },
          'YES\n',
        ),
      ),
  },
  {
    name: 'the words of a mail',
    most: LONG,
    read: text => body('text/plain', '8bit', false)(`YES\n${text}`),
  },
  {
    name: 'the words of a mail above a quotation',
    most: LONG,
    read: text => body('text/plain; format=flowed', '8bit', false)(`YES\n${text}\n> ${MARKER}\n`),
  },
  { name: 'the HTML of a mail', most: LONG, read: body('text/html', '8bit', false) },
  { name: 'HTML', most: LONG, read: linesOfHtml },
  {
    name: 'a part that is quoted-printable',
    most: LONG,
    read: body('text/plain', 'quoted-printable', false),
  },
  { name: 'a part in base64', most: LONG, read: body('text/html', 'base64', false) },
  { name: 'a body of many parts', most: LONG, read: body('multipart/mixed; boundary=b', '7bit', false) },
  { name: 'a body that was signed', most: LONG, read: body('application/pdf', '7bit', true) },
  {
    name: 'a body that was signed as it is',
    most: LONG,
    read: text =>
      read(
        letter(
          {
            'DKIM-Signature': SIGNED['DKIM-Signature'].replaceAll('relaxed', 'simple'),
            'Content-Type': 'application/pdf',
          },
          text,
        ),
      ),
  },
  {
    name: 'a delivery report',
    most: LONG,
    read: text =>
      body(
        'multipart/report; report-type=delivery-status; boundary=c',
        '7bit',
        false,
      )(
        `--c\nContent-Type: message/delivery-status\n\n${text}\n--c\nContent-Type: message/rfc822\n\n${text}\n--c--\n`,
      ),
  },
  {
    name: 'a form with a mail, in parts',
    most: LONG,
    read: text => posted(`--b\r\n${text}\r\n--b--`, 'multipart/form-data; boundary=b'),
  },
  {
    name: 'a form with a mail, as pairs',
    most: LONG,
    read: text => posted(text, 'application/x-www-form-urlencoded'),
  },
  {
    name: 'the type of a form with a mail',
    most: 16_000,
    read: text => posted('a=b', `multipart/form-data; ${text}`),
  },
]

const hookOf = (bytes: string, headers: Hook['headers']): Hook => ({
  bytes: Buffer.from(bytes),
  headers,
  query: '',
  provider: null,
})
const posted = (bytes: string, type: string): unknown =>
  mailgun(hookOf(bytes, { 'content-type': type }), 'a secret', NOW)

/** Looks at what is handed in, and keeps nothing. */
const DESK: Desk = {
  take: async () => ({ kind: 'unknown' }),
  report: async () => undefined,
  look: async () => null,
  notice: async () => false,
  link: async () => null,
  keep: async () => undefined,
  now: () => NOW,
}

const slack = new Webhook('a secret', async said => typed(String(said.text)))
let posts = 0
function bySlack(bytes: string, type: string): unknown {
  const timestamp = String(NOW / 1000 + (++posts % 100))
  const signature = `v0=${createHmac('sha256', 'a secret').update(`v0:${timestamp}:${bytes}`).digest('hex')}`
  const headers = {
    'x-slack-signature': signature,
    'x-slack-request-timestamp': timestamp,
    'content-type': type,
  }
  return slack.receive(hookOf(bytes, headers), DESK)
}

const ACCOUNT = { sid: 'AC1', token: 'a secret', from: '+15550100', api: 'https://sms.example' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const OTHERS: readonly Parser[] = [
  {
    name: 'an event of Slack’s',
    most: LONG,
    read: text => bySlack(JSON.stringify({ text }), 'application/json'),
  },
  { name: 'a form of Slack’s', most: LONG, read: text => bySlack(text, FORM['content-type']) },
  { name: 'words in Slack', most: LONG, read: typed },
  {
    name: 'words in Telegram',
    most: LONG,
    read: text =>
      meaningOf(
        { update_id: 1, message: { message_id: 1, text, chat: { id: 1, type: 'private' }, from: { id: 1 } } },
        { id: '1' },
      ),
  },
  { name: 'a button of Telegram’s', most: LONG, read: readPress },
  { name: 'a short message', most: LONG, read: readReply },
  {
    name: 'a form of the carrier’s',
    most: LONG,
    read: text =>
      receiveSms(
        ACCOUNT,
        'https://lane.example/hooks/sms',
        hookOf(text, { ...FORM, 'x-twilio-signature': 'a' }),
        DESK,
      ),
  },
  {
    name: 'a form of the reply page',
    most: LONG,
    read: text => readForm(Buffer.from(text), FORM['content-type']),
  },
  {
    name: 'a value in a form of the reply page',
    most: LONG,
    read: text => readForm(Buffer.from(`reply=${encodeURIComponent(text)}`), FORM['content-type']),
  },
  {
    name: 'an answer posted as JSON',
    most: LONG,
    read: text => readForm(Buffer.from(text), 'application/json'),
  },
  {
    name: 'a value in an answer posted as JSON',
    most: LONG,
    read: text => readForm(Buffer.from(JSON.stringify({ reply: text })), 'application/json'),
  },
  { name: 'the type of a form', most: 16_000, read: text => readForm(Buffer.from('a=b'), text) },
  { name: 'JSON', most: LONG, read: text => readJsonBytes(Buffer.from(text)) },
  { name: 'JSON of lists', most: LONG, read: text => readJsonBytes(Buffer.from(`[${text}`)) },
  { name: 'a value in JSON', most: LONG, read: text => readJsonBytes(Buffer.from(`{"a":"${text}"}`)) },
]

const asContent = (text: string): Content => ({
  handle: sha256(text),
  name: null,
  size: Buffer.byteLength(text),
  text: text.replaceAll('\0', ''),
})
/** A form that has every type of decision, and a pattern that goes back as often as it may. */
const SHEET: FormSchema = {
  kind: 'form',
  decisions: [
    { id: 'a', type: 'approval', prompt: 'A?', required: true, reason: { when: 'on_no', max_chars: 500 } },
    { id: 'd', type: 'text', prompt: 'D', required: false, constraints: { pattern: '(a|ab|[^c]d)*e$' } },
    { id: 'n', type: 'number', prompt: 'N', required: false },
  ],
}

/** What callers have shown, what people answer forms with, and what other systems send. */
const SHOWN: readonly Parser[] = [
  {
    name: 'a content that is shown whole',
    most: LONG,
    read: text => exhibitWhole(asContent(text)),
  },
  {
    name: 'a content that is cut',
    most: LONG,
    read: text => {
      const one = asContent(text)
      return rowsWithin([one], 3_000).map(row => exhibitOf(one, row))
    },
  },
  {
    name: 'a content that begins as a diff',
    most: LONG,
    read: text => exhibitWhole(asContent(`@@ -1,9 +1,9 @@\n${text}`)),
  },
  { name: 'a content that begins as JSON', most: LONG, read: text => exhibitWhole(asContent(`[${text}`)) },
  {
    name: 'the context of a form',
    most: LONG,
    read: text => flawOfLines(text, LONG, TEXT_RULES[NEWEST_RULES]),
  },
  { name: 'the lines of a form', most: LONG, read: text => compile(SHEET, text) },
  { name: 'an answer within a form', most: LONG, read: text => compile(SHEET, `d ${text}\na no: ${text}`) },
  { name: 'a comment beside a form', most: LONG, read: text => compile(SHEET, 'a no', { 'c.a': text }) },
  { name: 'a title of an artifact', most: LONG, read: cutQuestions },
  {
    name: 'a checkpoint',
    most: LONG,
    read: text => readNote(`lane.example/0/1\n1\n${text}\n\n— ${text}`),
  },
]

export const PARSERS: readonly Parser[] = [...EMAIL, ...OTHERS, ...SHOWN]
