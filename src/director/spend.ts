// Spends and takes back the rights that approvals have given. Each is one append on top of the story that was read;
// whoever loses a race reads the story again and is told what it says.
import type { Case } from '../agenda/case.js'
import type { Recorder } from '../record.js'
import type { Keyring } from '../token/keyring.js'
import { verifyPolicyToken } from '../token/policy-token.js'
import { flawOfToken, isLive, judgeSpend, type Spend, type Spendable, type WhyNot } from './right.js'

export type Treasury = {
  readonly record: Recorder
  readonly keyring: () => Keyring
  readonly read: (requestId: string) => Promise<Case | null>
  readonly now: () => number
}

type Refused = Extract<Spendable, { kind: 'refused' }>
export type Spent = { readonly kind: 'spent'; readonly jti: string; readonly at: string } | Refused

export async function spend(treasury: Treasury, token: string, wanted: Spend): Promise<Spent> {
  const verified = await verifyPolicyToken(treasury.keyring(), token, treasury.now())
  if (!verified.ok) return { kind: 'refused', why: 'invalid' }
  const { jti, req } = verified.claims
  for (;;) {
    const subject = await treasury.read(req)
    const judged = judgeSpend(subject, verified.claims, wanted, treasury.now())
    if (judged.kind === 'refused') return judged
    if (judged.kind === 'spent_before') return { kind: 'spent', jti, at: judged.at }
    if (subject === null) throw new Error('what can be spent has a case')
    const { spend_id, by } = wanted
    const result = await treasury.record<WhyNot>(
      { request_id: req, subject },
      moment => {
        const flaw = flawOfToken(judged.token, moment.ms)
        if (flaw !== null) return { refuse: flaw }
        const ids = { request_id: req, run_id: subject.run.run_id }
        return { events: [{ type: 'POLICY_TOKEN_SPENT', ...ids, body: { jti, spend_id, by } }] }
      },
      [{ kind: 'unclaimed', space: 'spend', value: jti }],
    )
    switch (result.kind) {
      case 'recorded':
        return { kind: 'spent', jti, at: result.entries[0]?.at ?? '' }
      case 'refused':
        return result
      case 'guarded':
        throw new Error(`policy token ${jti} is claimed, and its story does not say by whom`)
      case 'moved':
        continue
    }
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
  for (;;) {
    const subject = await treasury.read(requestId)
    const token = subject?.policy_token ?? null
    if (subject === null || token === null) return { kind: 'unknown' }
    if (token.spent !== null) return { kind: 'already_spent' }
    if (!isLive(token, treasury.now())) {
      return { kind: 'revoked', subject, at: token.revoked_at ?? token.expires_at }
    }
    const ids = { request_id: requestId, run_id: subject.run.run_id }
    const result = await treasury.record({ request_id: requestId, subject }, () => ({
      events: [{ type: 'POLICY_TOKEN_REVOKED', ...ids, body: { jti: token.jti, reason, by } }],
    }))
    if (result.kind !== 'recorded') continue
    return { kind: 'revoked', subject: result.subject, at: result.entries[0]?.at ?? '' }
  }
}
