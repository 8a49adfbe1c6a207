// The key this is asked with, as the lane knows it: its id, and whether it may do more than ask.
import { call, type Endpoint, jsonOf } from './call.js'
import { isFields } from './case.js'

/** All that a program which asks people needs. */
export const ENOUGH = 'request'

type OwnKey = {
  readonly id: string
  /** Scopes beyond the one that is enough. */
  readonly more: readonly string[]
}

/** Null if the lane could not be asked, or did not tell. */
export async function ownKey(endpoint: Endpoint, signal?: AbortSignal): Promise<OwnKey | null> {
  const answer = await call(endpoint, { path: '/v1/keys/self', signal })
  const key = answer.kind === 'answer' ? jsonOf(answer) : null
  if (!isFields(key) || !Array.isArray(key.scopes)) return null
  return { id: String(key.key_id), more: key.scopes.map(String).filter(scope => scope !== ENOUGH) }
}
