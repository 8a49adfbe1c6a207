// Letters for the tests: written by hand as raw messages, signed with keys made here, looked up in a zone in memory.
import { createSign, generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth'
import type { AskingMail } from '../../../adapters/email/asked.js'
import { markerLine, writeMessageId, writeNoticeId } from '../../../adapters/email/marker.js'
import type { Mail, MailFacts, Resolver } from '../../../adapters/email/reading/read.js'
import { readMail } from '../../../adapters/email/reading/read.js'
import type { Binding } from '../../../src/adapter/contract.js'

export const HANDLE = '0123456789abcdefghjkmnpqrs'
export const OTHER_HANDLE = 'zyxwvtsrqpnmkjhgfedcba9876'
export const MESSAGE_ID = writeMessageId('d-1', 'lane.example')
export const NOTICE_ID = writeNoticeId('d-1', 'lane.example')
/** Of the request that has OTHER_HANDLE. */
export const OTHER_ID = writeMessageId('d-2', 'lane.example')
export const MARKER = markerLine(HANDLE, MESSAGE_ID)
export const REPLY_TO = `lane+${HANDLE}@lane.example`
export const AUTHOR = 'ana@people.example'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
export const KEY_RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`

export type Zone = Readonly<Record<string, string>>
export const ZONE: Zone = {
  's1._domainkey.people.example': KEY_RECORD,
  's1._domainkey.strangers.example': KEY_RECORD,
  '_dmarc.people.example': 'v=DMARC1; p=reject',
  '_dmarc.strangers.example': 'v=DMARC1; p=reject',
}

const missing = (): never => {
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
}

/** TXT records alone; every question is counted. */
export function zone(records: Zone = ZONE): Resolver & { readonly asked: string[] } {
  const asked: string[] = []
  const resolver: Resolver = async (name, rrtype) => {
    asked.push(`${rrtype} ${name}`)
    const record = rrtype === 'TXT' ? records[name] : undefined
    return record === undefined ? missing() : [[record]]
  }
  return Object.assign(resolver, { asked })
}

/** Two deliveries, each known by its handle and by the id of its mail. */
function asked(binding: Binding): AskingMail | null {
  const names = [binding.kind === 'handle' ? binding.handle : '', binding.kind === 'ref' ? binding.ref : '']
  const isKnown = true
  if ([HANDLE, MESSAGE_ID].some(one => names.includes(one)))
    return {
      delivery_id: 'd-1',
      isKnown,
      messageId: MESSAGE_ID,
      noticeId: NOTICE_ID,
      reminderIds: [],
      decisions: null,
    }
  if ([OTHER_HANDLE, OTHER_ID].some(one => names.includes(one)))
    return {
      delivery_id: 'd-2',
      isKnown,
      messageId: OTHER_ID,
      noticeId: writeNoticeId('d-2', 'lane.example'),
      reminderIds: [],
      decisions: null,
    }
  return null
}

export const facts = (given: Partial<MailFacts> = {}): MailFacts => ({
  resolver: zone(),
  asked: async binding => asked(binding),
  authservId: null,
  replyTo: { local: 'lane', delimiter: '+', domain: 'lane.example' },
  from: 'lane@lane.example',
  banners: new Set(),
  last: false,
  now: Date.UTC(2026, 10, 16),
  ...given,
})

export type Fields = Readonly<Record<string, string | readonly string[] | null>>

const USUAL: Fields = {
  From: `Ana <${AUTHOR}>`,
  To: `Interrupt Lane <${REPLY_TO}>`,
  Subject: 'Re: [LANE] Publish?',
  Date: 'Mon, 16 Nov 2026 10:00:00 +0000',
  'Message-ID': '<reply-1@people.example>',
  'In-Reply-To': MESSAGE_ID,
  'MIME-Version': '1.0',
  'Content-Type': 'text/plain; charset=utf-8',
}

/** The usual fields with these in their place; null leaves one out, a list says it several times. */
export function letter(fields: Fields, body: string): string {
  const lines = Object.entries({ ...USUAL, ...fields }).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map(one => `${name}: ${one}`),
  )
  return `${lines.join('\r\n')}\r\n\r\n${body.replace(/\r?\n/g, '\r\n')}`
}

export type Signing = {
  readonly domain?: string
  readonly headers?: string
  readonly length?: number
  readonly algorithm?: string
}

/** mailauth signs as its documentation says and not as its types do. */
const sign = dkimSign as unknown as (
  raw: string,
  options: Readonly<Record<string, unknown>>,
) => Promise<{ readonly signatures: string; readonly errors?: readonly unknown[] }>

export async function signed(
  raw: string,
  { domain = 'people.example', headers, length, algorithm = 'rsa-sha256' }: Signing = {},
): Promise<string> {
  const data = { signingDomain: domain, selector: 's1', privateKey: PEM, maxBodyLength: length }
  const { signatures, errors } = await sign(raw, {
    canonicalization: 'relaxed/relaxed',
    algorithm,
    headerList: headers,
    // Without it the signer reads the clock twice, and at the turn of a second signs what it does not write.
    signTime: new Date(Date.UTC(2026, 0, 1)),
    signatureData: [data],
  })
  if (errors !== undefined && errors.length > 0) throw new Error('the letter could not be signed')
  return `${signatures}${raw}`
}

/** Signed for an agent of this domain (`i=`), which mailauth's signer does not write. */
export async function signedFor(identity: string, raw: string): Promise<string> {
  const [, bodyHash] = /\bbh=([^;]+)/.exec(await signed(raw)) ?? []
  const names = ['from', 'to', 'in-reply-to']
  const fields = raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n')
  const covered = names.map(name => {
    const [, value] = fields.find(field => field.toLowerCase().startsWith(`${name}:`))?.split(/:(.*)/s) ?? []
    return `${name}:${value?.trim()}\r\n`
  })
  const tags = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=people.example; s=s1; i=@${identity}`
  const field = `${tags}; h=${names.join(':')}; bh=${bodyHash}; b=`
  const value = createSign('sha256')
    .update(`${covered.join('')}dkim-signature:${field}`)
    .sign(PEM, 'base64')
  return `DKIM-Signature: ${field}${value}\r\n${raw}`
}

export const bytesOf = (raw: string): Buffer => Buffer.from(raw, 'utf8')

export const read = (raw: string, given: Partial<MailFacts> = {}): Promise<Mail> =>
  readMail(bytesOf(raw), facts(given))

/** What is to be compiled. */
export async function said(raw: string, given: Partial<MailFacts> = {}): Promise<string> {
  const mail = await read(raw, given)
  if (mail.kind !== 'reply') throw new Error(`no reply but ${JSON.stringify(mail)}`)
  return mail.text
}
