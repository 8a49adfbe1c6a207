// Reading an exchange log: what is taken as it stands, what is taken with a warning, what is refused.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, sha256 } from '../../../src/canonical.js'
import { hashOfEntry, REQUIRED, STATUSES, TYPES } from '../../../src/interop/ahil/entry.js'
import { pendingFor, project, waitingForPerson } from '../../../src/interop/ahil/project.js'
import { readEntry, requestIdOf } from '../../../src/interop/ahil/read.js'
import { parseSubmission } from '../../../src/request/parse.js'
import { EMBEDDED, MINIMAL, SEVEN } from './examples.js'
import { bytes, entry, flawsOf, logOf, standalone, warningsOf } from './log.js'

const POLICY = { actions: [] }
const SEEDS = fileURLToPath(new URL('../../../../shared/seeds', import.meta.url))

describe('a file', () => {
  test('[AHIL-088] with its version, a description and entries is taken', () => {
    const log = logOf(standalone(entry()))
    expect([log.form, log.entries, log.warnings]).toEqual(['standalone', [entry()], []])
    expect(flawsOf(bytes({ schema_version: '2.0', entries: [] }))).toEqual(['other_version /schema_version'])
    expect(logOf(bytes({ entries: [] })).warnings).toMatchObject([{ code: 'no_version' }])
  })

  test('[AHIL-089] that is the minimal example is taken with three entries, and the order is acted', () => {
    const { entries, warnings } = logOf(bytes(MINIMAL))
    const projection = project(entries)
    expect([entries.length, warnings]).toEqual([3, []])
    expect(entries.map(({ id }) => projection.get(id)?.status)).toEqual(['noted', 'acted', 'acted'])
  })

  test('[AHIL-090] that holds the seven examples is taken, with the warnings they deserve', () => {
    const { entries, warnings } = logOf(standalone(...SEVEN))
    expect(entries.map(({ type }) => type)).toEqual([...TYPES])
    expect(warnings.map(({ id, code }) => `${id} ${code}`)).toEqual([
      'monitor-20260317-001 id_convention',
      'human-20260317-002 unknown_ref',
      'human-20260317-003 unknown_ref',
    ])
    for (const one of SEVEN) expect(flawsOf(standalone(one))).toEqual([])
  })

  test.skipIf(!existsSync(SEEDS))('has the examples of the published text (needs ../shared)', () => {
    const name = readdirSync(SEEDS).find(one => one.startsWith('000')) ?? ''
    const text = readFileSync(join(SEEDS, name), 'utf8')
    for (const one of [...SEVEN, MINIMAL]) expect(text).toContain(JSON.stringify(one, null, 2).split('\n')[1])
    for (const { content } of SEVEN) expect(text).toContain(content)
  })

  test('[AHIL-126] that is a pipeline is read at ahi.log', () => {
    const log = logOf(bytes(EMBEDDED))
    expect([log.form, log.entries]).toEqual(['adpl', EMBEDDED.ahi.log])
    expect(log.warnings).toMatchObject([{ code: 'id_convention' }])
  })

  test('[AHIL-129] that is a bare list is taken', () => {
    expect(logOf(bytes(SEVEN)).form).toBe('list')
    expect(logOf(bytes('[]')).entries).toEqual([])
  })

  test('that two readers could read differently, or nobody, is refused', () => {
    expect(flawsOf(bytes('{"entries":[],"entries":[1]}'))).toEqual(['doubled_name '])
    const one = JSON.stringify(entry()).replace('"status"', '"status":"acted","status"')
    expect(flawsOf(bytes(`[${one}]`))).toEqual(['doubled_name '])
    expect(flawsOf(bytes(`[${one.replace('"status":"acted"', '"context":{"a":{"b":1,"b":2}}')}]`))).toEqual([
      'doubled_name ',
    ])
    expect(flawsOf(bytes('{"entries":[{"id":1}'))).toEqual(['not_json '])
    expect(flawsOf(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toEqual(['not_json '])
    expect(flawsOf(bytes('{"log":[]}'))).toEqual(['not_a_log '])
    expect(flawsOf(bytes(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`))).toEqual(['too_deep '])
    expect(
      flawsOf(bytes(`[${JSON.stringify(entry({ context: { n: 7 } })).replace('7}', '1e999}')}]`)),
    ).toEqual(['too_large_number '])
    expect(flawsOf(standalone(entry({ content: 'half \ud800' })))).toEqual(['half_character /entries/0'])
    expect(flawsOf(standalone(entry({ content: 'whole \ud83d\ude00, and \\ud8 spelt out' })))).toEqual([])
  })
})

describe('an entry', () => {
  test('[AHIL-091] without any of the seven required fields is refused', () => {
    for (const name of REQUIRED)
      for (const value of [undefined, '', 7])
        expect(flawsOf(standalone(entry({ [name]: value })))).toEqual([`missing_field /entries/0/${name}`])
    expect(flawsOf(standalone(entry(), [] as unknown as object))).toEqual(['not_an_entry /entries/1'])
  })

  test('[AHIL-092, AHIL-093] of an unknown type or status is refused', () => {
    expect(flawsOf(standalone(entry({ type: 'Approval' })))).toEqual(['unknown_type /entries/0/type'])
    expect(flawsOf(standalone(entry({ status: 'done' })))).toEqual(['unknown_status /entries/0/status'])
    for (const status of STATUSES) expect(flawsOf(standalone(entry({ status })))).toEqual([])
  })

  test('[AHIL-094] keeps its context as it is, or has none', () => {
    const context = { ref: 'x', nested: { list: [1, 'ü', null] }, __proto__x: true }
    expect(logOf(standalone(entry({ context }))).entries[0]?.context).toEqual(context)
    expect(logOf(standalone(entry())).entries[0]).not.toHaveProperty('context')
    expect(flawsOf(standalone(entry({ context: 'x' })))).toEqual(['not_a_context /entries/0/context'])
  })

  test('[AHIL-095] may come from a person; addressed to all it is warned of where one is expected', () => {
    expect(
      warningsOf(entry({ type: 'order', from: 'human', to: 'scout', id: 'human-20260317-001' })),
    ).toEqual([])
    for (const type of TYPES) {
      const isFine = ['observation', 'alert', 'order'].includes(type)
      const found = warningsOf(entry({ type, to: 'all' })).filter(one => one.endsWith(' broadcast'))
      expect([type, found.length]).toEqual([type, isFine ? 0 : 1])
    }
  })

  test('[AHIL-102] whose id breaks the convention is taken with a warning', () => {
    for (const id of [
      'monitor-20260317-001',
      'scout-20260318-001',
      'scout-20260317-01',
      'x',
      'scout-20260317',
    ])
      expect(warningsOf(entry({ id }))).toEqual([`${id} id_convention`])
    for (const from of ['setup-agent', 'a-20260101-001'])
      expect(warningsOf(entry({ from, id: `${from}-20260317-1000` }))).toEqual([])
  })

  test('[AHIL-103] with an id that was given before is refused', () => {
    expect(flawsOf(standalone(entry(), entry({ content: 'Another.' })))).toEqual([
      'duplicate_id /entries/1/id',
    ])
    expect(flawsOf(standalone(entry({ id: '__proto__' }), entry({ id: 'constructor' })))).toEqual([])
  })

  test('[AHIL-113, AHIL-115, AHIL-116] that refers to nothing, to something unknown or to an end is flagged', () => {
    const ack = { type: 'acknowledgement', status: 'noted', from: 'human', to: 'scout' }
    expect(
      warningsOf(
        entry(),
        entry({ ...ack, id: 'human-20260317-001', context: { ref: 'scout-20260317-001' } }),
        entry({ ...ack, id: 'human-20260317-002', context: { ref: 'human-20260317-001' } }),
        entry({ ...ack, id: 'human-20260317-003', context: { ref: 'scout-20260317-009' } }),
        entry({ ...ack, id: 'human-20260317-004' }),
        entry({ ...ack, id: 'human-20260317-005', type: 'approval', context: { reference: 'x' } }),
      ),
    ).toEqual([
      'human-20260317-002 acknowledges_acknowledgement',
      'human-20260317-003 unknown_ref',
      'human-20260317-004 no_ref',
      'human-20260317-005 no_ref',
    ])
  })
})

describe('asked of a person', () => {
  const options = {
    log: 'a'.repeat(32),
    file: 'exchange.ahil.json',
    to: ['operator'],
    deadlineSeconds: 3600,
    defaultAction: 'HALT',
    run: null,
  }
  const asked = (more: Parameters<typeof entry>[0] = {}, changed: Partial<typeof options> = {}) => {
    const read = readEntry(entry(more), { ...options, ...changed })
    if (!read.ok) throw new Error(`${read.path} ${read.detail}`)
    return read.asked
  }

  test('an entry is one question in a run of its own, with its words as content', () => {
    const content = `First line.\n\n  Second \u202e line: ${'x'.repeat(600)}`
    const { id, submission } = asked({ content })
    expect(submission).toEqual({
      request: {
        type: 'REQUEST_QUESTION',
        question_id: id,
        question_text: 'Do as scout recommends?',
        impact: expect.stringMatching(/^First line\. Second <U\+202E> line: x+$/),
        context_handles: [sha256(content)],
        deadline_seconds: 3600,
        default_action: 'HALT',
        reply_schema: { kind: 'yes_no', reason: { when: 'on_no', max_chars: 500 } },
      },
      run: { run_id: id, mood: 'DEFERENTIAL' },
      recipients: [{ user_id: 'operator' }],
      origin: {
        system: 'ahil',
        ref: 'scout-20260317-001 in exchange.ahil.json',
        hash: sha256(canonical(entry({ content }))),
      },
      contents: { [sha256(content)]: content },
    })
    expect(String(submission.request.impact)).toHaveLength(500)
    expect(parseSubmission(submission, POLICY)).toMatchObject({ ok: true })
    expect(asked({}, { run: 'night' as never }).submission.run.run_id).toBe('night')
  })

  test('and its own reply schema is the one that counts', () => {
    const reply_schema = { kind: 'number', min: 1, max: 9 }
    expect(asked({ context: { reply_schema } }).submission.request.reply_schema).toEqual(reply_schema)
    expect(readEntry(entry({ context: { reply_schema: 'yes' } }), options)).toMatchObject({
      ok: false,
      path: '/context/reply_schema',
    })
    for (const from of ['who? me', 'human', 'lane', 'all'])
      expect(readEntry(entry({ from }), options)).toMatchObject({ ok: false, path: '/from' })
    expect(readEntry(entry({ content: 'x'.repeat(70_000) }), options)).toMatchObject({ path: '/content' })
  })

  test('under an id that no other log, and no changed entry, has', () => {
    const id = requestIdOf(options.log, entry())
    expect(requestIdOf(options.log, entry())).toBe(id)
    expect(requestIdOf('b'.repeat(32), entry())).not.toBe(id)
    expect(requestIdOf(options.log, entry({ context: {} }))).not.toBe(id)
    expect(hashOfEntry(entry())).toBe(sha256(canonical(entry())))
  })

  test('any words that a file can hold make a submission that the lane reads', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), content => {
        const read = readEntry(entry({ content }), options)
        if (read.ok) expect(parseSubmission(read.asked.submission, POLICY)).toMatchObject({ ok: true })
        else expect(read.path).toBe('/content')
      }),
    )
  })

  test('[AHIL-106, AHIL-108] are recommendations and alerts to a person, noted or pending, and never an observation', () => {
    const entries = [
      entry(),
      entry({ id: '2', type: 'alert', status: 'noted' }),
      entry({ id: '3', type: 'alert', status: 'pending' }),
      entry({ id: '4', type: 'observation', status: 'noted' }),
      entry({ id: '5', type: 'observation', status: 'pending' }),
      entry({ id: '6', to: 'builder' }),
      entry({ id: '7', type: 'alert', to: 'all', status: 'pending' }),
      entry({ id: '8', status: 'acted' }),
    ]
    const projection = project(entries)
    expect(waitingForPerson(entries, projection).map(({ id }) => id)).toEqual([
      'scout-20260317-001',
      '2',
      '3',
    ])
    expect(pendingFor(entries, projection, 'builder').map(({ id }) => id)).toEqual(['6', '7'])
  })
})
