// The lane as a program sees it: three ways to ask, one way to come back, and the right that an approval gives.
//
//     const lane = connect()
//     const outcome = await lane.ask({ question: 'Ship it?', …, reply: { kind: 'yes_no' } }).wait()
import { machineClock } from '../clock.js'
import type { ReplySchema } from '../compiler/reply-schema.js'
import type { AnswerOf } from './answer.js'
import { type Endpoint, jsonOf } from './call.js'
import { readCase } from './case.js'
import { keep } from './content.js'
import {
  type Approval,
  type ApprovalSchema,
  approvalOf,
  type Drafted,
  type Question,
  questionOf,
  type Review,
  reviewOf,
} from './draft.js'
import { type Handle, hold, openedAs } from './handle.js'
import { keysAt } from './jwks.js'
import { notOpened, unknown } from './outcome.js'
import { GRACE_MS, type Pace, sleep } from './pace.js'
import { persist } from './persist.js'
import { assertApproved, type PolicyClaims } from './policy.js'
import { put } from './put.js'
import { type Spend, type Spent, spend } from './spend.js'

export type ConnectOptions = {
  /** LANE_URL, or http://127.0.0.1:8787. */
  readonly url?: string
  /** LANE_API_KEY. Scope `request` is enough, and an agent should have no more. */
  readonly key?: string
  /** LANE_RUN_ID, or every request is a run of its own. */
  readonly runId?: string
}

export type Lane = {
  ask<const S extends ReplySchema>(question: Question<S>): Handle<AnswerOf<S>>
  review<const S extends ReplySchema>(review: Review<S>): Handle<AnswerOf<S>>
  approve<const S extends ApprovalSchema = { readonly kind: 'yes_no' }>(
    approval: Approval<S>,
  ): Handle<AnswerOf<S>>
  /** A request that was asked before, perhaps by a process that is gone. Without a schema it is taken as yes or no. */
  resume<const S extends ReplySchema = { readonly kind: 'yes_no' }>(
    id: string,
    reply?: S,
  ): Handle<AnswerOf<S>>
  /** Content a person can open before answering; the handle to name it by. Throws when it cannot be kept. */
  putContent(content: string | Uint8Array): Promise<string>
  /** Checks a policy token against this lane's keys, which are fetched every five minutes. Throws `NotApproved`. */
  assertApproved(token: string, action: string, parameters: Record<string, string>): Promise<PolicyClaims>
  /** Spends a policy token, once: the same `spendId` again is the same spending. */
  spend(spending: Spend): Promise<Spent>
}

const DEFAULT_URL = 'http://127.0.0.1:8787'
const MACHINE: Pace = { clock: machineClock, sleep }
const YES_NO = { kind: 'yes_no' } as const

export function connect(options: ConnectOptions = {}, pace: Pace = MACHINE): Lane {
  const endpoint = endpointOf(options)
  const runId = options.runId ?? (process.env.LANE_RUN_ID?.trim() || null)
  const keys = keysAt(`${endpoint.url}/.well-known/jwks.json`)
  const send = <S extends ReplySchema>(drafted: Drafted, schema: S) => submit(endpoint, pace, drafted, schema)
  return {
    ask: draft => send(questionOf(draft, runId), draft.reply),
    review: draft => send(reviewOf(draft, runId), draft.reply),
    approve: <S extends ApprovalSchema>(draft: Approval<S>) =>
      send(approvalOf(draft, runId), draft.reply ?? (YES_NO as S)),
    resume: <S extends ReplySchema>(id: string, reply?: S) =>
      resume(endpoint, pace, id, reply ?? (YES_NO as S)),
    putContent: content => putContent(pace, endpoint, content),
    assertApproved: (token, action, parameters) => assertApproved(token, action, parameters, { jwks: keys }),
    spend: spending => spend(endpoint, pace, spending),
  }
}

function endpointOf({ url = process.env.LANE_URL?.trim() || DEFAULT_URL, key }: ConnectOptions): Endpoint {
  const given = key ?? process.env.LANE_API_KEY?.trim()
  if (!given) throw new TypeError('no API key: give connect() a key, or set LANE_API_KEY')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new TypeError(`a lane is at http or https, not at ${url}: give connect() its url, or set LANE_URL`)
  return { url: url.replace(/\/+$/, ''), key: given }
}

/** Sent at once, and tried again until its own deadline has passed: later nobody would be asked in time. */
function submit<S extends ReplySchema>(
  endpoint: Endpoint,
  pace: Pace,
  { id, submission }: Drafted,
  schema: S,
): Handle<AnswerOf<S>> {
  const until = pace.clock.monotonic() + submission.request.deadline_seconds * 1000
  const opening = put(pace, endpoint, submission, { until }).then(answer =>
    answer.kind === 'answer' ? openedAs(id, schema, readCase(jsonOf(answer))) : notOpened(id, answer),
  )
  return hold({ endpoint, pace, id, schema, giveUpAt: until + GRACE_MS, opening: unheard(opening) })
}

function resume<S extends ReplySchema>(
  endpoint: Endpoint,
  pace: Pace,
  id: string,
  schema: S,
): Handle<AnswerOf<S>> {
  const until = pace.clock.monotonic() + GRACE_MS
  const path = `/v1/requests/${encodeURIComponent(id)}`
  const opening = persist(pace, endpoint, { path }, { until }).then(answer =>
    answer.kind === 'answer' ? openedAs(id, schema, readCase(jsonOf(answer))) : unknown(id, answer),
  )
  return hold({ endpoint, pace, id, schema, giveUpAt: until, opening: unheard(opening) })
}

/** A bug in here reaches the code that waits; a handle that nobody waits on must not end the process. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

async function putContent(pace: Pace, endpoint: Endpoint, content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const put = await keep(pace, endpoint, bytes)
  if (put.kind === 'kept') return put.handle
  throw new Error(`the lane does not keep this content (${put.code}): ${put.detail}`)
}
