// The channels beside the web, each made of its own variables. Loaded only where configured: a lane that asks on the
// web does not carry the others' libraries.
import type { Adapter, AdapterParts, Channel } from './adapter.js'
import { configuredChannels, type Settings } from './settings.js'

type Maker = (parts: AdapterParts) => Promise<Adapter>

const MAKERS: Readonly<Partial<Record<Channel, Maker>>> = {
  slack: async parts => (await import('../adapters/slack/index.js')).slackAdapter(parts),
  email: async parts => (await import('../adapters/email/index.js')).emailAdapter(parts),
  telegram: async parts => (await import('../adapters/telegram/index.js')).telegramAdapter(parts),
  sms: async parts => (await import('../adapters/sms/index.js')).smsAdapter(parts),
}

export async function makeAdapters(
  settings: Settings,
  parts: Omit<AdapterParts, 'variables'>,
): Promise<Adapter[]> {
  const makers = configuredChannels(settings).flatMap(channel => MAKERS[channel] ?? [])
  return Promise.all(makers.map(make => make({ ...parts, variables: settings.channelVariables })))
}
