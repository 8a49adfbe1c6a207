// Last stage: the work that goes on by itself. Alarms ring, pulled channels are listened to, and copies signed by a
// revoked key are sent anew. It begins once the door is open: a link sent before that would lead nowhere.

import { startListening } from '../channel/listening.js'
import { startPublishing } from '../checkpoint/publishing.js'
import { keepRenewing } from '../keys/renewal.js'
import type { Channels } from './channels.js'
import type { OpenDoor } from './door.js'
import type { House } from './house.js'
import type { HeldKeys } from './keys.js'
import type { Laid } from './lane.js'
import { startAlarms } from './profile.js'

export async function startClocks(
  { settings, config, store, stops, say, onStale }: House,
  { ring, notary, places }: HeldKeys,
  { adapters }: Channels,
  { lane, alarms }: Laid,
  { desk }: OpenDoor,
): Promise<void> {
  const ringing = await startAlarms(settings, store, id => lane.ring(id), say)
  alarms.current = ringing
  stops.addDraining(() => ringing.stop())
  const listening = startListening(adapters.values(), store, desk, say)
  stops.addDraining(() => listening.stop())
  const publishing = startPublishing({
    store,
    notary,
    places,
    everyMs: config.checkpoints.every_seconds * 1000,
    say,
  })
  stops.addDraining(() => publishing.stop())
  const renewing = keepRenewing({ lane, ledger: store.ledger, ring, onTrouble: onStale })
  stops.add(() => renewing.stop())
}
