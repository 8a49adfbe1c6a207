// Contents that come with a request: checked, recorded in one append, shown, read by those who may, and erased.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/ledger/verify.js'
import { approval, CONFIG, type LaneUnderTest, startLane } from '../lane-under-test.js'

let lane: LaneUnderTest
beforeAll(async () => {
  const actions = 'actions:\n  REFUND: { approvers: [operator], proofs: [console], content: required }\n'
  lane = await startLane({
    config: CONFIG.replace(
      'actions:\n',
      `${actions}  MAIL: { approvers: [operator], proofs: [console], content: whole }\n`,
    ),
  })
})
afterAll(() => lane.close())

const handleOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
const to = { recipients: ['operator'] }
const ask = (id: string, texts: Readonly<Record<string, string>>, more = {}, envelope = {}) => {
  const parameters = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, handleOf(text)]))
  const contents = Object.fromEntries(Object.values(texts).map(text => [handleOf(text), text]))
  return lane.submit(approval(id, { parameters, ...more }), { ...to, contents, ...envelope })
}
const page = async (id: string): Promise<string> =>
  (await lane.call('GET', (await lane.link(id)).link, { key: null })).text

describe('a refund with its amount and its reason', () => {
  test('is asked for by one call, and shown on the page', async () => {
    const texts = { amount: '50.00 EUR', customer: '{"id":7,"name":"Ada"}' }
    const opened = await ask('c-1', texts, { action: 'REFUND', why: 'The customer was charged twice' })
    expect(opened.status).toBe(201)
    const shown = await page('c-1')
    for (const part of [
      '│ 50.00 EUR',
      '│   &quot;name&quot;: &quot;Ada&quot;',
      'The customer was charged twice',
    ])
      expect(shown).toContain(part)
    const story = await lane.story('c-1')
    const rows = Object.values(texts).map(text => ({ handle: handleOf(text), chars: text.length }))
    expect(story[0]?.body.contents).toMatchObject(rows)
    expect(story[1]).toMatchObject({
      type: 'DELIVERY_STARTED',
      body: { contents: rows.map(row => ({ ...row, whole: true })) },
    })
    expect((await lane.answer(await lane.link('c-1'), 'yes')).status).toBe(200)
  })

  test('is refused without its contents, naming each', async () => {
    const parameters = { amount: handleOf('50.00 EUR, never sent') }
    const refused = await lane.submit(approval('c-2', { action: 'REFUND', parameters }), to)
    expect([refused.status, refused.json.code]).toEqual([422, 'content_missing'])
    expect(refused.json.errors).toMatchObject([{ field: '/request/parameters/amount' }])
  })

  test('is refused with a content that is not what its handle says, or that it does not name', async () => {
    const parameters = { amount: handleOf('50.00 EUR') }
    for (const contents of [{ [handleOf('50.00 EUR')]: '5000.00 EUR' }, { [handleOf('other')]: 'other' }]) {
      const refused = await lane.submit(approval('c-3', { action: 'REFUND', parameters }), {
        ...to,
        contents,
      })
      expect([refused.status, refused.json.code]).toEqual([422, 'invalid_request'])
      expect(refused.json.errors).toMatchObject([
        { field: `/contents/${Object.keys(contents)[0]?.slice(0, 40)}…` },
      ])
    }
  })

  test('is refused beyond 64 KiB in one content, and a body beyond 400 KiB is not read', async () => {
    const large = await ask('c-4', { amount: 'x'.repeat(64 * 1024 + 1) })
    expect([large.status, large.json.code]).toEqual([422, 'invalid_request'])
    const huge = await ask('c-5', { amount: 'x'.repeat(410 * 1024) })
    expect([huge.status, huge.json.code]).toEqual([413, 'too_large'])
  })
})

describe('many contents', () => {
  const many = (count: number, chars: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${at}`, `${at} `.padEnd(chars, 'x')] as const),
    )

  test('are taken up to 256 KiB together, and not beyond', async () => {
    expect((await ask('m-1', many(4, 64 * 1024))).status).toBe(201)
    const beyond = await ask('m-2', { ...many(4, 64 * 1024), more: 'one more' })
    expect([beyond.status, beyond.json.code]).toEqual([422, 'invalid_request'])
    expect(beyond.json.errors).toMatchObject([{ field: '/contents' }])
  })

  test('are taken up to twenty', async () => {
    expect((await ask('m-3', many(20, 10))).status).toBe(201)
    const beyond = await ask('m-4', many(21, 10))
    expect([beyond.status, beyond.json.code]).toEqual([422, 'invalid_request'])
  })
})

describe('a mail of which all must be read', () => {
  test('is not asked for as bytes that are no text', async () => {
    const raw = Buffer.from([0, 1, 2])
    const { handle } = (
      await lane.call('PUT', '/v1/blobs', { raw, headers: { 'content-type': 'text/plain' } })
    ).json
    const refused = await lane.submit(approval('c-6', { action: 'MAIL', parameters: { mail: handle } }), to)
    expect([refused.status, refused.json.code]).toEqual([422, 'content_missing'])
  })
})

describe('erasing', () => {
  test('is refused while an open request names the content, and then leaves the ledger as it was', async () => {
    const texts = { amount: 'to be forgotten' }
    await ask('c-7', texts)
    await ask('c-8', texts)
    await lane.answer(await lane.link('c-7'), 'yes')
    const erase = (id: string) => lane.call('POST', `/v1/requests/${id}/erase`, { key: lane.operatorKey })
    const early = await erase('c-7')
    expect([early.status, early.json.code]).toEqual([409, 'content_in_use'])
    await lane.answer(await lane.link('c-8'), 'yes')
    expect((await erase('c-7')).json).toMatchObject({ contents: [handleOf('to be forgotten')] })
    const gone = await lane.call('GET', `/v1/blobs/${handleOf('to be forgotten')}`, { key: lane.operatorKey })
    expect(gone.status).toBe(404)
    expect((await erase('c-8')).json).toMatchObject({ contents: [] })
    const { text } = await lane.call('GET', '/v1/ledger', { key: lane.operatorKey })
    expect(text).not.toContain('to be forgotten')
    expect((await verify(text.trim().split('\n'))).problems).toEqual([])
  })
  test('leaves the copy of another key, which has sent the same', async () => {
    const text = 'sent by two'
    const other = await lane.key('request')
    const headers = { 'content-type': 'text/plain' }
    expect((await lane.call('PUT', '/v1/blobs', { raw: text, key: other, headers })).status).toBe(201)
    await ask('c-9', { amount: text })
    await lane.answer(await lane.link('c-9'), 'yes')
    const erased = await lane.call('POST', '/v1/requests/c-9/erase', { key: lane.operatorKey })
    expect(erased.json).toMatchObject({ contents: [handleOf(text)] })
    const story = await lane.story('c-9')
    expect(story.filter(({ type }) => type === 'CONTENT_ERASED')).toMatchObject([
      { body: { handle: handleOf(text) } },
    ])
    expect((await lane.call('GET', `/v1/blobs/${handleOf(text)}`)).status).toBe(404)
    expect((await lane.call('GET', `/v1/blobs/${handleOf(text)}`, { key: other })).text).toBe(text)
  })
})
