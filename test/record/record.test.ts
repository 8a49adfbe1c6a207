// The one way a room adds to a story: on top of what it has read, prepared anew when that has moved, and with the alarm in
// the same append.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Case, fold } from '../../src/agenda/case.js'
import { owed } from '../../src/agenda/owed.js'
import type { Deed } from '../../src/event.js'
import type { Append, Appended, Ledger } from '../../src/ledger/contract.js'
import type { Recorder } from '../../src/record/record.js'
import { approval, fromSlack, handleOf, question, raise, type Stage } from '../lane/stage.js'

const POLICY = {
  closable: new Set(['slack', 'email', 'telegram', 'sms', 'web'] as const),
  rests: () => false,
  quietUntil: () => null,
  channelsOf: () => [],
}
const noted: Deed = {
  type: 'NOTICE_SENT',
  body: { delivery_id: 'd', channel: 'slack', recipient: 'owner', reason: 'reply_not_in_schema' },
}

/** A ledger in which, once, somebody else is faster: between a room's reading and its append the story moves on. */
class Moving {
  #moves = 0
  /** Appends that found the story moved. */
  readonly moved: string[] = []

  once(): void {
    this.#moves = 1
  }

  through = (ledger: Ledger): Ledger =>
    new Proxy(ledger, {
      get: (target, name) => {
        if (name === 'append') return (append: Append<unknown>) => this.#append(target, append)
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'function' ? member.bind(target) : member
      },
    })

  async #append(ledger: Ledger, append: Append<unknown>): Promise<Appended<unknown>> {
    const { story } = append
    if (story !== undefined && story.expected > 0 && this.#moves > 0) {
      this.#moves -= 1
      const ids = { request_id: story.request_id, run_id: 'run-1' }
      const other = { story, decide: () => ({ kind: 'append' as const, events: [{ ...noted, ...ids }] }) }
      expect(await ledger.append(other)).toMatchObject({ kind: 'appended' })
    }
    const result = await ledger.append(append)
    if (result.kind === 'moved') this.moved.push(story?.request_id ?? '')
    return result
  }
}

const moving = new Moving()
let stage: Stage
let recorder: Pick<Recorder, 'record'>
beforeEach(async () => {
  moving.moved.length = 0
  stage = await raise(undefined, undefined, moving.through)
  recorder = stage.lane.recorder
})
afterEach(() => stage.close())

async function openCase(id = 'q'): Promise<Case> {
  await stage.open(question(id))
  await stage.lane.drain()
  return stage.current(id)
}
const notices = async (): Promise<number> =>
  (await stage.entries()).filter(entry => entry.type === 'NOTICE_SENT').length

describe('recording', () => {
  test('gives the case as the ledger would fold it, and the alarm the agenda would set', async () => {
    await openCase()
    const result = await recorder.record('q', () => ({ tell: () => ({ events: [noted] }) }))
    if (result.kind !== 'recorded') throw new Error(result.kind)
    expect(result.subject).toEqual(fold(await stage.store.ledger.story('q')))
    expect(await stage.store.ledger.nextAlarm()).toBe(
      owed(result.subject, stage.store.ledger.now(), POLICY).alarm,
    )
  })

  test('says of every event which request and run it is of', async () => {
    await openCase()
    await recorder.record('q', () => ({ tell: () => ({ events: [noted] }) }))
    expect((await stage.entries()).at(-1)).toMatchObject({ request_id: 'q', run_id: 'run-1' })
  })

  test('the receipt of an opening is that of its entry', async () => {
    const subject = await stage.open(question('q'))
    const [entry] = await stage.store.ledger.story('q')
    expect(subject.receipt).toEqual({ seq: entry?.seq, hash: entry?.hash })
  })

  test('on top of a story that has moved on is prepared anew, from the case as it stands then', async () => {
    const first = await openCase()
    moving.once()
    const prepared: number[] = []
    await recorder.record(
      'q',
      ({ version }) => {
        prepared.push(version)
        return { tell: () => ({ events: [noted] }) }
      },
      first,
    )
    expect(prepared).toEqual([first.version, first.version + 1])
    expect(await notices()).toBe(2)
  })

  test('whoever finds nothing left to add leaves it', async () => {
    await openCase()
    const left = await recorder.record('q', () => ({ leave: 'enough' as const }))
    expect(left).toMatchObject({ kind: 'left', why: 'enough' })
    expect(await notices()).toBe(0)
  })

  test('what is refused is told with its reason, and nothing is appended', async () => {
    await openCase()
    const before = (await stage.entries()).length
    const refused = await recorder.record('q', () => ({ tell: () => ({ refuse: 'no' as const }) }))
    expect(refused).toMatchObject({ kind: 'refused', why: 'no' })
    expect((await stage.entries()).length).toBe(before)
  })

  test('an event outside its schema is a surprise, and its neighbours in the commit stand', async () => {
    await openCase('q')
    await openCase('r')
    const broken = { ...noted, body: { ...noted.body, reason: 'because' } } as unknown as Deed
    const [bad, good] = await Promise.allSettled([
      recorder.record('q', () => ({ tell: () => ({ events: [broken] }) })),
      recorder.record('r', () => ({ tell: () => ({ events: [noted] }) })),
    ])
    expect(bad.status).toBe('rejected')
    expect(good).toMatchObject({ status: 'fulfilled', value: { kind: 'recorded' } })
  })

  test('a request cannot be resolved without its decision: an append that does not say so beforehand is not made', async () => {
    await openCase()
    const events: Deed[] = [
      { type: 'REQUEST_WITHDRAWN', body: { reason: 'enough', by: 'key-1' } },
      { type: 'REQUEST_RESOLVED', body: { outcome: 'withdrawn', causes: [0] } },
    ]
    await expect(recorder.record('q', () => ({ tell: () => ({ events }) }))).rejects.toThrow(
      'must say so beforehand',
    )
    expect((await stage.current('q')).state).toBe('pending')
  })
})

describe('when the story moves on between reading and appending', () => {
  const types = async (id: string): Promise<string[]> =>
    (await stage.store.ledger.story(id)).map(({ type }) => type)

  afterEach(async () => {
    expect(moving.moved.length).toBeGreaterThan(0)
  })

  test('a reply is judged anew, and answers', async () => {
    await openCase()
    moving.once()
    const told = await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'q'), 'yes'))
    expect(told).toMatchObject({ kind: 'accepted', subject: { state: 'answered' } })
  })

  test('a reply that is refused is recorded once', async () => {
    await openCase()
    moving.once()
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'q'), 'perhaps'))
    expect((await types('q')).filter(type => type === 'INBOUND_REPLY_REJECTED')).toHaveLength(1)
  })

  test('a withdrawal is made on top of what came', async () => {
    await openCase()
    moving.once()
    expect(await stage.lane.withdraw('q', 'enough', 'key-1')).toMatchObject({ kind: 'withdrawn' })
  })

  test('a time-out tells the deliveries as they stand then', async () => {
    await openCase()
    stage.clock.pass(600_000)
    moving.once()
    expect((await stage.current('q')).state).toBe('defaulted')
  })

  test('a claim is minted anew, and the copy is sent once', async () => {
    stage.slack.will({ kind: 'failed', code: 'x', retryable: true })
    await openCase()
    stage.clock.pass(60_000)
    moving.once()
    await stage.lane.advance('q')
    await stage.lane.drain()
    expect(stage.slack.copies).toHaveLength(2)
    expect(await stage.current('q')).toMatchObject({ deliveries: [{ state: 'sent', attempts: 2 }] })
  })

  test('what became of a send is told', async () => {
    stage.slack.will(async () => {
      moving.once()
      return { kind: 'sent', ref: 's-1' }
    })
    await openCase()
    expect(await stage.current('q')).toMatchObject({ deliveries: [{ state: 'sent' }] })
  })

  test('a copy is closed, and that is told', async () => {
    await openCase()
    stage.slack.closing = async () => moving.once()
    await stage.lane.withdraw('q', 'enough', 'key-1')
    await stage.lane.drain()
    expect((await types('q')).at(-1)).toBe('DELIVERY_CLOSED')
  })

  test('a bounce is told', async () => {
    await openCase()
    moving.once()
    const about = { kind: 'ref', ref: 'slack-1' } as const
    await stage.desk('slack').report({ channel: 'slack', about, status: 'bounced', stands: false })
    expect((await types('q')).filter(type => type === 'DELIVERY_STATUS')).toHaveLength(1)
  })

  test('words are erased', async () => {
    await openCase()
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'q'), 'perhaps'))
    moving.once()
    expect(await stage.lane.erase('q', 'key-2')).toMatchObject({
      kind: 'erased',
      replies: [expect.any(String)],
    })
    expect((await types('q')).filter(type => type === 'RAW_ERASED')).toHaveLength(1)
  })

  test('a right is spent once, an outside director is heard once', async () => {
    await stage.open(approval('a'))
    await stage.lane.drain()
    const { subject } = (await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'a'), 'yes'))) as {
      subject: Case
    }
    await stage.lane.drain()
    const token = (await stage.lane.director.policyToken(subject)) ?? ''
    moving.once()
    const wanted = { spend_id: 's-1', by: 'key-1', action: 'PUBLISH', parameters: parametersOf(subject) }
    expect(await stage.lane.director.spend(token, wanted)).toMatchObject({ kind: 'spent' })

    await openCase()
    moving.once()
    const word = {
      run_id: 'run-1',
      request_id: 'q',
      by: 'key-9',
      move: { decision: 'HALT' },
      ahdb: {},
    } as const
    expect(await stage.lane.director.hear(word)).toMatchObject({ kind: 'decided' })
    expect((await types('q')).filter(type => type === 'DIRECTOR_DECIDED')).toHaveLength(1)
  })

  test('a right is taken back once', async () => {
    await stage.open(approval('a'))
    await stage.lane.drain()
    await stage.lane.answer(fromSlack(handleOf(stage.slack, 'owner', 'a'), 'yes'))
    await stage.lane.drain()
    moving.once()
    expect(await stage.lane.withdraw('a', 'enough', 'key-1')).toMatchObject({ kind: 'withdrawn' })
    expect((await types('a')).filter(type => type === 'POLICY_TOKEN_REVOKED')).toHaveLength(1)
  })

  test('a notice is claimed once', async () => {
    await openCase()
    const desk = stage.desk('slack')
    const refused = await desk.take(fromSlack(handleOf(stage.slack, 'owner', 'q'), 'perhaps'))
    if (refused.kind !== 'refused') throw new Error(refused.kind)
    moving.once()
    // Whoever was faster has told this person already: they are not told again.
    expect(await desk.notice(refused)).toBe(false)
    expect(await notices()).toBe(1)
  })
})

const parametersOf = ({ request }: Case): Readonly<Record<string, string>> =>
  request.type === 'REQUEST_APPROVAL' ? request.parameters : {}
