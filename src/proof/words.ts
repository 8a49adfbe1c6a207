// What a proof proves, and what it does not, in plain words.

import type { Confirmation } from './confirmation.js'
import type { AnyEntry } from './parts.js'
import { member } from './parts.js'
import { shownWords } from './shown.js'
import type { ProofVerdict } from './verify.js'

type Proven = Extract<ProofVerdict, { ok: true }>

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

export function provenWords({ told, confirmations, checkpoint, isPublished }: Proven): string[] {
  const { opening, request, resolved, entries, displays } = told
  const replies = entries.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
  return [
    `The lane of ${checkpoint.origin} had recorded all of this by its entry ${checkpoint.size - 1}${isPublished ? ', and a checkpoint published elsewhere agrees' : ''}.`,
    `${opening.at}: ${subjectOf(request)} was asked by the key ${text(opening.body.opened_by)}, of ${recipientsOf(opening)}.`,
    ...replies.map(reply => replyWords(reply, shownWords(reply, entries, displays))),
    ...confirmations.map(confirmationWords),
    ...entries.filter(({ type }) => type === 'REQUEST_DELEGATED').map(delegationWords),
    outcomeWords(resolved),
    ...tokenWords(entries),
  ]
}

function subjectOf(request: Readonly<Record<string, unknown>>): string {
  if (request.type === 'REQUEST_QUESTION') return `the question ${JSON.stringify(request.question_text)}`
  if (request.type === 'REQUEST_REVIEW') return `a review for ${text(request.lens)}`
  return `the approval of ${text(request.action)} with the parameters ${JSON.stringify(request.parameters)}`
}

const recipientsOf = ({ body }: AnyEntry): string =>
  (Array.isArray(body.recipients) ? body.recipients : []).map(one => text(member(one, 'user_id'))).join(', ')

function replyWords({ at, body }: AnyEntry, shown: string): string {
  const answer = body.parsed_payload ?? body.parsed_choice
  const { user_id, proof } = body.sender_identity as { user_id: unknown; proof: unknown }
  return `${at}: ${text(user_id)} answered ${text(answer)} on ${text(body.channel)}, vouched for by ${text(proof)}, having been shown the document that this file holds${shown}.`
}

const confirmationWords = ({ credential_hash, origin, registered_at, by }: Confirmation): string =>
  `The passkey ${credential_hash}, registered ${by === 'person' ? 'for them on their own word' : 'by an operator'} at ${registered_at}, has confirmed exactly these words on ${origin}, with its holder verified.`

const delegationWords = ({ at, body }: AnyEntry): string =>
  `${at}: ${text(body.from)} was replaced by ${text(body.to)}.`

function outcomeWords({ at, body }: AnyEntry): string {
  const by = body.default_action === undefined ? '' : `; the default ${text(body.default_action)} holds`
  return `${at}: it was ${text(body.outcome)}${by}. That is what the recorded answers and times come to.`
}

function tokenWords(entries: readonly AnyEntry[]): string[] {
  const issued = entries.find(({ type }) => type === 'POLICY_TOKEN_ISSUED')
  if (issued === undefined) return []
  const gone = entries.find(({ type }) => type === 'POLICY_TOKEN_SPENT' || type === 'POLICY_TOKEN_REVOKED')
  const fate =
    gone === undefined
      ? 'neither used nor taken back by then'
      : `${gone.type === 'POLICY_TOKEN_SPENT' ? 'used' : 'taken back'} at ${gone.at}`
  return [`The right to act once, until ${text(issued.body.expires_at)}, was given and ${fate}.`]
}

export function unprovenWords({ told, confirmations, isPublished }: Proven): string[] {
  return [
    ...(isPublished
      ? []
      : [
          'That the operator, who holds the key, did not make it all up: no checkpoint that was published elsewhere was compared.',
        ]),
    ...(confirmations.length > 0
      ? [
          'Whose a passkey is, and that it had not been taken back before, beyond what the lane says; and the words of a reason, which no passkey confirms.',
        ]
      : []),
    'The time, beyond what the lane’s own clock said.',
    'That nothing happened after this checkpoint.',
    'That the list of the request’s entries is whole, beyond the lane’s signature under it.',
    ...(told.terms === null ? ['The terms it was opened under: they were not recorded then.'] : []),
  ]
}
