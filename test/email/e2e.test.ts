// The whole way: a real lane, a real mail server on either side, a real mail program, and robots that press everything.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linesOf, running, spawnLane } from '../e2e/spawned-lane.js'
import { ALL } from '../faults/rig.js'
import { approval, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { AUTHSERV, OWNER, replyTo } from './correspondent.js'
import { DOVECOT, type Dovecot, raiseDovecot, WITHOUT_DOVECOT } from './dovecot.js'
import { MUTT, replyWithMutt, WITHOUT_MUTT } from './mutt.js'
import { type Letter, type PostOffice, raisePostOffice } from './post-office.js'

const CONFIG = `
recipients:
  owner: { name: Owner, email: ${OWNER} }
actions:
  PUBLISH: { approvers: [owner] }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 0 }
`

const ARRIVED = `Authentication-Results: ${AUTHSERV}; dmarc=pass header.from=people.test\r\n`

describe.skipIf(DOVECOT === null)(`a lane on email${WITHOUT_DOVECOT}`, { timeout: 90_000 }, () => {
  let office: PostOffice
  let dovecot: Dovecot
  beforeEach(async () => {
    ;[office, dovecot] = await Promise.all([raisePostOffice(), raiseDovecot()])
  })
  afterEach(async () => {
    await Promise.all([office.close(), dovecot.remove()])
  })
  const env = (): Record<string, string> => ({
    SMTP_URL: office.url,
    IMAP_URL: dovecot.url,
    EMAIL_FROM: 'Lane <lane@lane.test>',
    EMAIL_AUTHSERV_ID: AUTHSERV,
  })
  const letterOf = (id: string): Promise<Letter> =>
    until(`the mail of ${id}`, async () =>
      (await office.requests()).find(one => one.email.subject?.endsWith(`[${id}]`)),
    )

  describe('in this process', () => {
    let lane: LaneUnderTest
    beforeEach(async () => {
      lane = await startLane({ config: CONFIG, env: env() })
    })
    afterEach(() => lane.close())

    async function ask(request: Record<string, unknown>, id: string): Promise<Letter> {
      const answer = await lane.submit(request, { recipients: ['owner'] })
      expect([answer.status, answer.json.state]).toEqual([201, 'pending'])
      return letterOf(id)
    }
    const state = async (id: string): Promise<unknown> =>
      (await lane.call('GET', `/v1/requests/${id}`)).json.state
    const refused = (id: string, count: number): Promise<unknown[]> =>
      until(`${count} refusals`, async () => {
        const told = (await lane.story(id)).filter(({ type }) => type === 'INBOUND_REPLY_REJECTED')
        return told.length >= count && told.map(({ body }) => body.reason)
      })

    test.skipIf(!MUTT)(
      `[LANE-032, 033, 057] is answered from mutt, which quotes the whole mail below the answer${WITHOUT_MUTT}`,
      async () => {
        const letter = await ask(question('mutt-1'), 'mutt-1')
        const reply = await replyWithMutt(letter.raw, OWNER, 'yes')
        expect(reply).toContain('> Reply YES or NO.')
        dovecot.deliver(ARRIVED + reply.replaceAll('\n', '\r\n'))
        expect((await lane.outcome('mutt-1')).json).toMatchObject({
          state: 'answered',
          answer: { parsed_choice: 'YES', answered_by: 'owner', channel: 'email', proof: 'dmarc' },
        })
      },
    )

    test.skipIf(!MUTT)(
      `an answer typed in mutt that says more than the answer is refused${WITHOUT_MUTT}`,
      async () => {
        const letter = await ask(question('mutt-2'), 'mutt-2')
        const reply = await replyWithMutt(letter.raw, OWNER, 'YES\nbut only after Friday')
        dovecot.deliver(ARRIVED + reply.replaceAll('\n', '\r\n'))
        expect(await refused('mutt-2', 1)).toEqual(['reply_not_in_schema'])
        const notice = await until('the notice', async () => (await office.notices())[0])
        expect(notice.email.text).toContain('Reply YES or NO.')
      },
    )

    test('an approval is given below DMARC pass by nothing: neither an unproven mail nor the link with its code', async () => {
      const letter = await ask(approval('ship-1'), 'ship-1')
      for (const dmarc of ['fail', 'none', null] as const)
        dovecot.deliver(replyTo(letter, OWNER, 'YES', { dmarc }))
      expect(await refused('ship-1', 3)).toEqual(Array(3).fill('sender_unauthenticated'))
      await lane.answer({ link: wayIn(letter), code: 'AAAA', delivery_id: '', user_id: 'owner' }, 'YES')
      expect((await refused('ship-1', 4)).at(-1)).toBe('proof_insufficient')
      expect(await state('ship-1')).toBe('pending')
      dovecot.deliver(replyTo(letter, OWNER, 'YES'))
      expect((await lane.outcome('ship-1')).json).toMatchObject({
        answer: { parsed_choice: 'YES', proof: 'dmarc' },
      })
    })

    test('a mail that was forwarded answers nothing: it holds no code, and the page it leads to is for reading', async () => {
      const letter = await ask(question('page-1'), 'page-1')
      const link = wayIn(letter)
      expect(letter.email.text).not.toMatch(/\bcode\b/i)
      const page = await lane.call('GET', link, { key: null })
      expect(page.text).toContain('by a reply to the mail')
      expect(page.text).not.toMatch(/<form|<input/)
      const answered = await lane.answer({ link, code: 'AAAA', delivery_id: '', user_id: 'owner' }, 'NO')
      expect([answered.status, answered.json.code]).toEqual([403, 'reply_rejected'])
      expect(await state('page-1')).toBe('pending')
    })

    test('a mail the server took without a word stands as uncertain, is not repeated, and is answered', async () => {
      office.mood = { kind: 'drop', kept: true }
      const letter = await ask(question('drop-1'), 'drop-1')
      await until('it stands', async () =>
        (await lane.story('drop-1')).some(
          ({ type, body }) => type === 'OUTBOUND_REQUEST_SENT' && body.uncertain === true,
        ),
      )
      dovecot.deliver(replyTo(letter, OWNER, 'YES'))
      expect((await lane.outcome('drop-1')).json).toMatchObject({ state: 'answered' })
      expect(office.kept).toHaveLength(1)
    })

    test('a burst of requests leaves one after the other, and none is counted as failed for waiting', {
      skip: !ALL,
    }, async () => {
      const ids = Array.from({ length: 120 }, (_, at) => `burst-${at}`)
      await Promise.all(ids.map(id => lane.submit(question(id), { recipients: ['owner'] })))
      await until('all have left', () => office.kept.length, ids.length, 40_000)
      const told = (await lane.ledger()).filter(({ type }) => type === 'DELIVERY_FAILED')
      expect(told).toEqual([])
      expect(new Set((await office.requests()).map(one => one.header('message-id'))).size).toBe(ids.length)
    })

    test('a mail the server refuses for now is repeated under the same Message-ID, with a new handle', async () => {
      office.mood = { kind: 'refuse', at: 'data', code: 451 }
      await lane.submit(question('again-1'), { recipients: ['owner'] })
      const failed = await until('it failed', async () =>
        (await lane.story('again-1')).find(({ type }) => type === 'DELIVERY_FAILED'),
      )
      expect(failed.body).toMatchObject({ code: 'smtp_451', final: false })
      office.mood = { kind: 'kind' }
      await letterOf('again-1')
      expect(office.kept).toHaveLength(1)
      const headers = office.offered.map(({ raw }) => raw.toString('latin1').split('\r\n'))
      const all = (name: string): string[] =>
        headers.flatMap(lines => lines.find(line => line.startsWith(`${name}: `)) ?? [])
      expect(all('Message-ID').length).toBeGreaterThan(1)
      expect(new Set(all('Message-ID')).size).toBe(1)
      expect(new Set(all('Reply-To')).size).toBe(all('Reply-To').length)
    })

    describe.skipIf(maySkip)(`before robots${missing === null ? '' : ` (${missing})`}`, () => {
      let browser: Browser
      beforeAll(async () => {
        browser = await launch()
      })
      afterAll(() => browser.close())

      test('a scanner that fetches, renders and submits every link of a mail resolves nothing', async () => {
        const letter = await ask(question('scan-1'), 'scan-1')
        const links = new Set(
          [letter.email.html ?? '', letter.email.text ?? ''].flatMap(
            part => part.match(/https?:\/\/[^\s"<>]+/g) ?? [],
          ),
        )
        expect(links.size).toBe(1)
        for (const link of links) {
          for (const method of ['HEAD', 'GET', 'GET'])
            expect((await fetch(link, { method })).status).toBe(200)
          const page = await browser.newPage()
          await page.goto(link)
          expect(await page.locator('form, input, button').count()).toBe(0)
          await page.close()
          for (const body of [
            '',
            'reply=YES',
            'reply=YES&code=YES',
            `reply=YES&code=${link.slice(-4)}&csrf=`,
          ]) {
            const headers = { 'content-type': 'application/x-www-form-urlencoded' }
            const { status } = await fetch(link, { method: 'POST', body, headers })
            expect(status).toBe(403)
          }
        }
        expect(await state('scan-1')).toBe('pending')
      })

      test.each(['light', 'dark'] as const)(
        'the HTML asks for nothing and fits a phone, in %s',
        async colorScheme => {
          const letter = await ask(question(`look-${colorScheme}`), `look-${colorScheme}`)
          const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme })
          const asked: string[] = []
          page.on('request', request => asked.push(request.url()))
          await page.setContent(letter.email.html ?? '')
          const [wide, paper] = (await page.evaluate(
            'const style = getComputedStyle(document.body); [document.documentElement.scrollWidth, style.backgroundColor]',
          )) as [number, string]
          expect([asked, wide]).toEqual([[], 360])
          expect(paper).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 24, 26)')
          await page.close()
        },
      )
    })
  })

  test.runIf(ALL)(
    'killed after the server took the mail, it sends the same Message-ID again, and one answer counts (skipped: half a minute, with CI=true)',
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'lane-email-'))
      writeFileSync(join(dir, 'email.yaml'), CONFIG)
      const start = async () =>
        running(await spawnLane(dir, { env: { ...env(), LANE_CONFIG: join(dir, 'email.yaml') } }))
      let lane = await start()
      office.mood = { kind: 'hang', at: 'data', kept: true }
      const body = {
        request: question('kill-2'),
        run: { run_id: 'r', mood: 'DEFERENTIAL' },
        recipients: ['owner'],
      }
      expect((await lane.call('POST', '/v1/requests', body)).status).toBe(201)
      const first = await letterOf('kill-2')
      await lane.kill()
      office.mood = { kind: 'kind' }
      lane = await start()
      await until('the second copy', () => office.kept.length, 2, 60_000)
      const [, second] = await office.requests()
      expect(second?.header('message-id')).toBe(first.header('message-id'))
      expect(second?.header('reply-to')).not.toBe(first.header('reply-to'))
      dovecot.deliver(replyTo(first, OWNER, 'YES'))
      dovecot.deliver(replyTo(second as Letter, OWNER, 'NO'))
      const told = await until('both were read', async () => {
        const lines = (await linesOf(lane)).map(
          line => JSON.parse(line) as { type: string; body: { reason?: string } },
        )
        return lines.some(({ type }) => type === 'INBOUND_REPLY_REJECTED') && lines
      })
      expect(told.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(1)
      await lane.kill()
      rmSync(dir, { recursive: true, force: true })
    },
    120_000,
  )
})

/** The link and the code, as a person finds them in the text. */
function wayIn({ email }: Letter): string {
  const link = /https?:\/\/\S+/.exec(email.text ?? '')?.[0]
  if (link === undefined) throw new Error('the mail leads nowhere')
  return link
}
