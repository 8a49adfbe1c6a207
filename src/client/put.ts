// Puts a request to the lane. The id is the caller's and the same every time, so trying again cannot ask twice.
import type { Recipient } from '../request/recipient.js'
import type { Request, Run } from '../request/request.js'
import type { Ladder, Origin, Urgency } from '../request/terms.js'
import type { Endpoint, HttpAnswer, Trouble } from './call.js'
import type { Pace } from './pace.js'
import { type Persistence, persist } from './persist.js'

export type Submission = {
  readonly request: Request
  readonly run: Run
  readonly recipients?: readonly Recipient[]
  readonly callback_url?: string
  readonly quorum?: { readonly need: number; readonly veto?: boolean }
  readonly urgency?: Urgency
  readonly ladder?: Ladder<Recipient>
  readonly origin?: Origin
  /** Texts by their handles. */
  readonly contents?: Readonly<Record<string, string>>
}

export function put(
  pace: Pace,
  endpoint: Endpoint,
  submission: Submission,
  { isFinal = () => false, ...rest }: Persistence,
): Promise<HttpAnswer | Trouble> {
  const what = { method: 'POST' as const, path: '/v1/requests', body: submission }
  return persist(pace, endpoint, what, {
    ...rest,
    isFinal: (trouble, attempt) => isLimit(trouble) || isFinal(trouble, attempt),
  })
}

/** A limit does not pass by asking faster: a program that asks too much is told so. */
const isLimit = (trouble: Trouble): boolean => trouble.kind === 'problem' && trouble.status === 429
