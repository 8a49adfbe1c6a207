// A typed request that another system's file spells out; the lane's door judges the rest of it.
import type { Fields } from './fields.js'

const ID_FIELDS: Readonly<Record<string, string>> = {
  REQUEST_QUESTION: 'question_id',
  REQUEST_REVIEW: 'review_id',
  REQUEST_APPROVAL: 'approval_id',
}

/** With our id, and what it may leave out: how long, what silence means, and how it is answered. Null if it is none, or brings
 *  an id of its own. */
export function typed(
  id: string,
  request: Fields,
  timing: { readonly deadline_seconds: number },
): Fields | null {
  const field = ID_FIELDS[String(request.type)]
  if (field === undefined || Object.hasOwn(request, field)) return null
  const silent = { default_action: request.type === 'REQUEST_APPROVAL' ? 'DENY' : 'HALT' }
  return { ...timing, ...silent, reply_schema: { kind: 'yes_no' }, ...request, [field]: id }
}
