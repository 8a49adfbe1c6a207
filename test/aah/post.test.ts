// Artifacts posted to a real lane: what each opens, what is refused where, and what comes of posting it again.
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LaneUnderTest, startLane } from '../lane-under-test.js'
import { agent, artifactOf, CONFIG, fieldsOf, inHours, type Json, sectionedOf, single } from './scene.js'

const SEED = new URL('../../../shared/seeds/001_d9efa73799fd3c06.txt', import.meta.url)

let lane: LaneUnderTest
beforeAll(async () => {
  lane = await startLane({ config: CONFIG })
})
afterAll(() => lane.close())
const { post, opened, status, pathOf, responses } = agent(() => lane)

const DATA = '/content/body/data'
/** What was opened before may still be delivered meanwhile; a request only enters by its opening. */
const openings = async (): Promise<number> =>
  (await lane.ledger()).filter(({ type }) => type === 'REQUEST_OPENED').length

/** The examples of the page, without the remarks that stand behind a value. */
function examples(): readonly Json[] {
  const page = readFileSync(SEED, 'utf8')
  return [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) =>
    JSON.parse((text ?? '').replace(/ {2}\/\/ .*$/gm, '')),
  )
}

describe('the page’s own examples', () => {
  test.skipIf(!existsSync(SEED))(
    '[AAH-135] the request is taken but for its dates, and opens one with four decisions',
    async () => {
      const [request] = examples() as [Json]
      const moved = JSON.parse(JSON.stringify(request).replaceAll('2026-02-17T17:00:00Z', inHours(31)))
      const answer = await opened(moved)
      expect(answer.json).toMatchObject({
        request_id: 'aah_decision_abc123',
        type: 'REQUEST_QUESTION',
        state: 'pending',
        default_action: 'HALT',
        request: { question_text: 'Approve Marketing Strategy', impact: 'Asked by product-manager' },
        run: { run_id: 'aah-aah_decision_abc123', mood: 'DEFERENTIAL' },
      })
      const { reply_schema } = answer.json.request as { reply_schema: { kind: string; decisions: Json[] } }
      expect([reply_schema.kind, reply_schema.decisions.map(({ id }) => id)]).toEqual([
        'form',
        ['d1', 'd2', 'd3', 'd4'],
      ])
      expect(await lane.story('aah_decision_abc123')).toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'REQUEST_OPENED' })]),
      )
    },
  )

  test.skipIf(!existsSync(SEED))(
    '[AAH-136] the response is valid, a comment of null included, and nothing is recorded of it',
    async () => {
      const [, response] = examples() as [Json, Json]
      const before = await openings()
      const answer = await post(response)
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(await openings()).toBe(before)
      const wrong = JSON.parse(JSON.stringify(response).replace('"partial"', '"mostly"'))
      const refused = await post(wrong)
      expect([refused.status, fieldsOf(refused)]).toEqual([422, [`${DATA}/overall_status`]])
    },
  )
})

describe('an artifact', () => {
  let made = 0
  const refusedAt = async (body: unknown): Promise<readonly string[]> => {
    const answer = await post(body)
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
    return fieldsOf(answer)
  }
  const id = (): string => `refused-${made++}`
  const without = (value: Json, name: string): Json =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))

  test('[AAH-138] without its version, artifact, source, agent or content is refused there', async () => {
    const whole = artifactOf(id())
    for (const name of ['aah_version', 'artifact', 'source', 'content'])
      expect([name, await refusedAt(without(whole, name))]).toEqual([name, [`/${name}`]])
    expect(await refusedAt({ ...whole, source: { task_id: 'TASK-1' } })).toEqual(['/source/agent_id'])
    expect(await refusedAt({ ...whole, aah_version: '0.4' })).toEqual(['/aah_version'])
    for (const body of [[], 'artifact', 7, null]) expect(await refusedAt(body)).toEqual(['/aah_version'])
  })

  test('[AAH-139] whose body has another schema or media type is refused there', async () => {
    const body = { schema: 'aah:decision/request@2.0', data: {} }
    expect(await refusedAt(artifactOf(id(), { content: { body } }))).toContain('/content/body/schema')
    expect(await refusedAt(artifactOf(id(), { content: { media_type: 'application/json' } }))).toEqual([
      '/content/media_type',
    ])
  })

  test('[AAH-140, AAH-141, AAH-142, AAH-143] without decisions, or with one that is none or twice the same, is refused there', async () => {
    const decision: Json = { id: 'd1', type: 'approval', prompt: 'Go?', required: true }
    const with_ = (...decisions: Json[]): Json => artifactOf(id(), { data: { decisions } })
    expect(await refusedAt(with_())).toEqual([`${DATA}/decisions`])
    expect(await refusedAt(with_(decision, { ...decision, id: 'D1' }))).toEqual([`${DATA}/decisions/1/id`])
    for (const name of ['id', 'type', 'prompt', 'required'])
      expect([name, await refusedAt(with_(without(decision, name)))]).toEqual([
        name,
        [`${DATA}/decisions/0/${name}`],
      ])
    expect(await refusedAt(with_({ ...decision, type: 'vote' }))).toEqual([`${DATA}/decisions/0/type`])
    // A member that nobody is shown could change what is decided.
    expect(await refusedAt(with_({ ...decision, unless: 'it rains' }))).toEqual([
      `${DATA}/decisions/0/unless`,
    ])
  })

  test('[AAH-144, AAH-145] a choice without options, and a default that is no answer, are refused there', async () => {
    const options = [
      { value: 'a', label: 'A thing' },
      { value: 'b', label: 'Another' },
    ]
    for (const type of ['choice', 'multi_choice']) {
      expect(await refusedAt(single(id(), { type }))).toEqual([`${DATA}/decisions/0/options`])
      expect(await refusedAt(single(id(), { type, options: [] }))).toEqual([`${DATA}/decisions/0/options`])
    }
    const outside: Json[] = [
      { type: 'choice', options, default: 'c' },
      { type: 'multi_choice', options, default: ['a', 'c'] },
      { type: 'number', constraints: { min: 1, max: 5 }, default: 6 },
      { type: 'text', constraints: { pattern: '^[a-z]+$' }, default: '12' },
      { type: 'date', default: 'tomorrow' },
      { type: 'approval', default: 'yes' },
    ]
    for (const decision of outside)
      expect(await refusedAt(single(id(), decision))).toEqual([`${DATA}/decisions/0/default`])
  })

  test('[AAH-190] of another subtype of decision is passed over, and recorded nowhere', async () => {
    const before = await openings()
    const answer = await post({
      aah_version: '0.1',
      artifact: { id: 'x', type: 'decision/reminder' },
      anything: [1],
    })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await refusedAt(artifactOf(id(), { artifact: { type: 'document/markdown' } }))).toEqual([
      '/artifact/type',
    ])
    expect(await openings()).toBe(before)
  })

  test('[AAH-177] has the earlier of its two deadlines, at most thirty days, and never one that is over', async () => {
    const seconds = async (
      name: string,
      deadline: string | null,
      response_deadline: string | null,
    ): Promise<number> => {
      const answer = await opened(
        artifactOf(name, {
          data: { escalation: {}, ...(deadline === null ? { deadline: undefined } : { deadline }) },
          handoff: { response_deadline: response_deadline ?? undefined },
        }),
      )
      return (answer.json.request as { deadline_seconds: number }).deadline_seconds
    }
    const near = (hours: number): unknown => expect.closeTo(hours * 3600 - 1, -1.3)
    expect(await seconds('early-1', inHours(3), inHours(5))).toEqual(near(3))
    expect(await seconds('early-2', inHours(5), inHours(3))).toEqual(near(3))
    expect(await seconds('early-3', null, inHours(4))).toEqual(near(4))
    expect(await seconds('early-4', null, null)).toBe(86_400)
    expect(await seconds('early-5', inHours(2000), null)).toBe(2_592_000)
    expect(await refusedAt(artifactOf(id(), { data: { deadline: inHours(-1) } }))).toEqual([
      `${DATA}/deadline`,
    ])
    expect(await refusedAt(artifactOf(id(), { handoff: { response_deadline: inHours(0) } }))).toEqual([
      '/handoff/response_deadline',
    ])
  })

  test('[AAH-179, AAH-180] is escalated after hours, days or weeks to a target the operator knows, and otherwise refused', async () => {
    const ladder = async (name: string, after: string): Promise<unknown> => {
      await opened(
        artifactOf(name, {
          data: { deadline: inHours(700), escalation: { after, to: 'manager@example.com' } },
          handoff: { response_deadline: inHours(700) },
        }),
      )
      const [first] = await lane.story(name)
      return (first as unknown as { body: { terms: { ladder?: Json[] } } }).body.terms.ladder
    }
    const step = (after_seconds: number): unknown => [
      { after_seconds, do: 'add', recipients: [expect.objectContaining({ user_id: 'manager' })] },
    ]
    expect(await ladder('ladder-1', '24h')).toEqual(step(86_400))
    expect(await ladder('ladder-2', '7d')).toEqual(step(7 * 86_400))
    expect(await ladder('ladder-3', '2w')).toEqual(step(14 * 86_400))
    // What comes at the deadline or behind it never comes.
    expect(await ladder('ladder-4', '8w')).toBeUndefined()
    const escalated = (escalation: Json): Promise<readonly string[]> =>
      refusedAt(artifactOf(id(), { data: { escalation } }))
    for (const after of ['30m', '24', '1.5h', '0h', '-1h', 'h', '24H'])
      expect([after, await escalated({ after, to: 'manager@example.com' })]).toEqual([
        after,
        [`${DATA}/escalation/after`],
      ])
    for (const to of ['boss@example.com', 'manager', 'constructor', ''])
      expect([to, await escalated({ after: '1h', to })]).toEqual([to, [`${DATA}/escalation/to`]])
    expect(await escalated({ after: '1h' })).toEqual([`${DATA}/escalation`])
  })

  test('[AAH-194] is kept as it came, its extensions and members of others included; only its status is told anew', async () => {
    const extensions = { ui: { theme: 'dark', order: [3, 1, 2], nested: { deep: null } }, vendor: { n: 1.5 } }
    const given = artifactOf('kept-1', { rest: { extensions, note: 'ours' }, artifact: { labels: ['a'] } })
    await opened(given)
    const answer = await lane.call('GET', pathOf('kept-1'))
    expect(answer.json).toEqual(JSON.parse(JSON.stringify(given)))
    const strict = await lane.call('GET', `${pathOf('kept-1')}?profile=strict-envelope`)
    expect(strict.json).toMatchObject({
      lifecycle: { status: 'review' },
      extensions: { ...extensions, aah_hitl: { status: 'pending' } },
    })
  })

  test('[AAH-196] gives a text without a bound the lane’s own, and a wider one no more than that', async () => {
    const constraintsOf = async (name: string, decision: Json): Promise<unknown> => {
      const { json } = await opened(single(name, { type: 'text', ...decision }))
      const { reply_schema } = json.request as { reply_schema: { decisions: Json[] } }
      return reply_schema.decisions[0]?.constraints
    }
    expect(await constraintsOf('text-1', {})).toEqual({ max: 500 })
    expect(await constraintsOf('text-2', { constraints: { min: 3, max: 5000 } })).toEqual({
      min: 3,
      max: 500,
    })
    expect(await constraintsOf('text-3', { constraints: { max: 20, pattern: '^a' } })).toEqual({
      max: 20,
      pattern: '^a',
    })
  })

  test('its title asks one thing: further question marks are taken out, and without a title its agent is named', async () => {
    const textOf = async (name: string, artifact: Json): Promise<unknown> =>
      ((await opened(artifactOf(name, { artifact }))).json.request as Json).question_text
    expect(await textOf('title-1', { title: 'Ship? Today? Really?' })).toBe('Ship? Today Really')
    expect(await textOf('title-2', { title: undefined })).toBe('Decisions of product-manager')
    expect(await refusedAt(artifactOf(id(), { artifact: { title: 'a\u202eb' } }))).toEqual([
      '/artifact/title',
    ])
  })

  test('under an id that is none of the lane’s is found by its own, and one id is one artifact', async () => {
    const strange = 'urn:aah:décision/42 #1'
    const answer = await opened(artifactOf(strange))
    expect(answer.json.request_id).toMatch(/^aah-[0-9a-f]{32}$/)
    expect(await status(strange)).toBe('pending')
    expect(await status(String(answer.json.request_id))).toBe('pending')
    expect((await post(artifactOf(strange, { artifact: { title: 'Another' } }))).json.code).toBe(
      'id_conflict',
    )
    const [first] = await lane.story(String(answer.json.request_id))
    expect(first?.body.origin).toEqual({
      system: 'aah',
      ref: strange,
      hash: expect.stringMatching(/^sha256:/),
    })
    const long = 'x'.repeat(128)
    expect((await opened(artifactOf(long))).json.run).toMatchObject({
      run_id: expect.stringMatching(/^aah-[0-9a-f]{32}$/),
    })
    expect(await refusedAt(artifactOf('y'.repeat(201)))).toEqual(['/artifact/id'])
    const longest = '😀'.repeat(200)
    await opened(artifactOf(longest))
    expect([await status(longest), await responses(longest)]).toEqual(['pending', []])
  })

  test('whose body is the text of its JSON is read as JSON with one meaning', async () => {
    const { content } = artifactOf('string-1') as { content: { body: Json } }
    await opened(artifactOf('string-1', { content: { body: JSON.stringify(content.body) } }))
    expect(await refusedAt(artifactOf(id(), { content: { body: '{"schema": 1, "schema": 2}' } }))).toEqual([
      '/content/body',
    ])
    const data = JSON.stringify({ ...content.body, data: { decisions: [] } })
    expect(await refusedAt(artifactOf(id(), { content: { body: data } }))).toEqual([`${DATA}/decisions`])
    const body_hash = `sha256:${'0'.repeat(64)}`
    expect(await refusedAt(artifactOf(id(), { content: { body: data, body_hash } }))).toEqual([
      '/content/body_hash',
    ])
  })

  test('an approval in an artifact is a question of the lane, and gives no right to act', async () => {
    await opened(single('plain-approval', { type: 'approval' }))
    const link = await lane.link('plain-approval', 'gracie')
    expect((await lane.answer(link, 'd1 yes')).status).toBe(200)
    const { json } = await lane.call('GET', '/v1/requests/plain-approval')
    expect(json).toMatchObject({ state: 'answered', type: 'REQUEST_QUESTION' })
    expect(json.decision).not.toHaveProperty('policy_token')
  })

  test('of no text may hold a token or a key of the lane, in whatever member', async () => {
    const key = `lane_${'0'.repeat(40)}`
    expect(
      await refusedAt(artifactOf(id(), { rest: { extensions: { note: { deep: `use ${key}` } } } })),
    ).toEqual(['/extensions/note/deep'])
  })

  test('of version 0.5 is refused without exactly one section that holds decisions', async () => {
    const whole = sectionedOf(id()) as { sections: Json[] }
    const [section] = whole.sections as [Json]
    expect(await refusedAt({ ...whole, sections: [] })).toEqual(['/sections'])
    expect(await refusedAt({ ...whole, sections: [section, section] })).toEqual(['/sections'])
    expect(await refusedAt({ ...whole, sections: [{ ...section, type: 'document/markdown' }] })).toEqual([
      '/sections',
    ])
    const { agent_id: _, ...unowned } = section
    expect(await refusedAt({ ...whole, sections: [unowned] })).toEqual(['/sections/0/agent_id'])
    const bad = { ...section, body: { schema: 'aah:decision/request@1.0', data: { decisions: [] } } }
    expect(await refusedAt({ ...whole, sections: [bad] })).toEqual(['/sections/0/body/data/decisions'])
  })
})

describe('posted again', () => {
  test('the same artifact, its members in whatever order, is the same request; anything else under its id is refused', async () => {
    const given = artifactOf('again-1')
    await opened(given)
    const turned = Object.fromEntries(Object.entries(given).reverse())
    const again = await post(turned)
    expect([again.status, again.json.request_id]).toEqual([200, 'again-1'])
    const other = await post({ ...given, extensions: {} })
    expect([other.status, other.json.code]).toEqual([409, 'id_conflict'])
    expect(other.text).not.toContain('Marketing')
    const opening = (await lane.story('again-1')).filter(({ type }) => type === 'REQUEST_OPENED')
    expect(opening).toHaveLength(1)
  })

  test('two at once are one request: one is told 201, the other 200', async () => {
    const given = artifactOf('again-2')
    const answers = await Promise.all([post(given), post(given), post(given)])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 201])
  })

  test('[AAH-175] with status withdrawn, in either profile, it is withdrawn by the key that posted it, and by no other', async () => {
    const other = await lane.key('request')
    for (const [name, changed] of [
      ['gone-1', { lifecycle: { status: 'withdrawn', visibility: 'team' } }],
      ['gone-2', { extensions: { aah_hitl: { status: 'withdrawn' } } }],
    ] as const) {
      const given = artifactOf(name)
      await opened(given)
      const foreign = await post({ ...given, ...changed }, { key: other })
      expect([foreign.status, foreign.json.code]).toEqual([409, 'id_conflict'])
      const relabelled = await post({
        ...given,
        ...changed,
        source: { agent_id: 'somebody-else', task_id: 'TASK-456' },
      })
      expect([relabelled.status, relabelled.json.code]).toEqual([409, 'id_conflict'])
      expect(await status(name)).toBe('pending')
      const own = await post({ ...given, ...changed })
      expect([own.status, own.json.state]).toEqual([200, 'withdrawn'])
      expect(await status(name)).toBe('withdrawn')
      expect((await post({ ...given, ...changed })).status).toBe(200)
    }
    // Nothing is withdrawn that was never asked.
    const unknown = await post(artifactOf('gone-3', { lifecycle: { status: 'withdrawn' } }))
    expect([unknown.status, fieldsOf(unknown)]).toEqual([422, ['/lifecycle/status']])
    const over = await post(artifactOf('gone-4', { lifecycle: { status: 'resolved' } }))
    expect([over.status, fieldsOf(over)]).toEqual([422, ['/lifecycle/status']])
  })

  test('an operator withdraws anybody’s; an answer that stands cannot be withdrawn', async () => {
    await opened(artifactOf('gone-5'))
    const withdrawn = await lane.call('POST', '/v1/requests/gone-5/withdraw', {
      key: lane.operatorKey,
      body: { reason: 'no longer needed' },
    })
    expect(withdrawn.status).toBe(200)
    expect(await status('gone-5')).toBe('withdrawn')
    const given = single('gone-6', {
      type: 'choice',
      options: [
        { value: 'a', label: 'A' },
        { value: 'b', label: 'B' },
      ].map(({ value, label }) => ({ value: `${value}1`, label })),
    })
    await opened(given)
    await lane.answer(await lane.link('gone-6', 'gracie'), 'd1 a1')
    const late = await post({ ...given, lifecycle: { status: 'withdrawn', visibility: 'team' } })
    expect([late.status, late.json.code]).toEqual([409, 'already_resolved'])
  })

  test('only its key, and an auditor, read it and its responses', async () => {
    await opened(artifactOf('read-1'))
    const other = await lane.key('request')
    const auditor = await lane.key('audit')
    for (const path of [pathOf('read-1'), `${pathOf('read-1')}/responses`]) {
      expect((await lane.call('GET', path, { key: other })).status).toBe(404)
      expect((await lane.call('GET', path, { key: auditor })).status).toBe(200)
      expect((await lane.call('GET', `${path}?profile=other`)).status).toBe(400)
    }
    expect(await responses('read-1')).toEqual([])
    expect((await lane.call('GET', pathOf('nothing-here'))).status).toBe(404)
    await lane.submit(
      {
        type: 'REQUEST_QUESTION',
        question_id: 'own',
        question_text: 'Go?',
        impact: 'x',
        context_handles: [],
        deadline_seconds: 60,
        default_action: 'HALT',
        reply_schema: { kind: 'yes_no' },
      },
      { recipients: ['gracie'] },
    )
    expect((await lane.call('GET', pathOf('own'))).status).toBe(404)
    expect((await post(artifactOf('own'))).json.code).toBe('id_conflict')
  })

  test('no caller can say that a request of its own was made of an artifact', async () => {
    const origin = { system: 'aah', ref: 'x', hash: `sha256:${'a'.repeat(64)}` }
    const answer = await lane.submit(
      {
        type: 'REQUEST_QUESTION',
        question_text: 'Go?',
        impact: 'x',
        context_handles: [],
        deadline_seconds: 60,
        default_action: 'HALT',
        reply_schema: { kind: 'yes_no' },
      },
      { recipients: ['gracie'], origin },
    )
    expect([answer.status, fieldsOf(answer)]).toEqual([422, ['/origin/system']])
  })
})
