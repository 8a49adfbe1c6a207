// Content put beside a request, so that a person can open it before answering. Its handle is its hash: putting it
// again is the same content, so this too may be tried again.
import { type Endpoint, jsonOf } from './call.js'
import { isFields } from './case.js'
import { told } from './outcome.js'
import type { Pace } from './pace.js'
import { type Persistence, persist } from './persist.js'

type Kept =
  | { readonly kind: 'kept'; readonly handle: string }
  | { readonly kind: 'not_kept'; readonly code: string; readonly detail: string }

/** Some seconds: enough for a restart, not for an outage. */
const ATTEMPTS = 6

export async function keep(
  pace: Pace,
  endpoint: Endpoint,
  bytes: Uint8Array,
  persistence: Persistence = { isFinal: (_, attempt) => attempt === ATTEMPTS },
): Promise<Kept> {
  const answer = await persist(pace, endpoint, { method: 'PUT', path: '/v1/blobs', bytes }, persistence)
  if (answer.kind !== 'answer') {
    const { code, detail } = told(answer)
    return { kind: 'not_kept', code, detail }
  }
  const body = jsonOf(answer)
  if (isFields(body) && typeof body.handle === 'string') return { kind: 'kept', handle: body.handle }
  return { kind: 'not_kept', code: 'not_a_lane', detail: 'the answer names no handle' }
}
