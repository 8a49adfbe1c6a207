// A reply that hands the request on to one of the sender's delegates. It passes every check that an answer passes; what
// stands against it then is told as words that were not understood, with what would have been.
import { canonical, sha256 } from '../canonical.js'
import { GRAMMAR, type Refusal } from '../compiler/compile.js'
import { readDelegation } from '../compiler/delegate.js'
import { quote } from '../compiler/quote.js'
import type { Body, Check, Deed } from '../event.js'
import type { RawReply } from '../ledger/shelf.js'
import { hashToken } from '../token/jws.js'
import type { Facts } from './checks.js'

/** The name in a reply that would hand the request on; null for any other reply. */
export function handingIn({ subject, inbound }: Facts): string | null {
  const isWord = subject.request.reply_schema.kind !== 'text' || inbound.hands === true
  return isWord ? readDelegation(inbound.text) : null
}

/** Words of a control for handing it on that name nobody: in a text they would be an answer. */
export const isUnreadHand = ({ inbound }: Facts): boolean =>
  inbound.hands === true && readDelegation(inbound.text) === null

/** Why somebody cannot hand it to the person they named, in a sentence that names those they can. */
type NotHanded = { readonly accepted: string }
export type HandTo = (name: string) => { readonly to: string } | NotHanded

export const refusalOf = (reply: string, { accepted }: NotHanded): Refusal => ({
  ok: false,
  reason: 'reply_not_in_schema',
  read: quote(reply),
  accepted,
})

/** The entries of a request that is handed on. */
export function handing(
  { inbound, grant, sender }: Facts,
  to: string,
  checks: readonly Check[],
  raw: RawReply,
): readonly Deed[] {
  const about = { reply_id: raw.reply_id, delivery_id: grant.delivery_id, channel: inbound.channel }
  const body: Body<'REQUEST_DELEGATED'> = {
    from: sender ?? '',
    to,
    by: 'person',
    ...about,
    proof: inbound.proof,
    grammar: GRAMMAR,
    raw_text_hash: sha256(raw.salt, raw.raw),
    token_hash: hashToken(grant.token),
  }
  return [
    {
      type: 'INBOUND_REPLY_RECEIVED',
      body: { token_validation: checks, event_hash: sha256(canonical(body)), ...about },
    },
    { type: 'REQUEST_DELEGATED', body },
  ]
}
