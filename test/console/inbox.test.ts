// The inbox and the request page over HTTP, by whoever has a session and by whoever only pretends to.
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { approval, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'
import { asPerson, signedIn } from '../session/signed-in.js'
import { until } from '../until.js'

let lane: LaneUnderTest
let mine: string
let others: string
let operators: string
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  mine = (await asPerson(lane)).cookie
  others = (await asPerson(lane, 'second')).cookie
  const { json } = await lane.call('GET', '/v1/keys/self', { key: lane.operatorKey })
  operators = (await signedIn(lane, { kind: 'operator', key_id: String(json.key_id) })).cookie
})
afterAll(() => lane.close())

const get = (path: string, cookie: string | null, headers: Record<string, string> = {}) =>
  lane.call('GET', path, { key: null, headers: { ...(cookie && { cookie }), ...headers } })

const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html.slice(html.indexOf('id="answer"')))?.[1] ?? ''

type Sent = { cookie?: string; origin?: string | null; csrf?: string; display?: string; reply?: string }
async function answer(
  id: string,
  { cookie = mine, origin = lane.url, csrf, display, reply = 'YES' }: Sent = {},
) {
  const { text } = await get(`/console/requests/${id}`, cookie)
  const fields = {
    reply,
    csrf: csrf ?? hidden(text, 'csrf'),
    display: display ?? hidden(text, 'display'),
  }
  return lane.call('POST', `/console/requests/${id}`, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      ...(origin !== null && { origin }),
    },
  })
}
const stateOf = async (id: string) => (await lane.call('GET', `/v1/requests/${id}`)).json.state
const typesOf = async (id: string) => (await lane.story(id)).map(({ type }) => type)

describe('the inbox', () => {
  test('[AAH-187] the dashboard of what waits for a person is their inbox: the soonest first, answered in place, then in the history', async () => {
    await lane.submit(question('late', { question_text: 'The later one?', deadline_seconds: 3000 }))
    await lane.submit(question('soon', { question_text: 'The sooner one?', deadline_seconds: 300 }))
    const { status, text } = await get('/console/inbox', mine)
    expect(status).toBe(200)
    expect(text.indexOf('The sooner one?')).toBeGreaterThan(0)
    expect(text.indexOf('The sooner one?')).toBeLessThan(text.indexOf('The later one?'))
    const sent = await answer('soon')
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/console/inbox?done=soon'])
    const done = await get('/console/inbox?done=soon', mine)
    expect(done.text).toContain('Recorded: <strong>YES</strong>')
    expect(done.text).not.toContain('The sooner one?')
    const past = await get('/console/inbox?view=past', mine)
    expect(past.text).toContain('The sooner one?')
    expect(past.text).toContain('You answered <strong>YES</strong>')
    const story = await lane.story('soon')
    expect(story.find(({ type }) => type === 'HUMAN_REPLY_EVENT')?.body).toMatchObject({
      channel: 'web',
      sender_identity: { user_id: 'operator', proof: 'web_session' },
    })
  })

  test('shows only requests of the kind that is asked for', async () => {
    await lane.submit(approval('pub'))
    const { text } = await get('/console/inbox?type=REQUEST_APPROVAL', mine)
    expect(text).toContain('Approve PUBLISH')
    expect(text).not.toContain('The later one?')
  })

  test('whoever has not signed in is led to where they do, and back', async () => {
    const asked = await get('/console/inbox?at=late', null)
    expect([asked.status, asked.headers.get('location')]).toEqual([
      303,
      '/console/sign-in?to=%2Fconsole%2Finbox%3Fat%3Dlate',
    ])
    expect((await get('/console/inbox/live', null)).status).toBe(401)
  })

  test('no page of one person shows anything of another’s', async () => {
    await lane.submit(question('secret', { question_text: 'Only for the other?' }), {
      recipients: ['second'],
    })
    for (const path of [
      '/console/inbox',
      '/console/inbox?at=secret',
      '/console/inbox?view=past',
      '/console/inbox?done=secret',
      '/console/requests/secret',
    ]) {
      const { text } = await get(path, mine)
      expect([path, text.includes('Only for the other?')]).toEqual([path, false])
    }
    expect((await get('/console/requests/secret', mine)).status).toBe(404)
    expect((await get('/console/requests/secret', others)).text).toContain('Only for the other?')
    expect((await get('/console/inbox', others)).text).not.toContain('The later one?')
  })

  test('a link, a handle or a code stands on no page', async () => {
    const { link, code } = await lane.link('late')
    const handle = link.split('/').at(-1) ?? ''
    for (const path of ['/console/inbox?at=late', '/console/requests/late']) {
      const { text } = await get(path, mine)
      expect([text.includes(handle), new RegExp(`\\b${code}\\b`).test(text)]).toEqual([false, false])
    }
  })
})

describe('the request page', () => {
  test('a HEAD, or a browser that fetches ahead, opens nothing; opening decides nothing', async () => {
    await lane.submit(question('ahead', { question_text: 'Seen too early?' }))
    await until('the copy has arrived', async () =>
      (await typesOf('ahead')).includes('OUTBOUND_REQUEST_SENT'),
    )
    const before = await typesOf('ahead')
    await lane.call('HEAD', '/console/requests/ahead', { key: null, headers: { cookie: mine } })
    for (const path of ['/console/requests/ahead', '/console/inbox?at=ahead']) {
      const { text } = await get(path, mine, { 'sec-purpose': 'prefetch' })
      expect([text.includes('Not opened yet'), text.includes('name="display"')]).toEqual([true, false])
    }
    expect(await typesOf('ahead')).toEqual(before)
    expect((await get('/console/requests/ahead', mine)).text).toContain('name="display"')
    expect(await stateOf('ahead')).toBe('pending')
  })

  test('a cross-site form: without an origin of ours or the stamp of this session nothing is taken', async () => {
    await lane.submit(question('site'))
    await lane.link('site')
    const theirs = hidden((await get('/console/requests/secret', others)).text, 'csrf')
    expect([
      (await answer('site', { origin: 'https://evil.example' })).status,
      (await answer('site', { origin: null })).status,
      (await answer('site', { csrf: '' })).status,
      (await answer('site', { csrf: theirs })).status,
    ]).toEqual([403, 403, 403, 403])
    expect(await stateOf('site')).toBe('pending')
  })

  test('a display that changed meanwhile: an answer to another one is 409, and the page shows the one that holds', async () => {
    await lane.submit(question('moved'))
    await lane.link('moved')
    const other = await answer('moved', { display: `sha256:${'0'.repeat(64)}` })
    expect(other.status).toBe(409)
    expect(other.text).toContain('has changed since you opened it')
    expect(hidden(other.text, 'display')).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await stateOf('moved')).toBe('pending')
    expect((await answer('moved', { display: '' })).status).toBe(409)
  })

  test('an operator’s session that answers: it has no inbox, sees no request page, and its POST is taken by nobody', async () => {
    await lane.submit(question('theirs'))
    await lane.link('theirs')
    const { text } = await get('/console/requests/theirs', mine)
    const tried = await lane.call('POST', '/console/requests/theirs', {
      key: null,
      raw: new URLSearchParams({
        reply: 'YES',
        csrf: hidden(text, 'csrf'),
        display: hidden(text, 'display'),
      }).toString(),
      headers: {
        cookie: operators,
        origin: lane.url,
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    expect([
      tried.status,
      (await get('/console/inbox', operators)).status,
      (await get('/console/requests/theirs', operators)).status,
      (await get('/console/inbox/live', operators)).status,
    ]).toEqual([404, 404, 404, 401])
    expect(await stateOf('theirs')).toBe('pending')
  })

  test('an answer that is none is explained, keeps the form, and records no answer', async () => {
    await lane.submit(question('words'))
    await lane.link('words')
    const refused = await answer('words', { reply: 'perhaps' })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('Your answer was not taken')
    expect(await stateOf('words')).toBe('pending')
  })

  test('on this machine an approval needs the code of its link too', async () => {
    await lane.link('pub')
    const { text } = await get('/console/requests/pub', mine)
    expect(text).toContain('name="code"')
    expect((await answer('pub')).status).toBe(403)
    expect(await stateOf('pub')).toBe('pending')
  })
})

test('operations: every view shows no link, handle or code, and a person’s session sees none of it', async () => {
  const { link, code } = await lane.link('late')
  const handle = link.split('/').at(-1) ?? ''
  const views = [
    '',
    ...['runs', 'deliveries', 'people', 'keys', 'channels', 'ledger'].map(one => `?view=${one}`),
  ]
  for (const query of [...views, '?request=late']) {
    const { status, text } = await get(`/console/operations${query}`, operators)
    expect([
      query,
      status,
      text.includes(handle),
      new RegExp(`\\b${code}\\b`).test(text),
      text.includes('<form class="sheet'),
    ]).toEqual([query, 200, false, false, false])
    expect((await get(`/console/operations${query}`, mine)).status).toBe(404)
    expect((await get(`/console/operations${query}`, null)).status).toBe(303)
  }
  const { text } = await get('/console/operations', operators)
  expect(text).toContain('The later one?')
  expect(text).toMatch(/aria-label="\d+ answered, \d+ defaulted, \d+ undelivered/)
  expect((await get('/console/operations?request=late', operators)).text).toContain('asked Operator')
})

test('the stream tells a person of their own requests alone, and ends with the session', async () => {
  const { size } = (await lane.call('GET', '/v1/ledger/head', { key: lane.operatorKey })).json as {
    size?: number
  }
  const asking = request(`${lane.url}/console/inbox/live?from=${size ?? 0}`, {
    agent: false,
    headers: { cookie: mine },
  })
  let heard = ''
  const enough = new Promise<void>((resolve, reject) => {
    asking.once('error', reject).once('response', response => {
      response.setEncoding('utf8').on('data', chunk => {
        heard += chunk
        if (heard.includes('"hear-mine"')) resolve()
      })
    })
  })
  asking.end()
  await lane.submit(question('hear-other'), { recipients: ['second'] })
  await lane.submit(question('hear-mine'))
  await enough
  asking.destroy()
  expect(heard).toContain('event: new\ndata: {"request_id":"hear-mine"}')
  expect(heard).not.toContain('hear-other')
})
