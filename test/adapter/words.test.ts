// Why a reply was not taken: the sentences that all channels share.
import { describe, expect, test } from 'vitest'
import type { Ending, RefusedReply } from '../../src/adapter/contract.js'
import { draw, refusalWords, type Voice } from '../../src/adapter/words.js'
import { REASONS } from '../../src/reason.js'

const ENDING: Ending = {
  outcome: 'undelivered',
  at: '2026-02-17T14:00:05.000Z',
  answered_by: null,
  answer: null,
  default_action: 'HALT',
}
const refused = (more: Partial<RefusedReply>): RefusedReply => ({
  kind: 'refused',
  reason: 'wrong_recipient',
  request_id: 'q-1',
  delivery_id: 'd-1',
  theirs: false,
  read: null,
  accepted: null,
  ending: null,
  ...more,
})
const VOICE: Voice = { way: 'by pigeon', own: { rate_limited: 'The pigeons rest.' } }
const said = (more: Partial<RefusedReply>, voice: Voice = VOICE): string =>
  draw(refusalWords(refused(more), voice), {
    words: text => text,
    named: text => `<${text}>`,
    at: text => `@${text}`,
  }).join('')

describe('a refusal', () => {
  test.each(REASONS)('has a whole sentence for %s', reason => {
    expect(said({ reason })).toMatch(/^[A-Z].*\.$/)
  })

  test('tells whoever was asked how it ended, whatever else was wrong', () => {
    for (const reason of REASONS)
      expect(said({ reason, theirs: true, ending: ENDING })).toBe(
        'Too late: this is settled. It reached nobody in time. <HALT> holds since @2026-02-17T14:00:05.000Z.',
      )
  })

  test('tells a stranger nothing of how it ended', () => {
    for (const reason of ['wrong_recipient', 'unknown_sender', 'sender_unauthenticated'] as const)
      expect(said({ reason, ending: ENDING })).not.toMatch(/HALT|settled/)
  })

  test('quotes what was read, apart from the lane’s own words', () => {
    const words = { reason: 'reply_not_in_schema', read: 'perhaps', accepted: 'Reply YES or NO.' } as const
    expect(said(words)).toBe('Not understood: “<perhaps>”. <Reply YES or NO.>')
  })

  test('names every line of a form that was not taken, and counts those beyond a handful', () => {
    const lineOf = (read: string) =>
      ({ decision_id: null, reason: 'reply_not_in_schema', read, accepted: '' }) as const
    const words = { reason: 'reply_not_in_schema', read: 'd2 so', accepted: 'For d2: YES or NO.' } as const
    expect(said({ ...words, lines: ['d2 so', 'd9 x'].map(lineOf) })).toBe(
      'Not understood: “<d2 so>”. <For d2: YES or NO.> Nor were these lines taken: “<d9 x>”.',
    )
    const many = ['d2 so', 'a', 'b', 'c', 'd', 'e', 'f'].map(lineOf)
    expect(said({ ...words, lines: many })).toMatch(/taken: “<a>”, “<b>”, “<c>”, “<d>” and 2 more\.$/)
  })

  test('says what is not enough, and takes a channel’s own sentence where it has one', () => {
    expect(said({ reason: 'proof_insufficient' })).toBe(
      'An answer by pigeon is not enough for this request. Answer where it was also sent.',
    )
    const own = { proof_insufficient: 'The pigeon was not yours.' }
    // Where nothing less is enough, no channel has another way to offer.
    expect(said({ reason: 'proof_insufficient', passkey: true }, { ...VOICE, own })).toBe(
      'This request must be confirmed with a passkey, and nothing less is enough. Sign in at the console and answer it there.',
    )
    expect(said({ reason: 'proof_insufficient' }, { ...VOICE, own })).toBe('The pigeon was not yours.')
    expect(said({ reason: 'rate_limited' })).toBe('The pigeons rest.')
    expect(said({ reason: 'automated_message' }, { ...VOICE, otherwise: 'No.' })).toBe('No.')
  })
})
