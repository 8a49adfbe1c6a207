// `lane recipients`: who can be asked, and where.
import { call } from '../client/call.js'
import { isFields } from '../client/case.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { EXIT } from './exit-code.js'
import { table, visible } from './print.js'
import { enter, tell } from './tell.js'

export function recipientLines(body: unknown): string[] | null {
  if (!isFields(body) || !Array.isArray(body.items)) return null
  const rows = body.items.filter(isFields).map(({ user_id, name, channels }) => {
    const where = Array.isArray(channels) ? channels.join(', ') : ''
    return [user_id, name, where].map(cell => visible(String(cell)))
  })
  return table([['USER', 'NAME', 'CHANNELS'], ...rows])
}

export const recipients: Command = {
  usage: `lane recipients [--json]

Lists who can be asked and on which channels, in order of preference. Addresses are never shown.`,

  async run(args, shell) {
    const read = readArguments(args, { json: { type: 'boolean' } })
    if (!read.ok) return misuse(...read.flaws)
    const door = enter(shell)
    if (door === null) return EXIT.error
    return tell(shell, await call(door, { path: '/v1/recipients' }), door, read.values.json, recipientLines)
  },
}
