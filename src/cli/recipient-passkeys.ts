// `lane recipients passkey`: the invitation to make one, those somebody has, and taking one back.
import { call } from '../client/call.js'
import { isFields } from '../client/case.js'
import { readArguments } from './arguments.js'
import { type Misuse, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { table, visible } from './print.js'
import { enter, tell } from './tell.js'

export async function passkey(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const options = {
    json: { type: 'boolean' },
    list: { type: 'boolean' },
    revoke: { type: 'string' },
  } as const
  const read = readArguments(args, options, ['USER'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, list, revoke } = read.values
  if (list === true && revoke !== undefined) return misuse('--list and --revoke are two commands: give one')
  const endpoint = enter(shell)
  if (endpoint === null) return EXIT.error
  const path = `/v1/recipients/${encodeURIComponent(read.words[0] ?? '')}/passkeys`
  if (list === true) return tell(shell, await call(endpoint, { path }), endpoint, json, passkeyRows)
  if (revoke === undefined)
    return tell(shell, await call(endpoint, { method: 'POST', path }), endpoint, json, invitationLines)
  const one = `${path}/${encodeURIComponent(revoke)}`
  return tell(shell, await call(endpoint, { method: 'DELETE', path: one }), endpoint, json, revokedLines)
}

function invitationLines(body: unknown): string[] | null {
  if (!isFields(body) || !Array.isArray(body.channels)) return null
  const { user_id, channels, url, expires_at } = body
  if (typeof url !== 'string')
    return [visible(`${user_id} was invited on ${channels.join(', ')}; it works once, until ${expires_at}`)]
  const advice = `for ${user_id} alone, of whom no channel vouches: whoever opens it makes their passkey. It can be used once, until ${expires_at}; what it confirms counts only where policy lists passkey_by_operator`
  return [visible(url), visible(advice)]
}

function passkeyRows(body: unknown): string[] | null {
  if (!isFields(body) || !Array.isArray(body.items)) return null
  const rows = body.items
    .filter(isFields)
    .map(({ credential, by, registered_at }) =>
      [credential, by, registered_at ?? '-'].map(cell => visible(String(cell))),
    )
  return table([['CREDENTIAL', 'BY', 'REGISTERED'], ...rows])
}

function revokedLines(body: unknown): string[] | null {
  if (!isFields(body) || body.passkey !== 'revoked' || !Array.isArray(body.channels)) return null
  const { credential, user_id, channels } = body
  const told =
    channels.length === 0
      ? 'nobody is told of it, because no channel reaches them'
      : `they are told of it on ${channels.join(', ')}`
  return [visible(`${credential} of ${user_id} was taken back, and ${told}`)]
}
