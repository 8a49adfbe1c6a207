// By what right somebody answers: what the terms froze when the request was opened, and what the configuration says now.
// Both hold, so an operator can narrow an open request, and nothing can widen it.
import type { Case } from '../agenda/case.js'
import type { Proof } from '../request/channel.js'

/** What the configuration says of a request today. */
export type Today = {
  readonly proofs: readonly Proof[]
  /** Who may approve; null where everybody who is asked may answer. */
  readonly approvers: readonly string[] | null
  readonly fourEyes: boolean
}

export type Right = {
  readonly proofs: readonly Proof[]
  /** They have not handed it to somebody else. */
  readonly isTheirs: boolean
  /** They may approve this, then and now. */
  readonly approves: boolean
  /** They are not the person whose key asked, where that matters. */
  readonly isOther: boolean
  /** Their vote was counted before. */
  readonly hasVoted: boolean
}

export function rightOf({ terms, replies, asked }: Case, sender: string | null, today: Today): Right {
  const frozen = terms?.policy
  const mayApprove = (approvers: readonly string[] | null | undefined): boolean =>
    approvers == null || (sender !== null && approvers.includes(sender))
  const owner = frozen?.owner
  const needsOther = today.fourEyes || frozen?.four_eyes === true
  return {
    proofs: frozen === undefined ? today.proofs : today.proofs.filter(proof => frozen.proofs.includes(proof)),
    isTheirs: !asked.some(one => one.user_id === sender && one.handed_to !== undefined),
    approves: mayApprove(today.approvers) && mayApprove(frozen?.approvers),
    isOther: !needsOther || (owner !== undefined && owner !== sender),
    hasVoted:
      terms?.quorum !== undefined && replies.some(({ reply }) => reply.sender_identity.user_id === sender),
  }
}
