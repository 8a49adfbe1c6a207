// A caller who submits, and the claims about a refusal: its code, its field, and nothing in the ledger.
import { expect } from 'vitest'
import type { Answer, LaneUnderTest } from '../lane-under-test.js'

export type Json = Record<string, unknown>
export type FieldError = { readonly field: string; readonly read: string; readonly accepted: string }

export const errorsOf = (answer: Answer): FieldError[] => (answer.json.errors ?? []) as FieldError[]

export const without = (request: Json, field: string): Json =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== field))

/** The lane is named when it is there: tests start it before the first of these is called. */
export function caller(at: () => LaneUnderTest) {
  let runs = 0
  /** Each submission in a run of its own: the limit on open questions is another file's matter. */
  const submit = (request: Json, envelope: Json = {}): Promise<Answer> =>
    at().submit(request, { run: { run_id: `run-${runs++}`, mood: 'DEFERENTIAL' }, ...envelope })

  /** Deliveries of earlier requests go on meanwhile; a submission can only enter by its opening. */
  const openings = async (): Promise<number> =>
    (await at().ledger()).filter(({ type }) => type === 'REQUEST_OPENED').length

  /** The refusal, once it is certain that nothing of it was recorded. */
  async function refused(attempt: () => Promise<Answer>, status: number, code: string): Promise<Answer> {
    const before = await openings()
    const answer = await attempt()
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(await openings()).toBe(before)
    return answer
  }

  async function refusedField(request: Json, field: string, envelope: Json = {}): Promise<FieldError> {
    const answer = await refused(() => submit(request, envelope), 422, 'invalid_request')
    const error = errorsOf(answer).find(one => one.field === field)
    expect(error, `${field} in ${answer.text}`).toBeDefined()
    expect(error?.accepted).not.toBe('')
    return error as FieldError
  }

  return { submit, refused, refusedField }
}
