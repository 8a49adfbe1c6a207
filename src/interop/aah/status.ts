// The state of an artifact, which either profile may have written; and whether two artifacts are one but for it.

import { canonical } from '../../canonical.js'
import type { Entry, OutcomeKind } from '../../event.js'
import { isFields } from '../fields.js'
import type { Profile, Status, Version } from './words.js'

type Given = Readonly<Record<string, unknown>>

/** What an envelope's own schema calls an artifact that nobody has answered yet. */
const UNANSWERED: readonly (string | undefined)[] = [undefined, 'pending', 'review', 'active']
const WITHDRAWN = 'withdrawn'

/** The decision's state stands in an extension where the envelope has no word for it. */
function statusOf({ lifecycle, extensions }: Given): string | undefined {
  const own = isFields(extensions) && isFields(extensions.aah_hitl) ? extensions.aah_hitl.status : undefined
  const status = own ?? (isFields(lifecycle) ? lifecycle.status : undefined)
  return typeof status === 'string' ? status : undefined
}

export const isUnanswered = (given: Given): boolean => UNANSWERED.includes(statusOf(given))
export const isWithdrawn = (given: Given): boolean => statusOf(given) === WITHDRAWN
export const STATUS_WORDS =
  'pending, or nothing: an artifact is opened unanswered, and withdrawn by posting what was posted with status withdrawn'

/** Whether they say the same, but for their states. */
export const isSameButForStatus = (one: Given, other: Given): boolean =>
  canonical(withoutStatus(one)) === canonical(withoutStatus(other))

/** An object that held nothing else is gone with it: who withdraws may have to add one. */
function withoutStatus({ lifecycle, extensions, ...rest }: Given): Given {
  const bare = without(lifecycle, 'status')
  const own = isFields(extensions) ? without(extensions.aah_hitl, 'status') : undefined
  const others = isFields(extensions) ? without(extensions, 'aah_hitl') : extensions
  const kept = own === undefined ? others : { ...(others as object), aah_hitl: own }
  return {
    ...rest,
    ...(bare !== undefined && { lifecycle: bare }),
    ...(kept !== undefined && { extensions: kept }),
  }
}

function without(value: unknown, name: string): unknown {
  if (!isFields(value)) return value
  const { [name]: _, ...rest } = value
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** The state that a story has come to. It is escalated from a step of its ladder to the next reply that counts. */
export function statusOfStory(story: readonly Entry[]): Status {
  let status: Status = 'pending'
  for (const { type, body } of story) {
    if (type === 'REQUEST_ESCALATED') status = 'escalated'
    if (type === 'HUMAN_REPLY_EVENT') status = 'partial'
    if (type === 'REQUEST_RESOLVED') return ENDED[body.outcome]
  }
  return status
}

export const ENDED: Readonly<Record<OutcomeKind, Status>> = {
  answered: 'resolved',
  defaulted: 'expired',
  undelivered: 'expired',
  withdrawn: 'withdrawn',
}

/** The envelope's own words, by version: what waits is under review, what has ended is not looked at any more. */
const STRICT: Readonly<Record<Version, Readonly<Record<'waiting' | 'resolved' | 'ended', string>>>> = {
  '0.1': { waiting: 'review', resolved: 'approved', ended: 'archived' },
  '0.5': { waiting: 'active', resolved: 'final', ended: 'archived' },
}
const strictly = (status: Status): 'waiting' | 'resolved' | 'ended' =>
  status === 'resolved' ? 'resolved' : status === 'expired' || status === 'withdrawn' ? 'ended' : 'waiting'

/** The artifact as it was received, with the state it has come to. */
export function projected(given: Given, version: Version, status: Status, profile: Profile): Given {
  const lifecycle = isFields(given.lifecycle) ? given.lifecycle : {}
  if (profile === 'decisions') return { ...given, lifecycle: { ...lifecycle, status } }
  const extensions = isFields(given.extensions) ? given.extensions : {}
  const own = isFields(extensions.aah_hitl) ? extensions.aah_hitl : {}
  return {
    ...given,
    lifecycle: { ...lifecycle, status: STRICT[version][strictly(status)] },
    extensions: { ...extensions, aah_hitl: { ...own, status } },
  }
}
