// I32: the steps of a ladder, and what is held in quiet hours.
import { added, widened } from '../../agenda/asked.js'
import { HELD_AT_MOST } from '../../agenda/hold.js'
import type { Entry, EntryOf } from '../../event.js'
import type { OpenStory, Story } from './book.js'
import { begin, isIssued, isOf } from './delivery.js'
import { type Flaw, flaw } from './invariants.js'
import { later } from './time.js'

type Reminded = EntryOf<'REQUEST_REMINDED'>
type Escalated = EntryOf<'REQUEST_ESCALATED'>

export function checkReminder(story: Story, { body, at }: Reminded): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I32', 'reminded though the request is resolved')
  const placing = story.deliveries.get(body.delivery_id)
  if (placing === undefined || !placing.stands) return flaw('I32', 'reminded of a copy that does not stand')
  const { step, token_hash } = body
  const last = placing.reminders.at(-1)?.step ?? -1
  placing.reminders.push({ step, token_hash: token_hash ?? null })
  if (step <= last) return flaw('I32', `reminded again by step ${step}`)
  for (const one of story.deliveries.values()) {
    if (one !== placing && token_hash !== undefined && isIssued(one, token_hash))
      return flaw('I14', 'the token was issued before')
  }
  return flawOfStep(open, step, 'remind', at)
}

/** A step is one of the terms', and is not done before its moment. */
function flawOfStep(open: OpenStory, step: number, what: string, at: string, isEarly = false): Flaw | null {
  const named = open.terms?.ladder?.[step]
  if (named?.do !== what) return flaw('I32', `the ladder has no step ${step} to ${what}`)
  const moment = later(open.opened_at, named.after_seconds)
  const hasCome = isEarly || (moment !== null && at >= moment)
  return hasCome ? null : flaw('I32', `step ${step} was done before its moment`)
}

export function checkEscalation(previous: Entry | null, story: Story, entry: Escalated): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I32', 'escalated though the request is resolved')
  const { step, do: what, to, early } = entry.body
  const found =
    flawOfStep(open, step, what, entry.at, early !== undefined) ?? flawOfReach(previous, open, entry)
  open.steps.add(step)
  const named = open.terms?.ladder?.[step]
  open.asked = named?.do === 'add' ? added(open.asked, named.recipients, to) : widened(open.asked, to)
  return found
}

function flawOfReach(previous: Entry | null, open: OpenStory, { body, request_id }: Escalated): Flaw | null {
  const { step, to, early } = body
  if (open.steps.has(step)) return flaw('I32', `step ${step} was done before`)
  const named = open.terms?.ladder?.[step]
  const reach: readonly { readonly user_id: string }[] = named?.do === 'add' ? named.recipients : open.asked
  const other = to.find(userId => !reach.some(one => one.user_id === userId))
  if (other !== undefined) return flaw('I32', `${other} is not among those whom step ${step} names`)
  if (early !== 'out_of_office') return null
  const isAnswered =
    previous?.type === 'INBOUND_REPLY_REJECTED' &&
    previous.request_id === request_id &&
    previous.body.reason === 'automated_message'
  return isAnswered ? null : flaw('I32', 'no automated message stands directly before it')
}

export function checkHold(story: Story, { body }: EntryOf<'DELIVERY_HELD'>): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I32', 'held though the request is resolved')
  const placing = story.deliveries.get(body.delivery_id) ?? begin(body)
  story.deliveries.set(body.delivery_id, placing)
  if (!isOf(placing, body)) return flaw('I25', 'the delivery was begun for another person or channel')
  if (!open.asked.some(one => one.user_id === body.recipient))
    return flaw('I16', `${body.recipient} is not asked`)
  if (open.terms?.urgency === 'high') return flaw('I32', 'held though it is urgent')
  const latest = later(open.opened_at, open.request.deadline_seconds * HELD_AT_MOST)
  const isShort = latest !== null && later(body.until, 0) === body.until && body.until <= latest
  return isShort ? null : flaw('I32', 'held into the last quarter of its time')
}
