// An answer written out as a reply: the one string for it that every grammar reads back as the same answer. A passkey
// confirms this spelling, so that whoever checks the confirmation needs the answer alone.
import type { Answer, DecisionAnswer, Payload } from './answer.js'

type Unchanging<T> = T extends readonly (infer U)[]
  ? readonly Unchanging<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Unchanging<T[K]> }
    : T

/** An answer as the compiler gives it, or as an entry holds it, with the hash of its reason. */
type Told = {
  readonly parsed_choice: Answer['parsed_choice']
  readonly parsed_payload: Unchanging<Payload> | { readonly reason_hash: string } | null
}

export function writeAnswer({ parsed_choice, parsed_payload: payload }: Told): string {
  if (payload === null || 'reason_hash' in payload) return parsed_choice ?? ''
  if ('decisions' in payload) return payload.decisions.map(writeLine).join('\n')
  if ('selected' in payload) return payload.selected.join(',')
  if ('text' in payload) return payload.text
  if ('number' in payload) return String(payload.number)
  return payload.date
}

function writeLine(decision: Unchanging<DecisionAnswer>): string {
  const { decision_id: id } = decision
  if ('approved' in decision) return `${id} ${decision.approved ? 'YES' : 'NO'}`
  return `${id} ${'selected' in decision ? [decision.selected].flat().join(',') : decision.value}`
}
