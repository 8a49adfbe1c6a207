// The page on which an artifact's decisions are made, in a real browser: the proposal's eight hints, and its workflow from
// the artifact to the tasks that go on.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LaneUnderTest, type Reply, startLane } from '../lane-under-test.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { agent, artifactOf, BLOCKING, CONFIG, DECISIONS, type Json, type Signed } from './scene.js'

const options = ['red', 'green'].map(value => ({
  value,
  label: `The ${value} one`,
  description: `About ${value}`,
}))
const EVERY_TYPE: readonly Json[] = [
  { id: 'a', type: 'approval', prompt: 'Go?', required: true },
  { id: 'c', type: 'choice', prompt: 'Which?', required: true, options },
  { id: 'm', type: 'multi_choice', prompt: 'Which ones?', required: false, options },
  { id: 't', type: 'text', prompt: 'Say it', required: false },
  { id: 'n', type: 'number', prompt: 'How many?', required: false, constraints: { min: 1, max: 9 } },
  { id: 'd', type: 'date', prompt: 'When?', required: false },
]

describe.skipIf(maySkip)(`an artifact in a browser${missing === null ? '' : `, ${missing}`}`, () => {
  let browser: Browser
  let lane: LaneUnderTest
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    lane = await startLane({ config: CONFIG })
  })
  afterEach(() => lane.close())
  const { opened, status, responses } = agent(() => lane)

  const visit = async (id: string, user = 'gracie'): Promise<{ page: Page; reply: Reply }> => {
    const reply = await lane.link(id, user)
    const page = await browser.newPage({ viewport: { width: 360, height: 800 } })
    await page.goto(reply.link)
    return { page, reply }
  }
  const send = async (page: Page, { code }: Reply): Promise<void> => {
    await page.getByLabel('Code').fill(code)
    await page.getByRole('button', { name: 'Send answer' }).click()
  }

  test('[AAH-146, AAH-147, AAH-148, AAH-149, AAH-150, AAH-151, AAH-154] every decision has a control of its own kind', async () => {
    await opened(artifactOf('kinds', { data: { decisions: EVERY_TYPE, escalation: {} } }))
    const { page, reply } = await visit('kinds')
    const types = async (id: string): Promise<(string | null)[]> =>
      page.locator(`[name="d.${id}"]`).evaluateAll(all => all.map(one => one.getAttribute('type')))
    expect(await types('a')).toEqual(['radio', 'radio'])
    expect(await types('c')).toEqual(['radio', 'radio'])
    expect(await types('m')).toEqual(['checkbox', 'checkbox'])
    expect([await types('t'), await types('n')]).toEqual([['text'], ['text']])
    expect(await page.locator('[name="d.n"]').getAttribute('inputmode')).toBe('decimal')
    // A picker of days, and beside it a field for an instant.
    expect(await types('d')).toEqual(['date', 'text'])
    expect(await page.locator('input:checked').count()).toBe(0)
    await page.locator('[name="d.a"][value="YES"]').check()
    await page.locator('[name="d.c"][value="green"]').check()
    for (const value of ['red', 'green']) await page.locator(`[name="d.m"][value="${value}"]`).check()
    await page.locator('[name="d.t"]').fill('Hello there')
    await page.locator('[name="d.n"]').fill('7')
    await page.locator('[name="d.d"]').first().fill('2026-12-24')
    await send(page, reply)
    expect(await page.textContent('main')).toContain('was recorded')
    await page.close()
    const [response] = (await responses('kinds')) as [Signed]
    expect(response.content.body.data.responses.map(({ decided_at: _, ...one }) => one)).toEqual([
      { decision_id: 'a', approved: true },
      { decision_id: 'c', selected: 'green' },
      { decision_id: 'm', selected: ['red', 'green'] },
      { decision_id: 't', value: 'Hello there' },
      { decision_id: 'n', value: 7 },
      { decision_id: 'd', value: '2026-12-24' },
    ])
  })

  test('[AAH-155, AAH-156, AAH-157, AAH-160, AAH-161] shows context, descriptions, what is required, defaults, what waits, and until when', async () => {
    await opened(artifactOf('shown'))
    const { page } = await visit('shown')
    const text = (await page.textContent('main')) ?? ''
    expect(text).toContain('Review the proposed marketing strategy before launch.')
    for (const { prompt, description } of DECISIONS) {
      expect(text).toContain(prompt)
      if (description !== undefined) expect(text).toContain(description)
    }
    const hint = (id: string): Promise<string | null> => page.textContent(`#hint-${id}`)
    expect(await hint('d1')).toContain('Required')
    expect(await hint('d1')).not.toContain('default')
    expect(await hint('d3')).toContain('Required · the caller’s default is next_week')
    expect(await hint('d4')).toContain('Optional · the caller’s default is YES')
    for (const { task_id, description } of BLOCKING) expect(text).toContain(`${description} ${task_id}`)
    const { deadline_at } = (await lane.call('GET', '/v1/requests/shown')).json
    expect(await page.getAttribute('#deadline', 'datetime')).toBe(deadline_at)
    expect(text).toMatch(/While nobody answers:.*manager/s)
    await page.close()
  })

  test('[AAH-158, AAH-159] all approvals are chosen at once and nothing else; each decision keeps its own comment', async () => {
    await opened(artifactOf('batch'))
    const { page, reply } = await visit('batch')
    const chosen = (): Promise<(string | null)[]> =>
      page
        .locator('input:checked')
        .evaluateAll(all => all.map(one => `${one.getAttribute('name')} ${one.getAttribute('value')}`))
    await page.getByRole('button', { name: 'Choose NO for every approval' }).click()
    await page.waitForLoadState()
    expect(await chosen()).toEqual(['d.d1 NO', 'd.d2 NO', 'd.d4 NO'])
    await page.getByRole('button', { name: 'Choose YES for every approval' }).click()
    await page.waitForLoadState()
    expect(await chosen()).toEqual(['d.d1 YES', 'd.d2 YES', 'd.d4 YES'])
    expect(await responses('batch')).toEqual([])
    await page.locator('[name="d.d3"][value="next_week"]').check()
    await page.locator('[name="c.d1"]').fill('Good segmentation')
    await page.locator('[name="c.d3"]').fill('Align with newsletter schedule')
    await send(page, reply)
    await page.close()
    const [response] = (await responses('batch')) as [Signed]
    expect(response.content.body.data.responses.map(one => [one.decision_id, one.comment])).toEqual([
      ['d1', 'Good segmentation'],
      ['d2', undefined],
      ['d3', 'Align with newsletter schedule'],
      ['d4', undefined],
    ])
    // The words are beside the ledger, where they can be forgotten.
    expect(JSON.stringify(await lane.ledger())).not.toContain('Good segmentation')
  })

  test('[AAH-162] no word of an agent becomes markup on the page', async () => {
    const bad = '<img src=x onerror="document.title=1">&amp; *b* <!here>'
    await opened(
      artifactOf('hostile', {
        artifact: { title: bad, summary: bad },
        data: {
          context: bad,
          decisions: [
            {
              id: 'd1',
              type: 'choice',
              prompt: bad,
              description: bad,
              required: true,
              options: [
                { value: 'a1', label: '<b>bold</b>', description: bad },
                { value: 'b1', label: 'plain' },
              ],
            },
          ],
          blocking: [{ description: bad }],
          escalation: {},
        },
      }),
    )
    const { page } = await visit('hostile')
    expect(await page.locator('main img, main b').count()).toBe(0)
    expect((await page.textContent('main'))?.split(bad).length).toBeGreaterThanOrEqual(6)
    expect(await page.title()).not.toBe('1')
    await page.close()
  })

  test('[AAH-195] the workflow: asked, told, reviewed, answered in two parts, received, and released', async () => {
    const given = artifactOf('flow')
    expect((await opened(given)).json).toMatchObject({ state: 'pending' })
    expect(await status('flow')).toBe('pending')
    expect(given.handoff).toMatchObject({ target_role: 'human', expects_response: true })
    const first = await visit('flow')
    await first.page.locator('[name="d.d1"][value="YES"]').check()
    await first.page.locator('[name="d.d2"][value="YES"]').check()
    await first.page.locator('[name="c.d1"]').fill('Good segmentation')
    await send(first.page, first.reply)
    expect(await first.page.textContent('main')).toContain('Still to be answered: d3.')
    await first.page.close()
    expect(await status('flow')).toBe('partial')
    const second = await visit('flow')
    await second.page.locator('[name="d.d3"][value="next_week"]').check()
    await second.page.locator('[name="d.d4"][value="NO"]').check()
    await second.page.locator('[name="c.d4"]').fill('Require CC to reduce spam signups')
    await send(second.page, second.reply)
    await second.page.close()
    expect(await status('flow')).toBe('resolved')
    const all = await responses('flow')
    const last = all.at(-1) as Signed
    expect(all).toHaveLength(2)
    expect(last.handoff).toEqual({
      parent_artifact_ids: ['flow', all[0]?.artifact.id],
      target_agent: 'product-manager',
    })
    const { overall_status, responses: answers } = last.content.body.data
    const forward = answers.filter(({ approved }) => approved === true).map(one => one.decision_id)
    expect([overall_status, forward]).toEqual(['partial', ['d1', 'd2']])
    expect(answers).toMatchObject([
      { approved: true, comment: 'Good segmentation' },
      { approved: true },
      { selected: 'next_week' },
      { approved: false, comment: 'Require CC to reduce spam signups' },
    ])
    expect(last.extensions.interrupt_lane.released).toEqual(BLOCKING)
    expect((await lane.call('POST', '/v1/aah/artifacts', { body: last })).status).toBe(204)
  })
})
