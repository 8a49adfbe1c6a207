// Of which kind the members are that the checks of a proof read: the table "Kinds" of docs/spec/proof.md. Whoever holds the
// key can sign anything, and a value of another kind must reach no check: one language takes {} for a yes, another for a no.
import type { AnyEntry } from './parts.js'
import type { ProofRefused } from './refused.js'

type Is = (value: unknown) => boolean
type Members = Readonly<Record<string, Is>>

const isText: Is = value => typeof value === 'string'
const isFlag: Is = value => typeof value === 'boolean'
const isTrue: Is = value => value === true
const isCount: Is = value => Number.isSafeInteger(value) && (value as number) >= 0
const orNull =
  (is: Is): Is =>
  value =>
    value === null || is(value)
const listOf =
  (is: Is): Is =>
  value =>
    Array.isArray(value) && value.every(is)

/** An object with these members, and with those of the second where it has them. Others may stand there. */
const having =
  (needed: Members, optional: Members = {}): Is =>
  value => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const of = value as Readonly<Record<string, unknown>>
    return (
      Object.entries(needed).every(([name, is]) => Object.hasOwn(of, name) && is(of[name])) &&
      Object.entries(optional).every(([name, is]) => !Object.hasOwn(of, name) || is(of[name]))
    )
  }

const SENDER = having({ user_id: isText, proof: isText })
const TERMS = having(
  {
    policy: having(
      { proofs: listOf(isText) },
      { approvers: listOf(isText), owner: isText, four_eyes: isTrue, take_defaults: isTrue },
    ),
  },
  { quorum: having({ need: isCount, veto: isFlag }), electorate: listOf(isText) },
)
const isForm = having({
  kind: value => value === 'form',
  decisions: listOf(having({ id: isText, type: isText, required: isFlag })),
})
const isOther = having({ kind: value => isText(value) && value !== 'form' })
const PAYLOAD = having({}, { decisions: listOf(having({ decision_id: isText }, { approved: isFlag })) })

/** By the check that reads them, and the type of the entry. */
const KINDS: Readonly<Partial<Record<ProofRefused['code'], Readonly<Record<string, Is>>>>> = {
  reply_unfounded: {
    DELIVERY_STARTED: having({ delivery_id: isText, recipient: isText }),
    REQUEST_REMINDED: having({ delivery_id: isText }),
    INBOUND_REPLY_RECEIVED: having({ reply_id: isText, delivery_id: isText }),
    HUMAN_REPLY_EVENT: having({ reply_id: isText, delivery_id: isText, sender_identity: SENDER }),
  },
  right_missing: {
    REQUEST_OPENED: having({ recipients: listOf(having({ user_id: isText })) }, { terms: TERMS }),
    REQUEST_ESCALATED: having({ to: listOf(isText) }),
    REQUEST_DELEGATED: having({ from: isText, to: isText }),
  },
  outcome_differs: {
    REQUEST_OPENED: having({
      request: having({ reply_schema: value => isForm(value) || isOther(value), default_action: isText }),
    }),
    HUMAN_REPLY_EVENT: having({
      parsed_choice: orNull(isText),
      parsed_payload: orNull(PAYLOAD),
      channel: isText,
    }),
    TIMEOUT_RECEIPT: having({ default_action: isText, deliveries: listOf(having({ state: isText })) }),
    REQUEST_RESOLVED: having({ outcome: isText, causes: listOf(isCount) }, { default_action: isText }),
  },
  decision_differs: {
    REQUEST_OPENED: having({ opened_by: isText }),
    DIRECTOR_DECIDED: having({ decision: isText, because: isCount }),
    AHDB_DELTA: having({ because: isCount }),
    POLICY_TOKEN_ISSUED: having({ jti: isText, expires_at: isText }, { valid_seconds: isCount }),
    POLICY_TOKEN_SPENT: having({ jti: isText, by: isText }),
    POLICY_TOKEN_REVOKED: having({ jti: isText }),
  },
  evidence_differs: {
    REPLY_EVIDENCE: having({ reply_id: isText, evidence_hash: isText }),
    PASSKEY_REGISTERED: having({ user_id: isText, credential_hash: isText, by: isText }),
  },
}

/** The first entry with a member of another kind than this check reads. */
export function oddFor(code: ProofRefused['code'], entries: readonly AnyEntry[]): AnyEntry | undefined {
  const kinds = KINDS[code] ?? {}
  return entries.find(({ type, body }) => Object.hasOwn(kinds, type) && kinds[type]?.(body) === false)
}
