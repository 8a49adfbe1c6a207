// From --remind, --escalate and --urgency to the envelope: steps in the order of their time.
import type { Submission } from '../client/put.js'
import { URGENCIES } from '../request/terms.js'
import { DURATION_WORDS, parseDuration } from './duration.js'

export const LADDER_OPTIONS = {
  remind: { type: 'string', multiple: true },
  escalate: { type: 'string', multiple: true },
  urgency: { type: 'string' },
} as const

export const LADDER_USAGE = `  --remind D …          remind whoever has not answered after so long
  --escalate D=U …      ask U too after so long: a person or group:NAME, several with commas between them
  --urgency L           low, normal or high: quiet hours hold nothing that is high, which needs a key made with --urgent`

export type LadderValues = {
  readonly remind?: string[] | undefined
  readonly escalate?: string[] | undefined
  readonly urgency?: string | undefined
}

type Step = NonNullable<Submission['ladder']>[number]
type Envelope = {
  readonly ladder: Submission['ladder'] | undefined
  readonly urgency: Submission['urgency'] | undefined
}

/** Flaws are added to the list. */
export function readLadder({ remind = [], escalate = [], urgency }: LadderValues, flaws: string[]): Envelope {
  const steps = [
    ...remind.flatMap(text => reminder(text, flaws)),
    ...escalate.flatMap(text => addition(text, flaws)),
  ]
  const ordered = steps.toSorted((one, other) => one.after_seconds - other.after_seconds)
  const isTwice = ordered.some((one, place) => one.after_seconds === ordered[place + 1]?.after_seconds)
  if (isTwice) flaws.push('--remind and --escalate name each time once: two steps cannot come together')
  const level = URGENCIES.find(name => name === urgency)
  if (urgency !== undefined && level === undefined)
    flaws.push(`--urgency takes one of ${URGENCIES.join(', ')}; read "${urgency}"`)
  return { ladder: ordered.length === 0 ? undefined : ordered, urgency: level }
}

function reminder(text: string, flaws: string[]): Step[] {
  const after_seconds = parseDuration(text)
  if (after_seconds !== null) return [{ after_seconds, do: 'remind' }]
  flaws.push(`--remind takes ${DURATION_WORDS}; read "${text}"`)
  return []
}

function addition(text: string, flaws: string[]): Step[] {
  const [when = '', who = ''] = text.split(/=(.*)/s)
  const after_seconds = parseDuration(when)
  const people = who.split(',').filter(name => name !== '')
  if (after_seconds !== null && people.length > 0)
    return [{ after_seconds, do: 'add', recipients: people.map(user_id => ({ user_id })) }]
  flaws.push(`--escalate takes a time and people, such as 30m=manager; read "${text}"`)
  return []
}
