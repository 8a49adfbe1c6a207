// What was asked through the lane, as a log: each request is a recommendation to a person, and its outcome refers to it.

import type { Hash } from '../../canonical.js'
import type { Fields } from '../fields.js'
import { answersOf, type Ended } from './answer.js'
import { ALL, type Entry, GATEWAY, HUMAN } from './entry.js'
import { numbering } from './id.js'
import { type Draft, entryOf } from './write.js'

type Asked = Ended & {
  readonly request: Fields & { readonly type: string }
  readonly opened_at: string
  readonly deadline_at: string
  readonly receipt: { readonly seq: number; readonly hash: Hash }
}
/** A request and how it ended, from the ledger. */
export type ToldRequest = {
  readonly asked: Asked
  /** The name of the key that asked. */
  readonly askedBy: string | null
  readonly origin: Fields | null
  /** Of its resolution; null while it is open. */
  readonly end: { readonly seq: number; readonly hash: Hash } | null
}

/** A key's name as a sender; never one that means somebody else. */
export function slugOf(name: string | null): string {
  const slug = (name ?? '')
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(0, 60)
  return slug === '' || [HUMAN, ALL, GATEWAY].includes(slug) ? `key_${slug}` : slug
}

export function openingOf({ asked, askedBy, origin }: ToldRequest): Draft {
  const { request_id, opened_at, deadline_at, default_action, receipt } = asked
  const context = { request_id, event_hash: receipt.hash, deadline_at, default_action }
  return {
    type: 'recommendation',
    from: slugOf(askedBy),
    to: HUMAN,
    content: contentOf(asked.request),
    context: { at: opened_at, ...context, ...(origin !== null && { origin }) },
  }
}

function contentOf(request: Fields): string {
  const why = typeof request.why === 'string' ? ` ${request.why}` : ''
  switch (request.type) {
    case 'REQUEST_REVIEW':
      return `Review of ${[request.target_handles].flat().join(', ')} for ${request.lens}.${why}`
    case 'REQUEST_APPROVAL':
      return `Approval of ${request.action} for ${Object.keys(request.parameters ?? {}).join(', ')}.${why}`
    default:
      return `${request.question_text} ${request.impact}`
  }
}

/** In the order of the ledger, each under the day on which it happened. */
export function entriesFrom(stories: readonly ToldRequest[]): Entry[] {
  const moments = stories
    .flatMap(told => [
      { seq: told.asked.receipt.seq, told, end: null },
      ...(told.end === null ? [] : [{ seq: told.end.seq, told, end: told.end }]),
    ])
    .sort((one, other) => one.seq - other.seq)
  const next = numbering([])
  const openings = new Map<string, Entry>()
  return moments.flatMap(({ told, end }) => {
    const { request_id, opened_at, resolved_at } = told.asked
    const opening = openings.get(request_id)
    if (end !== null && opening !== undefined)
      return answersOf(opening, told.asked, end.hash).map(one => entryOf(one, next, resolved_at ?? opened_at))
    const opened = entryOf(openingOf(told), next, opened_at)
    openings.set(request_id, opened)
    return [opened]
  })
}
