// Rights in a real ledger: spent once whatever races, dead in time, taken back.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Case } from '../../src/agenda/case.js'
import { mintPolicyToken } from '../../src/token/policy-token.js'
import { approval, fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'
import { until } from '../until.js'

let stage: Stage
beforeEach(async () => {
  stage = await raise()
})
afterEach(() => stage.close())

const PARAMETERS = { artifact: `sha256:${'b'.repeat(64)}` }
const wanted = (spend_id = 's-1', more: object = {}) => ({
  action: 'PUBLISH',
  parameters: PARAMETERS,
  spend_id,
  by: 'key-1',
  ...more,
})

async function answer(id: string, text: string): Promise<Case> {
  await until('a copy for the owner', () => handleOf(stage.slack, 'owner', id))
  const received = await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', id), text))
  if (received.kind !== 'accepted') throw new Error(received.kind)
  return received.subject
}
async function approve(id = 'a'): Promise<string> {
  await stage.open(approval(id))
  const token = await stage.lane.director.policyToken(await answer(id, 'yes'))
  if (token === null) throw new Error('no right was given')
  return token
}
const typesOf = async (id: string): Promise<string[]> =>
  (await stage.entries()).filter(entry => entry.request_id === id).map(({ type }) => type)
const count = async (type: string): Promise<number> =>
  (await stage.entries()).filter(entry => entry.type === type).length
const jtiOf = async (id: string): Promise<string> => (await stage.current(id)).policy_token?.jti ?? ''

describe('in one append', () => {
  test('the decision and the right stand with the resolution, and the case is as the ledger folds it', async () => {
    await stage.open(approval('a'))
    const told = await answer('a', 'yes')
    expect((await typesOf('a')).slice(-5)).toEqual([
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
      'DIRECTOR_DECIDED',
      'POLICY_TOKEN_ISSUED',
    ])
    const at = (await stage.entries()).filter(entry => entry.request_id === 'a').slice(-5)
    expect(new Set(at.map(entry => entry.at)).size).toBe(1)
    expect(await stage.current('a')).toMatchObject({
      decision: told.decision,
      policy_token: told.policy_token,
    })
    expect(await stage.problems()).toEqual([])
  })

  test('the token is the same string each time it is asked for, and is nowhere in the ledger', async () => {
    const token = await approve()
    stage.clock.pass(60_000)
    expect(await stage.lane.director.policyToken(await stage.current('a'))).toBe(token)
    expect(JSON.stringify(await stage.entries())).not.toContain(token.split('.')[1])
    await stage.rotate()
    const resigned = await stage.lane.director.policyToken(await stage.current('a'))
    expect(resigned).not.toBe(token)
    expect(await stage.lane.director.spend(token, wanted())).toMatchObject({ kind: 'spent' })
    expect(await stage.lane.director.spend(resigned ?? '', wanted('s-2'))).toMatchObject({
      why: 'already_spent',
    })
  })
})

describe('spending', () => {
  test('of fifty who spend at once under ids of their own, one does', async () => {
    const token = await approve()
    const other = stage.secondLane()
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 ? stage.lane : other).director.spend(token, wanted(`s-${n}`)),
      ),
    )
    expect(all.filter(one => one.kind === 'spent')).toHaveLength(1)
    expect(new Set(all.filter(one => one.kind === 'refused').map(one => one.why))).toEqual(
      new Set(['already_spent']),
    )
    expect(await count('POLICY_TOKEN_SPENT')).toBe(1)
    expect(await stage.problems()).toEqual([])
  })

  test('under one id it is the same spend, at once and long after', async () => {
    const token = await approve()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => stage.lane.director.spend(token, wanted('same'))),
    )
    expect(new Set(all.map(one => JSON.stringify(one))).size).toBe(1)
    stage.clock.pass(3_600_000)
    expect(await stage.lane.director.spend(token, wanted('same'))).toEqual(all[0])
    expect(await count('POLICY_TOKEN_SPENT')).toBe(1)
  })

  test('[LANE-064] it expires by the ledger’s clock, to the millisecond', async () => {
    const [early, late] = [await approve('early'), await approve('late')]
    const expires = async (id: string) =>
      Date.parse((await stage.current(id)).policy_token?.expires_at ?? '') - stage.store.ledger.now()
    stage.clock.pass((await expires('early')) - 1)
    expect(await stage.lane.director.spend(early, wanted())).toMatchObject({ kind: 'spent' })
    stage.clock.pass(await expires('late'))
    expect(await stage.lane.director.spend(late, wanted())).toEqual({ kind: 'refused', why: 'expired' })
    expect(await stage.lane.director.policyToken(await stage.current('late'))).toBeNull()
    expect(await count('POLICY_TOKEN_SPENT')).toBe(1)
  })

  test('a token signed with the true key that the ledger knows nothing of is invalid', async () => {
    const token = await approve()
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { iss: _iss, aud: _aud, ...own } = claims
    for (const change of [
      { jti: 'ZZECAwQFBgcICQoLDA0ODw' },
      { req: 'gone' },
      { exp: own.exp + 9 },
      { act: 'EXPORT' },
    ]) {
      const forged = await mintPolicyToken(stage.keyring(), { ...own, ...change })
      expect(await stage.lane.director.spend(forged, wanted())).toEqual({ kind: 'refused', why: 'invalid' })
    }
    expect(await count('POLICY_TOKEN_SPENT')).toBe(0)
  })
})

describe('taken back', () => {
  test('revoked before it is spent it is dead; revoking again changes nothing', async () => {
    const token = await approve()
    const jti = await jtiOf('a')
    const first = await stage.lane.director.revoke(jti, 'a change of mind', 'key-2')
    expect(first).toMatchObject({ kind: 'revoked' })
    stage.clock.pass(1000)
    expect(await stage.lane.director.revoke(jti, 'again', 'key-2')).toMatchObject({
      at: first.kind === 'revoked' && first.at,
    })
    expect(await stage.lane.director.spend(token, wanted())).toEqual({ kind: 'refused', why: 'revoked' })
    expect(await count('POLICY_TOKEN_REVOKED')).toBe(1)
    expect(await stage.problems()).toEqual([])
  })

  test('spent, it cannot be revoked; unknown, it is not there', async () => {
    const token = await approve()
    await stage.lane.director.spend(token, wanted())
    expect(await stage.lane.director.revoke(await jtiOf('a'), 'too late', 'key-2')).toEqual({
      kind: 'already_spent',
    })
    expect(await stage.lane.director.revoke('AAECAwQFBgcICQoLDA0ODw', 'none', 'key-2')).toEqual({
      kind: 'unknown',
    })
  })

  test('spending and revoking at once: one of them wins, and the ledger holds', async () => {
    const token = await approve()
    const jti = await jtiOf('a')
    const [spent, revoked] = await Promise.all([
      stage.lane.director.spend(token, wanted()),
      stage.secondLane().director.revoke(jti, 'race', 'key-2'),
    ])
    expect([spent.kind, revoked.kind]).toEqual(
      spent.kind === 'spent' ? ['spent', 'already_spent'] : ['refused', 'revoked'],
    )
    expect((await count('POLICY_TOKEN_SPENT')) + (await count('POLICY_TOKEN_REVOKED'))).toBe(1)
    expect(await stage.problems()).toEqual([])
  })

  test('withdrawing an approval that was given takes the right back; the answer stands', async () => {
    const token = await approve()
    const first = await stage.lane.withdraw('a', 'not any more', 'key-1')
    expect(first).toMatchObject({ kind: 'withdrawn', subject: { state: 'answered' } })
    expect(await stage.lane.withdraw('a', 'again', 'key-1')).toMatchObject({ kind: 'withdrawn' })
    expect(await stage.lane.director.spend(token, wanted())).toEqual({ kind: 'refused', why: 'revoked' })
    expect(await count('POLICY_TOKEN_REVOKED')).toBe(1)
  })

  test('what was spent, or never gave a right, is not taken back', async () => {
    const token = await approve()
    await stage.lane.director.spend(token, wanted())
    expect(await stage.lane.withdraw('a', 'too late', 'key-1')).toMatchObject({ kind: 'already_resolved' })
    await stage.open(question('q'))
    await answer('q', 'yes')
    expect(await stage.lane.withdraw('q', 'too late', 'key-1')).toMatchObject({ kind: 'already_resolved' })
  })
})

describe('a director outside the lane', () => {
  const word = (request_id: string, more: object = {}) => ({
    run_id: 'run-1',
    request_id,
    by: 'key-9',
    move: { decision: 'CONTINUE' as const },
    ahdb: {},
    ...more,
  })
  const takeOver = (id: string) =>
    stage.lane.director.hear(word(id, { move: { decision: 'CHANGE_MOOD', mood: 'DEFERENTIAL' } }))

  test('takes a run over while it waits; the lane is silent from then on', async () => {
    await stage.open(approval('a'))
    expect(await takeOver('a')).toMatchObject({ kind: 'decided' })
    const subject = await answer('a', 'yes')
    expect([subject.decision, subject.policy_token]).toEqual([null, null])
    expect(await stage.lane.director.policyToken(subject)).toBeNull()
    expect(await stage.store.ledger.hasDirector('run-1')).toBe(true)

    expect(await stage.lane.director.hear(word('a'))).toMatchObject({
      kind: 'decided',
      entry: { body: { by: 'key-9' } },
    })
    const decided = await stage.current('a')
    const token = await stage.lane.director.policyToken(decided)
    expect(await stage.lane.director.spend(token ?? '', wanted())).toMatchObject({ kind: 'spent' })
    expect(await stage.lane.director.hear(word('a'))).toEqual({ kind: 'refused', why: 'already_decided' })
    expect(await stage.problems()).toEqual([])
  })

  test('a director that halts gives no right, whatever the person said', async () => {
    await stage.open(approval('a'))
    await takeOver('a')
    await answer('a', 'yes')
    await stage.lane.director.hear(word('a', { move: { decision: 'HALT' } }))
    expect(await stage.current('a')).toMatchObject({ decision: { decision: 'HALT' }, policy_token: null })
  })

  test('CONTINUE for an approval that is open, refused or timed out is refused, and nothing is recorded', async () => {
    await stage.open(approval('open'))
    await takeOver('open')
    await stage.open(approval('no'))
    await answer('no', 'no')
    await stage.lane.drain()
    const before = (await stage.entries()).length
    for (const id of ['open', 'no']) {
      expect(await stage.lane.director.hear(word(id))).toEqual({ kind: 'refused', why: 'not_approved' })
    }
    expect((await stage.entries()).length).toBe(before)
    stage.clock.pass(600_000)
    expect(await stage.lane.director.hear(word('open'))).toEqual({ kind: 'refused', why: 'not_approved' })
    expect(await count('POLICY_TOKEN_ISSUED')).toBe(0)
  })

  test('an approval ages from the answer on: a director that comes too late cannot let it go on', async () => {
    await stage.open(approval('a'))
    await takeOver('a')
    const { resolved_at } = await answer('a', 'yes')
    stage.clock.pass(899_000)
    await stage.open(approval('b'))
    await answer('b', 'yes')
    stage.clock.pass(1_000)
    expect(await stage.lane.director.hear(word('a'))).toEqual({ kind: 'refused', why: 'lapsed' })
    await stage.lane.director.hear(word('b'))
    const { policy_token } = await stage.current('b')
    expect(Date.parse(policy_token?.expires_at ?? '')).toBe(Date.parse(resolved_at ?? '') + 899_000 + 900_000)
    expect(await stage.lane.director.hear(word('a', { move: { decision: 'HALT' } }))).toMatchObject({
      kind: 'decided',
    })
  })

  test('of two directors that decide at once about one outcome, one does', async () => {
    await stage.open(question('q'))
    await takeOver('q')
    await answer('q', 'yes')
    const both = await Promise.all([
      stage.lane.director.hear(word('q')),
      stage.secondLane().director.hear(word('q', { by: 'key-8', move: { decision: 'HALT' } })),
    ])
    expect(both.map(one => one.kind).sort()).toEqual(['decided', 'refused'])
    expect(await stage.problems()).toEqual([])
  })

  test('another run’s requests, and none at all, are unknown', async () => {
    await stage.open(question('q'))
    expect(await stage.lane.director.hear(word('q', { run_id: 'run-2' }))).toEqual({
      kind: 'refused',
      why: 'unknown',
    })
    expect(await stage.lane.director.hear(word('none'))).toEqual({ kind: 'refused', why: 'unknown' })
    expect(await stage.store.ledger.hasDirector('run-1')).toBe(false)
  })
})
