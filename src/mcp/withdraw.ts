// Taking a request back. An answer that came first wins, and the caller is told of it: withdrawing loses no answer.
import { jsonOf } from '../client/call.js'
import { readCase } from '../client/case.js'
import { outcomeOf, type Refused, strange, told } from '../client/outcome.js'
import { isPassing } from '../client/pace.js'
import { persist } from '../client/persist.js'
import { type Connection, type CurrentOutcome, until, wait } from './ask.js'
import { LONGEST_WAIT_SECONDS } from './input.js'

export async function takeBack(
  connection: Connection,
  id: string,
  reason: string,
  signal: AbortSignal,
): Promise<CurrentOutcome> {
  const hurry = { until: until(connection, LONGEST_WAIT_SECONDS), signal }
  const path = `/v1/requests/${encodeURIComponent(id)}/withdraw`
  const answer = await persist(
    connection.pace,
    connection.endpoint,
    { method: 'POST', path, body: { reason } },
    hurry,
  )
  if (answer.kind === 'answer') {
    const subject = readCase(jsonOf(answer))
    return subject === null
      ? strange(id, 'the answer is no case')
      : outcomeOf(subject.request.reply_schema, subject)
  }
  const { code, detail, errors } = told(answer)
  if (code === 'already_resolved') return await wait(connection, id, hurry)
  return isPassing(answer) || code === 'not_a_lane'
    ? { kind: 'unknown', id, code, detail }
    : ({ kind: 'refused', id, code, detail, errors } satisfies Refused)
}
