// The description a client is generated from: whole in itself, and of one mind with the parser wherever JSON Schema can
// say what the parser does.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { description } from '../../src/http/openapi/describe.js'
import { ROUTES } from '../../src/http/routes.js'
import { CHANNELS } from '../../src/request/channel.js'
import { parseSubmission } from '../../src/request/parse.js'
import { REPLY_KINDS } from '../../src/request/reply-shape.js'
import { type OpenApi, type Operation, validators } from '../e2e/openapi.js'
import { request } from '../request/generated.js'
import { approval, HASH, question, review, run } from '../request/samples.js'

const callback = { words: 'an https URL', isCallable: () => true }
const POLICY = { actions: ['PUBLISH', 'PROMOTE', 'EXPORT'], callback }
const about = { version: '1.2.3', publicUrl: () => 'https://lane.example.org' }
const document = description(ROUTES, about)() as OpenApi
const { schemas } = document.components
const operations: readonly Operation[] = Object.values(document.paths).flatMap(path => Object.values(path))
const compile = validators(document)

/** Every object within, the value itself among them. */
function within(value: unknown): readonly Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(within)
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner]
}

describe('the document', () => {
  test('names every operation once, as a client would call it', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(names.filter(name => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(30)
  })

  test('says of each operation whether it needs a key', () => {
    const open = operations.filter(({ security }) => security.length === 0).map(one => one.operationId)
    expect(open.toSorted()).toEqual(
      [
        ...['about', 'describe', 'isAlive', 'isReady', 'listLogKeys', 'listSigningKeys', 'readDoctrine'],
        ...['drawReplyPage', 'answerOnPage', 'drawContent'],
        ...['enterConsole', 'drawSignIn', 'signIn', 'signOut', 'startOidc', 'finishOidc'],
        ...[
          'drawInbox',
          'followInbox',
          'drawRequest',
          'answerInSession',
          'readManifest',
          'drawIcon',
          'drawPicture',
          'drawPasskeys',
          'makePasskey',
          'takeBackPasskey',
          'nameChallenge',
          'drawInvitedPasskey',
          'makeInvitedPasskey',
          'drawOperations',
        ],
        ...['takeSlackHook', 'takeTelegramHook', 'takeSmsHook', 'takeEmailHook'],
        'openMessageStream',
      ].toSorted(),
    )
  })

  test('refers to nothing that is not there, and every schema is one', () => {
    const references = within(document).flatMap(({ $ref }) => ($ref === undefined ? [] : [String($ref)]))
    expect(references.length).toBeGreaterThan(50)
    const known = Object.keys(schemas).map(name => `#/components/schemas/${name}`)
    expect(references.filter(one => !known.includes(one))).toEqual([])
    for (const schema of Object.values(schemas)) expect(compile(schema)).toBeTypeOf('function')
  })

  test('every schema is referred to, and no object is open to fields nobody described', () => {
    const text = JSON.stringify(document)
    for (const name of Object.keys(schemas))
      expect([name, text.includes(`schemas/${name}"`)]).toEqual([name, true])
    const open = within(schemas).filter(
      one => one.properties !== undefined && one.additionalProperties !== false,
    )
    expect(open).toEqual([])
  })

  test('each answer has a body or a media type that speaks for itself, and each refusal its codes', () => {
    const untold = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.entries(content)
          .filter(([media, { schema }]) => /[/+]json$/.test(media) && schema === undefined)
          .map(([media]) => `${operationId} ${status} ${media}`),
      ),
    )
    // Messages of other protocols, and of no shape of ours.
    const messages = ['sendMessage 200 application/json', 'sendMessage 202 application/json']
    const manifest = 'readManifest 200 application/manifest+json'
    expect(untold).toEqual([manifest, 'takeSlackHook 200 application/json', ...messages])
    const codes = within(document.paths).flatMap(({ code }) => (code as { enum?: string[] })?.enum ?? [])
    const { code } = (schemas.Problem as { properties: { code: { enum: string[] } } }).properties
    expect([...new Set(codes)].toSorted()).toEqual(code.enum.toSorted())
  })

  test('knows every kind of reply, and tells requests and replies apart by one field', () => {
    const mapped = (name: string): readonly string[] =>
      Object.keys((schemas[name] as { discriminator: { mapping: object } }).discriminator.mapping)
    expect(mapped('ReplySchema').toSorted()).toEqual([...REPLY_KINDS].toSorted())
    const types = ['REQUEST_APPROVAL', 'REQUEST_QUESTION', 'REQUEST_REVIEW']
    expect([mapped('Request').toSorted(), mapped('RequestDraft').toSorted()]).toEqual([types, types])
  })
})

const describes = compile({ $ref: '#/components/schemas/Submission' })
/** What the description says of a body, and what the parser does with it. */
const verdicts = (body: unknown): readonly [described: boolean, parsed: boolean] => [
  describes(body) as boolean,
  parseSubmission(body, POLICY).ok,
]
const submission = (given: object, rest: object = {}) => ({ request: given, run, ...rest })

/** Any text is described, and only the operator's own actions are taken. */
const CONFIGURED = 'action'

type Place = { readonly within: Record<string, unknown>; readonly key: string }
/** Every member of every object. */
const places = (body: unknown): readonly Place[] =>
  within(body).flatMap(one => Object.keys(one).map(key => ({ within: one, key })))

describe('a submission', () => {
  test('that the parser takes is one that is described', () => {
    fc.assert(
      fc.property(request, given => {
        expect(verdicts(submission(given))).toEqual([true, true])
      }),
    )
  })

  const put = (value: unknown) => (place: Place) => {
    place.within[place.key] = value
  }
  test.each<[string, (place: Place) => void]>([
    ['without one of its members', ({ within, key }) => Reflect.deleteProperty(within, key)],
    ['with a member more', ({ within, key }) => put(within[key])({ within, key: `${key}_more` })],
    ['with a truth value in place of a member', put(true)],
    ['with nothing in place of a member', put(null)],
    ['with some text in place of a member', put('NO_SUCH')],
    ['with an empty list in place of a member', put([])],
  ])('%s is described if and only if the parser takes it', (_name, change) => {
    fc.assert(
      fc.property(request, fc.nat(), (given, pick) => {
        const body = structuredClone(submission(given, { recipients: ['a', { user_id: 'b' }] }))
        const all = places(body).filter(({ key }) => key !== CONFIGURED)
        const place = all[pick % all.length]
        if (place === undefined) throw new Error('a submission has members')
        change(place)
        const [described, parsed] = verdicts(body)
        expect([place.key, described]).toEqual([place.key, parsed])
      }),
      { numRuns: 300 },
    )
  })

  const text = (length: number): string => 'a'.repeat(length)
  const asking = (more: object) => submission({ ...question, ...more })
  const replying = (schema: object) => asking({ reply_schema: schema })
  const options = (count: number, label = 'x') =>
    Array.from({ length: count }, (_, index) => ({ value: `v${index}`, label }))
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, HASH]))
  const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`)

  test.each<[string, unknown, unknown]>([
    ['question_text', asking({ question_text: text(500) }), asking({ question_text: text(501) })],
    ['an empty question', asking({ question_text: 'a' }), asking({ question_text: '' })],
    ['impact', asking({ impact: text(500) }), asking({ impact: text(501) })],
    ['an id', asking({ question_id: text(128) }), asking({ question_id: text(129) })],
    [
      'handles',
      asking({ context_handles: Array(20).fill(HASH) }),
      asking({ context_handles: Array(21).fill(HASH) }),
    ],
    ['a handle', asking({ context_handles: ['doc:x'] }), asking({ context_handles: ['https://x.example'] })],
    ['targets', submission(review), submission({ ...review, target_handles: [] })],
    [
      'the longest deadline',
      asking({ deadline_seconds: 2_592_000 }),
      asking({ deadline_seconds: 2_592_001 }),
    ],
    ['the shortest deadline', asking({ deadline_seconds: 1 }), asking({ deadline_seconds: 0 })],
    ['a deadline in parts of a second', asking({ deadline_seconds: 2 }), asking({ deadline_seconds: 1.5 })],
    [
      'many options',
      replying({ kind: 'choice', options: options(26) }),
      replying({ kind: 'choice', options: options(27) }),
    ],
    [
      'few options',
      replying({ kind: 'choice', options: options(2) }),
      replying({ kind: 'choice', options: options(1) }),
    ],
    [
      'a label',
      replying({ kind: 'choice', options: options(2, text(75)) }),
      replying({ kind: 'choice', options: options(2, text(76)) }),
    ],
    [
      'a count of choices',
      replying({ kind: 'multi_choice', options: options(26), min: 1, max: 26 }),
      replying({ kind: 'multi_choice', options: options(26), min: 1, max: 27 }),
    ],
    [
      'no choice',
      replying({ kind: 'multi_choice', options: options(2), min: 1, max: 2 }),
      replying({ kind: 'multi_choice', options: options(2), min: 0, max: 2 }),
    ],
    ['a text', replying({ kind: 'text', max_chars: 500 }), replying({ kind: 'text', max_chars: 501 })],
    [
      'a number',
      replying({ kind: 'number', min: 0, max: 999_999_999_999_999 }),
      replying({ kind: 'number', min: 0, max: 1_000_000_000_000_000 }),
    ],
    [
      'a step',
      replying({ kind: 'number', min: 0, max: 1, step: 0.5 }),
      replying({ kind: 'number', min: 0, max: 1, step: 0 }),
    ],
    [
      'a unit',
      replying({ kind: 'number', min: 0, max: 1, unit: text(32) }),
      replying({ kind: 'number', min: 0, max: 1, unit: text(33) }),
    ],
    [
      'a bound of dates',
      replying({ kind: 'date', min: '2026-01-01T09:00:00.5+01:00', max: '2026-02-01' }),
      replying({ kind: 'date', min: '2026-01-01T09:00' }),
    ],
    [
      'parameters',
      submission({ ...approval, parameters: named(20) }),
      submission({ ...approval, parameters: named(21) }),
    ],
    [
      'no parameters',
      submission({ ...approval, parameters: named(1) }),
      submission({ ...approval, parameters: {} }),
    ],
    [
      "a parameter's name",
      submission({ ...approval, parameters: { builder: HASH } }),
      submission({ ...approval, parameters: { constructor: HASH } }),
    ],
    [
      'a default',
      submission({ ...approval, default_action: 'DENY' }),
      submission({ ...approval, default_action: 'SPLIT' }),
    ],
    [
      'recipients',
      submission(question, { recipients: people(10) }),
      submission(question, { recipients: people(11) }),
    ],
    [
      'channels',
      submission(question, { recipients: [{ user_id: 'u', channels: [...CHANNELS] }] }),
      submission(question, { recipients: [{ user_id: 'u', channels: ['web', 'web'] }] }),
    ],
    ['a mood', submission(question), submission(question, { run: { ...run, mood: 'MERRY' } })],
  ])('the limit of %s is the same in both', (_name, allowed, refused) => {
    expect(verdicts(allowed)).toEqual([true, true])
    expect(verdicts(refused)).toEqual([false, false])
  })

  test('has a callback that is a URL of a bounded length', () => {
    expect(verdicts(submission(question, { callback_url: 'https://agent.example.org/x' }))).toEqual([
      true,
      true,
    ])
    expect(describes(submission(question, { callback_url: `https://agent.example.org/${text(2048)}` }))).toBe(
      false,
    )
    expect(describes(submission(question, { callback_url: 7 }))).toBe(false)
  })
})
