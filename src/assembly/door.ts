// Fourth stage: the door is built and opened. From then on links lead somewhere.
import type { Desk } from '../adapter/contract.js'
import { openDesk } from '../channel/desk.js'
import { sleep } from '../client/pace.js'
import { machineClock } from '../clock.js'
import { leaveAddress } from '../config/data-directory.js'
import { defaultUrl } from '../config/settings.js'
import type { DoorParts } from '../http/door.js'
import { Guesses } from '../http/guesses.js'
import { buildServer } from '../http/server.js'
import { Watch } from '../http/watch.js'
import type { Channel } from '../request/channel.js'
import type { Oidc } from '../session/oidc.js'
import { stamper } from '../token/stamp.js'
import type { Channels } from './channels.js'
import type { House } from './house.js'
import type { HeldKeys } from './keys.js'
import type { Laid } from './lane.js'

export type OpenDoor = { readonly url: string; readonly desk: (channel: Channel) => Desk }

export async function openDoor(
  house: House,
  keys: HeldKeys,
  channels: Channels,
  laid: Laid,
): Promise<OpenDoor> {
  const { settings, stops, publicUrl } = house
  const desk = deskOf(house, channels, laid)
  /** Known once the door is open; no message comes before. */
  const own = { url: '' }
  const agents = whenAsked(async () => {
    const { overHttp } = await import('../mcp/http.js')
    return overHttp({
      url: () => own.url,
      pace: { clock: machineClock, sleep },
      version: house.version,
      onError: error => house.log.debug({ err: error }, 'a message of an agent was not served'),
    })
  })
  const oidc = await providerOf(house, channels)
  const parts = { ...partsOf(house, keys, channels, laid, desk), agents, oidc }
  const { pathname, protocol } = new URL(settings.publicUrl)
  const facing = {
    trustProxy: settings.trustProxy,
    prefix: pathname.replace(/\/$/, ''),
    isHttps: protocol === 'https:',
  }
  const app = buildServer(parts, facing, house.log)
  stops.addDraining(() => app.close())
  await app.listen({ host: settings.host, port: settings.port })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : settings.port
  const url = defaultUrl(settings.host, port)
  own.url = url
  if (!settings.publicUrlGiven) publicUrl.current = url
  leaveAddress(settings.dataDir, url)
  return { url, desk }
}

/** Loaded with the first message: many a lane never gets one, and its start would wait a tenth of a second longer. */
function whenAsked(load: () => Promise<DoorParts['agents']>): DoorParts['agents'] {
  let loaded: Promise<DoorParts['agents']> | null = null
  return async message => {
    loaded ??= load()
    return (await loaded)(message)
  }
}

/** Its library is loaded only where people sign in by a provider. */
async function providerOf({ settings }: House, { accounts }: Channels): Promise<Oidc | null> {
  if (settings.oidc === null) return null
  const { Oidc } = await import('../session/oidc.js')
  return new Oidc(settings.oidc, accounts.areLinked)
}

function deskOf(
  { store }: House,
  { directory }: Channels,
  { lane, metrics, keyName }: Laid,
): OpenDoor['desk'] {
  const onStranger = (channel: Channel): void => metrics.strangers.inc({ why: `unknown_${channel}` })
  return channel => openDesk(channel, { lane, store, directory, keyName, onStranger })
}

function partsOf(
  { config, store, log, stops, publicUrl, version }: House,
  { book, ring, notary }: HeldKeys,
  { adapters, page, printsLinks, accounts }: Channels,
  { lane, enrolment, waiters, metrics, alarms }: Laid,
  desk: OpenDoor['desk'],
): Omit<DoorParts, 'agents' | 'oidc'> {
  const now = (): number => store.ledger.now()
  return {
    lane,
    store,
    config,
    adapters,
    desk,
    keys: book,
    notary,
    keyring: ring.current,
    signing: ring,
    waiters,
    page,
    printsLinks,
    csrf: stamper(ring.current().csrf),
    enrolment,
    accounts,
    publicUrl: () => publicUrl.current,
    metrics,
    guesses: new Guesses(now),
    watch: new Watch(now, (about, words) => log.warn(about, words)),
    alarmTroubles: () => alarms.current?.troubles() ?? [],
    version,
    now,
    closing: stops.stopping,
  }
}
