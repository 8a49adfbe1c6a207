// How many must agree, and who may be among them. Policy can demand more than the caller asks for, never less; a caller
// cannot evade it by another schema or by a key that is nobody's.
import type { Submission } from './parse.js'
import type { Quorum } from './terms.js'

/** What the operator demands of an action. */
export type Demand = { readonly quorum?: Quorum; readonly four_eyes?: boolean }

/** The greater need; a veto where either says so, and where neither says anything. */
export function quorumOf({ quorum: asked }: Submission, demand: Demand | undefined): Quorum | null {
  const demanded = demand?.quorum
  if (asked === undefined) return demanded ?? null
  const veto = asked.veto ?? true
  if (demanded === undefined) return { need: asked.need, veto }
  return { need: Math.max(asked.need, demanded.need), veto: veto || demanded.veto }
}

/** Votes are counted over YES and NO, about a right that somebody may give. */
export const canVote = ({ request }: Submission): boolean =>
  request.type === 'REQUEST_APPROVAL' && request.reply_schema.kind === 'yes_no'
