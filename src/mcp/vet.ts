// Looks at the key before an agent is served with it. A key that may do more than ask would let the agent read
// others' requests, make keys of its own and take requests back: an agent is not served with such a key.
import { call, type Endpoint, jsonOf } from '../client/call.js'
import { isFields } from '../client/case.js'

const ENOUGH = 'request'

/** The reason why agents are not served with this key; null if they are, or if the lane could not be asked. */
export type Vet = (signal?: AbortSignal) => Promise<string | null>

/** The lane is asked until it has told once: scopes are fixed for a key's life. */
export function vetting(endpoint: Endpoint): Vet {
  let told: string | null | undefined
  return async signal => {
    if (told !== undefined) return told
    const answer = await call(endpoint, { path: '/v1/keys/self', signal })
    const key = answer.kind === 'answer' ? jsonOf(answer) : null
    if (!isFields(key) || !Array.isArray(key.scopes)) return null
    const more = key.scopes.map(String).filter(scope => scope !== ENOUGH)
    told = more.length === 0 ? null : flawOf(more)
    return told
  }
}

const flawOf = (more: readonly string[]): string =>
  `LANE_API_KEY has more than scope ${ENOUGH} (${more.join(', ')}), and an agent is not served with it: ` +
  `give it a key made with \`lane keys add --name agent --scopes ${ENOUGH}\``
