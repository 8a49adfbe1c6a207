// By what right a run acts: an approval is spent once, on exactly what was approved, by who asked for it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replay } from '../../src/ledger/replay.js'
import { verify } from '../../src/ledger/verify.js'
import {
  type Answer,
  approval,
  type Entry,
  type LaneUnderTest,
  question,
  startLane,
  UNLIMITED,
} from '../lane-under-test.js'
import { sign } from '../token/ring.js'
import { until } from '../until.js'
import { answer, linesOf, link, recordedAsSent, running, type Spawned, spawnLane } from './spawned-lane.js'

const PARAMETERS = { artifact: `sha256:${'b'.repeat(64)}` }
const OTHER = { artifact: `sha256:${'c'.repeat(64)}` }

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: UNLIMITED })
})
afterAll(() => lane.close())

type Shown = {
  decision: { decision: string; policy_token?: string; policy_token_expires_at?: string } | null
}
const read = async (id: string, key?: string): Promise<Shown> =>
  (await lane.call('GET', `/v1/requests/${id}`, key === undefined ? {} : { key })).json as Shown

async function approve(id: string, more: Record<string, unknown> = {}): Promise<string> {
  await lane.submit(approval(id, more))
  await lane.answer(await lane.link(id), 'yes')
  return (await read(id)).decision?.policy_token ?? ''
}
const spend = (token: unknown, more: Record<string, unknown> = {}, key?: string): Promise<Answer> =>
  lane.call('POST', '/v1/policy-tokens/spend', {
    body: { token, action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's-1', ...more },
    ...(key !== undefined && { key }),
  })
const codeOf = ({ status, json }: Answer) => [status, json.code]
const types = async (id: string): Promise<string[]> => (await lane.story(id)).map(({ type }) => type)
const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti

describe('who is given a right', () => {
  test('[LANE-060] a YES on an approval, and only that; only to the key that opened it', async () => {
    const token = await approve('mine')
    expect(token).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    expect((await read('mine')).decision).toMatchObject({
      decision: 'CONTINUE',
      by: 'lane',
      policy_token: token,
    })
    const seen = (await read('mine', lane.operatorKey)).decision
    expect(seen).toMatchObject({ decision: 'CONTINUE' })
    expect(seen).not.toHaveProperty('policy_token')
    const listed = await lane.call('GET', '/v1/requests?run_id=run-1', { key: lane.operatorKey })
    expect(listed.text).not.toContain('policy_token')

    await lane.submit(approval('refused'))
    await lane.answer(await lane.link('refused'), 'no')
    await lane.submit(question('asked'))
    await lane.answer(await lane.link('asked'), 'yes')
    await lane.submit(approval('late', { deadline_seconds: 1 }))
    await lane.outcome('late')
    for (const id of ['refused', 'asked', 'late']) {
      expect((await read(id)).decision).not.toHaveProperty('policy_token')
      expect(await types(id)).not.toContain('POLICY_TOKEN_ISSUED')
    }
    expect((await read('refused')).decision?.decision).toBe('HALT')
  })

  test('the token is shown wherever its caller reads the case, and written nowhere', async () => {
    const token = await approve('shown')
    const again = await lane.submit(approval('shown'))
    const waited = await lane.call('GET', '/v1/requests/shown/wait')
    const listed = await lane.call('GET', '/v1/requests?run_id=run-1')
    for (const seen of [again, waited, listed]) expect(seen.text).toContain(token)
    const [, claims = '', signature = ''] = token.split('.')
    const ledger = JSON.stringify(await lane.ledger())
    expect([ledger.includes(claims), ledger.includes(signature), ledger.includes(jtiOf(token))]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('spending', () => {
  test('[LANE-064] once: the same spend_id finds it again, another is refused', async () => {
    const token = await approve('once')
    const first = await spend(token)
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({ jti: jtiOf(token), action: 'PUBLISH', spend_id: 's-1' })
    expect((await spend(token)).json).toEqual(first.json)
    expect(codeOf(await spend(token, { spend_id: 's-2' }))).toEqual([409, 'already_spent'])
    expect((await read('once')).decision).not.toHaveProperty('policy_token')
    expect((await types('once')).filter(type => type === 'POLICY_TOKEN_SPENT')).toHaveLength(1)
  })

  test('the order in which parameters are written says nothing; their names and handles say everything', async () => {
    const two = { b: PARAMETERS.artifact, a: OTHER.artifact }
    const token = await approve('two', { parameters: two })
    expect(codeOf(await spend(token, { parameters: { a: two.b, b: two.a } }))).toEqual([
      403,
      'policy_mismatch',
    ])
    expect((await spend(token, { parameters: { a: two.a, b: two.b } })).status).toBe(200)
  })

  test('[LANE-063] approve A, run B: nothing that differs is performed, and nothing is recorded', async () => {
    const a = await approve('A')
    const b = await approve('B', { parameters: OTHER })
    const stranger = await lane.key('request')
    const before = (await lane.ledger()).length
    const attempts: [string, Record<string, unknown>][] = [
      [a, { parameters: OTHER }],
      [b, {}],
      [a, { parameters: { ...PARAMETERS, more: OTHER.artifact } }],
      [a, { parameters: { Artifact: PARAMETERS.artifact } }],
      [a, { action: 'EXPORT' }],
      [a, { action: 'publish' }],
    ]
    for (const [token, more] of attempts)
      expect(codeOf(await spend(token, more))).toEqual([403, 'policy_mismatch'])
    for (const key of [stranger, lane.operatorKey])
      expect(codeOf(await spend(a, {}, key))).toEqual([403, 'policy_mismatch'])
    expect((await lane.ledger()).length).toBe(before)
    expect([(await spend(a)).status, (await spend(b, { parameters: OTHER })).status]).toEqual([200, 200])
  })

  test('[LANE-063] without a valid token there is no right: forged, altered, of another kind', async () => {
    const token = await approve('forged')
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const header = JSON.parse(Buffer.from(head, 'base64url').toString())
    const own = await generateKeyPair('EdDSA')
    const other = Buffer.from(JSON.stringify({ ...claims, act: 'EXPORT' })).toString('base64url')
    const none = Buffer.from(JSON.stringify({ ...header, alg: 'none' })).toString('base64url')
    const tokens = [
      'x',
      `${head}.${body}`,
      `${head}.${body}.`,
      `${none}.${body}.`,
      `${head}.${other}.${signature}`,
      `${head}.${body}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
      `${token}=`,
      await sign(own.privateKey, header, claims),
      await sign(own.privateKey, { ...header, kid: 'mine' }, claims),
    ]
    const before = (await lane.ledger()).length
    for (const one of tokens) expect(codeOf(await spend(one))).toEqual([403, 'policy_token_invalid'])
    expect((await lane.ledger()).length).toBe(before)
    expect((await spend(token)).status).toBe(200)
  })

  test('a token of another lane is foreign here', async () => {
    const token = await approve('foreign')
    const elsewhere = await startLane({ config: UNLIMITED })
    try {
      const { status, json } = await elsewhere.call('POST', '/v1/policy-tokens/spend', {
        body: { token, action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's-1' },
      })
      expect([status, json.code]).toEqual([403, 'policy_token_invalid'])
    } finally {
      await elsewhere.close()
    }
  })

  test('after its time it is expired, and no longer shown', async () => {
    const brief = await startLane({ config: `${UNLIMITED}director: { approval_valid_seconds: 3 }\n` })
    try {
      await brief.submit(approval('brief'))
      await brief.answer(await brief.link('brief'), 'yes')
      const shown = await brief.call('GET', '/v1/requests/brief')
      const { policy_token: token } = shown.json.decision as { policy_token: string }
      const decision = async () => (await brief.call('GET', '/v1/requests/brief')).json.decision as object
      await until('it is no longer shown', decision, shown => !('policy_token' in shown))
      const body = { token, action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's-1' }
      const late = await brief.call('POST', '/v1/policy-tokens/spend', { body })
      expect([late.status, late.json.code]).toEqual([410, 'policy_token_expired'])
    } finally {
      await brief.close()
    }
  })

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no token', { action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's' }],
    ['a token that is a number', { token: 7, action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's' }],
    ['no parameters', { token: 'x', action: 'PUBLISH', spend_id: 's' }],
    ['parameters that are a list', { token: 'x', action: 'PUBLISH', parameters: ['a'], spend_id: 's' }],
    ['a nested parameter', { token: 'x', action: 'PUBLISH', parameters: { a: { b: 'c' } }, spend_id: 's' }],
    ['no spend_id', { token: 'x', action: 'PUBLISH', parameters: PARAMETERS }],
    ['a spend_id with a space', { token: 'x', action: 'PUBLISH', parameters: PARAMETERS, spend_id: 'a b' }],
    [
      'a spend_id that is an API key',
      { token: 'x', action: 'PUBLISH', parameters: PARAMETERS, spend_id: `lane_${'0'.repeat(40)}` },
    ],
    ['an extra field', { token: 'x', action: 'PUBLISH', parameters: PARAMETERS, spend_id: 's', force: true }],
  ])('%s as body is 422', async (_name, body) => {
    const { status, json } = await lane.call('POST', '/v1/policy-tokens/spend', { body })
    expect([status, json.code]).toEqual([422, 'invalid_request'])
  })

  test('a key without scope request spends nothing, and one without a key neither', async () => {
    const key = await lane.key('audit', 'direct', 'operate')
    expect(codeOf(await spend('x', {}, key))).toEqual([403, 'scope_missing'])
    const { status } = await lane.call('POST', '/v1/policy-tokens/spend', { key: null, body: {} })
    expect(status).toBe(401)
  })
})

describe('taking a right back', () => {
  const revoke = (jti: string, body?: unknown, key = lane.operatorKey): Promise<Answer> =>
    lane.call('POST', `/v1/policy-tokens/${jti}/revoke`, { key, ...(body !== undefined && { body }) })

  test('revoked, it cannot be spent; again it is 200, and spent it is 409', async () => {
    const token = await approve('revoked')
    const first = await revoke(jtiOf(token), { reason: 'wrong build' })
    expect(first.status).toBe(200)
    expect((await revoke(jtiOf(token))).json).toEqual(first.json)
    expect(codeOf(await spend(token))).toEqual([410, 'policy_token_revoked'])
    expect((await lane.story('revoked')).at(-1)).toMatchObject({ body: { reason: 'wrong build' } })
    const used = await approve('used')
    await spend(used)
    expect(codeOf(await revoke(jtiOf(used)))).toEqual([409, 'already_spent'])
  })

  test('unknown ones are 404, other scopes 403, strange bodies 422', async () => {
    expect(codeOf(await revoke('AAECAwQFBgcICQoLDA0ODw'))).toEqual([404, 'not_found'])
    expect(codeOf(await revoke('x', undefined, lane.agentKey))).toEqual([403, 'scope_missing'])
    for (const body of [{ reason: '' }, { reason: 7 }, { why: 'x' }, [1]])
      expect(codeOf(await revoke('AAECAwQFBgcICQoLDA0ODw', body))).toEqual([422, 'invalid_request'])
  })

  test('withdrawing the approval takes it back too', async () => {
    const token = await approve('withdrawn')
    const body = { reason: 'not any more' }
    const first = await lane.call('POST', '/v1/requests/withdrawn/withdraw', { body })
    expect([first.status, first.json.state]).toEqual([200, 'answered'])
    expect((await lane.call('POST', '/v1/requests/withdrawn/withdraw', { body })).status).toBe(200)
    expect(codeOf(await spend(token))).toEqual([410, 'policy_token_revoked'])
    expect((await types('withdrawn')).filter(type => type === 'POLICY_TOKEN_REVOKED')).toHaveLength(1)
  })
})

test('a run waits for an approval, the gateway is killed and comes back, a person answers, the right is used once', {
  timeout: 120_000,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lane-'))
  const use = (at: Spawned, token: string, spend_id: string, parameters: object = PARAMETERS) =>
    at.call('POST', '/v1/policy-tokens/spend', { token, action: 'PUBLISH', parameters, spend_id })
  try {
    const first = running(await spawnLane(dir))
    const opened = await first.call('POST', '/v1/requests', {
      request: approval('ship-42'),
      run: { run_id: 'run-9', mood: 'DEFERENTIAL', work_item_id: 'wi-3' },
      recipients: ['operator'],
    })
    expect(opened.status).toBe(201)
    const sent = await link(dir, 'ship-42')
    await recordedAsSent(first, 'ship-42')
    await first.kill()

    const second = running(await spawnLane(dir))
    const waiting = second.call('GET', '/v1/requests/ship-42/wait?timeout_seconds=60')
    expect(await answer(second.url, sent, 'yes')).toBe(200)
    const { decision } = (await waiting).json as unknown as { decision: { policy_token: string } }
    expect(decision).toMatchObject({ decision: 'CONTINUE', by: 'lane' })
    const token = decision.policy_token
    const changed = await use(second, token, 'deploy-1', OTHER)
    expect([changed.status, changed.json.code]).toEqual([403, 'policy_mismatch'])
    const used = await use(second, token, 'deploy-1')
    expect(used.status).toBe(200)
    await second.kill()

    const third = running(await spawnLane(dir))
    expect(await use(third, token, 'deploy-1')).toEqual(used)
    const other = await use(third, token, 'deploy-2')
    expect([other.status, other.json.code]).toEqual([409, 'already_spent'])
    expect(await use(third, token, 'deploy-1', OTHER)).toMatchObject({ status: 403 })

    const lines = await linesOf(third)
    expect(third.stderr() + second.stderr()).not.toContain(token.split('.')[1])
    await third.kill()
    expect(await verify(lines)).toMatchObject({ ok: true, problems: [] })
    expect(await replay(lines, () => null, { rawsMayBeAbsent: true })).toMatchObject({ ok: true, cases: 1 })
    const story = lines.map(line => JSON.parse(line) as Entry).filter(entry => entry.request_id === 'ship-42')
    expect(story.map(({ type }) => type)).toEqual([
      'REQUEST_OPENED',
      'DELIVERY_STARTED',
      'OUTBOUND_REQUEST_SENT',
      'INBOUND_REPLY_RECEIVED',
      'HUMAN_REPLY_EVENT',
      'REQUEST_RESOLVED',
      'DIRECTOR_DECIDED',
      'POLICY_TOKEN_ISSUED',
      'POLICY_TOKEN_SPENT',
    ])
    const [, , , received, , , , issued, spent] = story
    expect(issued?.body).toMatchObject({ action: 'PUBLISH', reply_event_hash: received?.body.event_hash })
    expect(spent?.body).toMatchObject({ jti: issued?.body.jti, spend_id: 'deploy-1' })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
