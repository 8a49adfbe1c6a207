// Signing in at the console: by an operator's key, and by the link of a first start. Each attack is tried over HTTP on a
// whole lane.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { asPerson } from '../session/signed-in.js'

const SHIPPED = `
recipients: { operator: { name: Operator, web: true } }
actions: { PUBLISH: { approvers: [operator] } }
`

let lane: LaneUnderTest
const FORM = 'application/x-www-form-urlencoded'
/** As a browser sends a form of ours, unless told otherwise. */
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  lane.call('POST', path, {
    key: null,
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': FORM, origin: lane.url, 'sec-fetch-site': 'same-origin', ...headers },
  })
const cookieOf = ({ headers }: { headers: Headers }): string =>
  /^lane-session=[^;]*/.exec(headers.get('set-cookie') ?? '')?.[0] ?? ''
const led = async (cookie: string) =>
  (await lane.call('GET', '/console', { key: null, headers: { cookie } })).headers.get('location')
const signIn = async (key: string) => cookieOf(await post('/console/sign-in', { key }))

describe('an operator', () => {
  beforeAll(async () => {
    lane = await startLane()
  })
  afterAll(() => lane.close())

  test('signs in with a key of scope operate, for an hour, and is led to operations', async () => {
    const signed = await post('/console/sign-in', { key: lane.operatorKey })
    expect([signed.status, signed.headers.get('location')]).toEqual([303, '/console/operations'])
    expect(signed.headers.get('set-cookie')).toMatch(
      /^lane-session=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(signed.text + JSON.stringify([...signed.headers])).not.toContain(lane.operatorKey)
    expect(await led(cookieOf(signed))).toBe('/console/operations')
    expect(await led('')).toBe('/console/sign-in')
  })

  test('with a key that is wrong, or that may not operate, is not signed in', async () => {
    const wrong = await post('/console/sign-in', { key: 'lane_00000000000000000000' })
    const agent = await post('/console/sign-in', { key: lane.agentKey })
    expect([wrong.status, agent.status]).toEqual([401, 403])
    for (const { headers, text } of [wrong, agent]) {
      expect(headers.get('set-cookie')).toBeNull()
      expect(text).not.toContain('lane_0000')
      expect(text).not.toContain(lane.agentKey)
    }
  })

  test('whose key is revoked is signed out at once', async () => {
    const key = await lane.key('operate')
    const cookie = await signIn(key)
    expect(await led(cookie)).toBe('/console/operations')
    const { json } = await lane.call('GET', '/v1/keys/self', { key })
    await lane.call('DELETE', `/v1/keys/${json.key_id}`, { key: lane.operatorKey })
    expect(await led(cookie)).toBe('/console/sign-in')
  })

  test('a fixated session: the id that was planted in the browser is not the one that is signed in', async () => {
    const planted = await signIn(lane.operatorKey)
    const own = await post('/console/sign-in', { key: lane.operatorKey }, { cookie: planted })
    expect(cookieOf(own)).not.toBe(planted)
    expect([await led(planted), await led(cookieOf(own))]).toEqual([
      '/console/sign-in',
      '/console/operations',
    ])
  })

  test('a cross-site form signs nobody in, and one of another port neither', async () => {
    const tries = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of tries) {
      const tried = await post('/console/sign-in', { key: lane.operatorKey }, headers)
      expect([tried.status, tried.headers.get('set-cookie')]).toEqual([403, null])
    }
    const silent = await lane.call('POST', '/console/sign-in', {
      key: null,
      raw: `key=${lane.operatorKey}`,
      headers: { 'content-type': FORM },
    })
    expect([silent.status, silent.headers.get('set-cookie')]).toEqual([403, null])
  })

  test('an open redirect: whoever signs in is led to a path of the console and nowhere else', async () => {
    const to = async (path: string) =>
      (await post('/console/sign-in', { key: lane.operatorKey, to: path })).headers.get('location')
    expect(await to('/console/requests/ship-1')).toBe('/console/requests/ship-1')
    expect(await to('/console/inbox?view=past')).toBe('/console/inbox?view=past')
    for (const evil of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/console/../../evil',
      '/console//evil.example',
      '/console\\@evil.example',
      '/consolexyz',
      '/v1/keys',
      '/console/inbox#//evil',
      '/console/inbox\r\nset-cookie: a=b',
      'javascript:alert(1)',
    ])
      expect([evil, await to(evil)]).toEqual([evil, '/console/operations'])
    const page = await lane.call('GET', '/console/sign-in?to=https://evil.example', { key: null })
    expect(page.text).not.toContain('evil')
  })

  test('over plain http under another name there is no signing in', async () => {
    const public_ = await startLane({ env: { PUBLIC_URL: 'http://lane.example' } })
    try {
      const origin = { origin: 'http://lane.example', 'content-type': FORM }
      const drawn = await public_.call('GET', '/console/sign-in', { key: null })
      const tried = await public_.call('POST', '/console/sign-in', {
        key: null,
        raw: `key=${public_.operatorKey}`,
        headers: origin,
      })
      expect([drawn.status, tried.status, tried.headers.get('set-cookie')]).toEqual([422, 422, null])
    } finally {
      await public_.close()
    }
  })

  test('on https the cookie is bound to the host', async () => {
    const secure = await startLane({ env: { PUBLIC_URL: 'https://lane.example' } })
    try {
      const signed = await secure.call('POST', '/console/sign-in', {
        key: null,
        raw: `key=${secure.operatorKey}`,
        headers: { origin: 'https://lane.example', 'content-type': FORM },
      })
      expect(signed.headers.get('set-cookie')).toMatch(
        /^__Host-lane=[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    } finally {
      await secure.close()
    }
  })

  test('ends all sessions of a person, which is recorded', async () => {
    const { cookie } = await asPerson(lane)
    const other = await asPerson(lane, 'second')
    expect([await led(cookie), await led(other.cookie)]).toEqual(['/console/inbox', '/console/inbox'])
    const { status } = await lane.call('DELETE', '/v1/recipients/operator/sessions', {
      key: lane.operatorKey,
    })
    expect([status, await led(cookie), await led(other.cookie)]).toEqual([
      200,
      '/console/sign-in',
      '/console/inbox',
    ])
    expect((await lane.ledger()).at(-1)).toMatchObject({
      type: 'OPERATOR_ACTED',
      body: { deed: 'sessions_ended', about: 'operator' },
    })
  })

  test('whoever guesses keys is stopped, and the right key still opens', async () => {
    const guess = (at: number) => post('/console/sign-in', { key: `lane_guess-${at}-xxxxxxxx` })
    let last = await guess(0)
    for (let at = 1; at < 70 && last.status !== 429; at++) last = await guess(at)
    expect([last.status, Number(last.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await led(await signIn(lane.operatorKey))).toBe('/console/operations')
  })
})

describe('the link of a first start', () => {
  const linkIn = (printed: readonly string[]): string =>
    /http:\/\/localhost:\d+\/console\/sign-in\?link=[\w.-]+/.exec(printed.join('\n'))?.[0] ?? ''

  test('shows whom it signs in, signs in once, and its answers carry the proof of the console', async () => {
    lane = await startLane({ config: SHIPPED, isTerminal: true })
    const link = linkIn(lane.printed)
    const ticket = new URL(link).searchParams.get('link') ?? ''
    // Looking, however often and by whatever fetches ahead, uses nothing up.
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await lane.call(method, link, { key: null })
      expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
    }
    expect((await lane.call('GET', link, { key: null })).text).toContain('Sign in as Operator')
    const stolen = await post('/console/sign-in', { link: ticket }, { origin: 'https://evil.example' })
    expect(stolen.status).toBe(403)
    const [one, two] = await Promise.all([
      post('/console/sign-in', { link: ticket }),
      post('/console/sign-in', { link: ticket }),
    ])
    expect([one.status, two.status].sort()).toEqual([303, 404])
    const signed = one.status === 303 ? one : two
    expect(signed.headers.get('set-cookie')).toContain('Max-Age=43200')
    expect(await led(cookieOf(signed))).toBe('/console/inbox')
    lane = await lane.restart()
    expect((await post('/console/sign-in', { link: ticket })).status).toBe(404)
    await lane.close()
  })

  test('a ticket that was changed, or is somebody’s guess, signs nobody in', async () => {
    lane = await startLane({ config: SHIPPED, isTerminal: true })
    const ticket = new URL(linkIn(lane.printed)).searchParams.get('link') ?? ''
    const [until = '', nonce = '', about = '', stamp = ''] = ticket.split('.')
    const later = (Number.parseInt(until, 36) + 3_600_000).toString(36)
    for (const made of [
      [later, nonce, about, stamp].join('.'),
      [until, nonce, Buffer.from('second').toString('base64url'), stamp].join('.'),
      [until, nonce, about, ''].join('.'),
      '',
      '...',
    ])
      expect([made, (await post('/console/sign-in', { link: made })).status]).toEqual([made, 404])
    await lane.close()
  })

  test('is printed on a terminal only, and only while the shipped person is the only one', async () => {
    for (const options of [
      { config: SHIPPED },
      { isTerminal: true },
      { config: SHIPPED, isTerminal: true, env: { PUBLIC_URL: 'https://lane.example' } },
    ]) {
      const other = await startLane(options)
      expect(linkIn(other.printed)).toBe('')
      await other.close()
    }
  })
})

describe('a link in a message', () => {
  test('leads the person it was sent to, once they are signed in, to the request without its code; a stolen one leads nobody there', async () => {
    lane = await startLane()
    await lane.submit(question('q-1'))
    const { link } = await lane.link('q-1')
    const open = (headers: Record<string, string>) => lane.call('GET', link, { key: null, headers })
    const [theirs, other, nobody] = [await asPerson(lane), await asPerson(lane, 'second'), {}]
    const led = await open(theirs)
    expect([led.status, led.headers.get('location')]).toEqual([303, '/console/requests/q-1'])
    // Whoever has only stolen the link still needs the code, and a session of another person changes nothing.
    for (const headers of [other, nobody]) {
      const page = await open(headers)
      expect([page.status, page.text.includes('name="code"')]).toEqual([200, true])
    }
    const operator = { cookie: await signIn(lane.operatorKey) }
    expect((await open(operator)).status).toBe(200)
    const page = await lane.call('GET', '/console/requests/q-1', { key: null, headers: theirs })
    expect([page.status, page.text.includes('name="code"')]).toEqual([200, false])
    await lane.close()
  })
})
