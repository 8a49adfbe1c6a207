// The vectors that this client and the one in Python share (test/vectors/client/), so that they cannot drift apart.
// clients/python/tests/test_vectors.py reads the same files.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HttpProblem } from '../../src/client/call.js'
import { readCase, type ShownCase } from '../../src/client/case.js'
import {
  type Approval,
  approvalOf,
  type Question,
  questionOf,
  type Review,
  reviewOf,
} from '../../src/client/draft.js'
import {
  assertApproved,
  CallbackRefused,
  hashParameters,
  type Jwks,
  NotApproved,
  verifyCallback,
} from '../../src/client/index.js'
import { notOpened, outcomeOf } from '../../src/client/outcome.js'
import { FIRST_PAUSE_MS, isPassing, pauseAfter } from '../../src/client/pace.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../vectors/client/${name}.json`, import.meta.url), 'utf8'))

/** The files have Python's spelling of names; ours is made of it, at the top alone. */
const spelt = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

type Draft = {
  readonly name: string
  readonly way: 'ask' | 'review' | 'approve'
  readonly run_id: string | null
  readonly draft: Readonly<Record<string, unknown>>
  readonly submission: unknown
}
describe('a draft becomes this submission', () => {
  const WAYS = {
    ask: (draft: unknown, run: string | null) => questionOf(draft as Question, run),
    review: (draft: unknown, run: string | null) => reviewOf(draft as Review, run),
    approve: (draft: unknown, run: string | null) => approvalOf(draft as Approval, run),
  }
  test.each(read<readonly Draft[]>('drafts'))('$name', ({ way, run_id, draft, submission }) => {
    expect(WAYS[way](spelt(draft), run_id)).toEqual({ id: draft.id, submission })
  })
})

type Told = {
  readonly name: string
  readonly schema: ReplySchema
  readonly case: ShownCase
  readonly outcome: Readonly<Record<string, unknown>>
}
test.each(read<readonly Told[]>('outcomes'))(
  'the outcome of a case: $name',
  ({ schema, case: subject, outcome }) => {
    const { case: told, ...said } = { case: subject, ...outcomeOf(schema, subject) }
    expect(told).toBe(subject)
    const absent = outcome.kind === 'answered' ? { reason: null, policyToken: null } : {}
    expect({ ...absent, ...said }).toEqual(spelt(outcome))
  },
)

test.each(
  read<readonly { readonly name: string; readonly body: unknown; readonly is_case: boolean }[]>('cases'),
)('$name passes for a case: $is_case', ({ body, is_case }) => {
  expect(readCase(body) !== null).toBe(is_case)
})

type Troubled = {
  readonly name: string
  readonly status: number
  readonly body: string
  readonly retry_after_seconds: number | null
  readonly passing: boolean
  readonly pause_seconds: number
  readonly outcome: unknown
}
test.each(read<readonly Troubled[]>('troubles'))('trouble: $name', vector => {
  const seconds = vector.retry_after_seconds
  const problem: HttpProblem = {
    kind: 'problem',
    status: vector.status,
    body: Buffer.from(vector.body),
    retryAfterMs: seconds === null ? null : seconds * 1000,
  }
  expect(notOpened('c1', problem)).toEqual(vector.outcome)
  expect(isPassing(problem)).toBe(vector.passing)
  expect(pauseAfter(problem, FIRST_PAUSE_MS)).toBe(vector.pause_seconds * 1000)
})

describe('a policy token', () => {
  type Vector = {
    readonly name: string
    readonly token: string
    readonly action: string
    readonly parameters: Readonly<Record<string, string>>
    readonly now: number
    readonly result: string
  }
  const { jwks, vectors, claims } = read<{
    readonly jwks: Jwks
    readonly vectors: readonly Vector[]
    readonly claims: unknown
  }>('policy')
  test.each(vectors)('$name: $result', async ({ token, action, parameters, now, result }) => {
    const judged = assertApproved(token, action, parameters, { jwks, now: now * 1000 })
    if (result === 'approved') return expect(await judged).toEqual(claims)
    const refused = await judged.catch(error => error)
    expect(refused).toBeInstanceOf(NotApproved)
    expect(refused.code).toBe(result)
  })
})

test.each(
  read<
    readonly {
      readonly name: string
      readonly parameters: Readonly<Record<string, string>>
      readonly hash: string
    }[]
  >('parameters'),
)('the hash of parameters: $name', ({ parameters, hash }) => {
  expect(hashParameters(parameters)).toBe(hash)
})

type CallbackVector = {
  readonly name: string
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly now: number
  readonly result: string
}
test.each(read<readonly CallbackVector[]>('callbacks'))(
  'a callback: $name: $result',
  ({ secret, headers, body, now, result }) => {
    const judge = () => verifyCallback(Buffer.from(body), headers, { secret, now: now * 1000 })
    if (result === 'taken') {
      const { data, timestamp } = JSON.parse(body)
      return expect(judge()).toEqual({ id: `msg_${'1f'.repeat(16)}`, at: timestamp, case: data })
    }
    const refused = caught(judge)
    expect(refused).toBeInstanceOf(CallbackRefused)
    expect((refused as CallbackRefused).code).toBe(result)
  },
)

test('a secret that is none is a mistake of the program, and no verdict', () => {
  for (const secret of ['', 'whsec_c2hvcnQ=', Buffer.from('x'.repeat(32)).toString('base64')])
    expect(caught(() => verifyCallback('{}', {}, { secret }))).toBeInstanceOf(TypeError)
})

function caught(deed: () => unknown): unknown {
  try {
    return deed()
  } catch (error) {
    return error
  }
}
