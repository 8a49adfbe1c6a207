// The SMS channel: one short message with a code and a link, and the answer that comes back from the same number. It
// proves no more than that number (`sms_from`), which can be forged and taken over; the policy says for which
// requests that is enough.
import type { Adapter, AdapterParts } from '../../src/adapter/index.js'
import { check } from './check.js'
import { receive } from './receive.js'
import { shows } from './render.js'
import { send } from './send.js'
import { readVariables } from './variables.js'

/** A message that has arrived cannot be edited: its code simply answers nothing any more. */
export function smsAdapter({ variables, publicUrl }: AdapterParts): Adapter {
  const account = readVariables(variables)
  const hookUrl = (): string => `${publicUrl()}/hooks/sms`
  return {
    channel: 'sms',
    shows: display => shows(display, publicUrl()),
    send: (display, outbound) => send(account, hookUrl(), display, outbound),
    receive: (hook, desk) => receive(account, hookUrl(), hook, desk),
    check: () => check(account, hookUrl()),
  }
}
