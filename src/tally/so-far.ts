// What was counted of a request that is not decided, or that ended otherwise: told, and never acted upon.
import { tallyForm } from './form.js'
import { type Tallied, type Tally, tally, voteOf } from './tally.js'
import { toldDecision, toldVote, type Words } from './told.js'

type SoFar = {
  readonly decisions?: readonly ReturnType<typeof toldDecision>[]
  readonly votes?: readonly ReturnType<typeof toldVote>[]
  /** The required decisions that nobody has answered. */
  readonly missing?: readonly string[]
}

/** Null where nothing was counted, and where the answers have decided. */
export function soFar(asked: Tallied, isAnswered: boolean, words: Words): SoFar | null {
  if (isAnswered || asked.replies.length === 0) return null
  const { reply_schema: schema } = asked.request
  if (schema.kind === 'form') {
    const { decisions, missing } = tallyForm(schema, asked.replies)
    return { decisions: decisions.map(one => toldDecision(one, words)), missing }
  }
  return asked.terms?.quorum === undefined
    ? {}
    : { votes: asked.replies.map(reply => toldVote(voteOf(reply), words)) }
}

/** How the votes stand while they are taken; null where nobody votes. */
export function standing(
  asked: Tallied,
): Omit<NonNullable<Extract<Tally, { kind: 'open' }>['count']>, 'decided'> | null {
  const come = tally(asked)
  if (come.kind !== 'open' || come.count === undefined) return null
  const { need, yes, no } = come.count
  return { need, yes, no }
}

/** How many must agree, for everybody who votes: so far as it stands now; null where nobody votes. */
export function votingWords(asked: Tallied): string | null {
  const votes = standing(asked)
  if (votes === null) return null
  const { quorum, electorate = [] } = asked.terms ?? {}
  const rule = `${votes.need} of ${electorate.length} people must say YES${quorum?.veto ? ', and the first NO decides' : ''}.`
  return votes.yes + votes.no === 0 ? rule : `${rule} So far: ${votes.yes} YES, ${votes.no} NO.`
}

/** What is still missing after a reply was counted, for the person who gave it; null where it has decided. */
export function missingWords(asked: Tallied): string | null {
  const { reply_schema: schema } = asked.request
  if (schema.kind === 'form') {
    const { missing } = tallyForm(schema, asked.replies)
    return missing.length === 0 ? null : `Still to be answered: ${missing.join(', ')}.`
  }
  const votes = standing(asked)
  if (votes === null) return null
  const left = votes.need - votes.yes
  return `${votes.yes} of ${votes.need} have said YES; ${left === 1 ? 'one more is' : `${left} more are`} needed.`
}
