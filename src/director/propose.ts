// The proposals of a reply for the run's AHDB: a stated preference for DRIVE, and if policy allows it a stated bound
// for BELIEVE. ASSERT needs evidence and HYPOTHESIZE is the run's own, so neither is ever taken from a reply.
import type { Case } from '../agenda/case.js'
import { type AhdbField, type Body, isClosedField } from '../event.js'

type Delta = Body<'AHDB_DELTA'>
export type Proposal = Pick<Delta, 'field' | 'state' | 'delta' | 'reason'>

/** A number or a day that a person has named is a limit to reckon with, not only a wish. */
const BOUNDS: readonly string[] = ['number', 'date']

/** The answer's own proposals: only an answered question states a preference. */
export function proposed({ request, answer }: Case, believe: boolean): readonly Proposal[] {
  if (request.type !== 'REQUEST_QUESTION' || answer === null) return []
  const { question_id, question_text } = request
  const delta = [{ question_id, question_text, answer: briefly(answer) }]
  const drive: Proposal = { field: 'drive', state: 'proposed', delta }
  if (!believe || !BOUNDS.includes(request.reply_schema.kind)) return [drive]
  return [drive, { field: 'believe', state: 'proposed', delta }]
}

/** Of a form's decisions the values alone: who gave each stands in the ledger, and a delta is small. */
function briefly(answer: NonNullable<Case['answer']>) {
  const { parsed_payload: payload } = answer
  if (payload === null || !('decisions' in payload)) return answer
  const decisions = payload.decisions.map(one => {
    const { decision_id } = one
    if ('approved' in one) return { decision_id, approved: one.approved }
    return 'selected' in one ? { decision_id, selected: one.selected } : { decision_id, value: one.value }
  })
  return { ...answer, parsed_payload: { decisions } }
}

/** An outside director's proposal for one field: taken, or refused and why. */
export function judgeProposal(field: AhdbField, delta: Delta['delta'], believe: boolean): Proposal {
  if (isClosedField(field)) {
    return { field, state: 'refused', delta, reason: `a reply never updates ${field.toUpperCase()}` }
  }
  if (field === 'believe' && !believe) {
    return { field, state: 'refused', delta, reason: 'the policy does not let a reply update BELIEVE' }
  }
  return { field, state: 'proposed', delta }
}
