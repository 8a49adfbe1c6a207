// The lane as a command sees it that an agent or a watcher runs: by a key it was given, never the operator's, and loudly
// if that key may do more than ask. Whoever can write the folder it watches acts with this key.
import type { Endpoint, Trouble } from '../client/call.js'
import { told as inWords } from '../client/outcome.js'
import { ENOUGH, ownKey } from '../client/own-key.js'
import type { Shell } from './command.js'
import { findAgentEndpoint } from './environment.js'
import { complain, enter } from './tell.js'

export type Watching = { readonly endpoint: Endpoint; readonly keyId: string | null }

/** Null after saying what is missing. `who` acts with the key besides the one who gave it. */
export async function enterWatching(
  shell: Shell,
  who = 'whoever can write this folder',
  signal?: AbortSignal,
): Promise<Watching | null> {
  const endpoint = enter(shell, findAgentEndpoint)
  if (endpoint === null) return null
  const key = await ownKey(endpoint, signal)
  if (key !== null && key.more.length > 0)
    complain(shell, [
      `WARNING: LANE_API_KEY has more than scope ${ENOUGH} (${key.more.join(', ')})`,
      `${who} acts with it: make one with \`lane keys add --name watcher --scopes request\``,
    ])
  return { endpoint, keyId: key?.id ?? null }
}

/** Trouble with the lane, as it stands in the account of a round. */
export type Troubled = { readonly kind: 'trouble'; readonly code: string; readonly detail: string }

export const troubled = (trouble: Trouble): Troubled => {
  const { code, detail, errors } = inWords(trouble)
  const more = errors.map(({ field, accepted }) => `${field}: ${accepted}`)
  return { kind: 'trouble', code, detail: [detail, ...more].join('; ') }
}
