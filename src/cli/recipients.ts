// `lane recipients`: the people who can be asked, their channels, and the invitation to link one's own address.
import { call } from '../client/call.js'
import { isFields } from '../client/case.js'
import { readArguments } from './arguments.js'
import { type Command, type Misuse, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { table, visible } from './print.js'
import { passkey } from './recipient-passkeys.js'
import { enter, tell } from './tell.js'

/** The one channel on which people link their own address. */
const USUAL_CHANNEL = 'telegram'

function recipientLines(body: unknown): string[] | null {
  if (!isFields(body) || !Array.isArray(body.items)) return null
  const rows = body.items.filter(isFields).map(({ user_id, name, channels }) => {
    const where = Array.isArray(channels) ? channels.join(', ') : ''
    return [user_id, name, where].map(cell => visible(String(cell)))
  })
  return table([['USER', 'NAME', 'CHANNELS'], ...rows])
}

function invitationLines(body: unknown): string[] | null {
  if (!isFields(body) || typeof body.url !== 'string') return null
  const advice = `for that person alone: whoever opens it first is linked. It can be used once, until ${body.expires_at}`
  return [visible(body.url), visible(advice)]
}

async function list(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const read = readArguments(args, { json: { type: 'boolean' } })
  if (!read.ok) return misuse(...read.flaws)
  const endpoint = enter(shell)
  if (endpoint === null) return EXIT.error
  return tell(
    shell,
    await call(endpoint, { path: '/v1/recipients' }),
    endpoint,
    read.values.json,
    recipientLines,
  )
}

async function link(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const options = { json: { type: 'boolean' }, channel: { type: 'string' } } as const
  const read = readArguments(args, options, ['USER'])
  if (!read.ok) return misuse(...read.flaws)
  const endpoint = enter(shell)
  if (endpoint === null) return EXIT.error
  const { json, channel = USUAL_CHANNEL } = read.values
  const path = `/v1/recipients/${encodeURIComponent(read.words[0] ?? '')}/invitations`
  const asked = await call(endpoint, { method: 'POST', path, body: { channel } })
  return tell(shell, asked, endpoint, json, invitationLines)
}

async function away(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const options = {
    json: { type: 'boolean' },
    until: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
  } as const
  const read = readArguments(args, options, ['USER'])
  if (!read.ok) return misuse(...read.flaws)
  const { json, until, from, to } = read.values
  if (until === undefined) return misuse('--until T is needed: a time with its offset, 2026-12-24T18:00:00Z')
  const endpoint = enter(shell)
  if (endpoint === null) return EXIT.error
  const path = `/v1/recipients/${encodeURIComponent(read.words[0] ?? '')}/away`
  const body = { until, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  return tell(shell, await call(endpoint, { method: 'POST', path, body }), endpoint, json, awayLines)
}

function awayLines(body: unknown): string[] | null {
  if (!isFields(body) || typeof body.until !== 'string') return null
  const { user_id, from, until, to } = body
  if (from === until) return [visible(`${user_id} is back since ${until}`)]
  const place = to === null ? 'nobody is asked in their place' : `${to} is asked in their place`
  return [visible(`${user_id} is away from ${from} until ${until}; ${place}`)]
}

const DEEDS: Readonly<Record<string, typeof list>> = { link, away, passkey }

export const recipients: Command = {
  usage: `lane recipients [--json]
lane recipients link USER [--channel telegram] [--json]
lane recipients away USER --until T [--from T] [--to USER] [--json]
lane recipients passkey USER [--list | --revoke CREDENTIAL] [--json]

Lists who can be asked and on which channels, in order of preference. Addresses are never shown. \`link\` prints a link
for one person, who opens it to link an account of their own; the configuration says so with \`telegram: link\`.
\`away\` says that a person is away, from now or from T on; what would be put to them then goes to the delegate named with
--to, and without one is put to them all the same. What was put to them before stays theirs. An end that has come already,
such as --until of now, says that they are back. \`passkey\` invites a person to make a passkey: on the channels of theirs that
vouch for who answers, or, where none does, by a link that is printed for you to hand over. --list names those they have;
--revoke takes one back, named by its first characters, at once and for good: it signs nobody in and confirms nothing any more,
what it confirmed before stays, and the person is told on the channels that reach them.`,

  run: ([first = '', ...rest], shell) =>
    (DEEDS[first] ?? list)(Object.hasOwn(DEEDS, first) || first === '' ? rest : [first, ...rest], shell),
}
