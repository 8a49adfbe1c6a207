// The person's door: looking decides nothing, and every status is told as a page and as JSON.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inGroups } from '../../src/request/words.js'
import {
  type Answer,
  approval,
  type Entry,
  type LaneUnderTest,
  question,
  review,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'
import { until } from '../until.js'
import { csrfOf, FORM, HTML, visitor, wrongCode } from './visitor.js'

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())
const { asked, open, post, rejectionsOf, stateOf } = visitor(() => lane)

describe('looking decides nothing', () => {
  test('[LANE-036] GET and HEAD never decide, whatever they carry; POST decides', async () => {
    const reply = await asked('looked-at')
    const csrf = csrfOf(await open(reply))
    const query = `?reply=yes&code=${reply.code}&csrf=${encodeURIComponent(csrf)}`
    // The link is out a moment before the ledger says so.
    const isSent = ({ type }: Entry): boolean => type === 'OUTBOUND_REQUEST_SENT'
    const before = await until(
      'its sending',
      () => lane.story('looked-at'),
      story => story.some(isSent),
    )
    for (const method of ['GET', 'HEAD']) {
      const seen = await lane.call(method, `${reply.link}${query}`, { key: null })
      expect(seen.status).toBe(200)
      if (method === 'HEAD') expect(seen.text).toBe('')
    }
    const lured = await lane.call('GET', reply.link, {
      key: null,
      headers: { 'x-http-method-override': 'POST' },
    })
    expect(lured.status).toBe(200)
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const other = await lane.call(method, `${reply.link}${query}`, {
        key: null,
        raw: query.slice(1),
        headers: { 'content-type': FORM },
      })
      expect(other.status).toBe(404)
    }
    expect((await post({ ...reply, link: `${reply.link}${query}` }, '')).status).toBe(403)
    expect(await lane.story('looked-at')).toEqual(before)
    expect((await lane.answer(reply, 'yes')).status).toBe(200)
    expect(await stateOf('looked-at')).toBe('answered')
  })

  test('[LANE-028] [LANE-029] [LANE-030] the message on the console says what is asked and how to answer, with link and code; the link leads to the page', async () => {
    const reply = await asked('printed', { question_text: 'Shall this be printed?' })
    // It is written down before it is printed.
    const block = await until('the link on the console', () =>
      lane.printed.find(text => text.includes(reply.link)),
    )
    expect(block).toContain('Shall this be printed?')
    expect(block).toContain('YES')
    expect(block).toContain('HALT')
    expect(block).toContain(reply.code)
    expect(reply.link).toMatch(/\/r\/[0-9a-hjkmnp-tv-z]{26}$/)
    expect(reply.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}$/)
    const page = await open(reply)
    expect(page.text).toContain('Shall this be printed?')
    expect(page.text).toContain('Choose YES or NO')
    expect(page.text).not.toContain(reply.code)
    expect(page.text).not.toMatch(/\schecked/)
    expect((await lane.answer(reply, 'no')).json.answer).toMatchObject({ parsed_choice: 'NO' })
  })

  test.each([
    [
      'a question',
      question('shown-q', { context_handles: ['doc:plan', `sha256:${'d'.repeat(64)}`] }),
      'doc:plan',
    ],
    ['a review', review('shown-r'), 'security'],
    ['an approval', approval('shown-a'), 'PUBLISH'],
  ])('[LANE-028] the page of %s shows the typed object', async (_, request, word) => {
    const opened = await lane.submit(request)
    const page = await open(await lane.link(opened.json.request_id as string))
    expect(page.status).toBe(200)
    expect(page.text).toContain(word)
    expect(page.text).toContain(inGroups(opened.json.request_hash as string))
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('what a caller wrote is shown as text, never as markup', async () => {
    const page = await open(
      await asked('markup', {
        question_text: '<img src=x onerror=alert(1)>?',
        impact: '"><script>1</script>',
      }),
    )
    expect(page.text).not.toContain('<img')
    expect(page.text).not.toContain('<script>1')
    expect(page.text).toContain('&lt;img')
  })

  test('a handle is read in any case; a flipped character is another handle', async () => {
    const reply = await asked('any-case')
    const [base, handle = ''] = reply.link.split('/r/')
    expect((await open({ ...reply, link: `${base}/r/${handle.toUpperCase()}` })).status).toBe(200)
    for (const at of [0, 7, 25]) {
      const other = handle[at] === 'a' ? 'b' : 'a'
      const flipped = `${base}/r/${handle.slice(0, at)}${other}${handle.slice(at + 1)}`
      expect((await open({ ...reply, link: flipped })).status).toBe(404)
    }
    for (const wrong of [
      handle.slice(1),
      `${handle}a`,
      `${handle.slice(0, 25)}u`,
      `${handle}%00`,
      '%F0%9F',
    ]) {
      expect((await open({ ...reply, link: `${base}/r/${wrong}` })).status).toBe(404)
    }
  })
})

describe('status by status, as a page and as JSON', () => {
  const both = async (
    status: number,
    code: string,
    attempt: (headers: Record<string, string>) => Promise<Answer>,
  ) => {
    const json = await attempt({ accept: 'application/json' })
    expect([json.status, json.json.code]).toEqual([status, code])
    expect(json.headers.get('cache-control')).toBe('no-store')
    const page = await attempt(HTML)
    expect(page.status).toBe(status)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('cache-control')).toBe('no-store')
  }

  test('200: recorded', async () => {
    const json = await lane.answer(await asked('ok-json'), 'yes')
    expect(json.status).toBe(200)
    expect(json.json).toMatchObject({ request_id: 'ok-json', state: 'answered', default_applied: false })
    expect(json.text).not.toMatch(/run-1|operator|deliver/)
    const page = await lane.answer(await asked('ok-page'), 'yes', undefined, HTML)
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/recorded/i)
  })

  test('403: a wrong code, a missing and a foreign csrf', async () => {
    const reply = await asked('forbidden')
    await both(403, 'code_mismatch', headers => lane.answer(reply, 'yes', wrongCode(reply), headers))
    for (const csrf of ['', '&csrf=', '&csrf=AAAA', `&csrf=${csrfOf(await open(reply)).slice(1)}`]) {
      await both(403, 'csrf_mismatch', headers => post(reply, `reply=yes&code=${reply.code}${csrf}`, headers))
    }
  })

  test('403: a form sent from another site; absent is fine, and so is our own', async () => {
    const reply = await asked('foreign')
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'https://127.0.0.1' },
      { origin: `${lane.url}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: lane.url, 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]) {
      await both(403, 'foreign_origin', accept =>
        lane.answer(reply, 'yes', reply.code, { ...accept, ...headers }),
      )
    }
    expect(await rejectionsOf('foreign')).toEqual([])
    expect((await lane.answer(reply, 'yes', reply.code, { origin: lane.url })).status).toBe(200)
    for (const [n, headers] of [
      {},
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-origin', origin: lane.url },
    ].entries()) {
      const own = await lane.answer(
        await asked(`own-${n}`),
        'yes',
        undefined,
        headers as Record<string, string>,
      )
      expect(own.status).toBe(200)
    }
  })

  test('404: an unknown handle', async () => {
    const nobody = { link: `${lane.url}/r/${'0'.repeat(26)}`, code: '0000', delivery_id: '', user_id: '' }
    await both(404, 'not_found', headers => post(nobody, 'reply=yes&code=0000&csrf=x', headers))
    await both(404, 'not_found', headers => open(nobody, headers))
  })

  test('409: answered, and withdrawn', async () => {
    const answered = await asked('closed-1')
    const csrf = csrfOf(await open(answered))
    await lane.answer(answered, 'yes')
    await both(409, 'already_resolved', headers =>
      post(answered, `reply=no&code=${answered.code}&csrf=${csrf}`, headers),
    )
    const withdrawn = await asked('closed-2')
    const stamp = csrfOf(await open(withdrawn))
    await lane.call('POST', '/v1/requests/closed-2/withdraw', { body: { reason: 'no longer needed' } })
    await both(409, 'already_resolved', headers =>
      post(withdrawn, `reply=no&code=${withdrawn.code}&csrf=${stamp}`, headers),
    )
    for (const reply of [answered, withdrawn]) {
      const page = await open(reply)
      expect(page.status).toBe(200)
      expect(page.text).not.toMatch(/<form|Ship the release|YES|no longer needed/)
    }
  })

  test('410: the default holds, and a late replier is told which and since when', async () => {
    const reply = await asked('late', { deadline_seconds: 2 })
    const csrf = csrfOf(await open(reply))
    await lane.outcome('late')
    const body = `reply=yes&code=${reply.code}&csrf=${csrf}`
    await both(410, 'deadline_passed', headers => post(reply, body, headers))
    const answer = await post(reply, body)
    const { resolved_at } = (await lane.call('GET', '/v1/requests/late')).json
    expect(answer.json.detail).toContain('HALT')
    expect(answer.json.detail).toContain(resolved_at)
    const page = await open(reply)
    expect(page.status).toBe(200)
    expect(page.text).not.toMatch(/<form|Ship the release/)
    expect(page.text).toContain('HALT')
  })

  test('422: not understood; the page says what was read and lets it be corrected', async () => {
    const reply = await asked('unread')
    await both(422, 'reply_not_in_schema', headers => lane.answer(reply, 'yes but', reply.code, headers))
    const page = await lane.answer(reply, 'yes <b>but', reply.code, HTML)
    expect(page.text).toContain('<form')
    expect(page.text).toContain('&lt;b&gt;')
    expect(page.text).not.toMatch(/\schecked/)
  })

  test('429: too many tries', async () => {
    const reply = await asked('weary')
    for (let n = 0; n < 6; n++) await lane.answer(reply, 'perhaps')
    await both(429, 'rate_limited', headers => lane.answer(reply, 'yes', reply.code, headers))
    await both(429, 'rate_limited', headers => open(reply, headers))
  })

  test.each<[string, string, string, number, string]>([
    ['a field nobody knows', 'reply=yes&admin=1', FORM, 400, 'malformed_form'],
    ['two codes', 'reply=yes&code=1111&code=2222', FORM, 400, 'malformed_form'],
    ['a broken escape', 'reply=%E0%A4%A', FORM, 400, 'malformed_form'],
    [
      'more replies than any form has fields',
      'reply=a&'.repeat(1501).slice(0, -1),
      FORM,
      400,
      'malformed_form',
    ],
    ['broken JSON', '{"reply":', 'application/json', 400, 'malformed_form'],
    ['JSON with a key twice', '{"reply":"yes","reply":"no"}', 'application/json', 400, 'malformed_form'],
    ['JSON that is no form', '{"reply":["yes"]}', 'application/json', 400, 'malformed_form'],
    ['__proto__', '{"__proto__":"x"}', 'application/json', 400, 'malformed_form'],
    ['another media type', 'yes', 'text/plain', 415, 'unsupported_media_type'],
    ['a multipart form', '--x', 'multipart/form-data; boundary=x', 415, 'unsupported_media_type'],
  ])('a form with %s answers nothing and is not recorded', async (name, body, type, status, code) => {
    const id = `form-${name.replaceAll(/\W/g, '')}`
    const reply = await asked(id)
    await both(status, code, headers => post(reply, body, { 'content-type': type, ...headers }))
    expect(await rejectionsOf(id)).toEqual([])
  })

  test('the form may be sent as JSON too', async () => {
    const reply = await asked('json-form')
    const csrf = csrfOf(await open(reply))
    const body = JSON.stringify({ reply: 'yes', code: reply.code, csrf })
    expect((await post(reply, body, { 'content-type': 'application/json' })).status).toBe(200)
  })
})
