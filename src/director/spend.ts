// Spends and takes back the rights that approvals have given. Each is one append on top of the story that was read; a
// caller that loses a race reads the story again and is told what it says.
import type { Case } from '../agenda/case.js'
import type { Moment } from '../ledger/contract.js'
import type { Recorder, Told } from '../record/record.js'
import type { Keyring } from '../token/keyring.js'
import { verifyPolicyToken } from '../token/policy-token.js'
import { flawOfToken, isLive, judgeSpend, type Spend, type Spendable, type WhyNot } from './right.js'

type Treasury = Pick<Recorder, 'record'> & {
  readonly keyring: () => Keyring
  readonly current: (requestId: string) => Promise<Case | null>
  readonly now: () => number
}

type Refused = Extract<Spendable, { kind: 'refused' }>
export type Spent = { readonly kind: 'spent'; readonly jti: string; readonly at: string } | Refused

export async function spend(treasury: Treasury, token: string, wanted: Spend): Promise<Spent> {
  const verified = await verifyPolicyToken(treasury.keyring(), token, treasury.now())
  if (!verified.ok) return { kind: 'refused', why: 'invalid' }
  const { jti, req } = verified.claims
  const known = await treasury.current(req)
  if (known === null) return { kind: 'refused', why: 'invalid' }
  const { spend_id, by } = wanted
  const events = [{ type: 'POLICY_TOKEN_SPENT', body: { jti, spend_id, by } }] as const
  const result = await treasury.record<WhyNot, Spent>(
    req,
    subject => {
      const judged = judgeSpend(subject, verified.claims, wanted, treasury.now())
      if (judged.kind === 'refused') return { leave: judged }
      if (judged.kind === 'spent_before') return { leave: { kind: 'spent', jti, at: judged.at } }
      const tell = ({ ms }: Moment): Told<WhyNot> => {
        const flaw = flawOfToken(judged.token, ms)
        return flaw === null ? { events } : { refuse: flaw }
      }
      return { tell, guards: [{ kind: 'unclaimed', space: 'spend', value: jti }] }
    },
    known,
  )
  switch (result.kind) {
    case 'recorded':
      return { kind: 'spent', jti, at: result.entries[0]?.at ?? '' }
    case 'left':
      return result.why
    case 'refused':
      return { kind: 'refused', why: result.why }
    case 'guarded':
      throw new Error(`policy token ${jti} is claimed, and its story does not say by whom`)
  }
}

export type Revoked =
  | { readonly kind: 'revoked'; readonly subject: Case; readonly at: string }
  | { readonly kind: 'unknown' | 'already_spent' }

/** Kills a right that was not spent. Revoking one that is old or already revoked changes nothing. */
export async function revoke(
  treasury: Treasury,
  requestId: string,
  reason: string,
  by: string,
): Promise<Revoked> {
  const known = await treasury.current(requestId)
  if (known === null) return { kind: 'unknown' }
  const result = await treasury.record<never, Revoked>(
    requestId,
    subject => {
      const { policy_token: token } = subject
      if (token === null) return { leave: { kind: 'unknown' } }
      if (token.spent !== null) return { leave: { kind: 'already_spent' } }
      if (!isLive(token, treasury.now()))
        return { leave: { kind: 'revoked', subject, at: token.revoked_at ?? token.expires_at } }
      const { jti } = token
      return { tell: () => ({ events: [{ type: 'POLICY_TOKEN_REVOKED', body: { jti, reason, by } }] }) }
    },
    known,
  )
  if (result.kind === 'left') return result.why
  if (result.kind !== 'recorded') throw new Error('taking back a right refuses nothing')
  return { kind: 'revoked', subject: result.subject, at: result.entries[0]?.at ?? '' }
}
