// Answers as they are told: with the words of their reasons in the place of the hashes that the ledger holds. Words that
// were erased are null.
import type { Hash } from '../canonical.js'
import type { StoredBody } from '../event.js'
import type { CountedDecision } from './form.js'

/** Of each reason by the hash of its words. */
export type Words = ReadonlyMap<Hash, string>

type Answer = NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>

export function toldAnswer(answer: Answer, words: Words) {
  const { parsed_payload: payload } = answer
  const votes = 'votes' in answer &&
    answer.votes !== undefined && { votes: answer.votes.map(vote => toldVote(vote, words)) }
  if (payload === null) return { ...answer, ...votes }
  if ('reason_hash' in payload)
    return { ...answer, parsed_payload: null, ...votes, reason: words.get(payload.reason_hash) ?? null }
  if (!('decisions' in payload)) return { ...answer, ...votes }
  return { ...answer, parsed_payload: { decisions: payload.decisions.map(one => toldDecision(one, words)) } }
}

/** Without the reasons: for the person who has given them. */
export function toldPayload({ parsed_payload: payload }: Answer): Answer['parsed_payload'] {
  if (payload === null || 'reason_hash' in payload) return null
  if (!('decisions' in payload)) return payload
  return { decisions: payload.decisions.map(withoutHash) }
}

function withoutHash(decision: CountedDecision): CountedDecision {
  if (!('comment_hash' in decision)) return decision
  const { comment_hash: _, ...rest } = decision
  return rest as CountedDecision
}

export function toldDecision(decision: CountedDecision, words: Words) {
  if (!('comment_hash' in decision)) return decision
  const { comment_hash, ...rest } = decision
  return { ...rest, comment: words.get(comment_hash) ?? null }
}

type Vote = NonNullable<Extract<Answer, { readonly votes?: unknown }>['votes']>[number]

export function toldVote(vote: Vote, words: Words) {
  const { reason_hash, ...rest } = vote
  return reason_hash === undefined ? rest : { ...rest, reason: words.get(reason_hash) ?? null }
}
