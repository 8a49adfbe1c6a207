// I27: the caller was called as it had asked, after the end, by the schedule, and not again once it was over.
import type { Entry, EntryOf } from '../../event.js'
import type { Story } from './book.js'
import { type Flaw, flaw } from './invariants.js'

/** Registered in the append that opened the request, hence directly after it. */
export function checkRegistration(
  previous: Entry | null,
  story: Story,
  { request_id }: EntryOf<'CALLBACK_REGISTERED'>,
): Flaw | null {
  story.callback = { attempts: 0, next_at: '' }
  if (previous?.type === 'REQUEST_OPENED' && previous.request_id === request_id) return null
  return flaw('I27', 'a callback is registered when its request is opened, and then only')
}

export function checkCall(story: Story, { at, body }: EntryOf<'CALLBACK_ATTEMPTED'>): Flaw | null {
  const { callback, open } = story
  if (callback === null) return flaw('I27', 'called though no callback was registered')
  const due = callback.attempts + 1
  const earliest = callback.next_at
  callback.attempts = body.attempt
  callback.next_at = body.next_at ?? null
  if (open !== null) return flaw('I27', 'called before the request was resolved')
  if (earliest === null) return flaw('I27', 'called again after the last attempt')
  if (body.attempt !== due) return flaw('I27', `attempt ${body.attempt} where ${due} was due`)
  if (at < earliest) return flaw('I27', `called before ${earliest}`)
  return isConsistent(body) ? null : flaw('I27', 'what the attempt says of itself cannot all be so')
}

/** An accepted call is the last, the last call has no next attempt, and a failed one says why. */
const isConsistent = ({ ok, final, code, next_at }: EntryOf<'CALLBACK_ATTEMPTED'>['body']): boolean =>
  final === (next_at === undefined) && ok === (code === undefined) && (final || !ok)
