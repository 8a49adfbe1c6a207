// What follows on an outcome, in the same append.
import { describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import { sha256 } from '../../src/canonical.js'
import { instant } from '../../src/clock.js'
import { direct, hashParameters } from '../../src/director/direct.js'
import { USUAL_POLICY } from '../../src/director/policy.js'
import { judgeProposal, proposed } from '../../src/director/propose.js'
import { AHDB_FIELDS } from '../../src/event.js'
import type { Request } from '../../src/request/request.js'
import { answered, approval, approved, ended, OPENED, question, RESOLVED_SEQ, review } from './cases.js'

const JTI = 'AAECAwQFBgcICQoLDA0ODw'
const ms = OPENED + RESOLVED_SEQ
const follow = (subject: Case, more: { outside?: boolean; believe?: boolean; seconds?: number } = {}) => {
  const { outside = false, believe = false, seconds = 900 } = more
  const policy = { ...USUAL_POLICY, believe, approval_valid_seconds: seconds }
  return direct({ policy, outside, jti: JTI }, subject, RESOLVED_SEQ, { at: instant(ms), ms })
}
const types = (subject: Case, more = {}) => follow(subject, more).map(({ type }) => type)

describe('the right that a YES gives', () => {
  test('[LANE-060] only an approval answered YES issues a policy token', () => {
    expect(types(approved())).toEqual(['DIRECTOR_DECIDED', 'POLICY_TOKEN_ISSUED'])
    const others = [
      answered(approval('a'), { parsed_choice: 'NO' }),
      answered(question('q'), { parsed_choice: 'YES' }),
      answered(review(), { parsed_choice: 'YES' }),
      ended(approval('a'), 'defaulted'),
      ended(approval('a'), 'undelivered'),
      ended(approval('a'), 'withdrawn'),
    ]
    for (const subject of others) expect(types(subject)).not.toContain('POLICY_TOKEN_ISSUED')
  })

  test('[LANE-064] it is bound to action, parameters, request and reply, and to its time', () => {
    const subject = approved()
    const { request } = subject as { request: Extract<Request, { type: 'REQUEST_APPROVAL' }> }
    expect(follow(subject, { seconds: 60 })[1]?.body).toEqual({
      jti: JTI,
      action: 'PUBLISH',
      parameters_hash: hashParameters(request.parameters),
      request_hash: subject.request_hash,
      reply_event_hash: sha256('event'),
      issued_at: instant(ms),
      valid_seconds: 60,
      expires_at: instant(ms + 60_000),
    })
  })

  test('a YES gives no right where the policy halts the run all the same', () => {
    const decisions = { ...USUAL_POLICY.decisions, approval_given: { decision: 'HALT' } as const }
    const direction = { policy: { ...USUAL_POLICY, decisions }, outside: false, jti: JTI }
    const drafts = direct(direction, approved(), RESOLVED_SEQ, { at: instant(ms), ms })
    expect(drafts.map(({ type }) => type)).toEqual(['DIRECTOR_DECIDED'])
  })
})

describe('a run with a director of its own', () => {
  test('is not decided about by the lane, and no right is issued for it', () => {
    expect(types(approved(), { outside: true })).toEqual([])
  })

  test('what a person prefers is told all the same', () => {
    expect(types(answered(question('q'), { parsed_choice: 'YES' }), { outside: true })).toEqual([
      'AHDB_DELTA',
    ])
  })
})

describe('what an answer proposes', () => {
  const number = question('n', { reply_schema: { kind: 'number', min: 0, max: 99 } } as Partial<Request>)
  const spent = answered(number, { parsed_payload: { number: 50, unit: 'chips' } })

  test('[LANE-058] the answer to a question is a DRIVE delta and nothing else', () => {
    const subject = answered(question('q'), { parsed_choice: 'YES' })
    expect(proposed(subject, true)).toEqual([
      {
        field: 'drive',
        state: 'proposed',
        delta: [{ question_id: 'q', question_text: 'Ship it?', answer: subject.answer }],
      },
    ])
    for (const other of [
      approved(),
      answered(review(), { parsed_choice: 'YES' }),
      ended(question('q'), 'defaulted'),
    ]) {
      expect(proposed(other, true)).toEqual([])
    }
  })

  test('[LANE-059] a bound is a BELIEVE delta only where the policy allows it', () => {
    expect(proposed(spent, false).map(({ field }) => field)).toEqual(['drive'])
    expect(proposed(spent, true).map(({ field }) => field)).toEqual(['drive', 'believe'])
  })

  test.each([true, false])(
    '[LANE-061] [LANE-062] a director is refused ASSERT and HYPOTHESIZE (believe: %s)',
    believe => {
      const states = AHDB_FIELDS.map(field => judgeProposal(field, ['x'], believe).state)
      expect(states).toEqual(['proposed', believe ? 'proposed' : 'refused', 'refused', 'refused'])
      expect(judgeProposal('assert', ['x'], believe).reason).toBe('a reply never updates ASSERT')
    },
  )
})
