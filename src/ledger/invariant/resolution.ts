// I7, I8, I10, I12: how a request ended, and by what right.
import type { Entry, EntryOf, OutcomeKind } from '../../event.js'
import { tally } from '../../tally/tally.js'
import type { Book, OpenStory, Story } from './book.js'
import { type Flaw, flaw } from './invariants.js'
import { textOf } from './line.js'

type Cause = EntryOf<'HUMAN_REPLY_EVENT' | 'TIMEOUT_RECEIPT' | 'REQUEST_WITHDRAWN'>
type Resolved = EntryOf<'REQUEST_RESOLVED'>

const OUTCOMES: Readonly<Record<Cause['type'], readonly OutcomeKind[]>> = {
  HUMAN_REPLY_EVENT: ['answered'],
  TIMEOUT_RECEIPT: ['defaulted', 'undelivered'],
  REQUEST_WITHDRAWN: ['withdrawn'],
}
export const isCause = (entry: Entry | null): entry is Cause =>
  entry !== null && Object.hasOwn(OUTCOMES, entry.type)

export function checkTimeout(story: Story, { body, at }: EntryOf<'TIMEOUT_RECEIPT'>): Flaw | null {
  const { open, request_hash } = story
  if (open === null) return flaw('I7', 'timed out though it was resolved')
  const { deadline_at, request } = open
  if (body.deadline_at !== deadline_at) return flaw('I10', `the deadline is ${deadline_at}`)
  if (at < deadline_at) return flaw('I10', `timed out before ${deadline_at}`)
  if (body.fired_at !== at) return flaw('I10', 'fired_at is not the time of the entry')
  if (body.request_hash !== request_hash) return flaw('I17', 'the request is not the one opened')
  return body.default_action === request.default_action ? null : otherDefault(open)
}

const otherDefault = ({ request }: OpenStory): Flaw => flaw('I12', `the default is ${request.default_action}`)

export function checkWithdrawal(story: Story, { at }: EntryOf<'REQUEST_WITHDRAWN'>): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I7', 'withdrawn though it was resolved')
  return at < open.deadline_at ? null : flaw('I10', `withdrawn though ${open.deadline_at} had come`)
}

/** Whether a cause ends its request. A time-out and a withdrawal always do; a reply does when the answers so far come
 *  to a decision. */
export function isDecisive({ stories }: Book, cause: Cause): boolean {
  if (cause.type !== 'HUMAN_REPLY_EVENT') return true
  const open = stories.get(cause.request_id ?? '')?.open
  return open == null || tally(open).kind === 'decided'
}

export function checkResolution(previous: Entry | null, story: Story, entry: Resolved): Flaw | null {
  const { open } = story
  if (open === null) return flaw('I7', 'resolved twice')
  close(story)
  const cause = causeOf(previous, entry)
  if (cause === null) return flaw('I8', 'its cause does not stand directly before it')
  if (!isLedTo(open, entry, cause)) return flaw('I8', `${cause.type} does not lead to this outcome`)
  return cause.type === 'TIMEOUT_RECEIPT' ? flawOfDefault(story, open, entry) : null
}

/** Later entries can only concern attempts that are still under way. */
function close(story: Story): void {
  story.open = null
  for (const placing of story.deliveries.values()) {
    if (placing.attempts.every(attempt => attempt.concluded)) placing.attempts = []
  }
}

/** The last cause is in the same append as the resolution, hence directly before it. */
function causeOf(previous: Entry | null, { body, seq, request_id }: Resolved): Cause | null {
  if (!isCause(previous) || previous.request_id !== request_id) return null
  return body.causes.at(-1) === seq - 1 ? previous : null
}

function isLedTo(open: OpenStory, { body, at }: Resolved, cause: Cause): boolean {
  const { outcome, causes, answer, default_action } = body
  if (!OUTCOMES[cause.type].includes(outcome) || at !== cause.at) return false
  if ((default_action !== undefined) !== (cause.type === 'TIMEOUT_RECEIPT')) return false
  if (cause.type !== 'HUMAN_REPLY_EVENT') return answer === undefined && causes.length === 1
  const come = tally(open)
  if (come.kind === 'open' || textOf(come.causes) !== textOf(causes)) return false
  return textOf(come.answer) === textOf(answer)
}

function flawOfDefault(story: Story, open: OpenStory, { body }: Resolved): Flaw | null {
  if (body.default_action !== open.request.default_action) return otherDefault(open)
  const stood = [...story.deliveries.values()].some(placing => placing.stands)
  if ((body.outcome === 'undelivered') !== stood) return null
  return flaw('I12', stood ? 'undelivered though a delivery stood' : 'defaulted though no delivery stood')
}
