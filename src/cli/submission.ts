// From options to the body of POST /v1/requests: what every kind of request shares. The id is made here and not by
// the lane, so that a request that is sent again after a broken connection is the same request.

import type { Submission } from '../client/put.js'
import type { Environment } from '../config/settings.js'
import type { Channel } from '../request/channel.js'
import { DEFAULT_ACTIONS, type DefaultAction, type Request } from '../request/request.js'
import { DURATION_WORDS, parseDuration } from './duration.js'

export const COMMON_OPTIONS = {
  deadline: { type: 'string' },
  default: { type: 'string' },
  to: { type: 'string', multiple: true },
  channel: { type: 'string', multiple: true },
  run: { type: 'string' },
  'work-item': { type: 'string' },
  id: { type: 'string' },
  wait: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export type CommonValues = {
  readonly deadline?: string | undefined
  readonly default?: string | undefined
  readonly to?: string[] | undefined
  readonly channel?: string[] | undefined
  readonly run?: string | undefined
  readonly 'work-item'?: string | undefined
}

/** `defaults` are those that this kind of request takes. */
export const commonUsage = (
  defaults: string = DEFAULT_ACTIONS.join(', '),
): string => `  --deadline D          how long the question stands, such as 90s, 30m, 2h, 7d
  --default A           what holds if nobody answers: ${defaults}
  --to U …              whom to ask; may be left out where only one person is configured
  --channel C …         on which channels (slack, email, telegram, sms, web); all that are named are used
  --run R               the run that asks (LANE_RUN_ID, else the --id, else one made for this call)
  --work-item W         what the run is at
  --id I                the request's id; the same id, content, people and run is the same request
  --wait                wait for the outcome: exits 0 answered (YES where yes or no was asked), 10 NO,
                        20 defaulted, 21 undelivered, 22 withdrawn, 1 error, 2 wrong usage
  --json                print the lane's answer as received`

type Timing = { readonly deadline_seconds: number; readonly default_action: DefaultAction }
type ReadTiming =
  | { readonly ok: true; readonly timing: Timing }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** Neither has a default of ours: how long to wait, and what silence means, is the caller's to say. */
export function readTiming({ deadline, default: chosen }: CommonValues): ReadTiming {
  const seconds = deadline === undefined ? null : parseDuration(deadline)
  const action = DEFAULT_ACTIONS.find(name => name === chosen)
  if (seconds !== null && action !== undefined)
    return { ok: true, timing: { deadline_seconds: seconds, default_action: action } }
  const flaws: string[] = []
  if (seconds === null) flaws.push(`--deadline takes ${DURATION_WORDS}; read ${read(deadline)}`)
  if (action === undefined)
    flaws.push(`--default takes one of ${DEFAULT_ACTIONS.join(', ')}; read ${read(chosen)}`)
  return { ok: false, flaws }
}

const read = (text: string | undefined): string => (text === undefined ? 'nothing' : `"${text}"`)

/** Channels are said of a person; without one there is nobody to say them of. */
export const flawsOfRecipients = ({ to, channel }: CommonValues): string[] =>
  channel !== undefined && to === undefined ? ['--channel needs --to: channels are chosen for a person'] : []

export function addressed(request: Request, values: CommonValues, runId: string): Submission {
  const workItem = values['work-item']
  const channels = values.channel as Channel[] | undefined
  const recipients = values.to?.map(user_id => ({ user_id, ...(channels && { channels }) }))
  return {
    request,
    run: {
      run_id: values.run ?? runId,
      mood: 'DEFERENTIAL',
      ...(workItem !== undefined && { work_item_id: workItem }),
    },
    ...(recipients && { recipients }),
  }
}

/** Of a call that names no run. Whoever gives the request an id means the same request with it the next time: a run made
 *  anew would make another of it. `today` is RFC 3339, `random` a few characters that no other call has. */
export const runIdOf = (
  env: Environment,
  requestId: string | undefined,
  today: string,
  random: string,
): string => env.LANE_RUN_ID?.trim() || requestId || `cli-${today.slice(0, 10).replaceAll('-', '')}-${random}`
