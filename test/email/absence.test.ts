// Somebody is out of office, and their mailbox says so: through a real lane and real mail servers on either side the next
// step of the ladder comes now, if the mail is theirs, and not otherwise.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ALL } from '../faults/rig.js'
import { type Entry, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { AUTHSERV, bounce, DEPUTY, type Draft, NOBODY, OWNER, replyTo } from './correspondent.js'
import { DOVECOT, type Dovecot, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { type Letter, type PostOffice, raisePostOffice } from './post-office.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER}, delegates: [deputy] }
  deputy: { name: Deputy, email: ${DEPUTY} }
  third: { name: Third, email: third@people.test }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`
const LADDER = [
  { after_seconds: 1_800, do: 'add', recipients: ['deputy'] },
  { after_seconds: 2_400, do: 'add', recipients: ['third'] },
]
const AWAY = {
  subject: 'Automatic reply: Question',
  headers: ['Auto-Submitted: auto-replied', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8'],
} satisfies Partial<Draft>

describe.skipIf(DOVECOT === null)(`out of office${WITHOUT_DOVECOT}`, { timeout: 90_000 }, () => {
  let office: PostOffice
  let dovecot: Dovecot
  let lane: LaneUnderTest
  beforeEach(async () => {
    ;[office, dovecot] = await Promise.all([raisePostOffice(), raiseDovecot()])
    lane = await startLane({
      config: CONFIG,
      env: {
        SMTP_URL: office.url,
        IMAP_URL: dovecot.url,
        EMAIL_FROM: 'Lane <lane@lane.test>',
        EMAIL_AUTHSERV_ID: AUTHSERV,
      },
    })
  })
  afterEach(async () => {
    await lane.close()
    await Promise.all([office.close(), dovecot.remove()])
  })

  const letterTo = (address: string): Promise<Letter> =>
    until(`a mail to ${address}`, async () =>
      (await office.requests()).findLast(one => one.envelope.to.includes(address)),
    )
  async function ask(): Promise<Letter> {
    const asked = question('q', { deadline_seconds: 3_600 })
    expect((await lane.submit(asked, { recipients: ['owner'], ladder: LADDER })).status).toBe(201)
    return letterTo(OWNER)
  }
  const told = async (type: string): Promise<Entry['body'][]> =>
    (await lane.story('q')).filter(entry => entry.type === type).map(({ body }) => body)
  const refused = (count: number): Promise<Entry['body'][]> =>
    until(
      `${count} refusals`,
      () => told('INBOUND_REPLY_REJECTED'),
      all => all.length >= count,
    )

  test('an absence of theirs brings the next step forward, once; whoever is added reads who else is asked, and both can answer', async () => {
    const letter = await ask()
    dovecot.deliver(replyTo(letter, OWNER, 'I am away until Monday. YES', AWAY))
    const theirs = await letterTo(DEPUTY)
    const step = { step: 0, do: 'add', to: ['deputy'], early: 'out_of_office' }
    expect(await told('REQUEST_ESCALATED')).toEqual([step])
    expect(theirs.email.text).toContain('Also asked: Owner.')
    expect(theirs.email.text).toContain('40 min after it was asked: third is asked too')
    // The same mailbox says it again of a mail that is answered twice a day.
    dovecot.deliver(replyTo(letter, OWNER, 'I am away until Monday.', AWAY))
    expect((await refused(2)).map(({ reason }) => reason)).toEqual(Array(2).fill('automated_message'))
    expect(await told('REQUEST_ESCALATED')).toEqual([step])
    dovecot.deliver(replyTo(letter, OWNER, 'NO'))
    expect((await lane.outcome('q')).json).toMatchObject({
      state: 'answered',
      answer: { parsed_choice: 'NO', answered_by: 'owner' },
      escalations: [{ step: 0, to: ['deputy'] }],
    })
    expect(await office.notices()).toEqual([])
  })

  test.runIf(ALL)(
    'a reminder is a reply to its own mail that says what it is, and it can be answered',
    async () => {
      const asked = question('q', { deadline_seconds: 3_600 })
      const ladder = [{ after_seconds: 5, do: 'remind' }]
      expect((await lane.submit(asked, { recipients: ['owner'], ladder })).status).toBe(201)
      const [first, second] = await until(
        'the reminder',
        () => office.requests(),
        all => all.length >= 2,
      )
      expect(second?.header('in-reply-to')).toBe(first?.header('message-id'))
      expect(second?.header('message-id')).not.toBe(first?.header('message-id'))
      expect(second?.email.text).toContain('Reminder: this still waits for an answer.')
      dovecot.deliver(replyTo(second as Letter, OWNER, 'YES'))
      expect((await lane.outcome('q')).json).toMatchObject({ state: 'answered' })
      expect(await told('REQUEST_REMINDED')).toHaveLength(1)
    },
  )

  test('one that is not proven to be theirs brings nothing forward', async () => {
    const letter = await ask()
    const forged: [string, Partial<Draft>][] = [
      [OWNER, { dmarc: 'fail' }],
      [OWNER, { dmarc: 'none' }],
      [OWNER, { dmarc: null }],
      [DEPUTY, {}],
      [NOBODY, {}],
    ]
    for (const [from, more] of forged) dovecot.deliver(replyTo(letter, from, 'Away.', { ...AWAY, ...more }))
    expect((await refused(forged.length)).map(({ reason }) => reason)).toEqual(
      forged.map(() => 'automated_message'),
    )
    expect(await told('REQUEST_ESCALATED')).toEqual([])
    expect((await office.requests()).length).toBe(1)
  })

  test('one that answers another mail than ours brings nothing forward', async () => {
    const letter = await ask()
    dovecot.deliver(replyTo(letter, OWNER, 'Away.', { ...AWAY, inReplyTo: '<another@people.test>' }))
    // Mails are taken in their order: by the second the first was read.
    dovecot.deliver(replyTo(letter, OWNER, 'perhaps'))
    await until('the second', async () =>
      (await told('INBOUND_REPLY_REJECTED')).some(({ reason }) => reason === 'reply_not_in_schema'),
    )
    expect(await told('REQUEST_ESCALATED')).toEqual([])
  })

  test('one of somebody who has handed it on brings nothing forward', async () => {
    const letter = await ask()
    dovecot.deliver(replyTo(letter, OWNER, 'DELEGATE deputy'))
    await letterTo(DEPUTY)
    dovecot.deliver(replyTo(letter, OWNER, 'Away.', AWAY))
    await refused(1)
    expect(await told('REQUEST_ESCALATED')).toEqual([])
  })

  test('a mail that came back brings the next step forward as one that failed', async () => {
    dovecot.deliver(bounce(await ask()))
    await letterTo(DEPUTY)
    expect(await told('REQUEST_ESCALATED')).toEqual([{ step: 0, do: 'add', to: ['deputy'], early: 'failed' }])
  })
})
