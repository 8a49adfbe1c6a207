// Whether a right may be used: "approve A, run B" must be impossible.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import { instant } from '../../src/clock.js'
import { direct } from '../../src/director/direct.js'
import { USUAL_POLICY } from '../../src/director/policy.js'
import { claimsOf, isLive, judgeSpend } from '../../src/director/right.js'
import type { Draft } from '../../src/event.js'
import { approved, OPENED, opened, question, RESOLVED_SEQ, told } from './cases.js'

const JTI = 'AAECAwQFBgcICQoLDA0ODw'
const ms = OPENED + RESOLVED_SEQ
const at = { at: instant(ms), ms }
const EXPIRES = ms + 900_000

function issued(id = 'a', jti = JTI): Case {
  const subject = approved(id)
  return told(subject, ...direct({ policy: USUAL_POLICY, outside: false, jti }, subject, RESOLVED_SEQ, at))
}
const claims = (subject: Case) => {
  if (subject.policy_token === null) throw new Error('nothing was issued')
  return claimsOf(subject, subject.policy_token)
}
const subject = issued()
const parameters = 'parameters' in subject.request ? subject.request.parameters : {}
const spend = { action: 'PUBLISH', parameters, spend_id: 's-1', by: 'key-1' }
const judge = (more: object = {}, now = ms + 1, of = subject) =>
  judgeSpend(of, claims(of), { ...spend, ...more }, now)
const why = (more: object, now?: number, of?: Case) => {
  const judged = judge(more, now, of)
  return judged.kind === 'refused' ? judged.why : judged.kind
}

describe('spending', () => {
  test('is for exactly what was approved', () => {
    expect(judge()).toMatchObject({ kind: 'spendable', token: { jti: JTI } })
  })

  const handle = `sha256:${'c'.repeat(64)}`
  test.each<[string, object]>([
    ['another action', { action: 'EXPORT' }],
    ['the action in another case', { action: 'publish' }],
    ['another key', { by: 'key-2' }],
    ['another handle', { parameters: { artifact: handle } }],
    ['another name for it', { parameters: { Artifact: parameters.artifact } }],
    ['one parameter more', { parameters: { ...parameters, more: handle } }],
    ['no parameter', { parameters: {} }],
    ['its handle with a blank', { parameters: { artifact: `${parameters.artifact} ` } }],
    ['its handle in capitals', { parameters: { artifact: parameters.artifact?.toUpperCase() } }],
    ['a list in its place', { parameters: [parameters.artifact] }],
  ])('%s is a mismatch', (_name, more) => {
    expect(why(more)).toBe('mismatch')
  })

  test('[LANE-064] no other parameters have the hash of those approved', () => {
    const name = fc.string({ minLength: 1, maxLength: 12 }).filter(key => key !== '__proto__')
    const others = fc.dictionary(name, fc.string({ maxLength: 80 }), { maxKeys: 20 })
    fc.assert(
      fc.property(others, fc.string(), (other, action) => {
        fc.pre(JSON.stringify(other) !== JSON.stringify(parameters) && action !== 'PUBLISH')
        expect([why({ parameters: other }), why({ action })]).toEqual(['mismatch', 'mismatch'])
      }),
      { numRuns: 500 },
    )
  })

  test('the claims of one approval are worth nothing on another, though both were given', () => {
    const other = issued('b', 'BBECAwQFBgcICQoLDA0ODw')
    expect(judgeSpend(other, claims(subject), spend, ms)).toEqual({ kind: 'refused', why: 'invalid' })
    expect(judgeSpend(subject, claims(other), spend, ms)).toEqual({ kind: 'refused', why: 'invalid' })
  })

  test.each(Object.keys(claims(subject)))(
    'a signed claim the ledger does not stand behind (%s) is invalid',
    key => {
      const mine = claims(subject)
      const value = mine[key as keyof typeof mine]
      const forged = { ...mine, [key]: typeof value === 'number' ? value + 1 : `${value}x` }
      expect(judgeSpend(subject, forged, spend, ms)).toEqual({ kind: 'refused', why: 'invalid' })
    },
  )

  test('claims about a request that gave no right, or that is not there, are invalid', () => {
    for (const none of [null, opened(question('q')), approved()]) {
      expect(judgeSpend(none, claims(subject), spend, ms)).toEqual({ kind: 'refused', why: 'invalid' })
    }
  })
})

describe('time and what came before', () => {
  const ids = { request_id: 'a', run_id: 'run-1' }
  const used: Draft = { type: 'POLICY_TOKEN_SPENT', ...ids, body: { jti: JTI, spend_id: 's-1', by: 'key-1' } }
  const gone: Draft = { type: 'POLICY_TOKEN_REVOKED', ...ids, body: { jti: JTI, reason: 'no', by: 'key-2' } }

  test('one millisecond before its expiry it is good, at its expiry it is not', () => {
    expect(why({}, EXPIRES - 1)).toBe('spendable')
    expect(why({}, EXPIRES)).toBe('expired')
  })

  test('spent, it is found again by its spend_id alone, however late; another finds it spent', () => {
    const spent = told(subject, used)
    expect(judge({}, EXPIRES + 1, spent)).toMatchObject({ kind: 'spent_before' })
    expect(why({ spend_id: 's-2' }, ms, spent)).toBe('already_spent')
    expect(why({ parameters: {} }, ms, spent)).toBe('mismatch')
  })

  test('revoked, it is dead, and no longer shown', () => {
    const revoked = told(subject, gone)
    expect(why({}, ms, revoked)).toBe('revoked')
    const live = (of: Case, now: number) => of.policy_token !== null && isLive(of.policy_token, now)
    expect([
      live(subject, ms),
      live(subject, EXPIRES),
      live(revoked, ms),
      live(told(subject, used), ms),
    ]).toEqual([true, false, false, false])
  })
})
