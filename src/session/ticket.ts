// A right of one use for a few minutes, carried by whoever has it: the first link of `npm start`, the state of a sign-in
// that is under way elsewhere. The lane keeps nothing of a ticket until it is used, so nobody can fill its store by asking.
//
// TI1  A ticket bears the stamp of the lane over its use, its content and its end: none can be made or changed elsewhere.
// TI2  It is spent by an append that claims it: once, on whatever replica, and also after a restart.
import { type Hash, sha256 } from '../canonical.js'
import type { Ledger } from '../ledger/contract.js'
import { draw } from '../token/chance.js'
import type { Stamper } from '../token/stamp.js'

type Use = 'console' | 'oidc' | 'passkey' | 'confirmation' | 'enrolment' | 'sign-in'

const NONCE_BYTES = 16

export function issue(csrf: Stamper, use: Use, about: string, until_ms: number): string {
  const nonce = draw(NONCE_BYTES).toString('base64url')
  const words = [Math.ceil(until_ms).toString(36), nonce, Buffer.from(about).toString('base64url')].join('.')
  return `${words}.${csrf.stamp(wordsOf(use, words))}`
}

/** What it is about, if it is one of ours for this use and its time is not over. */
export function read(csrf: Stamper, use: Use, ticket: string, now: number): string | null {
  const end = ticket.lastIndexOf('.')
  const words = ticket.slice(0, Math.max(end, 0))
  if (!csrf.verify(wordsOf(use, words), ticket.slice(end + 1))) return null
  const [until = '', , about = ''] = words.split('.')
  return now < Number.parseInt(until, 36) ? Buffer.from(about, 'base64url').toString() : null
}

/** True for the first who spends it, and nobody after (TI2). */
export async function spend(ledger: Pick<Ledger, 'append'>, ticket: string): Promise<boolean> {
  const { kind } = await ledger.append({
    guards: [{ kind: 'unclaimed', space: 'ticket', value: claimOf(ticket) }],
    decide: () => ({ kind: 'append', events: [] }),
  })
  return kind === 'appended'
}

/** What an append claims that spends it. */
export const claimOf = (ticket: string): Hash => sha256('lane/ticket/v1\n', ticket)

const wordsOf = (use: Use, words: string): string => `ticket ${use} ${words}`
