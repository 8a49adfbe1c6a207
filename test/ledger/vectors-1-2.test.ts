// Ledgers that began under rules 1 and went on under rules 2, as those of every lane do that was there before: kept as they
// were written, each entry judged by the rules it was written under.
import { describe, expect, test } from 'vitest'
import { OUTCOMES } from '../../src/event.js'
import { REASONS_OF } from '../../src/reason.js'
import { keepAll, type Pinned, type Told } from './kept.js'

const LEDGERS: Pinned = {
  answered: ['00ee7d6c16e1f26098fd591028cc936ec95fe2cbe46d4820bd653610391953a6', 234, 20, 24, 6],
  'cluster-answered': ['e9362d011e3c245f5fd01b0708babaf768f8eac51b887211cbb28bb4bb88ec2a', 234, 20, 24, 6],
  'cluster-ended': ['ae085efccedcf8a94fe20a66e1f8f05e19f4430aae88ca829812364a7774254c', 250, 19, 15, 1],
  ended: ['46ac14d649d0deac22fb345ac1626bd00ef86ab643cfb5f85277652a7b93da07', 250, 19, 15, 1],
}

const ledgers = keepAll('1-2', LEDGERS)

const isStart = ({ type }: Told): boolean => type === 'LANE_STARTED'

/** The entries that were written under rules 2 in stories that were opened under rules 1. */
function continued(ledger: readonly Told[]): readonly Told[] {
  const at = ledger.findIndex(entry => isStart(entry) && entry.body.rules === '2')
  const opened = new Set(
    ledger
      .slice(0, at)
      .flatMap(({ type, request_id = '' }) => (type === 'REQUEST_OPENED' ? [request_id] : [])),
  )
  return ledger.slice(at).filter(({ request_id }) => request_id !== undefined && opened.has(request_id))
}

describe.each([
  ['embedded', ['answered', 'ended']],
  ['cluster', ['cluster-answered', 'cluster-ended']],
] as const)('together the ledgers that crossed in the profile %s hold', (profile, names) => {
  const those = ledgers.filter((_, at) =>
    (names as readonly string[]).includes(Object.keys(LEDGERS)[at] ?? ''),
  )
  const stories = those.flatMap(continued)
  const of = (type: string): readonly Told['body'][] =>
    stories.filter(one => one.type === type).map(({ body }) => body)
  const values = (type: string, member: string): readonly unknown[] => of(type).map(body => body[member])
  const expectAll = (wanted: readonly unknown[], there: readonly unknown[]): void =>
    expect(wanted.filter(one => !there.includes(one))).toEqual([])

  test('a start under rules 1 and one under rules 2, which never goes back, and the seal over what there was', () => {
    for (const ledger of those) {
      expect(ledger.filter(isStart).map(({ body }) => [body.rules ?? '1', body.profile])).toEqual([
        ['1', profile],
        ['2', profile],
      ])
      const at = ledger.findLastIndex(isStart)
      const before = ledger[at - 1]
      expect(ledger[at + 1]).toMatchObject({
        type: 'LEDGER_SEALED',
        body: { size: at, hash: before?.hash },
      })
      expect(at).toBeGreaterThan(1)
    }
  })

  test('every story that was open: none has terms, and each has ended under rules 2, in every way', () => {
    for (const ledger of those) {
      const theirs = continued(ledger)
      const ids = new Set(theirs.map(({ request_id }) => request_id))
      for (const { type, request_id, body } of ledger)
        if (type === 'REQUEST_OPENED' && ids.has(request_id)) expect(body).not.toHaveProperty('terms')
      const ended = new Set(
        theirs.filter(({ type }) => type === 'REQUEST_RESOLVED').map(({ request_id }) => request_id),
      )
      const open = [...ids].filter(id => id?.startsWith('open-'))
      expect(open.filter(id => !ended.has(id))).toEqual([])
      expect(open).toHaveLength(12)
    }
    expectAll(OUTCOMES, values('REQUEST_RESOLVED', 'outcome'))
  })

  test('answers on every channel, on copies of before and on new ones, in a session, and by whom it was handed to', () => {
    expectAll(['slack', 'email', 'telegram', 'sms', 'web'], values('HUMAN_REPLY_EVENT', 'channel'))
    expectAll(['person'], values('REQUEST_DELEGATED', 'by'))
    const isAnew = those.flatMap(ledger => {
      const told = continued(ledger)
      const idsOf = (wanted: string) =>
        told.flatMap(({ type, body }) => (type === wanted ? [String(body.delivery_id)] : []))
      const anew = idsOf('DELIVERY_STARTED')
      return idsOf('HUMAN_REPLY_EVENT').map(id => anew.includes(id))
    })
    expectAll([true, false], isAnew)
    // Opened in a session by somebody who was asked on other channels.
    const asked = new Map(
      those
        .flat()
        .flatMap(({ type, request_id, body }) =>
          type === 'REQUEST_OPENED' ? [[request_id, JSON.stringify(body.recipients)] as const] : [],
        ),
    )
    const onPage = stories.filter(
      ({ type, body }) => type === 'DELIVERY_STARTED' && String(body.channel) === 'web',
    )
    expect(onPage.some(({ request_id }) => !asked.get(request_id)?.includes('"web"'))).toBe(true)
  })

  test('what was refused of them, for reasons that rules 1 had and for those that came after', () => {
    const reasons = values('INBOUND_REPLY_REJECTED', 'reason')
    const first: readonly string[] = REASONS_OF['1']
    expect(new Set(reasons.map(reason => first.includes(String(reason))))).toEqual(new Set([true, false]))
    expectAll(
      ['already_resolved', 'code_mismatch', 'rate_limited', 'token_unknown_key', 'delegated_away'],
      reasons,
    )
  })

  test('copies that were tried again, sent anew for a revoked key, uncertain, lost and never held or reminded of', () => {
    expectAll([1, 2, 3], values('DELIVERY_STARTED', 'attempt'))
    expectAll([true, false], values('DELIVERY_FAILED', 'final'))
    expectAll(['key_revoked', 'blocked'], values('DELIVERY_STATUS', 'status'))
    expectAll([true], values('OUTBOUND_REQUEST_SENT', 'uncertain'))
    for (const type of ['DELIVERY_HELD', 'REQUEST_REMINDED', 'REQUEST_ESCALATED'])
      expect(of(type)).toEqual([])
  })

  test('rights of before that were spent and new ones that were taken back, calls, an outside director, words erased', () => {
    for (const type of ['POLICY_TOKEN_SPENT', 'POLICY_TOKEN_ISSUED', 'POLICY_TOKEN_REVOKED', 'RAW_ERASED'])
      expect(of(type), type).not.toEqual([])
    expectAll([true, false], values('CALLBACK_ATTEMPTED', 'final'))
    const decided = values('DIRECTOR_DECIDED', 'by').map(by => by === 'lane')
    expectAll([true, false], decided)
  })
})
