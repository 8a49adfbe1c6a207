// One decision, told in every file: what each then says, and what stays as it was.
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/canonical.js'
import { mismatches } from '../../../src/interop/aahp/board.js'
import { examine, readLock } from '../../../src/interop/aahp/health.js'
import { splitLog } from '../../../src/interop/aahp/log.js'
import { type Manifest, parseManifest, type Task } from '../../../src/interop/aahp/manifest.js'
import { hashOfTask, readTask, textsOf, waitsForPerson } from '../../../src/interop/aahp/read.js'
import { trustRows } from '../../../src/interop/aahp/trust.js'
import { type Ended, type TaskVerdict, verdictOf } from '../../../src/interop/aahp/verdict.js'
import { handOn, tellRecovery } from '../../../src/interop/aahp/write.js'
import { AT, boardOf, bytes, handoff, logOf, SESSION, TASKS, TODAY } from './handoff.js'

const EVENT = sha256('event')
const YES: TaskVerdict = {
  task: 'T-003',
  requestId: 'aahp-T-003-1',
  eventHash: EVENT,
  releases: true,
  words: 'YES',
  by: 'human:operator',
  how: 'over web, proof console',
}
const NO: TaskVerdict = { ...YES, releases: false, words: 'NO' }
const SILENCE: TaskVerdict = { ...YES, releases: false, words: 'defaulted, HALT holds', by: null, how: '' }

type Handed = {
  readonly texts: Record<string, string>
  readonly manifest: Manifest
  readonly board: ReturnType<typeof boardOf>
}

function hand(
  verdict: TaskVerdict,
  changes: Record<string, string | null> = {},
  more: Partial<Manifest> = {},
): Handed {
  const files = handoff(changes, more)
  const board = boardOf(files)
  const written = handOn(board, manifestIn(files), verdict, SESSION)
  if (!written.ok) throw new Error(`${written.code}: ${written.details.join('; ')}`)
  const texts = { ...files, ...Object.fromEntries(written.files) }
  return { texts, manifest: manifestIn(texts), board: boardOf(texts) }
}
function manifestIn(files: Record<string, string>): Manifest {
  const parsed = parseManifest(files['MANIFEST.json'] ?? '')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.flaws))
  return parsed.manifest
}
const codeOf = (verdict: TaskVerdict, changes: Record<string, string | null>): string => {
  const files = handoff(changes)
  const written = handOn(boardOf(files), manifestIn(files), verdict, SESSION)
  return written.ok ? 'ok' : written.code
}

describe('a handoff', () => {
  test('[AAHP-265, AAHP-266] after YES makes the task ready, unless it still waits for another task', () => {
    expect(hand(YES).manifest.tasks?.['T-003']).toEqual({
      title: 'Open the valve',
      status: 'ready',
      priority: 'high',
      depends_on: ['T-001'],
      lane: { last: { request_id: 'aahp-T-003-1', event_hash: EVENT, verdict: 'YES' } },
    })
    const waiting = { ...TASKS, 'T-001': { ...(TASKS['T-001'] as Task), status: 'in_progress' as const } }
    const left = hand(YES, {}, { tasks: waiting }).manifest.tasks?.['T-003']
    expect([left?.status, left?.blocked_by]).toEqual(['blocked', undefined])
  })

  test('[AAHP-267] after NO leaves the task blocked, and tells the verdict', () => {
    const { manifest, texts } = hand(NO)
    expect(manifest.tasks?.['T-003']).toMatchObject({
      status: 'blocked',
      blocked_by: 'refused by human:operator, request aahp-T-003-1: May the valve be opened?',
    })
    expect(manifest.tasks?.['T-004']?.status).toBe('blocked')
    expect(texts['LOG.md']).toContain('- Verdict: NO, human:operator, over web, proof console')
    expect(trustRows(texts['TRUST.md'] ?? '').map(({ property }) => property)).toEqual(['pipe holds'])
  })

  test('[AAHP-268] after silence leaves the task blocked, and tells that nobody answered', () => {
    const { manifest, texts } = hand(SILENCE)
    expect(manifest.tasks?.['T-003']).toMatchObject({
      status: 'blocked',
      blocked_by: expect.stringContaining('defaulted, HALT holds'),
    })
    expect(texts['LOG.md']).toContain('- Verdict: defaulted, HALT holds\n')
    expect(texts['STATUS.md']).toContain('(Unknown)')
  })

  test('asks no task anew by itself, and the same question anew only when an agent puts it again', () => {
    const refused = hand(NO).manifest.tasks?.['T-003'] as Task
    expect(waitsForPerson(refused)).toBe(false)
    const again = { ...refused, blocked_by: TASKS['T-003']?.blocked_by }
    expect(waitsForPerson(again)).toBe(true)
    expect(hashOfTask(again)).not.toBe(hashOfTask(TASKS['T-003'] as Task))
  })

  test('[AAHP-280] leaves a manifest that fits every file', () => {
    for (const verdict of [YES, NO, SILENCE]) {
      const { manifest, board } = hand(verdict, { 'LOG.md': logOf(10) })
      expect(mismatches(manifest, board)).toEqual([])
      expect(Object.keys(manifest.files)).toContain('LOG-ARCHIVE.index.json')
      expect(examine({ board, today: TODAY, before: null, dirty: [] })).toMatchObject({
        mayWrite: true,
        mode: 'v3',
      })
    }
  })

  test('[AAHP-305, AAHP-306] tells five lines of provenance, the request and the hash of its event', () => {
    const { texts } = hand(YES)
    const [entry = ''] = splitLog(texts['LOG.md'] ?? '').entries
    for (const text of [entry, texts['STATUS.md'] ?? ''])
      expect(text).toContain(
        '> **Agent:** interrupt-lane\n> **Session ID:** lane-1\n> **Timestamp:** 2026-03-01T12:00:00.000Z\n> **Commit before:** c0ffee0\n> **Commit after:** ',
      )
    expect(entry).toContain('- Request: aahp-T-003-1\n')
    expect(entry).toContain(`- Event hash: ${EVENT}\n`)
  })

  test('keeps every line that stood there', () => {
    const before = handoff()
    const { texts } = hand(YES)
    for (const name of ['STATUS.md', 'NEXT_ACTIONS.md', 'LOG.md', 'TRUST.md', 'DASHBOARD.md'])
      for (const line of (before[name] ?? '').split('\n')) expect(texts[name]?.split('\n')).toContain(line)
    expect(texts['DASHBOARD.md']).toBe(before['DASHBOARD.md'])
  })

  test('writes plain ASCII into files that hold other characters, which stay', () => {
    const { texts } = hand(
      YES,
      { 'LOG.md': `${logOf(1)}\u2014 a dash\n` },
      { tasks: { ...TASKS, 'T-003': { ...(TASKS['T-003'] as Task), title: 'Ventil \u2014 \u00f6ffnen' } } },
    )
    expect(texts['LOG.md']).toContain('\u2014 a dash\n')
    expect(splitLog(texts['LOG.md'] ?? '').entries[0]).toMatch(/^[\x20-\x7e\n]*$/)
  })

  test('is not made where a secret stands, and names neither it nor its line', () => {
    const secret = `API_${'KEY'}=abcdefghijklmnop`
    const files = handoff({ 'STATUS.md': `# s\n\n${secret}\n` })
    const written = handOn(boardOf(files), manifestIn(files), YES, SESSION)
    expect(written).toMatchObject({
      ok: false,
      code: 'firewall',
      details: expect.arrayContaining([
        expect.stringMatching(/^STATUS\.md:3 holds what assignment forbids \(sha256:/),
      ]),
    })
    expect(JSON.stringify(written)).not.toContain('abcdefghijklmnop')
  })

  test('is not made while a list cannot be read, nor over bytes that are no text', () => {
    expect(codeOf(YES, { '.aiignore': '(\\d' })).toBe('firewall')
    expect(codeOf(YES, { 'pii-allowlist.json': '{}' })).toBe('firewall')
    const files = boardOf(handoff())
    const garbled = new Map([...files, ['LOG.md', Buffer.from([0xff, 0xfe, 0x0a])]])
    expect(handOn(garbled, manifestIn(handoff()), YES, SESSION)).toMatchObject({ ok: false, code: 'no_text' })
  })

  test('[AAHP-291] rebuilds a status that cannot be read, begins a missing log, and stops where nobody says what is next', () => {
    expect(hand(YES, { 'STATUS.md': '' }).texts['STATUS.md']).toContain(
      '- [2026-02-03] builder: step 3 (Assumed)',
    )
    expect(hand(YES, { 'LOG.md': null }).texts['LOG.md']).toContain(
      '- LOG.md was not there: what came before is (Unknown)',
    )
    expect(hand(YES, { 'NEXT_ACTIONS.md': '' }).texts['NEXT_ACTIONS.md']).toContain(
      '## T-003: Open the valve',
    )
    expect(codeOf(YES, { 'NEXT_ACTIONS.md': ' \n', 'DASHBOARD.md': '' })).toBe('nothing_to_do')
    const check = (changes: Record<string, string | null>) =>
      examine({ board: boardOf(handoff(changes)), today: TODAY, before: null, dirty: [] }).steps[6]
    expect(check({ 'STATUS.md': '' })).toMatchObject({
      state: 'warn',
      notes: [expect.stringContaining('rebuilt from LOG.md')],
    })
    expect(check({ 'LOG.md': null })).toMatchObject({
      state: 'warn',
      notes: [expect.stringContaining('notes the gap')],
    })
    expect(check({ 'NEXT_ACTIONS.md': '' })).toMatchObject({
      state: 'warn',
      notes: [expect.stringContaining('read DASHBOARD.md')],
    })
    expect(check({ 'NEXT_ACTIONS.md': '', 'DASHBOARD.md': '' })).toMatchObject({ state: 'stop' })
  })

  test('[AAHP-286] of a recovery marks what the interrupted session wrote as unknown', () => {
    const files = handoff()
    const told = {
      agent: 'builder',
      unknown: ['STATUS.md', 'TRUST.md'],
      assumed: ['LOG.md'],
      kept: 'refs/lane/x',
    }
    const written = tellRecovery(boardOf(files), manifestIn(files), told, SESSION)
    if (!written.ok) throw new Error(written.code)
    const log = written.files.get('LOG.md') ?? ''
    expect(log).toContain('- STATUS.md: what that session wrote is (Unknown)')
    expect(log).toContain('- TRUST.md: what that session wrote is (Unknown)')
    expect(log).toContain('- LOG.md: changed outside the protocol, read as (Assumed)')
    expect(manifestIn({ ...files, ...Object.fromEntries(written.files) }).tasks).toEqual(TASKS)
  })
})

describe('a task that waits for a person', () => {
  const place = { project: 'sample', branch: 'main', id: 'T-003' }
  const options = { deadlineSeconds: 86_400, to: undefined }
  const ask = (task: Task, where = place) => {
    const read = readTask(where, task, options)
    if (!read.ok) throw new Error(`${read.path}: ${read.detail}`)
    return read.asked
  }
  const task = TASKS['T-003'] as Task

  test('[AAHP-264, AAHP-304] is a question of yes or no, in a run of its own, whose text is named as data', () => {
    const { id, submission } = ask(task)
    expect(submission).toEqual({
      request: {
        type: 'REQUEST_QUESTION',
        question_id: id,
        question_text: 'May the valve be opened?',
        impact: expect.stringContaining('it is data, not an instruction'),
        context_handles: [],
        deadline_seconds: 86_400,
        default_action: 'HALT',
        reply_schema: { kind: 'yes_no' },
      },
      run: { run_id: id, mood: 'DEFERENTIAL', work_item_id: 'T-003' },
      origin: { system: 'aahp', ref: 'T-003 of sample on main', hash: hashOfTask(task) },
    })
    expect(id).toMatch(/^aahp-T-003-[0-9a-f]{24}$/)
  })

  test('has another id when anything of it, or where it stands, is changed', () => {
    const ids = [
      ask(task).id,
      ask({ ...task, title: 'other' }).id,
      ask({ ...task, notes: 'x' }).id,
      ask(task, { ...place, branch: 'other' }).id,
      ask(task, { ...place, project: 'other' }).id,
      ask(task, { ...place, id: 'T-004' }).id,
    ]
    expect(new Set(ids).size).toBe(ids.length)
    expect(ask({ ...task }).id).toBe(ids[0])
  })

  test('may spell out another request, without an id of its own, and say whom to ask', () => {
    const request = {
      type: 'REQUEST_APPROVAL',
      action: 'PUBLISH',
      parameters: { artifact: `sha256:${'a'.repeat(64)}` },
    }
    const { id, submission } = ask({ ...task, lane: { request, to: 'second' } })
    expect(submission.request).toEqual({
      ...request,
      approval_id: id,
      deadline_seconds: 86_400,
      default_action: 'DENY',
      reply_schema: { kind: 'yes_no' },
    })
    expect(submission.recipients).toEqual([{ user_id: 'second' }])
    const flawOf = (lane: unknown): string => {
      const read = readTask(place, { ...task, lane }, options)
      return read.ok ? 'taken' : read.path
    }
    expect(flawOf({ request: { ...request, approval_id: 'mine' } })).toBe('/lane/request')
    expect(flawOf({ request: { type: 'REQUEST_ANYTHING' } })).toBe('/lane/request')
    expect(flawOf({ request: { ...request, why: '\ud800' } })).toBe('')
    expect(flawOf({ to: [1] })).toBe('/lane/to')
    expect(flawOf('x')).toBe('/lane')
  })

  test('is seen whole by the firewall', () => {
    const { submission } = ask({
      ...task,
      lane: {
        request: {
          type: 'REQUEST_QUESTION',
          question_text: 'deep',
          reply_schema: { kind: 'choice', options: [{ value: 'x', label: 'deeper' }] },
        },
      },
    })
    for (const text of ['deep', 'deeper', 'T-003 of sample on main'])
      expect(textsOf(submission)).toContain(text)
  })

  test('is one that is open and whose blocker begins so', () => {
    expect(waitsForPerson(task)).toBe(true)
    for (const other of [
      { ...task, blocked_by: 'a human: yes' },
      { ...task, status: 'done' as const },
      { ...task, status: 'cancelled' as const },
    ])
      expect(waitsForPerson(other)).toBe(false)
  })
})

describe('a verdict', () => {
  const answer = {
    parsed_choice: 'YES',
    parsed_payload: null,
    answered_by: 'operator',
    channel: 'web',
    proof: 'console',
  }
  const ended = (kind: string, more: Partial<Ended['answer'] & object> = {}, state = 'answered'): Ended => ({
    request_id: 'r',
    state,
    request: { reply_schema: { kind } },
    resolved_at: AT,
    default_action: 'HALT',
    answer: { ...answer, ...more },
  })
  const told = (kind: string, more?: Partial<Ended['answer'] & object>) => {
    const { words, releases, by } = verdictOf('T-003', ended(kind, more), EVENT)
    return [words, releases, by]
  }

  test('[AAHP-301] names people by their pseudonyms, and compiled values alone', () => {
    expect(told('yes_no')).toEqual(['YES', true, 'human:operator'])
    expect(told('yes_no', { parsed_choice: 'NO' })).toEqual(['NO', false, 'human:operator'])
    expect(told('choice', { parsed_choice: 'blue' })).toEqual(['blue', true, 'human:operator'])
    expect(told('multi_choice', { parsed_choice: null, parsed_payload: { selected: ['a', 'b'] } })).toEqual([
      'a, b',
      true,
      'human:operator',
    ])
    expect(told('number', { parsed_choice: null, parsed_payload: { number: 50, unit: 'chips' } })).toEqual([
      '50 chips',
      true,
      'human:operator',
    ])
    const text = `mail me${'@'}example.org`
    expect(told('text', { parsed_choice: null, parsed_payload: { text } })).toEqual([
      'answered in words that stay in the lane',
      true,
      'human:operator',
    ])
    const decisions = [
      { decision_id: 'd1', approved: true },
      { decision_id: 'd2', value: text, comment: text },
    ]
    expect(told('form', { parsed_choice: null, parsed_payload: { decisions } })).toEqual([
      'd1 approved, d2 answered',
      true,
      'human:operator',
    ])
    const refused = [...decisions, { decision_id: 'd3', approved: false }]
    expect(told('form', { parsed_choice: null, parsed_payload: { decisions: refused } })).toEqual([
      'd1 approved, d2 answered, d3 refused',
      false,
      'human:operator',
    ])
  })

  test('of no answer releases nothing, whatever stands in the case', () => {
    for (const state of ['defaulted', 'undelivered', 'withdrawn', 'partial'])
      expect(verdictOf('T-003', ended('yes_no', {}, state), EVENT)).toMatchObject({
        releases: false,
        by: null,
      })
  })
})

describe('the eight steps', () => {
  const look = (
    changes: Record<string, string | null> = {},
    more: Partial<Manifest> = {},
    dirty: string[] | null = [],
  ) => examine({ board: boardOf(handoff(changes, more)), today: TODAY, before: null, dirty })
  const states = (health: ReturnType<typeof examine>) => health.steps.map(({ state }) => state)

  test('[AAHP-289] come in their order, each with what it found', () => {
    expect(look().steps.map(({ step, name }) => [step, name])).toEqual([
      [1, 'the handoff directory'],
      [2, 'the manifest'],
      [3, 'the lock'],
      [4, 'checksums'],
      [5, 'trust'],
      [6, 'quick context'],
      [7, 'files to read'],
      [8, 'work'],
    ])
    expect(states(look())).toEqual(Array(8).fill('ok'))
  })

  test('[AAHP-290] begin anew without a directory, and read everything without a manifest', () => {
    const none = examine({ board: null, today: TODAY, before: null, dirty: null })
    expect([none.mode, none.mayWrite, states(none)[0]]).toEqual(['bootstrap', false, 'stop'])
    const { 'MANIFEST.json': _, ...rest } = handoff()
    const old = examine({ board: boardOf(rest), today: TODAY, before: null, dirty: [] })
    expect([old.mode, old.mayWrite, states(old)[1]]).toEqual(['v1', false, 'warn'])
  })

  test('[AAHP-288] know a lock whatever stands in it', () => {
    for (const [text, who] of [
      ['{"agent":"builder","started":"x"}', 'of builder, since x'],
      ['agent: builder\nstarted: y\n', 'of builder, since y'],
      ['garbage', 'of somebody who left no name'],
      ['', 'of somebody who left no name'],
    ] as const) {
      const health = look({ 'HANDOFF.lock': text })
      expect([health.mode, health.mayWrite]).toEqual(['recovery', false])
      expect(health.steps[2]?.notes[0]).toContain(who)
    }
    expect(readLock(bytes('{"agent":["x"]}')).agent).toBe(null)
  })

  test('say of a file that changed outside the protocol that it is assumed, and stop writing', () => {
    const board = boardOf({ ...handoff(), 'STATUS.md': 'changed\n' })
    const health = examine({ board, today: TODAY, before: null, dirty: [] })
    expect(health.steps[3]).toMatchObject({
      state: 'stop',
      notes: ['STATUS.md is changed: what it says is (Assumed)'],
    })
    expect(health.mayWrite).toBe(false)
  })

  test('stop at tasks that wait for each other, at a counter that went back, and at what was left uncommitted', () => {
    const circle = { 'T-001': { title: 'a', status: 'ready' as const, depends_on: ['T-001'] } }
    expect(look({}, { tasks: circle }).steps[7]).toMatchObject({
      state: 'stop',
      notes: [expect.stringContaining('T-001 -> T-001')],
    })
    expect(look({}, { next_task_id: 2 }).steps[1]?.state).toBe('stop')
    expect(look({}, {}, ['LOG.md']).steps[2]?.state).toBe('stop')
  })

  test('[AAHP-319] only read where there are no tasks', () => {
    const health = look({}, { tasks: undefined, next_task_id: undefined, aahp_version: '2.0' })
    expect([health.mode, health.mayWrite, states(health)]).toEqual(['v2', false, Array(8).fill('ok')])
  })
})
