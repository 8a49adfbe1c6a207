// What comes back of an artifact: cumulative, signed, in the version and the words it was asked in.
import { createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonical, sha256 } from '../../src/canonical.js'
import { type Answer, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { receive } from '../waiter/receiver.js'
import {
  agent,
  artifactOf,
  BLOCKING,
  CONFIG,
  DECISIONS,
  inHours,
  type Json,
  type Signed,
  sectionedOf,
  single,
} from './scene.js'

const FOREIGN = new URL('../../../shared/foreign/aah/', import.meta.url)
const hasSchemas = existsSync(FOREIGN)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())
const { opened, post, status, responses, pathOf } = agent(() => lane)

const say = async (id: string, lines: string, user = 'gracie'): Promise<Answer> =>
  lane.answer(await lane.link(id, user), lines)
const dataOf = ({ content, sections }: Signed) => (content ?? sections[0]).body.data
const statusesOf = (all: readonly Signed[]): readonly string[] => all.map(one => dataOf(one).overall_status)
const last = async (id: string): Promise<Signed> => (await responses(id)).at(-1) as Signed

const options = ['red', 'green', 'blue'].map(value => ({ value, label: `The ${value} one` }))

describe('a response', () => {
  test('[AAH-163, AAH-164, AAH-165, AAH-166, AAH-167] names request, person, agent and time; each holds all answers so far', async () => {
    await opened(artifactOf('whole-1'))
    expect(await status('whole-1')).toBe('pending')
    expect((await say('whole-1', 'd1 yes\nd2 yes')).status).toBe(200)
    expect(await status('whole-1')).toBe('partial')
    expect((await say('whole-1', 'd3 next_week\nd4 no: Require a card')).status).toBe(200)
    expect(await status('whole-1')).toBe('resolved')
    const [first, second, ...more] = (await responses('whole-1')) as [Signed, Signed]
    expect(more).toEqual([])
    expect(first.handoff).toEqual({ parent_artifact_ids: ['whole-1'], target_agent: 'product-manager' })
    expect(second.handoff.parent_artifact_ids).toEqual(['whole-1', first.artifact.id])
    for (const one of [first, second]) {
      expect(one.source).toEqual({
        agent_id: 'human:gracie',
        agent_name: 'Gracie Redfern',
        agent_role: 'product_owner',
      })
      expect(one.lifecycle).toEqual({ status: 'final' })
      expect(one.artifact).toMatchObject({
        type: 'decision/response',
        title: 'Response: Approve Marketing Strategy',
      })
      expect(dataOf(one).request_id).toBe('whole-1')
    }
    const story = await lane.story('whole-1')
    const replies = story.filter(({ type }) => type === 'HUMAN_REPLY_EVENT')
    const at = replies.map(entry => entry.at)
    expect(dataOf(first).responses).toEqual([
      { decision_id: 'd1', approved: true, decided_at: at[0] },
      { decision_id: 'd2', approved: true, decided_at: at[0] },
    ])
    expect(dataOf(second).responses).toEqual([
      { decision_id: 'd1', approved: true, decided_at: at[0] },
      { decision_id: 'd2', approved: true, decided_at: at[0] },
      { decision_id: 'd3', selected: 'next_week', decided_at: at[1] },
      { decision_id: 'd4', approved: false, comment: 'Require a card', decided_at: at[1] },
    ])
    const { request_hash } = (await lane.call('GET', '/v1/requests/whole-1')).json
    expect([first, second].map(one => one.extensions.interrupt_lane)).toEqual(
      replies.map(({ seq, hash }, index) =>
        expect.objectContaining({
          request_id: 'whole-1',
          request_hash,
          rests_on: { seq, hash },
          request_status: ['partial', 'resolved'][index],
        }),
      ),
    )
    // Whoever asks again is told the same, byte for byte.
    expect(await responses('whole-1')).toEqual([first, second])
  })

  test('[AAH-146, AAH-147, AAH-148, AAH-149, AAH-150, AAH-151] answers each type of decision by a value of that type', async () => {
    const decisions: Json[] = [
      { id: 'a', type: 'approval', prompt: 'Go?', required: true },
      { id: 'c', type: 'choice', prompt: 'Which?', required: true, options },
      {
        id: 'm',
        type: 'multi_choice',
        prompt: 'Which ones?',
        required: true,
        options,
        constraints: { min: 2 },
      },
      { id: 't', type: 'text', prompt: 'Say it', required: true, constraints: { min: 2, max: 20 } },
      { id: 'n', type: 'number', prompt: 'How many?', required: true, constraints: { min: 1, max: 10 } },
      { id: 'd', type: 'date', prompt: 'When?', required: true },
    ]
    await opened(artifactOf('types-1', { data: { decisions, escalation: {} } }))
    // The whole is refused where one line is outside its bounds, and nothing is counted.
    for (const wrong of [
      'a maybe',
      'c yellow',
      'm red',
      't x',
      't many words that are far too long',
      'n 11',
      'd tomorrow',
    ])
      expect([wrong, (await say('types-1', wrong)).status]).toEqual([wrong, 422])
    const right = 'a no\nc blue\nm red, blue\nt hello there\nn 10\nd 2026-12-24'
    expect((await say('types-1', right)).status).toBe(200)
    expect(dataOf(await last('types-1')).responses.map(({ decided_at: _, ...one }) => one)).toEqual([
      { decision_id: 'a', approved: false },
      { decision_id: 'c', selected: 'blue' },
      { decision_id: 'm', selected: ['red', 'blue'] },
      { decision_id: 't', value: 'hello there' },
      { decision_id: 'n', value: 10 },
      { decision_id: 'd', value: '2026-12-24' },
    ])
  })

  test('[AAH-152, AAH-153] keeps to a pattern, and a pattern made to hang is matched in no time or refused', async () => {
    await opened(single('pattern-1', { type: 'text', constraints: { pattern: '^[A-Z]{2}-[0-9]+$' } }))
    expect((await say('pattern-1', 'd1 hello')).status).toBe(422)
    expect((await say('pattern-1', 'd1 AB-12')).status).toBe(200)
    expect(dataOf(await last('pattern-1')).responses).toMatchObject([{ value: 'AB-12' }])
    await opened(single('pattern-2', { type: 'text', constraints: { pattern: '^(a+)+$' } }))
    expect((await say('pattern-2', `d1 ${'a'.repeat(490)}b`)).status).toBe(422)
    for (const pattern of ['(?=a)b', '(a)\\1', '(', 'a{1000}'.repeat(20)]) {
      const refused = await post(single('pattern-3', { type: 'text', constraints: { pattern } }))
      expect([pattern, refused.status, JSON.stringify(refused.json.errors)]).toEqual([
        pattern,
        422,
        expect.stringContaining('/content/body/data/decisions/0/constraints/pattern'),
      ])
    }
  })

  test('[AAH-168, AAH-169] comes to one of four words, whatever was asked', async () => {
    const approvals = (...required: boolean[]): Json[] =>
      required.map((one, index) => ({ id: `a${index}`, type: 'approval', prompt: 'Go?', required: one }))
    const cases: [string, Json[], string, readonly string[]][] = [
      ['sum-1', approvals(true, true), 'a0 yes\na1 yes', ['all_approved']],
      ['sum-2', approvals(true, true), 'a0 no\na1 no', ['all_rejected']],
      ['sum-3', approvals(true, true), 'a0 yes\na1 no', ['partial']],
      ['sum-4', approvals(true, true), 'a0 yes', ['pending']],
      // An optional approval counts too, and one that nobody gave is none.
      ['sum-5', approvals(true, false), 'a0 yes', ['partial']],
      ['sum-6', approvals(true, false), 'a0 yes\na1 yes', ['all_approved']],
      ['sum-7', [{ id: 'n', type: 'number', prompt: 'How many?', required: true }], 'n 3', ['partial']],
      ['sum-8', approvals(false, false), 'a0 no', ['partial']],
    ]
    for (const [id, decisions, lines, expected] of cases) {
      await opened(artifactOf(id, { data: { decisions, escalation: {} } }))
      expect([id, (await say(id, lines)).status]).toEqual([id, 200])
      expect([id, statusesOf(await responses(id))]).toEqual([id, expected])
    }
  })

  test('[AAH-170, AAH-171, AAH-172, AAH-173, AAH-185] goes from pending over partial to resolved, or expires; no default becomes an approval', async () => {
    const decisions = DECISIONS.map(one => ({ ...one, ...(one.type === 'approval' && { default: true }) }))
    await opened(artifactOf('life-1', { data: { decisions } }))
    const expiring = artifactOf('life-2', {
      data: { decisions, deadline: new Date(Date.now() + 1_900).toISOString(), escalation: {} },
    })
    await opened(expiring)
    expect([await status('life-1'), await status('life-2')]).toEqual(['pending', 'pending'])
    await say('life-2', 'd1 yes')
    await say('life-1', 'd1 yes\nd3 immediate')
    expect(await status('life-1')).toBe('partial')
    await say('life-1', 'd2 no')
    expect(await status('life-1')).toBe('resolved')
    await lane.outcome('life-2')
    expect(await status('life-2')).toBe('expired')
    const [partial, end, ...more] = (await responses('life-2')) as [Signed, Signed]
    expect(more).toEqual([])
    expect([partial, end].map(one => one.source.agent_id)).toEqual(['human:gracie', 'lane'])
    expect(end.handoff.parent_artifact_ids).toEqual(['life-2', partial.artifact.id])
    expect(dataOf(end)).toMatchObject({
      overall_status: 'pending',
      responses: [{ decision_id: 'd1', approved: true }],
    })
    expect(dataOf(end).responses).toHaveLength(1)
    expect(end.extensions.interrupt_lane).toMatchObject({
      request_status: 'expired',
      released: [],
      held: BLOCKING,
    })
    const receipt = (await lane.story('life-2')).find(({ type }) => type === 'TIMEOUT_RECEIPT')
    expect(end.extensions.interrupt_lane.rests_on).toEqual({ seq: receipt?.seq, hash: receipt?.hash })
  })

  test('[AAH-176, AAH-183] what has ended takes no further answer, and what was said stays said', async () => {
    await opened(artifactOf('end-1', { data: { decisions: DECISIONS.slice(0, 1) } }))
    const link = await lane.link('end-1', 'gracie')
    expect((await lane.answer(link, 'd1 yes')).status).toBe(200)
    const before = await responses('end-1')
    expect((await lane.answer(link, 'd1 no')).status).toBe(409)
    await opened(artifactOf('end-2'))
    const gone = await lane.link('end-2', 'gracie')
    await say('end-2', 'd1 yes')
    await post(artifactOf('end-2', { lifecycle: { status: 'withdrawn' } }))
    await lane.call('POST', '/v1/requests/end-2/withdraw', { body: { reason: 'done' } })
    expect((await lane.answer(gone, 'd2 yes')).status).toBe(409)
    const [partial, end, ...more] = (await responses('end-2')) as [Signed, Signed]
    expect([more, dataOf(partial).overall_status, dataOf(end).overall_status]).toEqual([
      [],
      'pending',
      'pending',
    ])
    expect(end.source).toEqual({ agent_id: 'lane' })
    for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'])
      expect((await lane.call(method, `${pathOf('end-1')}/responses`)).status).toBe(404)
    expect(await responses('end-1')).toEqual(before)
    lane = await lane.restart()
    expect(await responses('end-1')).toEqual(before)
    const ids = before.map(one => one.artifact.id)
    expect(ids).toEqual([expect.stringMatching(/^aah_decision_resp_[0-9a-f]{32}$/)])
  })

  test('[AAH-183] what is corrected is another artifact: nothing else is ever said under an id', async () => {
    const first = await startLane({ config: CONFIG })
    const there = agent(() => first)
    await there.opened(artifactOf('named', { data: { decisions: DECISIONS.slice(0, 1) } }))
    await first.answer(await first.link('named', 'gracie'), 'd1 yes')
    const [before] = (await there.responses('named')) as [Signed]
    await first.stop()
    const { agentKey, operatorKey, dataDir } = first
    const config = CONFIG.replace('Gracie Redfern', 'Gracie R.')
    const second = await startLane({ config, dataDir, owned: true, keys: { agentKey, operatorKey } })
    try {
      const [after] = (await agent(() => second).responses('named')) as [Signed]
      expect(after.source.agent_name).toBe('Gracie R.')
      expect(after.artifact.id).not.toBe(before.artifact.id)
      expect(after.extensions.interrupt_lane.rests_on).toEqual(before.extensions.interrupt_lane.rests_on)
    } finally {
      await second.close()
    }
  })

  test('[AAH-182] nobody is asked who may not answer, and who has not the code answers nothing; that they tried is recorded', async () => {
    const config = CONFIG.replace('approvers: [gracie, manager] }\naah', 'approvers: [gracie] }\naah')
    const own = await startLane({ config })
    try {
      const { post: postThere } = agent(() => own)
      const refused = await postThere(artifactOf('right-1'))
      expect([refused.status, refused.json.code]).toEqual([422, 'recipient_not_approver'])
      expect((await postThere(artifactOf('right-2', { data: { escalation: {} } }))).status).toBe(201)
    } finally {
      await own.close()
    }
    await opened(artifactOf('right-3'))
    const link = await lane.link('right-3', 'gracie')
    const wrong = link.code[0] === '0' ? `1${link.code.slice(1)}` : `0${link.code.slice(1)}`
    const answer = await lane.answer(link, 'd1 yes', wrong)
    expect([answer.status, answer.json.code]).toEqual([403, 'code_mismatch'])
    const rejected = (await lane.story('right-3')).filter(({ type }) => type === 'INBOUND_REPLY_REJECTED')
    expect(rejected.map(({ body }) => body.reason)).toEqual(['code_mismatch'])
    expect(await responses('right-3')).toEqual([])
  })

  test('[AAH-188] names what may go on: all of it once nothing required was refused, else none', async () => {
    const own = async (id: string): Promise<Json> => (await last(id)).extensions.interrupt_lane
    await opened(artifactOf('free-1'))
    await say('free-1', 'd1 yes\nd2 yes')
    expect(await own('free-1')).toMatchObject({ released: [], held: BLOCKING })
    await say('free-1', 'd3 immediate\nd4 no')
    expect(await own('free-1')).toMatchObject({ released: BLOCKING, held: [] })
    await opened(artifactOf('free-2'))
    await say('free-2', 'd1 no\nd2 yes\nd3 immediate\nd4 yes')
    expect(await own('free-2')).toMatchObject({ released: [], held: BLOCKING })
    await opened(artifactOf('free-3'))
    await post(artifactOf('free-3'))
    await lane.call('POST', '/v1/requests/free-3/withdraw', { body: { reason: 'not needed' } })
    expect(await own('free-3')).toMatchObject({ released: [], held: BLOCKING, request_status: 'withdrawn' })
  })

  test('an artifact that was erased gives no response any more, and one that is asked is not erased', async () => {
    await opened(artifactOf('erase-1', { data: { decisions: DECISIONS.slice(0, 1) } }))
    await say('erase-1', 'd1 no: wrong customer')
    const before = await last('erase-1')
    expect(dataOf(before).responses).toMatchObject([{ comment: 'wrong customer' }])
    const erased = await lane.call('POST', '/v1/requests/erase-1/erase', { key: lane.operatorKey })
    expect(erased.json).toMatchObject({
      erased: [expect.any(String)],
      contents: [expect.stringMatching(/^sha256:/)],
    })
    expect((await lane.call('GET', pathOf('erase-1'))).status).toBe(404)
    expect((await lane.call('GET', `${pathOf('erase-1')}/responses`)).status).toBe(404)
    await opened(artifactOf('erase-2'))
    const open = await lane.call('POST', '/v1/requests/erase-2/erase', { key: lane.operatorKey })
    expect([open.status, open.json.code]).toEqual([409, 'content_in_use'])
  })
})

describe('a signature', () => {
  type Jwk = { readonly kid: string; readonly purpose: string; readonly x: string }
  const jwks = async (): Promise<readonly Jwk[]> =>
    (await lane.call('GET', '/.well-known/jwks.json', { key: null })).json.keys as unknown as readonly Jwk[]

  /** As anybody can check it: by the published keys and the text of the response alone. */
  async function holds(response: Signed): Promise<boolean> {
    const { signature, ...own } = response.extensions.interrupt_lane
    const [head = '', payload, signed = ''] = signature.split('.')
    const { alg, typ, kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const key = (await jwks()).find(one => one.kid === kid && one.purpose === 'artifact')
    if (key === undefined || payload !== '' || alg !== 'EdDSA' || typ !== 'lane-aah+jws') return false
    const unsigned = { ...response, extensions: { ...response.extensions, interrupt_lane: own } }
    const text = `${head}.${Buffer.from(canonical(unsigned)).toString('base64url')}`
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signed, 'base64url'))
  }

  test('[AAH-184] holds by the published key, in both profiles, and fails after any change', async () => {
    await opened(artifactOf('sign-1'))
    await say('sign-1', 'd1 yes\nd2 no: too dear\nd3 immediate')
    for (const profile of ['', '?profile=strict-envelope'])
      for (const one of await responses('sign-1', profile)) expect(await holds(one)).toBe(true)
    const [response] = (await responses('sign-1')) as [Signed]
    let changed = 0
    const turn = (value: unknown): unknown[] => {
      if (typeof value === 'string') return [`${value}x`]
      if (typeof value === 'number') return [value + 1]
      if (typeof value === 'boolean') return [!value]
      if (Array.isArray(value))
        return [[], ...value.flatMap((one, at) => turn(one).map(other => value.with(at, other)))]
      return Object.entries(value as Json).flatMap(([name, one]) =>
        turn(one).map(other => ({ ...(value as Json), [name]: other })),
      )
    }
    for (const other of turn(response)) {
      if (canonical(other) === canonical(response)) continue
      changed++
      expect(await holds(other as Signed)).toBe(false)
    }
    expect(changed).toBeGreaterThan(30)
  })

  test('stays as it was after its key was rotated, and is made anew when that key is revoked', async () => {
    await opened(artifactOf('sign-2', { data: { decisions: DECISIONS.slice(0, 1) } }))
    await say('sign-2', 'd1 yes')
    const [before] = (await responses('sign-2')) as [Signed]
    const rotated = await lane.call('POST', '/v1/signing-keys/rotate?purpose=artifact', {
      key: lane.operatorKey,
    })
    expect(rotated.status).toBe(201)
    expect(await responses('sign-2')).toEqual([before])
    expect(await holds(before)).toBe(true)
    await opened(artifactOf('sign-3', { data: { decisions: DECISIONS.slice(0, 1) } }))
    await say('sign-3', 'd1 yes')
    const [after] = (await responses('sign-3')) as [Signed]
    const kidOf = ({ extensions }: Signed): string =>
      JSON.parse(Buffer.from(extensions.interrupt_lane.signature.split('.')[0] ?? '', 'base64url').toString())
        .kid
    expect(kidOf(after)).toBe(rotated.json.kid)
    await lane.call('DELETE', `/v1/signing-keys/${kidOf(before)}`, { key: lane.operatorKey })
    expect(await holds(before)).toBe(false)
    const [anew] = (await responses('sign-2')) as [Signed]
    expect(await holds(anew)).toBe(true)
    expect(anew.artifact).toEqual(before.artifact)
    expect(await holds(after)).toBe(true)
    // A key of artifacts signs no right: whoever checks policy tokens by the same list does not take it.
    expect((await jwks()).filter(({ purpose }) => purpose === 'reply-token')).toHaveLength(1)
  })
})

describe.skipIf(!hasSchemas)('by the published schemas (needs ../shared)', () => {
  /** A schema as it was published; what stands before its first brace is none of it. */
  const read = (name: string): object => {
    const text = readFileSync(new URL(name, FOREIGN), 'utf8')
    return JSON.parse(text.slice(text.indexOf('{')))
  }
  const checkerOf = (ajv: Ajv | Ajv2020, name: string) => {
    addFormats.default(ajv)
    const check = ajv.compile(read(name))
    return (value: unknown): unknown => (check(value) ? null : check.errors)
  }

  test('[AAH-137, AAH-192] every body of a response holds, and with the strict profile its envelope of version 0.1 too', async () => {
    const body = checkerOf(new Ajv2020({ strict: false }), 'decision-response.schema.json')
    const envelope = checkerOf(new Ajv({ strict: false }), 'artifact-v0.1.schema.json')
    await opened(artifactOf('schema-1'))
    await say('schema-1', 'd1 yes')
    await say('schema-1', 'd2 no: too dear\nd3 immediate\nd4 yes')
    await opened(artifactOf('schema-2'))
    await say('schema-2', 'd1 yes')
    await lane.call('POST', '/v1/requests/schema-2/withdraw', { body: { reason: 'not needed' } })
    for (const id of ['schema-1', 'schema-2']) {
      for (const one of await responses(id, '?profile=strict-envelope')) {
        expect([body(one.content.body), envelope(one)]).toEqual([null, null])
        expect(one.lifecycle.status).toBe('approved')
        expect(one.extensions).toMatchObject({ aah_hitl: { status: 'final' } })
      }
      for (const one of await responses(id)) expect(body(one.content.body)).toBeNull()
      const strict = await lane.call('GET', `${pathOf(id)}?profile=strict-envelope`)
      expect(envelope(strict.json)).toBeNull()
    }
    // The words of the proposal are none of the envelope's: that is what the profile is for.
    expect(envelope(await last('schema-1'))).not.toBeNull()
  })

  test('[AAH-191] an artifact of version 0.5 is answered in sections of that version', async () => {
    const section = checkerOf(new Ajv({ strict: false }), 'section.schema.json')
    const body = checkerOf(new Ajv2020({ strict: false }), 'decision-response.schema.json')
    await opened(sectionedOf('schema-5'))
    expect(await status('schema-5')).toBe('pending')
    await say('schema-5', 'd1 yes\nd2 yes\nd3 immediate\nd4 yes')
    const [response, ...more] = (await responses('schema-5')) as [Signed & { aah_version: string }]
    expect([more, response.aah_version, response.handoff.target_agent]).toEqual([
      [],
      '0.5',
      'product-manager',
    ])
    expect(response).not.toHaveProperty('content')
    expect(response.sections).toHaveLength(1)
    expect([section(response.sections[0]), body(response.sections[0]?.body)]).toEqual([null, null])
    expect(dataOf(response).overall_status).toBe('all_approved')
  })
})

describe('by the operator’s word', () => {
  test('[AAH-186] an optional decision takes its default only where policy says so, and is marked', async () => {
    const decisions = [
      ...DECISIONS.slice(0, 1),
      { id: 'ring', type: 'choice', prompt: 'Which?', required: false, options, default: 'green' },
      { id: 'trial', type: 'approval', prompt: 'Trial?', required: false, default: true },
    ]
    await opened(artifactOf('default-1', { data: { decisions } }))
    await say('default-1', 'd1 yes')
    expect(dataOf(await last('default-1')).responses.map(one => one.decision_id)).toEqual(['d1'])
    const own = await startLane({ config: CONFIG.replace('forms: {', 'forms: { take_defaults: true,') })
    try {
      const there = agent(() => own)
      await there.opened(artifactOf('default-2', { data: { decisions } }))
      await own.answer(await own.link('default-2', 'gracie'), 'd1 yes')
      const [response] = (await there.responses('default-2')) as [Signed]
      expect(dataOf(response).responses).toEqual([
        { decision_id: 'd1', approved: true, decided_at: expect.any(String) },
        { decision_id: 'ring', selected: 'green' },
      ])
      expect(dataOf(response)).toMatchObject({
        overall_status: 'partial',
        summary: expect.stringContaining('By default: ring.'),
      })
      expect(response.extensions.interrupt_lane).toMatchObject({ by_default: ['ring'] })
    } finally {
      await own.close()
    }
  })

  test('[AAH-189] the response is fetched by polling and by a call, which sends it by id and hash where it is too long', async () => {
    const receiver = await receive()
    const url = `http://127.0.0.1:${receiver.port}/aah`
    const config = CONFIG.replace('{ to: gracie }', `{ to: gracie, callback_url: "${url}" }`)
    const own = await startLane({
      config: `${config}callbacks: { allow: [127.0.0.1] }\n`,
      env: { LANE_WEBHOOK_SECRET: SECRET },
    })
    try {
      const there = agent(() => own)
      await there.opened(artifactOf('call-1', { data: { decisions: DECISIONS.slice(0, 1) } }))
      await own.answer(await own.link('call-1', 'gracie'), 'd1 yes')
      const [first] = await receiver.called(1)
      const polled = await there.responses('call-1')
      expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 'request.resolved', data: polled[0] })
      const many = Array.from({ length: 45 }, (_, at) => ({
        id: `t${at}`,
        type: 'text',
        prompt: 'Say it',
        required: true,
      }))
      await there.opened(artifactOf('call-2', { data: { decisions: many, escalation: {} } }))
      await own.answer(
        await own.link('call-2', 'gracie'),
        many.map(({ id }) => `${id} ${'word '.repeat(95)}end`).join('\n'),
      )
      const [, second] = await receiver.called(2)
      const [whole] = await there.responses('call-2')
      expect(JSON.parse(second?.body ?? '').data).toEqual({
        id: whole?.artifact.id,
        hash: sha256(canonical(whole)),
        abridged: true,
      })
    } finally {
      await own.close()
      await receiver.close()
    }
  })

  test('only a route’s action makes an approval of an artifact: shown, required throughout, and worth a right', async () => {
    const config = CONFIG.replace(
      '[{ to: gracie }]',
      '[{ agent: releaser, to: gracie, action: PUBLISH }, { to: gracie }]',
    )
    const own = await startLane({ config })
    try {
      const there = agent(() => own)
      const source = { agent_id: 'releaser' }
      const optional = await there.post(artifactOf('act-1', { source }))
      expect([optional.status, (optional.json.errors as Json[])[0]?.field]).toEqual([
        422,
        '/content/body/data/decisions/3/required',
      ])
      const given = artifactOf('act-2', { source, data: { decisions: DECISIONS.slice(0, 2) } })
      const { json } = await there.opened(given)
      expect(json).toMatchObject({
        type: 'REQUEST_APPROVAL',
        request: {
          action: 'PUBLISH',
          parameters: { artifact: sha256(canonical(JSON.parse(JSON.stringify(given)))) },
          why: 'Approve Marketing Strategy',
        },
      })
      const page = await own.call('GET', (await own.link('act-2', 'gracie')).link, { key: null })
      expect(page.text).toContain('releaser')
      await own.answer(await own.link('act-2', 'gracie'), 'd1 yes\nd2 yes')
      expect((await own.call('GET', '/v1/requests/act-2')).json.decision).toMatchObject({
        policy_token: expect.any(String),
      })
    } finally {
      await own.close()
    }
  })

  test('routes: the key comes first, labels only choose among its own, and without any there is nobody to ask', async () => {
    const config = CONFIG.replace(
      '[{ to: gracie }]',
      `[{ key: made, agent: special, to: manager, deadline: 2h }, { key: made, priority: high, to: gracie }, { agent: other, to: manager }]`,
    )
    const own = await startLane({ config })
    try {
      const key = await own.key('request')
      const postThere = (id: string, agent_id: string, priority: string, by = key): Promise<Answer> =>
        agent(() => own).post(
          artifactOf(id, {
            source: { agent_id },
            handoff: { priority, response_deadline: undefined },
            data: { deadline: undefined, escalation: {} },
          }),
          { key: by },
        )
      const asked = (answer: Answer): unknown =>
        (answer.json.deliveries as Json[] | undefined)?.map(one => one.user_id)
      const special = await postThere('route-1', 'special', 'low')
      expect([asked(special), (special.json.request as Json).deadline_seconds]).toEqual([['manager'], 7200])
      expect(asked(await postThere('route-2', 'anybody', 'high'))).toEqual(['gracie'])
      // Its own routes do not fit, and no label leads to those of others.
      const lost = await postThere('route-3', 'other', 'normal')
      expect([lost.status, lost.json.code]).toEqual([422, 'no_route'])
      expect(asked(await postThere('route-4', 'other', 'normal', own.agentKey))).toEqual(['manager'])
      expect((await postThere('route-5', 'special', 'high', own.agentKey)).json.code).toBe('no_route')
      const [low] = await own.story('route-1')
      const [high] = await own.story('route-2')
      expect([low, high].map(entry => ((entry?.body.terms ?? {}) as Json).urgency)).toEqual(['low', 'normal'])
    } finally {
      await own.close()
    }
    const alone = await startLane({
      config:
        'recipients: { only: { name: Only, web: true } }\nforms: { proofs: [console], approvers: [only] }\n',
    })
    try {
      const answer = await agent(() => alone).post(artifactOf('alone', { data: { escalation: {} } }))
      expect((answer.json.deliveries as Json[]).map(one => one.user_id)).toEqual(['only'])
    } finally {
      await alone.close()
    }
  })

  test('[AAH-193] a body elsewhere is fetched from a listed origin alone, once, and only what has its hash', async () => {
    const receiver = await receive()
    const origin = `http://127.0.0.1:${receiver.port}`
    const body = JSON.stringify({
      schema: 'aah:decision/request@1.0',
      data: { decisions: DECISIONS.slice(0, 1), deadline: inHours(5) },
    })
    const own = await startLane({
      config: `${CONFIG.replace('  escalate:', `  fetch: ["${origin}"]\n  escalate:`)}callbacks: { allow: [127.0.0.1] }\n`,
    })
    const gives = (text: string, status_ = 200, headers: Record<string, string> = {}) =>
      receiver.will(response => void response.writeHead(status_, headers).end(text))
    const at = (id: string, url: string, hash: string | undefined = sha256(body)): Json =>
      artifactOf(id, { content: { body: undefined, body_url: url, body_hash: hash } })
    try {
      const there = agent(() => own)
      gives(body)
      const given = at('fetch-1', `${origin}/body.json`)
      await there.opened(given)
      expect(receiver.calls).toHaveLength(1)
      const [call] = receiver.calls
      expect([
        call?.method,
        call?.headers['accept-encoding'],
        call?.headers.authorization,
        call?.headers.cookie,
      ]).toEqual(['GET', 'identity', undefined, undefined])
      // The same again needs nothing from there.
      expect((await there.post(given)).status).toBe(200)
      expect(receiver.calls).toHaveLength(1)
      const other = await receive()
      const words = new Set<string>()
      const refused = async (url: string): Promise<void> => {
        const answer = await there.post(at('fetch-2', url))
        const [error] = answer.json.errors as { field: string; accepted: string }[]
        expect([url, answer.status, error?.field]).toEqual([url, 422, '/content/body_url'])
        words.add(error?.accepted ?? '')
      }
      await refused(`http://127.0.0.1:${other.port}/body.json`)
      await refused(`http://localhost:${receiver.port}/body.json`)
      await refused('file:///etc/passwd')
      await refused(`http://user:word@127.0.0.1:${receiver.port}/body.json`)
      // Origins are compared whole: none of these begins with a listed one and is it.
      await refused(`${origin}0/body.json`)
      await refused(`${origin}.example.org/body.json`)
      await refused(`${origin}@127.0.0.1:${other.port}/body.json`)
      await refused(`${origin}\\@127.0.0.1:${other.port}/body.json`)
      await refused(`https://127.0.0.1:${receiver.port}/body.json`)
      // The parser reads these as the listed origin; they are not written as it is.
      await refused(`http://127.1:${receiver.port}/body.json`)
      await refused(`http://0x7f000001:${receiver.port}/body.json`)
      await refused(`http://[::ffff:127.0.0.1]:${receiver.port}/body.json`)
      expect([other.calls.length, receiver.calls.length]).toEqual([0, 1])
      gives('', 302, { location: `${origin}/else.json` })
      await refused(`${origin}/moved`)
      gives(body, 404)
      await refused(`${origin}/absent`)
      gives(body.replace('"d1"', '"d2"'))
      await refused(`${origin}/changed`)
      gives(body, 200, { 'content-encoding': 'gzip' })
      await refused(`${origin}/packed`)
      gives(`${body}${' '.repeat(256 * 1024)}`)
      await refused(`${origin}/large`)
      receiver.will((_, request) => void request.socket.destroy())
      await refused(`${origin}/cut`)
      // One refusal for all of them: nothing is learnt of what stands there.
      expect(words.size).toBe(1)
      const unhashed = await there.post(at('fetch-3', `${origin}/body.json`, ''))
      expect((unhashed.json.errors as Json[])[0]?.field).toBe('/content/body_hash')
      await other.close()
    } finally {
      await own.close()
      await receiver.close()
    }
  })
})
