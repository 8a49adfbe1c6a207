// The stories, entry by entry: the check for each type, and the entries that must follow one another.
import type { Entry, EntryOf } from '../../event.js'
import type { Request } from '../../request/request.js'
import type { Book, Story } from './book.js'
import { checkCall, checkRegistration } from './callback.js'
import { checkClaim, checkConclusion, checkTold } from './delivery.js'
import {
  beginDirection,
  checkDecision,
  checkDelta,
  checkIssue,
  checkRevocation,
  checkSpend,
  flawOfSilence,
  learnOutcome,
} from './direction.js'
import { type Flaw, flaw } from './invariants.js'
import { hashText } from './line.js'
import { checkAccepted, checkReceived, checkRejection } from './reply.js'
import { checkResolution, checkTimeout, checkWithdrawal, isCause, isDecisive } from './resolution.js'
import { checkSealing } from './sealing.js'
import { later } from './time.js'

/** The flaw of an entry before that must not be followed by this one: an append is not taken apart. */
export function flawOfPrevious(book: Book, entry: Entry): Flaw | null {
  const { previous } = book
  if (previous?.type === 'INBOUND_REPLY_RECEIVED' && entry.type !== 'HUMAN_REPLY_EVENT') {
    return flaw('I24', 'no HUMAN_REPLY_EVENT follows')
  }
  if (previous?.type === 'REQUEST_RESOLVED') return flawOfSilence(book, previous, entry)
  if (!isCause(previous) || !isDecisive(book, previous)) return null
  if (entry.type === 'REQUEST_RESOLVED' && entry.request_id === previous.request_id) return null
  return flaw('I8', `no REQUEST_RESOLVED follows on ${previous.type}`)
}

export function checkStory(book: Book, entry: Entry): Flaw | null {
  if (entry.type === 'LEDGER_SEALED') return checkSealing(book, entry)
  if (entry.request_id === undefined) return null
  const story = book.stories.get(entry.request_id)
  if (entry.type === 'REQUEST_OPENED') {
    if (story !== undefined) return flaw('I9', `${entry.request_id} was opened before`)
    book.stories.set(entry.request_id, begin(entry))
    return flawOfOpening(entry)
  }
  if (story === undefined) return flaw('I7', `${entry.type} of a request that was not opened`)
  const found = check(book, story, entry)
  if (found !== null) return found
  return entry.run_id === story.run_id ? null : flaw('I4', 'the run is not that of the request')
}

const begin = ({ body, run_id, seq }: EntryOf<'REQUEST_OPENED'>): Story => ({
  request_hash: body.request_hash,
  run_id,
  deliveries: new Map(),
  direction: beginDirection(body, seq),
  callback: null,
  open: {
    request: body.request as unknown as Request,
    deadline_at: body.deadline_at,
    recipients: body.recipients,
    replies: [],
  },
})

function flawOfOpening({ at, body }: EntryOf<'REQUEST_OPENED'>): Flaw | null {
  const request = body.request as unknown as Request
  if (hashText('lane/request/v1\n', request) !== body.request_hash)
    return flaw('I17', 'request_hash is not that of the request')
  const due = later(at, request.deadline_seconds)
  return body.deadline_at === due ? null : flaw('I10', `deadline_at is not ${due}`)
}

function check(book: Book, story: Story, entry: Entry): Flaw | null {
  switch (entry.type) {
    case 'DELIVERY_STARTED':
      return checkClaim(story, entry)
    case 'OUTBOUND_REQUEST_SENT':
    case 'DELIVERY_FAILED':
      return checkConclusion(story, entry)
    case 'DELIVERY_STATUS':
    case 'DELIVERY_CLOSED':
    case 'NOTICE_SENT':
      return checkTold(story, entry)
    case 'INBOUND_REPLY_REJECTED':
      return checkRejection(book, story, entry)
    case 'INBOUND_REPLY_RECEIVED':
      story.direction.reply_event_hash = entry.body.event_hash
      return checkReceived(book, story, entry)
    case 'HUMAN_REPLY_EVENT':
      return checkAccepted(book, story, entry)
    case 'TIMEOUT_RECEIPT':
      return checkTimeout(story, entry)
    case 'REQUEST_WITHDRAWN':
      return checkWithdrawal(story, entry)
    case 'REQUEST_RESOLVED':
      learnOutcome(story, entry)
      return checkResolution(book.previous, story, entry)
    case 'DIRECTOR_DECIDED':
      return checkDecision(book, story, entry)
    case 'AHDB_DELTA':
      return checkDelta(story, entry)
    case 'POLICY_TOKEN_ISSUED':
      return checkIssue(book, story, entry)
    case 'POLICY_TOKEN_SPENT':
      return checkSpend(story, entry)
    case 'POLICY_TOKEN_REVOKED':
      return checkRevocation(story, entry)
    case 'CALLBACK_REGISTERED':
      return checkRegistration(book.previous, story, entry)
    case 'CALLBACK_ATTEMPTED':
      return checkCall(story, entry)
    default:
      return null
  }
}
