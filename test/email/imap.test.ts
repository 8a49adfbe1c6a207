// In by mailbox, with a real Dovecot: everything is read once, in order, whatever breaks between reading and putting away.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { linesOf, running, type Spawned, spawnLane } from '../e2e/spawned-lane.js'
import { ALL } from '../faults/rig.js'
import { type Entry, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { AUTHSERV, bounce, DEPUTY, message, OWNER, replyTo } from './correspondent.js'
import { DOVECOT, type Dovecot, imapUrl, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { type Letter, type PostOffice, raisePostOffice } from './post-office.js'
import { stretchWire, type Wire } from './wire.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER}, web: true, channels: [email, web] }
  deputy: { name: Deputy, email: ${DEPUTY} }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`

describe.skipIf(DOVECOT === null)(`a mailbox${WITHOUT_DOVECOT}`, { timeout: 90_000 }, () => {
  let office: PostOffice
  let dovecot: Dovecot
  let wire: Wire
  beforeEach(async () => {
    office = await raisePostOffice()
    dovecot = await raiseDovecot()
    wire = await stretchWire(dovecot.port)
  })
  afterEach(async () => {
    await wire.close()
    await Promise.all([office.close(), dovecot.remove()])
  })

  const env = (): Record<string, string> => ({
    SMTP_URL: office.url,
    IMAP_URL: imapUrl(wire.port),
    EMAIL_FROM: 'Lane <lane@lane.test>',
    EMAIL_AUTHSERV_ID: AUTHSERV,
  })
  const letterOf = (id: string): Promise<Letter> =>
    until(`the mail of ${id}`, async () =>
      (await office.requests()).find(one => one.email.subject?.endsWith(`[${id}]`)),
    )
  const holds = async (folder: string, subjects: readonly string[]): Promise<void> => {
    await until(`${folder} to hold ${subjects.length}`, async () => {
      const there = await dovecot.subjects(folder)
      return there.length === subjects.length && there
    })
    expect((await dovecot.subjects(folder)).sort()).toEqual([...subjects].sort())
  }

  describe('of a lane', () => {
    let lane: LaneUnderTest
    beforeEach(async () => {
      lane = await startLane({ config: CONFIG, env: env() })
    })
    afterEach(() => lane.close())

    const ask = async (id: string): Promise<Letter> => {
      expect((await lane.submit(question(id), { recipients: ['owner'] })).status).toBe(201)
      return letterOf(id)
    }
    const state = async (id: string): Promise<unknown> =>
      (await lane.call('GET', `/v1/requests/${id}`)).json.state

    test('[LANE-033] is read: answers go to Processed, what is refused to Rejected, and what is not ours stays unread', async () => {
      const letter = await ask('box-1')
      dovecot.deliver(message({ from: DEPUTY, to: 'lane@lane.test', subject: 'lunch', text: 'YES' }))
      dovecot.deliver(replyTo(letter, OWNER, 'perhaps', { subject: 'unclear' }))
      dovecot.deliver(replyTo(letter, DEPUTY, 'YES', { subject: 'not theirs' }))
      dovecot.deliver(replyTo(letter, OWNER, 'YES', { subject: 'the answer' }))
      expect((await lane.outcome('box-1')).json).toMatchObject({
        state: 'answered',
        answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'email', proof: 'dmarc' },
      })
      await holds('Processed', ['the answer'])
      await holds('Rejected', ['unclear', 'not theirs'])
      await holds('INBOX', ['lunch'])
      const flags = await dovecot.look(async client => {
        await client.mailboxOpen('INBOX', { readOnly: true })
        return [...(((await client.fetchOne('1', { flags: true })) || { flags: [] }).flags ?? [])]
      })
      expect(flags).not.toContain('\\Seen')
    })

    test('what its owner gets besides stays where it is: newsletters, large mails, broken ones, their own bounces', async () => {
      const letter = await ask('box-8')
      const theirs = { from: 'news@elsewhere.test', to: 'lane@lane.test' }
      dovecot.deliver(
        message({ ...theirs, subject: 'list', text: 'x', headers: ['List-Id: <news.elsewhere.test>'] }),
      )
      dovecot.deliver(message({ ...theirs, subject: 'large', text: `${'x'.repeat(76)}\n`.repeat(150_000) }))
      dovecot.deliver(
        message({ ...theirs, subject: 'broken', text: 'x', headers: ['From: <second@elsewhere.test>'] }),
      )
      const alien = {
        ...letter,
        header: () => '<other@elsewhere.test>',
        envelope: { from: 'lane@lane.test', to: ['x@y.test'] },
      }
      dovecot.deliver(bounce(alien))
      dovecot.deliver(replyTo(letter, OWNER, 'YES', { subject: 'the answer' }))
      expect((await lane.outcome('box-8')).json).toMatchObject({ state: 'answered' })
      await holds('Processed', ['the answer'])
      await holds('INBOX', ['list', 'large', 'broken', 'Undelivered Mail Returned to Sender'])
      await holds('Rejected', [])
    })

    test('a reply to the plain address is known by the mail it answers', async () => {
      const letter = await ask('box-2')
      dovecot.deliver(replyTo(letter, OWNER, 'NO', { to: 'lane@lane.test' }))
      expect((await lane.outcome('box-2')).json).toMatchObject({
        answer: { parsed_choice: 'NO', proof: 'dmarc' },
      })
    })

    test('a bounce ends the copy, and the next channel is tried', async () => {
      const letter = await ask('box-3')
      dovecot.deliver(bounce(letter))
      const link = await lane.link('box-3', 'owner')
      await holds('Processed', ['Undelivered Mail Returned to Sender'])
      expect((await lane.answer(link, 'YES')).status).toBe(200)
      expect(await state('box-3')).toBe('answered')
    })

    test('is connected to again when its server was away, and nothing that came meanwhile is missed', async () => {
      const letter = await ask('box-4')
      await dovecot.stop()
      dovecot.deliver(replyTo(letter, OWNER, 'YES'))
      await dovecot.start()
      expect((await lane.outcome('box-4')).json).toMatchObject({
        state: 'answered',
        answer: { channel: 'email' },
      })
    })

    test('[LANE-053] a mail of 12 MB is put away without being fetched, and the next is read', async () => {
      const letter = await ask('box-5')
      dovecot.deliver(replyTo(letter, OWNER, `NO\n${'x'.repeat(76)}\n`.repeat(150_000), { subject: 'heavy' }))
      dovecot.deliver(replyTo(letter, OWNER, 'YES', { subject: 'light' }))
      expect((await lane.outcome('box-5')).json).toMatchObject({ answer: { parsed_choice: 'YES' } })
      await holds('Rejected', ['heavy'])
    })

    test('under new numbers is read again, and nothing counts twice', async () => {
      const letter = await ask('box-6')
      wire.holdAt = 'UID MOVE'
      dovecot.deliver(replyTo(letter, OWNER, 'YES', { subject: 'once' }))
      await lane.outcome('box-6')
      await until('it is to be put away', async () => wire.held)
      lane = await lane.restart(async () => {
        wire.holdAt = null
        await dovecot.renumber()
      })
      await holds('Rejected', ['once'])
      const told = (await lane.story('box-6')).map(({ type, body }) => body.reason ?? type)
      expect(told.filter(one => one === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
      expect(told.filter(one => one === 'duplicate_message')).toHaveLength(1)
      expect(await state('box-6')).toBe('answered')
    })

    test.runIf(ALL)(
      'of a server that announces nothing is asked from time to time (skipped: half a minute, with CI=true)',
      async () => {
        lane = await lane.restart(async () => void wire.rewrite.push([' IDLE', ' XDLE']))
        const letter = await ask('box-7')
        // Past the question the client asks by itself once it has nothing else to do.
        await new Promise(resolve => setTimeout(resolve, 4_000))
        dovecot.deliver(replyTo(letter, OWNER, 'YES'))
        expect((await lane.outcome('box-7')).json).toMatchObject({ state: 'answered' })
      },
    )
  })

  describe('of a lane that is killed', () => {
    let dir: string
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'lane-killed-'))
      writeFileSync(join(dir, 'email.yaml'), CONFIG)
    })
    afterEach(() => rmSync(dir, { recursive: true, force: true }))

    const start = async (): Promise<Spawned> =>
      running(await spawnLane(dir, { env: { ...env(), LANE_CONFIG: join(dir, 'email.yaml') } }))
    const told = async (lane: Spawned): Promise<Entry[]> =>
      (await linesOf(lane)).map(line => JSON.parse(line))

    test('[LANE-033] between the commit and putting the mail away repeats nothing, and loses nothing', async () => {
      let lane = await start()
      const body = {
        request: question('kill-1'),
        run: { run_id: 'r', mood: 'DEFERENTIAL' },
        recipients: ['owner'],
      }
      expect((await lane.call('POST', '/v1/requests', body)).status).toBe(201)
      const letter = await letterOf('kill-1')

      wire.holdAt = 'UID MOVE'
      dovecot.deliver(replyTo(letter, OWNER, 'YES', { subject: 'before' }))
      dovecot.deliver(replyTo(letter, OWNER, 'NO', { subject: 'after' }))
      await until('it is to be put away', async () => wire.held)
      await lane.kill()
      expect(await dovecot.subjects('Processed')).toEqual([])
      wire.holdAt = null

      lane = await start()
      await holds('Processed', ['before'])
      await holds('Rejected', ['after'])
      const entries = (await told(lane)).filter(entry => entry.request_id === 'kill-1')
      const replies = entries.flatMap(({ type, body: said }) =>
        type === 'HUMAN_REPLY_EVENT'
          ? [said.parsed_choice]
          : type === 'INBOUND_REPLY_REJECTED'
            ? [said.reason]
            : [],
      )
      expect(replies).toEqual(['YES', 'already_resolved'])
      expect((await verify(await linesOf(lane))).problems).toEqual([])
      await lane.kill()
    })
  })
})
