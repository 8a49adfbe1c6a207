// The provider's webhook: verified as it came, then read. An answer is the words and, at their end, the code; the code
// counts only together with the number it came from. Everything else is a report, a word for the carrier, or nothing.
import {
  type Desk,
  type Hook,
  type HookAnswer,
  type Inbound,
  UNVERIFIED,
  type Verdict,
} from '../../src/adapter/index.js'
import { type Account, isPool } from './account.js'
import { SILENT, tell } from './feedback.js'
import { keywordOf } from './keyword.js'
import { isSigned } from './signature.js'
import { recordedText, refusalText } from './words.js'

/** The signature covers names and values as one string without gaps. A holder of a signed message could move the
 *  borders between them, and give it another id or none; only one id of this shape can be read from it. */
const MESSAGE_ID = /^[A-Z]{2}[0-9a-f]{32}$/
const UNREADABLE: HookAnswer = { status: 400, body: 'not a message' }

export async function receive(
  account: Account,
  hookUrl: string,
  hook: Hook,
  desk: Desk,
): Promise<HookAnswer> {
  const parameters = readForm(hook)
  const signature = hook.headers['x-twilio-signature']
  if (!isSigned(account.token, { url: hookUrl + hook.query, parameters }, signature)) return UNVERIFIED
  if (!isOurs(account, parameters)) return SILENT
  return parameters.has('MessageStatus')
    ? takeStatus(parameters, new URLSearchParams(hook.query), desk)
    : takeMessage(parameters, desk)
}

/** A body that is no form has no parameters; a signature of it cannot vouch for any. */
function readForm({ bytes, headers }: Hook): URLSearchParams {
  const [media = ''] = (headers['content-type'] ?? '').split(';')
  const isForm = media.trim().toLowerCase() === 'application/x-www-form-urlencoded'
  return new URLSearchParams(isForm ? Buffer.from(bytes).toString('utf8') : '')
}

/** Another number of the same account may be somebody else's conversation. */
function isOurs({ sid, from }: Account, parameters: URLSearchParams): boolean {
  if (parameters.get('AccountSid') !== sid) return false
  const ends = [parameters.get('To'), parameters.get('From')]
  return isPool(from) || ends.includes(from)
}

/** A status on the way is no news: the lane knows that it was sent. These come in any order, and each is an end. */
const ENDED: Readonly<Record<string, boolean>> = {
  delivered: true,
  read: true,
  undelivered: false,
  failed: false,
  canceled: false,
}

async function takeStatus(
  parameters: URLSearchParams,
  query: URLSearchParams,
  desk: Desk,
): Promise<HookAnswer> {
  const word = parameters.get('MessageStatus') ?? ''
  const stands = Object.hasOwn(ENDED, word) ? ENDED[word] : undefined
  if (stands === undefined) return SILENT
  const handle = query.get('handle')
  const about =
    handle === null
      ? { kind: 'ref' as const, ref: parameters.get('MessageSid') ?? '' }
      : { kind: 'handle' as const, handle }
  const code = parameters.get('ErrorCode') ?? ''
  const status = !stands && /^[0-9]{1,6}$/.test(code) && code !== '0' ? `${word}_${code}` : word
  await desk.report({ channel: 'sms', about, status, stands })
  return SILENT
}

async function takeMessage(parameters: URLSearchParams, desk: Desk): Promise<HookAnswer> {
  const id = parameters.get('MessageSid') ?? ''
  if (!MESSAGE_ID.test(id)) return UNREADABLE
  const sender = parameters.get('From') ?? ''
  const text = parameters.get('Body') ?? ''
  const keyword = keywordOf(text, parameters.get('OptOutType'))
  if (keyword === 'opt_out') {
    await desk.report({
      channel: 'sms',
      about: { kind: 'sender', sender },
      status: 'opted_out',
      stands: false,
    })
  }
  // The carrier answers these itself.
  if (keyword !== null) return SILENT
  const withMedia = (parameters.get('NumMedia') ?? '0') !== '0'
  return say(await desk.take(inboundOf(id, sender, text, withMedia)), withMedia, desk)
}

/** A refusal is told once per request and person. */
async function say(verdict: Verdict, withMedia: boolean, desk: Desk): Promise<HookAnswer> {
  if (verdict.kind === 'unknown') return SILENT
  if (verdict.kind === 'recorded') return tell(recordedText(verdict))
  return (await desk.notice(verdict)) ? tell(refusalText(verdict, withMedia)) : SILENT
}

/** Words beside a picture are not taken: the picture may say otherwise. */
function inboundOf(id: string, sender: string, body: string, withMedia: boolean): Inbound {
  const { text, code } = readReply(body)
  return {
    channel: 'sms',
    provider_message_id: id,
    sender,
    proof: 'sms_from',
    authenticated: true,
    binding: { kind: 'code', code },
    text: withMedia ? '' : text,
    automated: false,
  }
}

/** Words, blanks, the code, and the full stop a phone may add. Codes have seven characters; those sent by earlier
 *  versions have four. */
const ANSWER = /^(.*[^ \t\r\n])[ \t\r\n]+([0-9A-Za-z]{7}|[0-9A-Za-z]{4})[.!]?[ \t\r\n]*$/s

/** A reply without a code, or with a word for the carrier before it, answers nothing: no code fits it. */
export function readReply(body: string): { readonly text: string; readonly code: string } {
  const [, text = '', code = ''] = ANSWER.exec(body) ?? []
  return code === '' || keywordOf(text) !== null ? { text: body, code: '' } : { text, code }
}
