// The named checks of an inbound reply, in their one order; the first that fails is the reason it answered nothing.
import { NEWEST_RULES, type Rules } from './rules.js'

const FIRST = [
  'rate_limited',
  'token_malformed',
  'token_unknown_key',
  'token_bad_signature',
  'request_mismatch',
  'schema_mismatch',
  'automated_message',
  'unknown_sender',
  'sender_unauthenticated',
  'wrong_recipient',
  'proof_insufficient',
  'duplicate_message',
  'already_resolved',
  'deadline_passed',
  'token_expired',
  'token_replayed',
  'code_mismatch',
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
] as const

const SECOND = [
  'rate_limited',
  'token_malformed',
  'token_unknown_key',
  'token_bad_signature',
  'request_mismatch',
  'schema_mismatch',
  'automated_message',
  'unknown_sender',
  'sender_unauthenticated',
  'wrong_recipient',
  'delegated_away',
  'no_longer_approver',
  'four_eyes',
  'proof_insufficient',
  'duplicate_message',
  'already_resolved',
  'deadline_passed',
  'token_expired',
  'token_replayed',
  'code_mismatch',
  'already_voted',
  'reply_too_long',
  'reply_bad_charset',
  'reply_not_in_schema',
  'decision_answered',
  'reason_missing',
] as const

/** By the rules a reply was judged under. */
export const REASONS_OF = { '1': FIRST, '2': SECOND } as const satisfies Record<Rules, readonly string[]>

/** Why an inbound reply was rejected (the right was not proven) or refused (the words were not understood). */
export const REASONS = REASONS_OF[NEWEST_RULES]
export type Reason = (typeof REASONS)[number]
