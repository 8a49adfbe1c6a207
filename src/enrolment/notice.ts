// What a person is told of their passkeys, on all their channels: that one was registered, or taken back. It is told by a
// question, because that is how the lane speaks to people; the answer is recorded and changes nothing.
//
// NT1  Once, on whatever replica: it is claimed. The id of the question is drawn, for one that somebody knows beforehand
//      could be taken by them.
// NT2  No limit holds it up, nobody else is told in the person's place, and whatever proof a channel gives is enough.
import type { Adapter } from '../adapter/contract.js'
import type { Config } from '../config/config.js'
import type { Lane } from '../lane/lane.js'
import type { Guard } from '../ledger/contract.js'
import type { Shelving } from '../ledger/shelf.js'
import { type Channel, PROOFS } from '../request/channel.js'
import { draw } from '../token/chance.js'

const PREFIX = 'passkey-notice-'
const SECONDS = 24 * 60 * 60
const ID_BYTES = 12
/** Of a run. Two people whose long ids begin alike share a run, and no limit. */
const MOST_ID = 128
const NO_LIMITS = { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 } as const

type NoticeParts = {
  readonly lane: Pick<Lane, 'ask'>
  readonly config: Pick<Config, 'recipients'>
  readonly adapters: ReadonlyMap<Channel, Adapter>
}

type Notice = {
  readonly user_id: string
  /** Where they were told otherwise. */
  readonly but: readonly Channel[]
  readonly words: { readonly question_text: string; readonly impact: string }
  readonly claims: Guard
  readonly beside: readonly Shelving[]
}

/** Whether a question was put to them. Throws where it could not be put just now. */
export async function notify(parts: NoticeParts, notice: Notice): Promise<boolean> {
  const { user_id, but, words, claims, beside } = notice
  const reached = parts.config.recipients[user_id]?.channels ?? []
  const channels = reached.filter(channel => parts.adapters.has(channel) && !but.includes(channel))
  if (channels.length === 0) return false
  const request = {
    type: 'REQUEST_QUESTION',
    question_id: `${PREFIX}${draw(ID_BYTES).toString('hex')}`,
    ...words,
    context_handles: [],
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
    deadline_seconds: SECONDS,
  }
  const run = { run_id: `${PREFIX}${user_id}`.slice(0, MOST_ID), mood: 'DEFERENTIAL' }
  const submitted = await parts.lane.ask(
    { request, run, recipients: [{ user_id, channels }] },
    { proofs: PROOFS, limits: NO_LIMITS, beside, guards: [claims] },
  )
  if (submitted.kind !== 'refused') return true
  if (submitted.code === 'rate_limited') throw new Error(`${user_id} could not be told: ${submitted.detail}`)
  return false
}
