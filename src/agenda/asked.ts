// The people a request is put to: those it was opened with, those the ladder has added, those to whom it was handed on.
// Everybody stays on the list; only who has it in hand may answer, and is planned for.
import type { StoredBody } from '../event.js'
import type { Channel } from '../request/channel.js'
import type { ResolvedRecipient } from '../request/recipient.js'

export type Asked = {
  readonly user_id: string
  /** Null for somebody to whom it was handed on: then their channels are those that the configuration has for them. */
  readonly channels: readonly Channel[] | null
  readonly route: ResolvedRecipient['route']
  /** How many channels beyond the one they would be reached by have been opened; absent for none. */
  readonly widened?: number
  /** To whom they have handed it; absent while it is theirs. */
  readonly handed_to?: string
  /** By whom it was handed to them; absent for somebody who was asked. */
  readonly from?: string
}

/** Through more hands than this nothing is handed on: nobody would know any more who was asked. */
export const MOST_HANDS = 3

type People = readonly Asked[]

export const has = (asked: People, userId: string): boolean => asked.some(one => one.user_id === userId)

/** Whether it is theirs to answer. */
export const holds = (asked: People, userId: string): boolean =>
  asked.some(one => one.user_id === userId && one.handed_to === undefined)

/** The hands that it went through to come to them. */
export const handsOf = (asked: People, userId: string): number => placesOf(asked, userId).length - 1

/** Everybody whose place they have: themselves, and those who handed it to them. */
export function placesOf(asked: People, userId: string): readonly string[] {
  const places = [userId]
  for (;;) {
    const from = find(asked, places.at(-1) ?? '')?.from
    // A ledger that was tampered with may lead round in a circle.
    if (from === undefined || places.includes(from)) return places
    places.push(from)
  }
}

const find = (asked: People, userId: string): Asked | undefined => asked.find(one => one.user_id === userId)

export const added = (before: People, of: readonly ResolvedRecipient[], to: readonly string[]): People => [
  ...before,
  ...of.filter(({ user_id }) => to.includes(user_id) && !has(before, user_id)),
]

export const widened = (before: People, to: readonly string[]): People =>
  before.map(one => (to.includes(one.user_id) ? { ...one, widened: (one.widened ?? 0) + 1 } : one))

/** What the lane hands on goes back to whom it came from. */
export function handed(before: People, { from, to, by }: StoredBody<'REQUEST_DELEGATED'>): People {
  const given = before.map(one => (one.user_id === from ? { ...one, handed_to: to } : one))
  if (by === 'lane') return given.map(one => (one.user_id === to ? returned(one) : one))
  return [...given, { user_id: to, channels: null, route: 'first', from }]
}

function returned({ handed_to: _to, ...one }: Asked): Asked {
  return one
}
