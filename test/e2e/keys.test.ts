// Who may call, and what each sees: scopes, ownership, revocation, and the secrets that nobody is shown.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type LaneUnderTest, question, startLane, UNLIMITED } from '../lane-under-test.js'

type Scope = 'request' | 'operate' | 'audit' | 'direct'
const SCOPES: readonly Scope[] = ['request', 'operate', 'audit', 'direct']
const REASON = { reason: 'tested' }

let lane: LaneUnderTest
const keys: Partial<Record<Scope, string>> = {}
const keyOf = (scope: Scope): string => keys[scope] ?? ''
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
  for (const scope of SCOPES) keys[scope] = await lane.key(scope)
})
afterAll(() => lane.close())

describe('a key opens what its scopes say', () => {
  const ROUTES: readonly [string, string, readonly Scope[]][] = [
    ['POST', '/v1/requests', ['request']],
    ['GET', '/v1/requests', ['request', 'audit']],
    ['GET', '/v1/requests/none', ['request', 'audit']],
    ['GET', '/v1/requests/none/wait', ['request', 'audit']],
    ['POST', '/v1/requests/none/withdraw', ['request', 'operate']],
    ['POST', '/v1/requests/none/erase', ['operate']],
    ['PUT', '/v1/blobs', ['request']],
    ['GET', `/v1/blobs/sha256:${'0'.repeat(64)}`, ['request', 'audit']],
    ['GET', '/v1/recipients', ['request']],
    ['GET', '/v1/ledger', ['audit']],
    ['GET', '/v1/raw-replies', ['audit']],
    ['POST', '/v1/keys', ['operate']],
    ['GET', '/v1/keys', ['operate']],
    ['GET', '/v1/keys/self', SCOPES],
    ['DELETE', '/v1/keys/none', ['operate']],
    ['POST', '/v1/signing-keys/rotate', ['operate']],
    ['DELETE', '/v1/signing-keys/none', ['operate']],
    ['GET', '/v1/backup', ['operate']],
    ['GET', '/metrics', ['operate']],
    ['GET', '/v1/events?from=x', ['request', 'audit', 'direct']],
  ]
  test.each(ROUTES)('%s %s', async (method, path, scopes) => {
    const body = method === 'POST' || method === 'PUT' ? REASON : undefined
    const bare = await lane.call(method, path, { key: null, body })
    expect([bare.status, bare.json.code]).toEqual([401, 'unauthenticated'])
    expect(bare.headers.get('www-authenticate')).toBe('Bearer')
    for (const scope of SCOPES) {
      const answer = await lane.call(method, path, { key: keyOf(scope), body })
      expect([scope, answer.json.code === 'scope_missing']).toEqual([scope, !scopes.includes(scope)])
      if (!scopes.includes(scope)) expect(answer.status).toBe(403)
    }
  })

  test.each(['/', '/healthz', '/readyz', '/openapi.json', '/.well-known/jwks.json'])(
    '%s is open to all',
    async path => {
      expect((await lane.call('GET', path, { key: null })).status).toBe(200)
      expect((await lane.call('HEAD', path, { key: null })).status).toBe(200)
    },
  )
})

describe('what belongs to others is not there', () => {
  test('a key of scope request sees its own, and of others nothing, on any route', async () => {
    await lane.submit(question('own-1'))
    const other = keyOf('request')
    for (const [method, path] of [
      ['GET', '/v1/requests/own-1'],
      ['GET', '/v1/requests/own-1/wait?timeout_seconds=1'],
      ['POST', '/v1/requests/own-1/withdraw'],
    ] as const) {
      const body = method === 'POST' ? REASON : undefined
      const hidden = await lane.call(method, path, { key: other, body })
      const absent = await lane.call(method, path.replace('own-1', 'nowhere'), { key: other, body })
      expect(hidden.status).toBe(404)
      expect(hidden.text).toBe(absent.text)
    }
    expect((await lane.call('GET', '/v1/requests', { key: other })).json.items).toEqual([])
    expect((await lane.call('GET', '/v1/requests/own-1')).json.state).toBe('pending')
    const listed = (await lane.call('GET', '/v1/requests')).json.items as { request_id: string }[]
    expect(listed.map(({ request_id }) => request_id)).toContain('own-1')
  })

  test('an auditor sees every case and the raw words; its caller sees the answer without them', async () => {
    await lane.submit(question('words', { reply_schema: { kind: 'text', max_chars: 80 } }))
    await lane.answer(await lane.link('words'), '  as it was typed  ')
    const audited = await lane.call('GET', '/v1/requests/words', { key: keyOf('audit') })
    expect(audited.json.answer).toMatchObject({
      parsed_payload: { text: 'as it was typed' },
      raw_text: '  as it was typed  ',
    })
    const own = await lane.call('GET', '/v1/requests/words')
    expect(own.json.answer).not.toHaveProperty('raw_text')
    const list = await lane.call('GET', '/v1/requests?state=answered', { key: keyOf('audit') })
    expect(list.text).toContain('"raw_text":"  as it was typed  "')
    expect((await lane.call('GET', '/v1/requests?state=answered')).text).not.toContain('raw_text')
  })

  test('an operator takes back what another opened, and does not thereby see its words', async () => {
    await lane.submit(question('op-1'))
    const taken = await lane.call('POST', '/v1/requests/op-1/withdraw', {
      key: keyOf('operate'),
      body: REASON,
    })
    expect([taken.status, taken.json.state]).toEqual([200, 'withdrawn'])
    const seen = await lane.call('GET', '/v1/requests/op-1', { key: keyOf('operate') })
    expect(seen.json.code).toBe('scope_missing')
  })
})

describe('making and revoking', () => {
  test('a key is shown once, listed without its secret, and kept only as a hash', async () => {
    const made = await lane.call('POST', '/v1/keys', {
      key: lane.operatorKey,
      body: { name: 'build agent', scopes: ['request', 'request'] },
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: 'build agent', scopes: ['request'] })
    expect(made.json.key).toMatch(/^lane_[0-9a-hjkmnp-tv-z]{40}$/)
    const listed = await lane.call('GET', '/v1/keys', { key: lane.operatorKey })
    expect(listed.text).toContain('build agent')
    for (const secret of [made.json.key as string, lane.agentKey, lane.operatorKey]) {
      expect(listed.text).not.toContain(secret)
      for (const file of ['ledger.db', 'ledger.db-wal']) {
        const path = join(lane.dataDir, file)
        if (existsSync(path)) expect(readFileSync(path).includes(secret)).toBe(false)
      }
    }
  })

  test('a revoked key is refused at once, and again when revoked again; nobody revokes the key they hold', async () => {
    const made = await lane.call('POST', '/v1/keys', {
      key: lane.operatorKey,
      body: { name: 'short lived', scopes: ['request', 'operate'] },
    })
    const { key, key_id } = made.json as { key: string; key_id: string }
    expect((await lane.call('GET', '/v1/requests', { key })).status).toBe(200)
    const self = await lane.call('DELETE', `/v1/keys/${key_id}`, { key })
    expect([self.status, self.json.code]).toEqual([409, 'key_in_use'])
    const revoked = await lane.call('DELETE', `/v1/keys/${key_id}`, { key: lane.operatorKey })
    expect(revoked.status).toBe(200)
    const again = await lane.call('DELETE', `/v1/keys/${key_id}`, { key: lane.operatorKey })
    expect(again.json).toEqual(revoked.json)
    const refused = await lane.call('GET', '/v1/requests', { key })
    expect([refused.status, refused.json.code]).toEqual([401, 'unauthenticated'])
    expect((await lane.call('DELETE', '/v1/keys/key-none', { key: lane.operatorKey })).status).toBe(404)
  })

  test.each([
    {},
    { name: '', scopes: ['request'] },
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['root'] },
    { name: 'x', scopes: 'request' },
    { name: 'x', scopes: ['request'], key: 'lane_mine' },
    { name: 'a\u202eb', scopes: ['request'] },
    [],
    null,
  ])('%j makes no key', async body => {
    const answer = await lane.call('POST', '/v1/keys', { key: lane.operatorKey, body })
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
  })

  test.each(['', 'Bearer', 'Bearer ', 'Basic eDp5', 'Bearer  two-spaces-here', 'Token lane_xxxxxxxxxxxx'])(
    'the credential %j is none',
    async authorization => {
      const answer = await lane.call('GET', '/v1/requests', { key: null, headers: { authorization } })
      expect(answer.status).toBe(401)
    },
  )

  test('[LANE-080] a wrong key many times is told to wait; the right one is not locked out by it', async () => {
    const sample = await startLane()
    try {
      let stopped: Answer | null = null
      for (let n = 0; n < 80 && stopped === null; n++) {
        const answer = await sample.call('GET', '/v1/requests', {
          key: `lane_${String(n).padStart(40, '0')}`,
        })
        if (answer.status === 429) stopped = answer
        else expect(answer.status).toBe(401)
      }
      expect(stopped?.json.code).toBe('rate_limited')
      expect(Number(stopped?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await sample.call('GET', '/v1/requests')).status).toBe(200)
    } finally {
      await sample.close()
    }
  })

  test('the first start prints both keys once; later starts know them and print none', async () => {
    const sample = await startLane()
    const first = sample.printed.join('\n')
    expect(first).toContain(sample.agentKey)
    expect(first).toContain(sample.operatorKey)
    expect(statSync(join(sample.dataDir, 'operator.key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(sample.dataDir, 'operator.key'), 'utf8').trim()).toBe(sample.operatorKey)
    const again = await sample.restart()
    try {
      expect(again.printed.join('\n')).not.toMatch(/lane_[0-9a-z]{40}/)
      expect((await again.call('GET', '/v1/requests')).status).toBe(200)
      expect((await again.call('GET', '/v1/keys', { key: again.operatorKey })).status).toBe(200)
    } finally {
      await again.close()
    }
  })

  test('LANE_API_KEY keeps its id over restarts', async () => {
    const given = 'an-api-key-the-operator-chose-3'
    const first = await startLane({ env: { LANE_API_KEY: given } })
    const self = await first.call('GET', '/v1/keys/self', { key: given })
    const again = await first.restart()
    expect((await again.call('GET', '/v1/keys/self', { key: given })).json).toEqual(self.json)
    await again.close()
  })

  test('LANE_API_KEY opens everything from the first start on, and nothing once it is changed', async () => {
    const given = 'an-api-key-the-operator-chose-1'
    const sample = await startLane({ env: { LANE_API_KEY: given } })
    expect(sample.printed.join('\n')).not.toMatch(/lane_[0-9a-z]{40}|operator-chose/)
    expect((await sample.call('GET', '/v1/ledger', { key: given })).status).toBe(200)
    expect((await sample.call('GET', '/v1/keys', { key: given })).status).toBe(200)
    await sample.stop()
    const other = 'an-api-key-the-operator-chose-2'
    const again = await startLane({ dataDir: sample.dataDir, owned: true, env: { LANE_API_KEY: other } })
    try {
      expect((await again.call('GET', '/v1/ledger', { key: given })).status).toBe(401)
      expect((await again.call('GET', '/v1/ledger', { key: other })).status).toBe(200)
    } finally {
      await again.close()
    }
  })
})

describe('no key of any scope can answer for a person', () => {
  test('[LANE-048] no reply handle, link, code or token is in the ledger, in any answer of any scope, in metrics or in events', async () => {
    await lane.submit(question('secret-1'))
    const reply = await lane.link('secret-1')
    await lane.answer(reply, 'maybe')
    await lane.answer(reply, 'yes', '0000')
    const secrets = [
      reply.link.split('/r/')[1] ?? '',
      reply.link,
      'lane-reply+jwt',
      lane.agentKey,
      lane.operatorKey,
    ]
    const everywhere: string[] = []
    for (const key of [lane.operatorKey, lane.agentKey, ...SCOPES.map(keyOf)]) {
      for (const path of [
        '/v1/requests/secret-1',
        '/v1/requests',
        '/v1/ledger',
        '/v1/raw-replies',
        '/v1/keys',
        '/v1/recipients',
        '/metrics',
        '/readyz',
        '/',
        '/openapi.json',
        '/.well-known/jwks.json',
        '/v1/requests/secret-1/wait?timeout_seconds=1',
      ]) {
        everywhere.push((await lane.call('GET', path, { key })).text)
      }
    }
    const size = (await lane.ledger()).length
    for (const key of [lane.operatorKey, keyOf('direct'), keyOf('audit')]) {
      const streamed = await lane.events('?from=0', seen => seen.length >= size, { key })
      everywhere.push(JSON.stringify(streamed))
    }
    const said = everywhere.join('\n')
    expect(said.includes('secret-1')).toBe(true)
    expect(secrets.filter(secret => said.includes(secret))).toEqual([])
    expect(/eyJ[A-Za-z0-9_-]{10,}\./.exec(said)?.[0]).toBeUndefined()
    // The code is four characters that chance could spell elsewhere: it is looked for as a word of its own.
    expect(new RegExp(`.{20}["\\s:]${reply.code}["\\s,]`).exec(said)?.[0]).toBeUndefined()
    const opening = (await lane.answer(reply, 'yes')).status
    expect(opening).toBe(200)
  })

  test('[LANE-048] what is kept of a handle and a code on disk is their hash', async () => {
    await lane.submit(question('secret-2'))
    const reply = await lane.link('secret-2')
    const handle = reply.link.split('/r/')[1] ?? ''
    for (const file of ['ledger.db', 'ledger.db-wal']) {
      const bytes = readFileSync(join(lane.dataDir, file))
      expect(bytes.includes(handle)).toBe(false)
    }
    const backup = await lane.call('GET', '/v1/backup', { key: lane.operatorKey })
    expect(backup.text).not.toContain(handle)
  })

  test('the public keys are public: no private part is served', async () => {
    const jwks = (await lane.call('GET', '/.well-known/jwks.json', { key: null })).json.keys as Record<
      string,
      unknown
    >[]
    expect(jwks.length).toBeGreaterThan(0)
    for (const key of jwks) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'purpose', 'use', 'x'])
    }
  })

  test('no route takes an answer from a key', async () => {
    await lane.submit(question('secret-3'))
    const reply = await lane.link('secret-3')
    for (const path of [
      '/v1/requests/secret-3/answer',
      '/v1/requests/secret-3/reply',
      '/v1/replies',
      '/v1/answers',
    ]) {
      const body = {
        reply: 'yes',
        code: reply.code,
        sender_identity: { user_id: 'operator', proof: 'console' },
      }
      expect((await lane.call('POST', path, { key: lane.operatorKey, body })).status).toBe(404)
    }
    const keyed = await lane.call('POST', reply.link, {
      key: lane.operatorKey,
      raw: `reply=yes&code=${reply.code}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    })
    expect(keyed.json.code).toBe('csrf_mismatch')
    expect((await lane.call('GET', '/v1/requests/secret-3')).json.state).toBe('pending')
  })
})
