// The confirmations of a proof: the check 12 of docs/spec/proof.md. Whoever holds the lane's key can sign anything, but not
// with a passkey of somebody else's: so the challenge is made again from what the entries say, and held against the
// assertion.
import { checkAssertion } from '../passkey/assertion.js'
import { challengeOf } from '../passkey/challenge.js'
import { hashCredential } from '../passkey/credential.js'
import { hashEvidence } from '../passkey/evidence.js'
import { type DecisionStory, isSaid, senderOf } from './decision.js'
import { oddFor } from './kinds.js'
import { type AnyEntry, member, tokenUsedBy } from './parts.js'
import type { CarriedEvidence, Proof } from './proof.js'
import { ProofRefused } from './refused.js'
import { spelt } from './spelt.js'

/** What is known of a confirmation that holds. */
export type Confirmation = {
  readonly reply_id: string
  readonly credential_hash: string
  /** Where the person was asked. */
  readonly origin: string
  readonly registered_at: string
  readonly by: 'person' | 'operator'
}

const BY = { passkey: 'person', passkey_by_operator: 'operator' } as const
const byOf = (proof: unknown): Confirmation['by'] | null =>
  proof === 'passkey' || proof === 'passkey_by_operator' ? BY[proof] : null

const refuse = (message: string): never => {
  throw new ProofRefused('evidence_differs', message)
}

/** Throws ProofRefused for the first that does not hold. */
export async function checkConfirmations(
  { evidence = [] }: Proof,
  story: DecisionStory,
): Promise<readonly Confirmation[]> {
  const odd = oddFor('evidence_differs', [...story.entries, ...evidence.map(one => one.registered.entry)])
  if (odd !== undefined) refuse(`a member of entry ${odd.seq} is missing, or is something else`)
  const bySeq = new Map(story.entries.map(entry => [entry.seq, entry]))
  const unused = [...evidence]
  const confirmations: Confirmation[] = []
  for (const said of story.entries.filter(isSaid)) {
    const told = bySeq.get(said.seq - 2)
    const isTold = told?.type === 'REPLY_EVIDENCE' && told.body.reply_id === said.body.reply_id
    const by = byOf(proofOf(said))
    if (by === null && !isTold) continue
    const carried = isTold ? unused.shift() : undefined
    if (by === null || told === undefined || carried === undefined)
      return refuse(`entry ${said.seq} was confirmed otherwise than it says`)
    confirmations.push(await checkConfirmation(story, said, told, carried, by))
  }
  if (unused.length > 0) refuse('there is evidence of what nobody said')
  const nonces = new Set(evidence.map(one => one.evidence.nonce))
  if (nonces.size !== evidence.length) refuse('one nonce was confirmed twice')
  return confirmations
}

const proofOf = ({ type, body }: AnyEntry): unknown =>
  type === 'REQUEST_DELEGATED' ? body.proof : member(body.sender_identity, 'proof')

async function checkConfirmation(
  story: DecisionStory,
  said: AnyEntry,
  told: AnyEntry,
  { reply_id, evidence, registered: { entry } }: CarriedEvidence,
  by: Confirmation['by'],
): Promise<Confirmation> {
  if (told.body.evidence_hash !== hashEvidence(evidence)) refuse('the evidence is not the one recorded')
  const credential_hash = hashCredential(evidence)
  const isTheirs = entry.body.user_id === senderOf(said) && entry.body.by === by && entry.seq < told.seq
  if (!isTheirs || entry.body.credential_hash !== credential_hash)
    refuse(`the passkey of entry ${said.seq} was not registered for its sender before`)
  const checked = await checkAssertion(evidence, challengeFor(story, said, evidence.nonce))
  if (!checked.ok) return refuse(`the passkey has not confirmed entry ${said.seq} (${checked.flaw})`)
  return { reply_id, credential_hash, origin: checked.origin, registered_at: entry.at, by }
}

/** What the passkey must have signed, from what the entries say. */
function challengeFor({ opening, request, entries }: DecisionStory, said: AnyEntry, nonce: string): string {
  const token = tokenUsedBy(said)
  const copy = entries.find(({ type, body }) => type === 'DELIVERY_STARTED' && body.token_hash === token)
  const reply = spelt(said, request.reply_schema)
  const { request_hash } = opening.body
  const display_hash = copy?.body.display_hash
  const { delivery_id } = said.body
  if (reply === null || ![request_hash, display_hash, delivery_id].every(isText))
    return refuse(`entry ${said.seq} has no words that could have been confirmed`)
  return challengeOf({
    nonce,
    request_id: opening.request_id ?? '',
    request_hash: request_hash as string,
    delivery_id: delivery_id as string,
    display_hash: display_hash as string,
    reply,
  })
}

const isText = (value: unknown): value is string => typeof value === 'string'
