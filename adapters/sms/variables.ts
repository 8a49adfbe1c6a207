// This channel's variables. A value that cannot be right stops the start and is named, never repeated.
import type { AdapterParts } from '../../src/adapter/index.js'
import { type Account, isPool } from './account.js'

const USUAL_API = 'https://api.twilio.com'
const SID = /^AC[0-9a-fA-F]{32}$/
const NUMBER = /^\+[1-9][0-9]{6,14}$/
const SHORT_CODE = /^[0-9]{3,8}$/
/** The provider's tokens have 32 characters; a much shorter one is a slip, and could be guessed. */
const MIN_TOKEN_CHARS = 20

export function readVariables(variables: AdapterParts['variables']): Account {
  const { SMS_ACCOUNT_SID: sid = '', SMS_AUTH_TOKEN: token = '', SMS_FROM: from = '' } = variables
  const api = (variables.SMS_API_URL ?? USUAL_API).replace(/\/+$/, '')
  if (!SID.test(sid)) throw new Error('SMS_ACCOUNT_SID must be AC and 32 hexadecimal digits')
  if (token.length < MIN_TOKEN_CHARS)
    throw new Error(`SMS_AUTH_TOKEN must be the account’s token, of at least ${MIN_TOKEN_CHARS} characters`)
  // A sender's name in letters cannot be answered.
  if (!NUMBER.test(from) && !SHORT_CODE.test(from) && !isPool(from))
    throw new Error(
      'SMS_FROM must be a number such as +15551230000, a short code, or a messaging service (MG and 32 hexadecimal digits)',
    )
  if (!URL.canParse(api) || !/^https?:\/\/[^\s@?#]+$/.test(api))
    throw new Error('SMS_API_URL must be an http or https address without credentials or query')
  return { sid, token, from, api }
}
