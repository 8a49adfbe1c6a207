// What a request came to, in words that may stand in a handoff file: compiled values and pseudonyms, never what somebody
// typed.

import type { Hash } from '../../canonical.js'
import type { ToldAnswer } from '../ending.js'
import type { Fields } from '../fields.js'
import { ascii } from './words.js'

export type Ended = {
  readonly request_id: string
  readonly state: string
  readonly request: { readonly reply_schema: { readonly kind: string } }
  readonly resolved_at: string | null
  readonly default_action: string
  readonly answer: ToldAnswer | null
}

export type TaskVerdict = {
  readonly task: string
  readonly requestId: string
  /** Of the reply that decided; without one, of the entry that ended the request. */
  readonly eventHash: Hash
  /** Whether the task no longer waits for a person. Silence never releases. */
  readonly releases: boolean
  /** YES, NO, a chosen value; or what holds without an answer. */
  readonly words: string
  /** `human:<user_id>`; null if nobody answered. */
  readonly by: string | null
  /** How the answer came; empty if none did. */
  readonly how: string
}

export function verdictOf(task: string, ended: Ended, eventHash: Hash): TaskVerdict {
  const { request_id: requestId, answer } = ended
  const about = { task, requestId, eventHash }
  if (ended.state !== 'answered' || answer === null) {
    const held = ended.state === 'withdrawn' ? 'withdrawn' : `${ended.state}, ${ended.default_action} holds`
    return { ...about, releases: false, words: ascii(held), by: null, how: '' }
  }
  const { kind } = ended.request.reply_schema
  return {
    ...about,
    releases: releasedBy(kind, answer.parsed_choice, answer.parsed_payload ?? {}),
    words: ascii(compiledWords(kind, answer.parsed_choice, answer.parsed_payload ?? {})),
    by: `human:${ascii(answer.answered_by)}`,
    how: ascii(`over ${answer.channel}, proof ${answer.proof}`),
  }
}

function releasedBy(kind: string, choice: string | null, payload: Fields): boolean {
  if (kind === 'yes_no') return choice === 'YES'
  return kind !== 'form' || decisionsIn(payload).every(({ approved }) => approved !== false)
}

/** Free text stays in the lane: an answer in a person's own words could hold anything. */
function compiledWords(kind: string, choice: string | null, payload: Fields): string {
  if (choice !== null) return choice
  if (Array.isArray(payload.selected)) return payload.selected.join(', ')
  if (typeof payload.number === 'number')
    return [payload.number, payload.unit].filter(one => one !== undefined).join(' ')
  if (typeof payload.date === 'string') return payload.date
  return kind === 'form'
    ? decisionsIn(payload).map(sayDecision).join(', ')
    : 'answered in words that stay in the lane'
}

const decisionsIn = ({ decisions }: Fields): readonly Fields[] => (Array.isArray(decisions) ? decisions : [])

function sayDecision({ decision_id, approved, selected }: Fields): string {
  const said = typeof approved === 'boolean' ? (approved ? 'approved' : 'refused') : (selected ?? 'answered')
  return `${decision_id} ${Array.isArray(said) ? said.join('+') : said}`
}
