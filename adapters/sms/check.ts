// For `lane doctor`: whether the provider knows the account, and whether people's answers will come here.
import type { Finding } from '../../src/adapter/index.js'
import { type Account, isPool } from './account.js'
import { call } from './call.js'

const ANSWER_WITHIN_MS = 10_000

const finding = (status: Finding['status'], message: string, remedy: string | null = null): Finding => ({
  check: 'sms',
  status,
  message,
  remedy,
})

export async function check(account: Account, hookUrl: string): Promise<readonly Finding[]> {
  const { status, body } = await call(account, '.json', ANSWER_WITHIN_MS)
  if (status === 401 || status === 403)
    return [finding('fail', 'the provider refuses the account', 'correct SMS_ACCOUNT_SID and SMS_AUTH_TOKEN')]
  const state = Object(body).status
  if (status !== 200 || state !== 'active')
    return [
      finding('fail', `the provider answers ${status} about the account`, 'see its console, and SMS_API_URL'),
    ]
  const known = finding('ok', 'the provider knows the account, and it is active')
  return [known, await checkNumber(account, hookUrl)]
}

async function checkNumber(account: Account, hookUrl: string): Promise<Finding> {
  const setting = `set ${hookUrl} (POST) for incoming messages at the provider`
  if (isPool(account.from))
    return finding(
      'warn',
      'where a messaging service sends what people answer cannot be seen from here',
      setting,
    )
  const asked = new URLSearchParams({ PhoneNumber: account.from })
  const { body } = await call(account, `/IncomingPhoneNumbers.json?${asked}`, ANSWER_WITHIN_MS)
  const [number] = [Object(body).incoming_phone_numbers].flat()
  if (number === undefined || number === null)
    return finding('fail', 'the account has no such number', 'correct SMS_FROM')
  const { sms_url: url, sms_method: method } = number
  return url === hookUrl && method === 'POST'
    ? finding('ok', `answers come to ${hookUrl}`)
    : finding('fail', 'what people answer does not come here', setting)
}
