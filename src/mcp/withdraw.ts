// Taking a request back. Whoever was faster wins, and is told of: an answer is not lost by withdrawing it.
import { jsonOf } from '../client/call.js'
import { readCase } from '../client/case.js'
import { outcomeOf, type Refused, strange, told } from '../client/outcome.js'
import { isPassing } from '../client/pace.js'
import { persist } from '../client/persist.js'
import { type Desk, type Told, until, wait } from './ask.js'
import { LONGEST_WAIT_SECONDS } from './input.js'

export async function takeBack(desk: Desk, id: string, reason: string, signal: AbortSignal): Promise<Told> {
  const hurry = { until: until(desk, LONGEST_WAIT_SECONDS), signal }
  const path = `/v1/requests/${encodeURIComponent(id)}/withdraw`
  const answer = await persist(desk.pace, desk.door, { method: 'POST', path, body: { reason } }, hurry)
  if (answer.kind === 'answer') {
    const subject = readCase(jsonOf(answer))
    return subject === null
      ? strange(id, 'the answer is no case')
      : outcomeOf(subject.request.reply_schema, subject)
  }
  const { code, detail, errors } = told(answer)
  if (code === 'already_resolved') return await wait(desk, id, hurry)
  return isPassing(answer) || code === 'not_a_lane'
    ? { kind: 'unknown', id, code, detail }
    : ({ kind: 'refused', id, code, detail, errors } satisfies Refused)
}
