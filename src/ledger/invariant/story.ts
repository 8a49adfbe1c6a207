// The stories, entry by entry: the check for each type, and the entries that must follow one another.
import type { Entry, EntryOf } from '../../event.js'
import type { DisplayFacts } from '../../request/display.js'
import type { Request, Run } from '../../request/request.js'
import type { Rules } from '../../rules.js'
import type { Book, Story } from './book.js'
import { checkCall, checkRegistration } from './callback.js'
import { checkCheckpoint, learnLogKey } from './checkpoint.js'
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
import { checkErasure, recordedIn } from './display.js'
import { checkHand } from './hand.js'
import { type Flaw, flaw } from './invariants.js'
import { checkEscalation, checkHold, checkReminder } from './ladder.js'
import { hashText } from './line.js'
import { forgetPasskey, hearAnnouncement, isEvidenceOf, learnPasskey } from './passkey.js'
import { checkAccepted, checkReceived, checkRejection } from './reply.js'
import { checkResolution, checkTimeout, checkWithdrawal, isCause, isDecisive } from './resolution.js'
import { checkSealing } from './sealing.js'
import { later } from './time.js'

/** The flaw of an entry before that must not be followed by this one: an append is not taken apart. The rules are
 *  those of the entry before. */
export function flawOfPrevious(book: Book, rules: Rules | null, entry: Entry): Flaw | null {
  const { previous } = book
  const isHanded = entry.type === 'REQUEST_DELEGATED' && entry.body.by === 'person'
  const isTold = entry.type === 'HUMAN_REPLY_EVENT' || isHanded
  if (previous?.type === 'INBOUND_REPLY_RECEIVED' && !isTold) {
    return flaw('I24', 'no HUMAN_REPLY_EVENT follows')
  }
  if (previous?.type === 'REPLY_EVIDENCE' && !isEvidenceOf(previous, entry))
    return flaw('I35', 'no INBOUND_REPLY_RECEIVED of its reply follows')
  if (previous?.type === 'REQUEST_RESOLVED') return flawOfSilence(book, previous, rules, entry)
  if (!isCause(previous) || !isDecisive(book, previous)) return null
  if (entry.type === 'REQUEST_RESOLVED' && entry.request_id === previous.request_id) return null
  return flaw('I8', `no REQUEST_RESOLVED follows on ${previous.type}`)
}

export function checkStory(book: Book, entry: Entry): Flaw | null {
  if (entry.type === 'LEDGER_SEALED') return checkSealing(book, entry)
  if (entry.type === 'CHECKPOINT_SIGNED') return checkCheckpoint(book, entry)
  if (entry.type === 'PASSKEY_REGISTERED') return learnPasskey(book, entry)
  if (entry.type === 'PASSKEY_REVOKED') return forgetPasskey(book, entry)
  if (entry.type === 'KEY_ROTATED') learnLogKey(book, entry)
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

const begin = ({ at, body, run_id, seq }: EntryOf<'REQUEST_OPENED'>): Story => ({
  request_hash: body.request_hash,
  run_id,
  deliveries: new Map(),
  contents: recordedIn(body),
  direction: beginDirection(body, seq),
  callback: null,
  open: {
    request: body.request as unknown as Request,
    deadline_at: body.deadline_at,
    opened_at: at,
    asked: body.recipients,
    steps: new Set(),
    terms: 'terms' in body ? body.terms : null,
    shown: factsOf(body),
    contents: recordedIn(body),
    replies: [],
  },
})

function factsOf(body: EntryOf<'REQUEST_OPENED'>['body']): DisplayFacts | null {
  if (!('terms' in body)) return null
  const { request_hash, deadline_at, asked_by, origin = null, terms } = body
  const [request, run] = [body.request as unknown as Request, body.run as Run]
  return { request, request_hash, run, deadline_at, asked_by, origin, terms }
}

function flawOfOpening({ at, body }: EntryOf<'REQUEST_OPENED'>): Flaw | null {
  const request = body.request as unknown as Request
  if (hashText('lane/request/v1\n', request) !== body.request_hash)
    return flaw('I17', 'request_hash is not that of the request')
  const due = later(at, request.deadline_seconds)
  if (body.deadline_at !== due) return flaw('I10', `deadline_at is not ${due}`)
  return 'terms' in body ? flawOfQuorum(body) : null
}

type Opening = Extract<EntryOf<'REQUEST_OPENED'>['body'], { readonly terms: unknown }>

function flawOfQuorum({ request, recipients, terms }: Opening): Flaw | null {
  const { quorum, electorate } = terms
  if ((quorum === undefined) !== (electorate === undefined))
    return flaw('I31', 'a quorum has its electorate, and nothing else has one')
  if (quorum === undefined || electorate === undefined) return null
  const { type, reply_schema } = request as unknown as Request
  if (type !== 'REQUEST_APPROVAL' || reply_schema.kind !== 'yes_no')
    return flaw('I31', 'a quorum over what is no approval by YES and NO')
  const isOfThem = ({ user_id }: { readonly user_id: string }): boolean => electorate.includes(user_id)
  if (!recipients.every(isOfThem) || new Set(electorate).size !== electorate.length)
    return flaw('I31', 'the electorate is not everybody who was asked, each once')
  return quorum.need <= recipients.length ? null : flaw('I31', 'fewer were asked than must say YES')
}

function check(book: Book, story: Story, entry: Entry): Flaw | null {
  switch (entry.type) {
    case 'DELIVERY_STARTED':
      return checkClaim(book, story, entry)
    case 'OUTBOUND_REQUEST_SENT':
    case 'DELIVERY_FAILED':
      return checkConclusion(story, entry)
    case 'DELIVERY_HELD':
      return checkHold(story, entry)
    case 'REQUEST_REMINDED':
      return checkReminder(story, entry)
    case 'REQUEST_ESCALATED':
      return checkEscalation(book.previous, story, entry)
    case 'REQUEST_DELEGATED':
      return checkHand(book, story, entry)
    case 'DELIVERY_STATUS':
    case 'DELIVERY_CLOSED':
    case 'NOTICE_SENT':
      return checkTold(story, entry)
    case 'INBOUND_REPLY_REJECTED':
      return checkRejection(book, story, entry)
    case 'INBOUND_REPLY_RECEIVED':
      story.direction.reply_event_hash = entry.body.event_hash
      hearAnnouncement(book, entry)
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
    case 'CONTENT_ERASED':
      return checkErasure(story, entry)
    case 'CALLBACK_REGISTERED':
      return checkRegistration(book.previous, story, entry)
    case 'CALLBACK_ATTEMPTED':
      return checkCall(story, entry)
    default:
      return null
  }
}
