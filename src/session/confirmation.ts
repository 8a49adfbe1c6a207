// An answer that the person of a session confirms with a passkey of theirs: the nonce they are given, and what becomes of
// the assertion.
//
// CN1  A nonce is 32 random bytes in a ticket of this session, for five minutes. The append of the reply spends it: once,
//      on whatever replica, and also after a restart.
// CN2  The passkey is registered for the person of the session, and still is when the reply is recorded; by whose word it is
//      theirs decides the proof.
// CN3  The assertion is for exactly this reply to this copy, and was made on a page of this lane.
import type { Inbound } from '../adapter/contract.js'
import type { Shelf } from '../ledger/shelf.js'
import { checkAssertion } from '../passkey/assertion.js'
import { encode } from '../passkey/base64url.js'
import { type Confirmed, challengeOf } from '../passkey/challenge.js'
import { isEvidence } from '../passkey/evidence.js'
import { PROOF_BY } from '../people/passkeys.js'
import type { Proof } from '../request/channel.js'
import { draw } from '../token/chance.js'
import type { Stamper } from '../token/stamp.js'
import type { Session } from './session.js'
import { claimOf, issue, read } from './ticket.js'

const NONCE_BYTES = 32
const VALID_MS = 5 * 60 * 1000

type PersonSession = Extract<Session, { kind: 'person' }>
/** What is confirmed, but for the nonce. */
type Said = Omit<Confirmed, 'nonce'>

/** As the page's form has it, each part in base64url. */
type Asserted = {
  readonly ticket: string
  readonly credential_id: string
  readonly client_data: string
  readonly authenticator_data: string
  readonly signature: string
}

/** The challenge for this reply, and the ticket that its nonce travels in (CN1). */
export function challenge(
  csrf: Stamper,
  session: Pick<PersonSession, 'csrf'>,
  said: Said,
  now: number,
): { readonly ticket: string; readonly challenge: string } {
  const nonce = encode(draw(NONCE_BYTES))
  const ticket = issue(csrf, 'confirmation', `${nonce} ${session.csrf}`, now + VALID_MS)
  return { ticket, challenge: challengeOf({ nonce, ...said }) }
}

type Parts = {
  readonly csrf: Stamper
  readonly shelf: Pick<Shelf, 'passkeyById'>
  readonly origin: string
  readonly now: number
}

/** What the reply carries; null where nothing is confirmed by this. */
export async function confirm(
  { csrf, shelf, origin, now }: Parts,
  session: Pick<PersonSession, 'csrf' | 'user_id'>,
  { ticket, credential_id, client_data, ...asserted }: Asserted,
  said: Said,
): Promise<(Required<Pick<Inbound, 'confirmed' | 'passkeys'>> & { readonly proof: Proof }) | null> {
  const [, nonce = '', whose] = /^(\S+) (.+)$/.exec(read(csrf, 'confirmation', ticket, now) ?? '') ?? []
  const passkey = whose === session.csrf ? await shelf.passkeyById(credential_id) : null
  if (passkey === null || passkey.user_id !== session.user_id) return null
  const { public_key } = passkey
  const evidence = { credential_id, public_key, client_data_json: client_data, nonce, ...asserted }
  if (!isEvidence(evidence)) return null
  const checked = await checkAssertion(evidence, challengeOf({ nonce, ...said }))
  if (!checked.ok || checked.origin !== origin) return null
  return {
    proof: PROOF_BY[passkey.by],
    confirmed: { evidence, spends: claimOf(ticket) },
    passkeys: [passkey.credential_hash],
  }
}
