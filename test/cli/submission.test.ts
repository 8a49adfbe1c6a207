import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { readArguments } from '../../src/cli/arguments.js'
import { questionFrom } from '../../src/cli/ask.js'
import { REPLY_OPTIONS, readReplySchema } from '../../src/cli/reply-options.js'
import { approvalFrom, reviewFrom } from '../../src/cli/review.js'
import { COMMON_OPTIONS, runIdOf } from '../../src/cli/submission.js'
import { parseSubmission } from '../../src/request/parse.js'

const MADE = { requestId: 'ask-made', runId: 'run-made' }
const FIXED = `sha256:${'b'.repeat(64)}`
const WHEN = ['--deadline', '30m', '--default', 'HALT']

/** The schema the options mean, if the lane itself accepts it. */
function schemaOf(...args: string[]): unknown {
  const read = readArguments(args, REPLY_OPTIONS)
  if (!read.ok) return read.flaws
  const schema = readReplySchema(read.values)
  return schema.ok ? schema.schema : schema.flaws
}

function question(...args: string[]) {
  const options = {
    ...COMMON_OPTIONS,
    ...REPLY_OPTIONS,
    impact: { type: 'string' },
    context: { type: 'string', multiple: true },
  } as const
  const read = readArguments(args, options, ['TEXT'])
  if (!read.ok) return read
  return questionFrom(read.words[0] ?? '', read.values, MADE)
}

const DECISION = { id: 'd1', type: 'approval', prompt: 'Ship it', required: true }
const FORM_FILE = join(mkdtempSync(join(tmpdir(), 'form-')), 'form.json')
writeFileSync(FORM_FILE, JSON.stringify({ decisions: [DECISION] }))
afterAll(() => rmSync(dirname(FORM_FILE), { recursive: true, force: true }))

describe('when and by whom', () => {
  const asked = (...more: string[]) =>
    question('Ship it?', '--impact', 'x', '--yes-no', ...WHEN, '--to', 'ann', ...more)

  test('--remind and --escalate become a ladder in the order of their time, --urgency stands beside it', () => {
    expect(
      asked('--escalate', '20m=bo,group:managers', '--remind', '10m', '--remind', '25m', '--urgency', 'low'),
    ).toMatchObject({
      ok: true,
      submission: {
        ladder: [
          { after_seconds: 600, do: 'remind' },
          { after_seconds: 1200, do: 'add', recipients: [{ user_id: 'bo' }, { user_id: 'group:managers' }] },
          { after_seconds: 1500, do: 'remind' },
        ],
        urgency: 'low',
      },
    })
  })

  test.each([
    [['--remind', '10'], '--remind takes'],
    [['--escalate', '10m'], '--escalate takes a time and people'],
    [['--remind', '10m', '--escalate', '600s=bo'], 'two steps cannot come together'],
    [['--urgency', 'very'], '--urgency takes one of low, normal, high'],
  ])('%j is a mistake in words', (more, words) => {
    const read = asked(...more)
    expect(read.ok).toBe(false)
    expect(JSON.stringify(read)).toContain(words)
  })
})

describe('what may be answered', () => {
  test.each([
    [['--yes-no'], { kind: 'yes_no' }],
    [['--yes-no', '--ask-reason', 'on_no'], { kind: 'yes_no', reason: { when: 'on_no', max_chars: 500 } }],
    [['--form', FORM_FILE], { kind: 'form', decisions: [DECISION] }],
    [
      ['--option', 'now=Ship now', '--option', 'later=Wait = a day'],
      {
        kind: 'choice',
        options: [
          { value: 'now', label: 'Ship now' },
          { value: 'later', label: 'Wait = a day' },
        ],
      },
    ],
    [
      ['--multi', 'eu=Europe', '--multi', 'us'],
      {
        kind: 'multi_choice',
        options: [
          { value: 'eu', label: 'Europe' },
          { value: 'us', label: 'us' },
        ],
        min: 1,
        max: 2,
      },
    ],
    [
      ['--multi', 'eu', '--multi', 'us', '--multi', 'asia', '--min', '2', '--max', '2'],
      {
        kind: 'multi_choice',
        options: ['eu', 'us', 'asia'].map(value => ({ value, label: value })),
        min: 2,
        max: 2,
      },
    ],
    [['--text', '120'], { kind: 'text', max_chars: 120 }],
    [['--number', '0..50'], { kind: 'number', min: 0, max: 50 }],
    [
      ['--number=-0.5..2.5', '--step', '0.5', '--unit', 'chips', '--lead', 'max spend'],
      { kind: 'number', min: -0.5, max: 2.5, step: 0.5, unit: 'chips', lead: 'max spend' },
    ],
    [['--date'], { kind: 'date' }],
    [
      ['--date', '--from', '2026-02-17', '--until', '2026-03-01'],
      { kind: 'date', min: '2026-02-17', max: '2026-03-01' },
    ],
  ])('%j', (args, schema) => {
    expect(schemaOf(...args)).toEqual(schema)
    const asked = question('Ship it?', '--impact', 'goes on', ...WHEN, ...args)
    const parsed = asked.ok && parseSubmission(asked.submission, { actions: [] })
    expect(parsed).toMatchObject({ ok: true, submission: { request: { reply_schema: schema } } })
  })

  test.each([
    [[], /exactly one of --yes-no/],
    [['--yes-no', '--text', '5'], /read --yes-no and --text/],
    [['--yes-no', '--unit', 'chips'], /--unit belongs to --number/],
    [['--number', '0-50'], /MIN\.\.MAX.*read "0-50"/],
    [['--number', '1e3..2e3'], /MIN\.\.MAX/],
    [['--number', '0..5', '--step', 'half'], /--step takes a number; read "half"/],
    [['--text', 'long'], /read "long"/],
    [['--multi', 'a', '--multi', 'b', '--min', 'one'], /whole numbers/],
    [['--number', '-5..5'], /--number=-XYZ/],
    [['--form', '/nowhere/form.json'], /form\.json cannot be read/],
    [['--form', import.meta.filename], /is not JSON/],
    [['--yes-no', '--ask-reason', 'always'], /on_no or optional; read "always"/],
    [['--option', 'a', '--option', 'b', '--ask-reason', 'on_no'], /on_no belongs to --yes-no/],
    [['--text', '5', '--ask-reason', 'optional'], /belongs to --yes-no and --option/],
  ])('%j is refused with what would be understood', (args, sentence) => {
    expect(String(schemaOf(...args))).toMatch(sentence)
  })
})

describe('the body of POST /v1/requests', () => {
  test('a question carries exactly what was said, and an id made before it is sent', () => {
    const asked = question('Ship it?', '--impact', 'goes on', '--yes-no', ...WHEN)
    expect(asked).toEqual({
      ok: true,
      submission: {
        request: {
          type: 'REQUEST_QUESTION',
          question_id: 'ask-made',
          question_text: 'Ship it?',
          impact: 'goes on',
          context_handles: [],
          deadline_seconds: 1800,
          default_action: 'HALT',
          reply_schema: { kind: 'yes_no' },
        },
        run: { run_id: 'run-made', mood: 'DEFERENTIAL' },
      },
    })
  })

  test('people, channels, run, work item, id and context go where they belong', () => {
    const asked = question(
      ...['Ship it?', '--impact', 'goes on', '--yes-no', ...WHEN],
      ...['--to', 'a', '--to', 'b', '--channel', 'slack', '--channel', 'email'],
      ...['--run', 'run-9', '--work-item', 'wi-3', '--id', 'q-7', '--context', 'doc:x', '--context', FIXED],
    )
    expect(asked).toMatchObject({
      submission: {
        request: { question_id: 'q-7', context_handles: ['doc:x', FIXED] },
        run: { run_id: 'run-9', mood: 'DEFERENTIAL', work_item_id: 'wi-3' },
        recipients: [
          { user_id: 'a', channels: ['slack', 'email'] },
          { user_id: 'b', channels: ['slack', 'email'] },
        ],
      },
    })
  })

  test('everything that is missing is named at once', () => {
    const asked = question('Ship it?', '--channel', 'web')
    expect(asked.ok ? [] : asked.flaws).toEqual([
      expect.stringContaining('--impact'),
      expect.stringContaining('--channel needs --to'),
      expect.stringContaining('--deadline'),
      expect.stringContaining('HALT, SPLIT, DOWNGRADE_TO_HYPOTHESIS'),
      expect.stringContaining('--yes-no'),
    ])
  })

  test.each(['APPROVE', 'halt', 'PUBLISH', ''])('a default of %j is no default', chosen => {
    const asked = question('Ship it?', '--impact', 'x', '--yes-no', '--deadline', '1m', '--default', chosen)
    expect(asked.ok ? [] : asked.flaws).toEqual([expect.stringContaining(`read "${chosen}"`)])
  })

  test('a review is one the lane accepts', () => {
    const values = {
      target: ['diff:a', FIXED],
      lens: 'security',
      'yes-no': true,
      deadline: '2h',
      default: 'SPLIT',
    }
    const wanted = reviewFrom(values, MADE)
    expect(wanted).toMatchObject({
      submission: { request: { type: 'REQUEST_REVIEW', review_id: 'ask-made', lens: 'security' } },
    })
    expect(wanted.ok && parseSubmission(wanted.submission, { actions: [] }).ok).toBe(true)
  })

  test('a review without target or with an unknown lens is refused', () => {
    const wanted = reviewFrom({ lens: 'taste', 'yes-no': true, deadline: '2h', default: 'SPLIT' }, MADE)
    expect(wanted.ok ? [] : wanted.flaws).toEqual([
      expect.stringContaining('--target, --value or --file is missing'),
      expect.stringContaining('security, product, correctness, clarity'),
    ])
  })

  test('an approval is one the lane accepts, and is answered yes or no', () => {
    const wanted = approvalFrom(
      'PUBLISH',
      { param: [`artifact=${FIXED}`], deadline: '2h', default: 'DENY' },
      MADE,
    )
    expect(wanted).toMatchObject({
      submission: { request: { parameters: { artifact: FIXED }, reply_schema: { kind: 'yes_no' } } },
    })
    expect(wanted.ok && parseSubmission(wanted.submission, { actions: ['PUBLISH'] }).ok).toBe(true)
  })

  test.each([
    [[], /--param, --value or --file is missing/],
    [['artifact'], /read "artifact"/],
    [['=x'], /read "=x"/],
    [[`a=${FIXED}`, 'a=doc:other'], /--param a is given twice/],
  ])('parameters %j are refused', (param, sentence) => {
    const values = { deadline: '2h', default: 'DENY', ...(param.length > 0 && { param }) }
    const wanted = approvalFrom('PUBLISH', values, MADE)
    expect(String(wanted.ok ? '' : wanted.flaws)).toMatch(sentence)
  })

  describe('--value and --file', () => {
    const directory = mkdtempSync(join(tmpdir(), 'values-'))
    afterAll(() => rmSync(directory, { recursive: true, force: true }))
    const file = (name: string, bytes: string | Buffer): string => {
      writeFileSync(join(directory, name), bytes)
      return join(directory, name)
    }
    const common = { deadline: '2h', default: 'DENY' }

    test('make handle and content together, of an approval by their names', () => {
      const sql = 'DELETE FROM invoices;\n'
      const values = { ...common, value: ['amount=50=€'], file: [`statement=${file('a.sql', sql)}`] }
      const wanted = approvalFrom('PUBLISH', { ...values, param: [`artifact=${FIXED}`] }, MADE)
      expect(wanted).toMatchObject({
        submission: {
          request: { parameters: { artifact: FIXED, amount: sha256('50=€'), statement: sha256(sql) } },
          contents: { [sha256('50=€')]: '50=€', [sha256(sql)]: sql },
        },
      })
      expect(wanted.ok && parseSubmission(wanted.submission, { actions: ['PUBLISH'] }).ok).toBe(true)
    })

    test('bring what a question or a review is about, without names', () => {
      const notes = file('notes.txt', 'two lines\nof notes')
      const values = { ...common, default: 'HALT', 'yes-no': true, value: ['50 EUR'], file: [notes] }
      const handles = [sha256('50 EUR'), sha256('two lines\nof notes')]
      const asked = questionFrom('Pay it?', { ...values, impact: 'Pays it' }, MADE)
      expect(asked).toMatchObject({ submission: { request: { context_handles: handles } } })
      const reviewed = reviewFrom({ ...values, lens: 'product' }, MADE)
      expect(reviewed).toMatchObject({ submission: { request: { target_handles: handles } } })
      for (const wanted of [asked, reviewed])
        expect(wanted.ok && Object.keys(wanted.submission.contents ?? {})).toEqual(handles)
    })

    test.each([
      ['a value without a name', { value: ['=50'] }, /--value takes k=TEXT; read "=50"/],
      ['a file without a name', { file: ['change.patch'] }, /--file takes k=PATH; read "change.patch"/],
      ['a name given twice', { value: ['a=1'], file: ['a=2'] }, /a is given twice/],
      ['a file that is not there', { file: [`a=${directory}/none`] }, /none: it cannot be read \(ENOENT/],
      ['bytes that are no text', { file: [`a=${file('b', Buffer.from([0xff, 0xfe]))}`] }, /no text in UTF-8/],
      ['a text with a NUL', { file: [`a=${file('c', 'a\0b')}`] }, /no text in UTF-8/],
      [
        'more than people are shown',
        { file: [`a=${file('d', 'x'.repeat(65_537))}`] },
        /65537 bytes are more than the 65536/,
      ],
    ])('%s is refused, saying what was read', (_, values, sentence) => {
      const wanted = approvalFrom('PUBLISH', { ...common, ...values }, MADE)
      expect(String(wanted.ok ? '' : wanted.flaws)).toMatch(sentence)
    })
  })

  test('an approval may need several people, a form, or a reason', () => {
    const wanted = (more: object) =>
      approvalFrom(
        'PUBLISH',
        { param: [`artifact=${FIXED}`], deadline: '2h', default: 'DENY', ...more },
        MADE,
      )
    expect(wanted({ quorum: '2' })).toMatchObject({ submission: { quorum: { need: 2 } } })
    expect(wanted({ form: FORM_FILE })).toMatchObject({
      submission: { request: { reply_schema: { kind: 'form', decisions: [DECISION] } } },
    })
    expect(wanted({ 'ask-reason': 'on_no' })).toMatchObject({
      submission: {
        request: { reply_schema: { kind: 'yes_no', reason: { when: 'on_no', max_chars: 500 } } },
      },
    })
    for (const values of [{ quorum: '2' }, { form: FORM_FILE }, { 'ask-reason': 'on_no' }]) {
      const { ok, ...rest } = wanted(values)
      const submission = 'submission' in rest ? rest.submission : null
      expect(ok && parseSubmission(submission, { actions: ['PUBLISH'] }).ok).toBe(true)
    }
  })

  test.each([
    [{ quorum: '1' }, /--quorum takes how many must say YES, 2 to 10; read "1"/],
    [{ quorum: '11' }, /2 to 10; read "11"/],
    [{ quorum: 'two' }, /2 to 10; read "two"/],
    [{ form: FORM_FILE, 'ask-reason': 'on_no' }, /a form asks for reasons in its decisions/],
    [{ form: '/nowhere/form.json' }, /cannot be read/],
  ])('an approval with %j is refused with what would be understood', (more, sentence) => {
    const values = { param: [`artifact=${FIXED}`], deadline: '2h', default: 'DENY', ...more }
    const wanted = approvalFrom('PUBLISH', values, MADE)
    expect(String(wanted.ok ? '' : wanted.flaws)).toMatch(sentence)
  })

  test('a parameter named like an inherited property is one the lane gets to refuse', () => {
    const wanted = approvalFrom(
      'PUBLISH',
      { param: [`__proto__=${FIXED}`], deadline: '2h', default: 'DENY' },
      MADE,
    )
    const sent = wanted.ok ? JSON.parse(JSON.stringify(wanted.submission)) : null
    expect(Object.keys(sent.request.parameters)).toEqual(['__proto__'])
  })

  test('the run is LANE_RUN_ID, else the id of the request, else one with the day in its name', () => {
    const today = '2026-02-17T12:00:00.000Z'
    expect(runIdOf({ LANE_RUN_ID: ' ci-77 ' }, 'ship-42', today, 'abcd')).toBe('ci-77')
    expect(runIdOf({ LANE_RUN_ID: '' }, 'ship-42', today, 'abcd')).toBe('ship-42')
    expect(runIdOf({}, undefined, today, 'abcd')).toBe('cli-20260217-abcd')
  })
})

describe('the command line', () => {
  test('a misspelt option is told the one that was meant', () => {
    const read = readArguments(['--dedline', '5m'], COMMON_OPTIONS)
    expect(read).toEqual({ ok: false, flaws: ['there is no option --dedline; did you mean --deadline?'] })
  })

  test('a question without quotes is recognised as such', () => {
    const read = readArguments(['Ship', 'it?'], COMMON_OPTIONS, ['TEXT'])
    expect(read.ok ? [] : read.flaws).toEqual([
      expect.stringContaining('put a text of several words in quotes'),
    ])
  })

  test('a word that may be left out is not missed', () => {
    expect(readArguments([], {}, ['FILE?'])).toMatchObject({ ok: true, words: [] })
    expect(readArguments([], {}, ['FILE'])).toEqual({ ok: false, flaws: ['FILE is missing'] })
  })
})
