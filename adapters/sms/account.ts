// The account messages are sent from, as the operator's variables give it. What cannot be right is said in words that
// repeat no value: most of them are secrets.
import type { AdapterParts } from '../../src/adapter.js'

export type Account = {
  readonly sid: string
  readonly token: string
  /** The number or messaging service people see, and answer. */
  readonly from: string
  /** Where the provider's API is, without a final slash. */
  readonly api: string
}

const USUAL_API = 'https://api.twilio.com'
const SID = /^AC[0-9a-fA-F]{32}$/
const NUMBER = /^\+[1-9][0-9]{6,14}$/
const SHORT_CODE = /^[0-9]{3,8}$/
const POOL = /^MG[0-9a-fA-F]{32}$/

/** A messaging service chooses the number itself. */
export const isPool = (from: string): boolean => POOL.test(from)

export function readAccount(variables: AdapterParts['variables']): Account {
  const { SMS_ACCOUNT_SID: sid = '', SMS_AUTH_TOKEN: token = '', SMS_FROM: from = '' } = variables
  const api = (variables.SMS_API_URL ?? USUAL_API).replace(/\/+$/, '')
  if (!SID.test(sid)) throw new Error('SMS_ACCOUNT_SID must be AC and 32 hexadecimal digits')
  if (token === '') throw new Error('SMS_AUTH_TOKEN must be set')
  // A name in letters can send and not be answered.
  if (![NUMBER, SHORT_CODE, POOL].some(form => form.test(from))) {
    throw new Error(
      'SMS_FROM must be a number such as +15551230000, a short code, or a messaging service (MG and 32 hexadecimal digits)',
    )
  }
  if (!URL.canParse(api) || !/^https?:\/\/[^@?#]+$/.test(api)) {
    throw new Error('SMS_API_URL must be an http or https address without credentials or query')
  }
  return { sid, token, from, api }
}

/** An address below this account, with the right to use it. */
export function callFor({ sid, token, api }: Account, path: string) {
  const credentials = Buffer.from(`${sid}:${token}`).toString('base64')
  return {
    url: `${api}/2010-04-01/Accounts/${sid}${path}`,
    headers: { authorization: `Basic ${credentials}`, accept: 'application/json' },
  }
}
