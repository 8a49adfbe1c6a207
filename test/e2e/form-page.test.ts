// A form answered in a real browser on a real lane, with its script and without: half now, half later, also over a restart.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaneUnderTest, type Reply, startLane } from '../lane-under-test.js'
import { launch, maySkip, missing } from '../web/browser.js'

const REQUEST = {
  type: 'REQUEST_QUESTION',
  question_id: 'release-9',
  question_text: 'How does release 9 go out?',
  impact: 'Decides what the pipeline does tonight',
  context_handles: [],
  deadline_seconds: 600,
  default_action: 'HALT',
  reply_schema: {
    kind: 'form',
    context: 'Built an hour ago.\nAll checks are green.',
    decisions: [
      {
        id: 'ship',
        type: 'approval',
        prompt: 'Ship it?',
        required: true,
        reason: { when: 'on_no', max_chars: 100 },
      },
      { id: 'tell', type: 'approval', prompt: 'Tell the customers?', required: true, default: true },
      {
        id: 'ring',
        type: 'choice',
        prompt: 'To whom first?',
        required: true,
        options: [
          { value: 'staff', label: 'Staff' },
          { value: 'beta', label: 'Beta users' },
        ],
      },
      {
        id: 'share',
        type: 'number',
        prompt: 'Which share?',
        required: false,
        constraints: { min: 1, max: 100 },
      },
    ],
  },
}

describe.skipIf(maySkip)(`a form in a browser${missing === null ? '' : `, ${missing}`}`, () => {
  let browser: Browser
  let lane: LaneUnderTest
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    lane = await startLane()
  })
  afterEach(() => lane.close())

  const send = async (page: Page, { code }: Reply): Promise<void> => {
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Send answer' }).click()
  }

  describe.each([true, false])('with JavaScript: %s', javaScriptEnabled => {
    test('half is filled in, left, found again after a restart, and finished; each decision names its reply', async () => {
      expect((await lane.submit(REQUEST)).status).toBe(201)
      const reply = await lane.link('release-9')
      const page = await browser.newPage({ javaScriptEnabled, viewport: { width: 360, height: 800 } })
      await page.goto(reply.link)
      expect(await page.locator('input:checked').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      await page.locator('[name="d.ship"][value="NO"]').check()
      await page.locator('[name="c.ship"]').fill('wrong customer')
      await send(page, reply)
      expect(await page.textContent('main')).toContain('Still to be answered: tell, ring.')
      const half = await lane.call('GET', '/v1/requests/release-9')
      expect(half.json).toMatchObject({
        state: 'partial',
        answer: null,
        so_far: {
          decisions: [
            { decision_id: 'ship', approved: false, comment: 'wrong customer', answered_by: 'operator' },
          ],
          missing: ['tell', 'ring'],
        },
      })
      await page.close()

      lane = await lane.restart()
      const again = await browser.newPage({ javaScriptEnabled })
      await again.goto(`${lane.url}${new URL(reply.link).pathname}`)
      expect(await again.locator('[name="d.ship"]').count()).toBe(0)
      await again.locator('[name="d.tell"][value="YES"]').check()
      await again.locator('[name="d.ring"][value="beta"]').check()
      await send(again, reply)
      expect(await again.textContent('main')).toContain('was recorded')
      await again.close()
      const { json } = await lane.outcome('release-9')
      expect(json).toMatchObject({
        state: 'answered',
        answer: {
          parsed_choice: null,
          parsed_payload: {
            decisions: [
              { decision_id: 'ship', approved: false, comment: 'wrong customer' },
              { decision_id: 'tell', approved: true },
              { decision_id: 'ring', selected: 'beta' },
            ],
          },
        },
      })
      const story = await lane.story('release-9')
      expect(story.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')).toHaveLength(2)
      expect(story.filter(({ type }) => type === 'REQUEST_RESOLVED')).toHaveLength(1)
      // No entry holds the words of a comment.
      expect(JSON.stringify(story)).not.toContain('wrong customer')
    })

    test('all approvals are chosen at once, and nothing is sent by that', async () => {
      await lane.submit(REQUEST)
      const reply = await lane.link('release-9')
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(reply.link)
      await page.locator('[name="d.ring"][value="staff"]').check()
      await page.getByRole('button', { name: 'Choose YES for every approval' }).click()
      await page.waitForLoadState()
      const chosen = await page
        .locator('input:checked')
        .evaluateAll(all => all.map(one => one.getAttribute('name')))
      expect(chosen).toEqual(['d.ship', 'd.tell', 'd.ring'])
      expect((await lane.story('release-9')).some(({ type }) => type === 'HUMAN_REPLY_EVENT')).toBe(false)
      await send(page, reply)
      await page.close()
      expect((await lane.outcome('release-9')).json).toMatchObject({ state: 'answered' })
    })

    test('Enter in a field chooses nothing: it asks for the code, and with it sends what was chosen', async () => {
      await lane.submit(REQUEST)
      const reply = await lane.link('release-9')
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(reply.link)
      await page.locator('[name="d.ship"][value="NO"]').check()
      await page.locator('[name="c.ship"]').fill('wrong customer')
      await page.locator('[name="d.share"]').press('Enter')
      const chosen = page.locator('input:checked')
      expect(await chosen.evaluateAll(all => all.map(one => one.getAttribute('value')))).toEqual(['NO'])
      expect((await lane.story('release-9')).some(({ type }) => type === 'HUMAN_REPLY_EVENT')).toBe(false)
      await page.getByLabel('Code').fill(reply.code)
      await page.getByLabel('Code').press('Enter')
      await page.getByText('Still to be answered: tell, ring.').waitFor()
      await page.close()
      expect((await lane.call('GET', '/v1/requests/release-9')).json).toMatchObject({
        so_far: { decisions: [{ decision_id: 'ship', approved: false }] },
      })
    })

    test('a line that is not understood keeps all the others in their fields, and records nothing', async () => {
      await lane.submit(REQUEST)
      const reply = await lane.link('release-9')
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(reply.link)
      await page.locator('[name="d.ship"][value="YES"]').check()
      await page.locator('[name="d.share"]').fill('a lot')
      await send(page, reply)
      expect(await page.textContent('#refusal')).toContain('share a lot')
      expect(await page.locator('[name="d.ship"][value="YES"]').isChecked()).toBe(true)
      expect(await page.locator('[name="d.share"]').inputValue()).toBe('a lot')
      expect((await lane.call('GET', '/v1/requests/release-9')).json).toMatchObject({ state: 'pending' })
      await page.close()
    })

    test('each decision that was the trouble is named, with a way to it', async () => {
      await lane.submit(REQUEST)
      const reply = await lane.link('release-9')
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(reply.link)
      await page.locator('[name="d.ship"][value="NO"]').check()
      await page.locator('[name="d.share"]').fill('a lot')
      await send(page, reply)
      const named = page.locator('#refusal li')
      expect(await named.allTextContents()).toEqual([
        expect.stringContaining('For share: a number from 1 to 100'),
        expect.stringContaining('For ship: YES, or NO with its reason'),
      ])
      await named.nth(1).getByRole('link').click()
      await page.waitForURL(/#at-ship$/)
      expect(await page.locator('.faulty [name="c.ship"], .faulty [name="d.share"]').count()).toBe(2)
      expect((await lane.story('release-9')).some(({ type }) => type === 'HUMAN_REPLY_EVENT')).toBe(false)
      await page.close()
    })

    test('a decision that somebody else answers meanwhile takes nothing of what was filled in beside it', async () => {
      await lane.submit(REQUEST, { recipients: ['operator', 'second'] })
      const [mine, theirs] = [await lane.link('release-9'), await lane.link('release-9', 'second')]
      const page = await browser.newPage({ javaScriptEnabled })
      await page.goto(mine.link)
      await page.locator('[name="d.ship"][value="YES"]').check()
      await page.locator('[name="d.tell"][value="YES"]').check()
      await page.locator('[name="d.ring"][value="beta"]').check()
      expect((await lane.answer(theirs, 'ship no: wrong customer')).status).toBe(200)
      await send(page, mine)
      expect(await page.textContent('#refusal')).toContain('Still open: tell, ring, share.')
      expect(await page.locator('[name="d.ship"]').count()).toBe(0)
      const kept = page.locator('input:checked')
      expect(await kept.evaluateAll(all => all.map(one => one.getAttribute('name')))).toEqual([
        'd.tell',
        'd.ring',
      ])
      await send(page, mine)
      await page.close()
      expect((await lane.outcome('release-9')).json).toMatchObject({
        state: 'answered',
        answer: {
          parsed_payload: {
            decisions: [
              { decision_id: 'ship', approved: false, answered_by: 'second' },
              { decision_id: 'tell', approved: true, answered_by: 'operator' },
              { decision_id: 'ring', selected: 'beta', answered_by: 'operator' },
            ],
          },
        },
      })
    })
  })
})
