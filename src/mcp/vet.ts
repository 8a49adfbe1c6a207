// Looks at the key before an agent is served with it. A key that may do more than ask would let the agent read
// others' requests, make keys of its own and take requests back: an agent is not served with such a key.
import type { Endpoint } from '../client/call.js'
import { ENOUGH, ownKey } from '../client/own-key.js'

/** The reason why agents are not served with this key; null if they are, or if the lane could not be asked. */
export type Vet = (signal?: AbortSignal) => Promise<string | null>

/** The lane is asked until it has told once: scopes are fixed for a key's life. */
export function vetting(endpoint: Endpoint): Vet {
  let told: string | null | undefined
  return async signal => {
    if (told !== undefined) return told
    const key = await ownKey(endpoint, signal)
    if (key === null) return null
    told = key.more.length === 0 ? null : flawOf(key.more)
    return told
  }
}

const flawOf = (more: readonly string[]): string =>
  `LANE_API_KEY has more than scope ${ENOUGH} (${more.join(', ')}), and an agent is not served with it: ` +
  `give it a key made with \`lane keys add --name agent --scopes ${ENOUGH}\``
