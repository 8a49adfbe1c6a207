// The channels beside the web, each made of its own variables. Loaded only if configured: a lane that asks on the web
// does not carry the others' libraries.
import type { Adapter, AdapterParts } from '../adapter/contract.js'
import { configuredChannels, type HalfConfigured, halfConfigured, type Settings } from '../config/settings.js'
import type { Channel } from '../request/channel.js'
import type { Say } from '../say.js'

type Maker = (parts: AdapterParts) => Promise<Adapter>

const MAKERS: Readonly<Partial<Record<Channel, Maker>>> = {
  slack: async parts => (await import('../../adapters/slack/index.js')).slackAdapter(parts),
  email: async parts => (await import('../../adapters/email/index.js')).emailAdapter(parts),
  telegram: async parts => (await import('../../adapters/telegram/index.js')).telegramAdapter(parts),
  sms: async parts => (await import('../../adapters/sms/index.js')).smsAdapter(parts),
}

export async function makeAdapters(
  settings: Settings,
  parts: Omit<AdapterParts, 'variables'>,
): Promise<Adapter[]> {
  const makers = configuredChannels(settings).flatMap(channel => MAKERS[channel] ?? [])
  return Promise.all(makers.map(make => make({ ...parts, variables: settings.channelVariables })))
}

/** Two sentences, the second with the remedy. "and" joins the missing variables, because alternatives are written
 *  with "or". */
export const halfWords = ({ given, missing }: HalfConfigured): readonly [seen: string, remedy: string] => [
  `is not configured, though ${given.join(', ')} ${given.length === 1 ? 'is' : 'are'} set`,
  `set ${missing.join(', and ')}`,
]

/** No reason not to start: nobody is on that channel yet. But an operator who set a variable
 *  expects it to do something. */
export function warnOfHalves(settings: Settings, say: Say): void {
  for (const half of halfConfigured(settings))
    say('warn', `${half.channel} ${halfWords(half).join(': ')}`, { channel: half.channel })
}
