// One reply at the edge of its deadline, and the boundary rule's verdict on it.
import type { Entry } from '../../src/event.js'
import type { Received } from '../../src/reply/receive.js'

export type Trial = {
  readonly id: string
  readonly deadline: number
  /** When the reply came to the lane's door, by the ledger's clock. */
  readonly arrival: number
  readonly told: Received
}

export function flawsIn(trials: readonly Trial[], entries: readonly Entry[]): string[] {
  const stories = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.request_id === undefined) continue
    const story = stories.get(entry.request_id)
    if (story) story.push(entry)
    else stories.set(entry.request_id, [entry])
  }
  return trials.flatMap(trial => {
    const flaw = flawOf(trial, stories.get(trial.id) ?? [])
    return flaw === null ? [] : [`${trial.id}: ${flaw}`]
  })
}

/** Before `deadline_at` a reply may win, from then on only the default; one ending, and the person was told that one. */
function flawOf({ arrival, deadline, told }: Trial, story: readonly Entry[]): string | null {
  const at = (type: string): number[] =>
    story.filter(entry => entry.type === type).map(entry => Date.parse(entry.at))
  const [resolved, ...again] = story.filter(entry => entry.type === 'REQUEST_RESOLVED')
  if (resolved?.type !== 'REQUEST_RESOLVED') return 'has not ended'
  if (again.length > 0) return `ended ${1 + again.length} times`
  const { outcome } = resolved.body
  const timeouts = at('TIMEOUT_RECEIPT')
  if (told.kind === 'accepted') {
    if (outcome !== 'answered' || timeouts.length > 0) return `told recorded, but ${outcome}`
    return arrival < deadline && Date.parse(resolved.at) < deadline
      ? null
      : 'accepted at or past its deadline'
  }
  if (told.kind !== 'rejected' || told.reason !== 'already_resolved') return `told ${JSON.stringify(told)}`
  if (outcome !== 'defaulted' || told.subject.state !== 'defaulted') return `told defaulted, but ${outcome}`
  if (timeouts.length !== 1 || Number(timeouts[0]) < deadline) return `timed out at ${timeouts}`
  return at('INBOUND_REPLY_REJECTED').length === 1 ? null : 'the late reply is not on record'
}

/** Of all trials, how many were answered; each outcome must be common enough to have been tried. */
export function shares(trials: readonly Trial[]): { readonly answered: number; readonly defaulted: number } {
  const answered = trials.filter(({ told }) => told.kind === 'accepted').length / trials.length
  return { answered, defaulted: 1 - answered }
}
