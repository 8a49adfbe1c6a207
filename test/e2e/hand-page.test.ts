// A request is handed on from the page, with a script and without: with the code, the stamp and every other check of an
// answer, and with nothing shown afterwards to whom it is no longer put.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, type Reply, startLane } from '../lane-under-test.js'
import { launch, maySkip, missing } from '../web/browser.js'
import { csrfOf, HTML, visitor, wrongCode } from './visitor.js'

const CONFIG = `recipients:
  ann: { name: Ann, web: true, time_zone: Europe/Berlin, delegates: [bo, cy, di] }
  bo: { name: Bo, web: true, delegates: [ann, cy] }
  cy: { name: Cy, web: true }
  di: { name: Di, web: true }
  eve: { name: Eve, web: true }
actions: { PUBLISH: { approvers: [ann, bo], proofs: [console] } }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0 }
`
let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())

const { open, post, rejectionsOf } = visitor(() => lane)
const asked = async (
  id: string,
  more: Record<string, unknown> = {},
  recipients = ['ann'],
): Promise<Reply> => {
  expect((await lane.submit(question(id, more), { recipients })).status).toBe(201)
  return lane.link(id, 'ann')
}
const handingsOf = async (id: string) =>
  (await lane.story(id)).filter(({ type }) => type === 'REQUEST_DELEGATED').map(({ body }) => body)
const hand = async (reply: Reply, delegate: string, more: Record<string, string> = {}) => {
  const csrf = csrfOf(await open(reply))
  return post(reply, new URLSearchParams({ delegate, code: reply.code, csrf, ...more }).toString())
}
const optionsOn = (page: string): string[] =>
  [...page.matchAll(/<option value="([^"]+)">/g)].map(([, id = '']) => id)

describe('the page', () => {
  test('offers those who could be asked now: not who is asked already, away, or may not approve', async () => {
    const reply = await asked('offer-1', {}, ['ann', 'cy'])
    expect(optionsOn((await open(reply, HTML)).text)).toEqual(['bo', 'di'])
    const away = { key: lane.operatorKey, body: { until: '2999-01-01T00:00:00Z' } }
    await lane.call('POST', '/v1/recipients/di/away', away)
    expect(optionsOn((await open(reply, HTML)).text)).toEqual(['bo'])
    const back = { key: lane.operatorKey, body: { until: '2020-01-01T00:00:00Z' } }
    await lane.call('POST', '/v1/recipients/di/away', back)
    expect((await lane.submit(approval('offer-2'), { recipients: ['ann'] })).status).toBe(201)
    expect(optionsOn((await open(await lane.link('offer-2', 'ann'), HTML)).text)).toEqual(['bo'])
  })

  test('hands on a text by the control, where the word would be an answer', async () => {
    const schema = { reply_schema: { kind: 'text', max_chars: 80 } }
    const answered = await lane.answer(await asked('text-1', schema), 'DELEGATE bo')
    expect(answered.json).toMatchObject({ state: 'answered' })
    expect(await handingsOf('text-1')).toEqual([])
    expect((await hand(await asked('text-2', schema), 'bo')).status).toBe(200)
    expect(await handingsOf('text-2')).toMatchObject([
      { from: 'ann', to: 'bo', by: 'person', proof: 'console' },
    ])
  })

  test('shows nothing of it afterwards to whoever handed it on, and takes no answer', async () => {
    const reply = await asked('after-1')
    const csrf = csrfOf(await open(reply))
    expect((await hand(reply, 'bo')).status).toBe(200)
    const page = await open(reply, HTML)
    expect(page.status).toBe(409)
    expect(page.text).toContain('handed to somebody else')
    expect(page.text).not.toContain('Ship')
    const late = await post(reply, new URLSearchParams({ reply: 'YES', code: reply.code, csrf }).toString())
    expect([late.status, late.json.code]).toEqual([409, 'delegated_away'])
    const theirs = await open(await lane.link('after-1', 'bo'), HTML)
    expect(theirs.text).toContain('It was handed to you by Ann')
    const answer = await lane.answer(await lane.link('after-1', 'bo'), 'YES')
    expect(answer.json).toMatchObject({ state: 'answered' })
    const { json } = await lane.call('GET', '/v1/requests/after-1')
    expect(json).toMatchObject({
      answer: { answered_by: 'bo' },
      delegations: [{ from: 'ann', to: 'bo', by: 'person' }],
    })
  })

  test.each([
    ['a wrong code', (reply: Reply) => ({ code: wrongCode(reply) }), 403, 'code_mismatch'],
    ['another page’s stamp', () => ({ csrf: 'x'.repeat(40) }), 403, 'csrf_mismatch'],
    ['an answer beside it', () => ({ reply: 'YES' }), 400, 'malformed_form'],
  ])('hands nothing on with %s', async (name, more, status, code) => {
    const id = `strict-${name.length}`
    const reply = await asked(id)
    const refused = await hand(reply, 'bo', more(reply))
    expect([refused.status, refused.json.code]).toEqual([status, code])
    expect(await handingsOf(id)).toEqual([])
  })

  test('hands nothing on to somebody who is none of their delegates, and says who is', async () => {
    const refused = await hand(await asked('none-1'), 'eve')
    expect([refused.status, refused.json.code]).toEqual([422, 'reply_not_in_schema'])
    expect(refused.json.detail).toContain(
      'That is none of your delegates. You could say DELEGATE bo or cy or di.',
    )
    expect(await rejectionsOf('none-1')).toHaveLength(1)
  })
})

describe.skipIf(maySkip)(`in a browser${missing === null ? '' : ` (${missing})`}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch([])
  })
  afterAll(() => browser?.close())

  test.each([
    ['with a script', true],
    ['without one', false],
  ])('%s a person hands it on, and reads that they did', async (name, javaScriptEnabled) => {
    const id = `seen-${name.length}`
    const reply = await asked(id)
    const tab = await browser.newPage({ javaScriptEnabled, viewport: { width: 360, height: 740 } })
    await tab.goto(reply.link)
    await tab.getByText('Hand it to somebody else').click()
    const form = tab.locator('#hand')
    await form.getByLabel('Who answers in your place').selectOption('cy')
    await form.getByLabel('Code').fill(wrongCode(reply))
    await form.getByRole('button', { name: 'Hand it on' }).click()
    await tab.getByText('The code is not the one that came with this link.').waitFor()
    expect(await form.getByLabel('Who answers in your place').inputValue()).toBe('')
    await form.getByLabel('Who answers in your place').selectOption('cy')
    await form.getByLabel('Code').fill(reply.code.toLowerCase())
    await form.getByRole('button', { name: 'Hand it on' }).click()
    await tab.getByText('handed to cy').waitFor()
    expect(await handingsOf(id)).toMatchObject([{ from: 'ann', to: 'cy' }])
    await tab.close()
  })
})
