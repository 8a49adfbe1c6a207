// What an answer says of an approval. YES, or in a form the approval of every decision that asks for one, each by a
// person: a default approves nothing, and one refusal refuses the whole.
import type { StoredBody } from '../event.js'

type Answer = NonNullable<StoredBody<'REQUEST_RESOLVED'>['answer']>
type Meaning = Pick<Answer, 'parsed_choice' | 'parsed_payload'>

type Verdict = 'given' | 'refused' | 'none'

/** `none`: it neither approves nor refuses anything. */
export function verdictOf({ parsed_choice, parsed_payload: payload }: Meaning): Verdict {
  if (payload === null || !('decisions' in payload))
    return parsed_choice === 'YES' ? 'given' : parsed_choice === 'NO' ? 'refused' : 'none'
  const approvals = payload.decisions.filter(one => 'approved' in one)
  if (approvals.length === 0) return 'none'
  return approvals.every(one => one.approved && one.answered_by !== null) ? 'given' : 'refused'
}
