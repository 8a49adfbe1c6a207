// From options to a draft: the part that every kind of request shares.
import type { Common } from '../client/draft.js'
import type { Environment } from '../config/settings.js'
import type { Channel } from '../request/channel.js'
import { DEFAULT_ACTIONS } from '../request/request.js'
import { DURATION_WORDS, parseDuration } from './duration.js'
import { LADDER_OPTIONS, LADDER_USAGE, type LadderValues, readLadder } from './ladder-options.js'

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
  ...LADDER_OPTIONS,
} as const

export type CommonValues = LadderValues & {
  readonly deadline?: string | undefined
  readonly default?: string | undefined
  readonly to?: string[] | undefined
  readonly channel?: string[] | undefined
  readonly run?: string | undefined
  readonly 'work-item'?: string | undefined
  readonly id?: string | undefined
}

/** `defaults` are the default actions that this kind of request takes. */
export const commonUsage = (
  defaults: string = DEFAULT_ACTIONS.join(', '),
): string => `  --deadline D          how long the question stands, such as 90s, 30m, 2h, 7d
  --default A           what holds if nobody answers: ${defaults}
  --to U …              whom to ask; may be left out where only one person is configured
  --channel C …         on which channels (slack, email, telegram, sms, web); all that are named are used
  --run R               the run that asks (LANE_RUN_ID, else the --id, else one made for this call)
  --work-item W         what the run is at
  --id I                the request's id; the same id, content, people and run is the same request
${LADDER_USAGE}
  --wait                wait for the outcome: exits 0 answered (YES where yes or no was asked), 10 NO,
                        20 defaulted, 21 undelivered, 22 withdrawn, 1 error, 2 wrong usage
  --json                print the lane's answer as received`

/** Ids for a call that names none. */
export type Made = { readonly requestId: string; readonly runId: string }

type ReadCommon =
  | { readonly ok: true; readonly common: Common }
  | { readonly ok: false; readonly flaws: readonly string[] }

export function readCommon(values: CommonValues, made: Made): ReadCommon {
  const { deadline, default: chosen, to, channel } = values
  // Neither has a default of ours: the caller must say how long to wait, and what silence means.
  const seconds = deadline === undefined ? null : parseDuration(deadline)
  const action = DEFAULT_ACTIONS.find(name => name === chosen)
  const flaws: string[] = []
  // Channels are chosen for a person, so there must be one.
  if (channel !== undefined && to === undefined)
    flaws.push('--channel needs --to: channels are chosen for a person')
  if (seconds === null) flaws.push(`--deadline takes ${DURATION_WORDS}; read ${read(deadline)}`)
  if (action === undefined)
    flaws.push(`--default takes one of ${DEFAULT_ACTIONS.join(', ')}; read ${read(chosen)}`)
  const envelope = readLadder(values, flaws)
  if (seconds === null || action === undefined || flaws.length > 0) return { ok: false, flaws }
  const common = {
    id: values.id ?? made.requestId,
    runId: values.run ?? made.runId,
    workItemId: values['work-item'],
    deadlineSeconds: seconds,
    default: action,
    ...envelope,
    // Judged by the lane, which says what it accepts.
    to: to?.map(user_id => ({ user_id, ...(channel && { channels: channel as Channel[] }) })),
  }
  return { ok: true, common }
}

const read = (text: string | undefined): string => (text === undefined ? 'nothing' : `"${text}"`)

/** The run of a call that names none. A caller who gives the request an id means the same request the next time, and
 *  a new run would make it another one. `today` is RFC 3339, `random` a few characters that no other call has. */
export const runIdOf = (
  env: Environment,
  requestId: string | undefined,
  today: string,
  random: string,
): string => env.LANE_RUN_ID?.trim() || requestId || `cli-${today.slice(0, 10).replaceAll('-', '')}-${random}`
