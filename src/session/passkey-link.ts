// The link by which somebody makes a passkey without being signed in. By an operator it is given for a person whom no
// channel vouches for; by an invitation, which the lane has sent to a channel of theirs, it is the person's own.
import { z } from 'zod'
import type { Stamper } from '../token/stamp.js'
import { issue, read } from './ticket.js'

/** As an invitation is good: used once within an hour. */
export const LINK_MS = 60 * 60 * 1000

const invited = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('person'), user_id: z.string() }),
  z.strictObject({ by: z.literal('operator'), user_id: z.string(), key_id: z.string() }),
])
export type Invited = z.infer<typeof invited>

export const issueInvitation = (csrf: Stamper, who: Invited, until_ms: number): string =>
  issue(csrf, 'enrolment', JSON.stringify(who), until_ms)

export function readInvitation(csrf: Stamper, link: string, now: number): Invited | null {
  const about = read(csrf, 'enrolment', link, now)
  return about === null ? null : invited.parse(JSON.parse(about))
}
