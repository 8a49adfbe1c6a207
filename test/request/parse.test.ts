import { describe, expect, it } from 'vitest'
import { type FieldError, parseSubmission } from '../../src/request/parse.js'
import { DEFAULT_ACTIONS } from '../../src/request/request.js'
import { approval, HASH, POLICY, question, review, run, SAMPLES, submit } from './samples.js'

function errorsOf(body: unknown): readonly FieldError[] {
  const parsed = parseSubmission(body, POLICY)
  return parsed.ok ? [] : parsed.errors
}
function refusal(body: unknown): FieldError & { code: string } {
  const parsed = parseSubmission(body, POLICY)
  if (parsed.ok) throw new Error('accepted')
  expect(parsed.errors).toHaveLength(1)
  const [error] = parsed.errors
  if (error === undefined) throw new Error('no reason given')
  return { code: parsed.code, ...error }
}
const fieldsOf = (body: unknown) => errorsOf(body).map(error => error.field)
const without = (request: object, field: string) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== field))

describe('every field is required and every other field is unknown', () => {
  describe.each([
    ['[LANE-001]', 'question', question],
    ['[LANE-002]', 'review', review],
    ['[LANE-003]', 'approval', approval],
  ])('%s a %s', (_number, _noun, sample) => {
    it('is accepted with all its fields, unchanged', () => {
      expect(parseSubmission(submit(sample), POLICY)).toEqual({
        ok: true,
        submission: { request: sample, run, recipients: null },
      })
    })

    const required = Object.keys(sample).filter(field => field !== 'type' && !field.endsWith('_id'))
    it.each(required)('without %s is refused by that name', field => {
      const { code, ...error } = refusal(submit(without(sample, field)))
      expect(code).toBe('invalid_request')
      expect(error).toMatchObject({ field: `/request/${field}`, read: 'nothing' })
      expect(error.accepted).not.toMatch(/invalid|expected/i)
    })

    it('without its id is accepted: the lane makes one', () => {
      const id = Object.keys(sample).find(field => field.endsWith('_id')) ?? ''
      expect(errorsOf(submit(without(sample, id)))).toEqual([])
    })

    it('[LANE-005] with an unknown field is refused by that field, and the known ones are listed', () => {
      const error = refusal(submit({ ...sample, urgency: 'high' }))
      expect(error).toMatchObject({ code: 'invalid_request', field: '/request/urgency', read: '"high"' })
      for (const field of Object.keys(sample)) expect(error.accepted).toContain(field)
    })

    it('[LANE-020] with a request_id beside its own id is refused as having an unknown field', () => {
      const error = refusal(submit({ ...sample, request_id: 'x-1' }))
      expect(error).toMatchObject({ code: 'invalid_request', field: '/request/request_id' })
      expect(error.accepted).toMatch(/^no such field/)
    })
  })

  it('all missing fields are named at once', () => {
    expect(fieldsOf(submit({ type: 'REQUEST_QUESTION' }))).toEqual([
      '/request/question_text',
      '/request/impact',
      '/request/context_handles',
      '/request/deadline_seconds',
      '/request/default_action',
      '/request/reply_schema',
    ])
  })

  it.each([
    ['a routine status message', { type: 'STATUS', text: 'done' }, '/request/type', '"STATUS"'],
    ['a lower-case type', { ...question, type: 'request_question' }, '/request/type', '"request_question"'],
    ['no type', without(question, 'type'), '/request/type', 'nothing'],
    ['a list for a request', [], '/request', 'a list of 0'],
    ['prose for a request', 'May I publish?', '/request', '"May I publish?"'],
  ])('[LANE-004] %s is refused, and the three types are named', (_, request, field, read) => {
    expect(refusal(submit(request))).toMatchObject({
      code: 'invalid_request',
      field,
      read,
      accepted: 'a request whose type is REQUEST_QUESTION, REQUEST_REVIEW or REQUEST_APPROVAL',
    })
  })

  it.each([
    ['null', null],
    ['a string', 'x'],
    ['a list', []],
  ])('a body that is %s is refused as a whole', (_, body) => {
    expect(refusal(body)).toMatchObject({
      field: '',
      accepted:
        'an object with the fields request, run, recipients, quorum, urgency, ladder, origin, contents, callback_url',
    })
  })
})

describe('what is asked', () => {
  const asking = (question_text: unknown) => submit({ ...question, question_text })

  it.each([
    ['two questions', 'Ship? Or wait?'],
    ['a doubled mark', 'Ship??'],
    ['a full-width second mark', 'Ship? 出荷？'],
    ['an Arabic second mark', 'Ship? لماذا؟'],
    ['a Greek second mark', 'Ship? Γιατί\u037e'],
    ['an interrobang after a mark', 'Ship? Now\u203d'],
    ['one character that is two marks', 'Ship\u2047'],
    ['an emoji mark', 'Ship? \u2753'],
    ['two opened questions', '¿Uno ¿Dos?'],
  ])('[LANE-006] %s: refused', (_, text) => {
    const error = refusal(asking(text))
    expect(error).toMatchObject({ code: 'invalid_request', field: '/request/question_text' })
    expect(error.accepted).toContain('at most one question mark')
  })

  it.each(['Ship?', '¿Publicamos?', 'Name the release.', '出荷しますか？', 'Choose; now?'])(
    '%s is one question',
    text => {
      expect(errorsOf(asking(text))).toEqual([])
    },
  )

  it.each([
    ['a bidi override', 'Ship \u202ethis?', 'character 6 is U+202E, which is not shown'],
    ['a bidi isolate', '\u2066Ship?', 'character 1 is U+2066'],
    ['a zero-width space', 'Sh\u200bip?', 'character 3 is U+200B'],
    ['a zero-width joiner', 'a\u200db', 'character 2 is U+200D'],
    ['a soft hyphen', 'a\u00adb', 'U+00AD'],
    ['a newline', 'Ship?\nApproved by: boss', 'character 6 is U+000A'],
    ['a carriage return', 'a\rb', 'U+000D'],
    ['a tab', 'a\tb', 'U+0009'],
    ['a C1 control', 'a\u0085b', 'U+0085'],
    ['a line separator', 'a\u2028b', 'U+2028'],
    ['a tag character', 'a\u{e0041}b', 'character 2 is U+E0041'],
    ['a variation selector', 'a\ufe0fb', 'U+FE0F'],
    ['a Hangul filler', 'a\u3164b', 'U+3164'],
    ['a private-use character', 'a\ue000b', 'U+E000'],
    ['an unassigned code point', 'a\u0378b', 'U+0378'],
    ['a lone surrogate', 'a\ud800b', 'U+D800'],
    ['a placeholder for an object', 'a\ufffcb', 'character 2 is U+FFFC, which is not shown'],
    [
      'a stroke over a letter',
      'Do n\u0336o\u0336t\u0336 ship?',
      'character 5 is U+0336, and marks stand on letters',
    ],
    ['a solidus over a word', 'a\u0338b', 'U+0338'],
    ['a circle that forbids', 'a\u20e0b', 'U+20E0, and marks'],
    ['a mark that scratches out', 'Do n\u0489o\u0489t\u0489 ship?', 'character 5 is U+0489, and marks'],
    ['brackets over a letter', 'a\u1abeb', 'U+1ABE, and marks'],
    ['a bar over a letter of another script', 'a\u{10a39}b', 'U+10A39, and marks'],
    ['a keycap', '1\u20e3', 'U+20E3'],
    ['a mark on nothing', '\u0301a', 'character 1 is U+0301, and marks stand on letters'],
    ['a mark on a blank', 'a \u0301b', 'character 3 is U+0301'],
    ['a mark on a sign', 'a! \u{1f600}\u0301', 'U+0301'],
    [
      'a tower of marks',
      `a${'\u0301'.repeat(5)}b`,
      'character 6 is U+0301, and marks stand on letters, at most four',
    ],
    ['a blank that does not break', 'a\u00a0b', 'character 2 is U+00A0, and blanks stand alone'],
    ['a wide blank', 'a\u3000b', 'U+3000'],
    ['a blank of Braille', 'a\u2800b', 'U+2800, and blanks'],
    ['a blank among hieroglyphs', 'a\u{13441}b', 'U+13441, and blanks'],
    ['a blank of music', 'a\u{1d159}b', 'U+1D159, and blanks'],
    ['a blank that is a mark', 'a\u{16fe4}b', 'U+16FE4, and blanks'],
    ['two blanks', 'a  b', 'character 3 is U+0020, and blanks stand alone, each a U+0020'],
    ['a run of blanks', `Ship it?${' '.repeat(200)}Not`, 'character 10 is U+0020'],
    ['nothing but a space', ' ', 'this shows nothing'],
    ['no character', '', 'this shows nothing'],
    ['501 characters', '😀'.repeat(501), 'this has 501'],
  ])('%s is refused in every text that is shown', (_, text, taught) => {
    const options = [
      { value: 'x1', label: text },
      { value: 'x2', label: 'Two' },
    ]
    const choice = { ...question, reply_schema: { kind: 'choice', options } }
    for (const [body, field] of [
      [asking(text), '/request/question_text'],
      [submit({ ...question, impact: text }), '/request/impact'],
      [submit(choice), '/request/reply_schema/options/0/label'],
    ] as const) {
      const error = refusal(body)
      expect(error).toMatchObject({ code: 'invalid_request', field })
      expect(error.accepted).toContain(taught)
      expect(error.read).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
    }
  })

  it.each([
    ['Vietnamese, its marks apart', 'Có phát hành không?'.normalize('NFD')],
    ['Hindi', 'क्या हम अभी रिलीज़ करें?'],
    ['Thai', 'เผยแพร่ตอนนี้เลยหรือไม่?'],
    ['pointed Hebrew', 'הַאִם לְפַרְסֵם עַכְשָׁו?'],
    ['Arabic with its vowels', 'هَلْ نَنْشُرُ الآنَ؟'],
    ['Tibetan', 'ད་ལྟ་བཀྲམས་ན་འགྲིག་གམ?'],
    ['Yoruba, four marks at most', 'Ṣé kí á tẹ̀ ẹ́ jáde?'.normalize('NFD')],
    ['a picture of one character', 'Ship it 🚀 now?'],
  ])('what people write in their own script is shown: %s', (_, text) => {
    expect(errorsOf(asking(text))).toEqual([])
  })

  it.each(['a  b', 'a\u00a0b', 'n\u0336o', `a${'\u0301'.repeat(9)}`, '\u0301a', 'a\ufffcb'])(
    'what was let in under rules 1 stays a request of rules 1, and is none of rules 2: %j',
    text => {
      expect(parseSubmission(asking(text), POLICY, '1').ok).toBe(true)
      expect(parseSubmission(asking(text), POLICY, '2').ok).toBe(false)
    },
  )

  it('length is counted in code points: 500 emoji are 500 characters', () => {
    expect(errorsOf(asking('😀'.repeat(500)))).toEqual([])
  })

  it.each([undefined, '', '  ', 7, null])('[LANE-009] impact %j is refused', impact => {
    const error = refusal(
      submit(impact === undefined ? without(question, 'impact') : { ...question, impact }),
    )
    expect(error).toMatchObject({ code: 'invalid_request', field: '/request/impact' })
    expect(error.accepted).toContain('what the answer changes')
  })

  it.each(['style', 'SECURITY', '', null, ['security']])('[LANE-007] lens %j is refused', lens => {
    expect(refusal(submit({ ...review, lens }))).toMatchObject({
      code: 'invalid_request',
      field: '/request/lens',
      accepted: 'one of security, product, correctness, clarity',
    })
  })

  it.each(['DELETE', 'publish', '', 'constructor'])('[LANE-008] action %j is refused', action => {
    expect(refusal(submit({ ...approval, action }))).toMatchObject({
      code: 'invalid_request',
      field: '/request/action',
      accepted: 'one of PUBLISH, PROMOTE, EXPORT',
    })
  })

  it('where no action is configured no approval can be asked for', () => {
    const parsed = parseSubmission(submit(approval), { actions: [] })
    expect(parsed).toMatchObject({
      ok: false,
      code: 'invalid_request',
      errors: [{ field: '/request/action', accepted: 'no action is configured' }],
    })
  })

  it.each(['', '-a', 'a b', 'ä', 'a/b', 'a'.repeat(129), 5, null])('id %j is refused', id => {
    expect(refusal(submit({ ...question, question_id: id })).field).toBe('/request/question_id')
    expect(refusal(submit(question, { run: { ...run, run_id: id } })).field).toBe('/run/run_id')
    expect(refusal(submit(question, { run: { ...run, work_item_id: id } })).field).toBe('/run/work_item_id')
  })
})

describe('pointers, never content', () => {
  const BAD_HANDLES = [
    'The whole document text',
    `sha256:${'AB'.repeat(32)}`,
    `sha256:${'ab'.repeat(31)}`,
    `${HASH} `,
    'md5:abc',
    'doc:',
    `doc:${'a'.repeat(129)}`,
    'doc:a/b',
    'https://example.org/x',
    '',
    7,
    null,
    { text: 'inline' },
  ]
  it.each(BAD_HANDLES)('[LANE-010] %j is no handle', handle => {
    for (const [body, field] of [
      [submit({ ...question, context_handles: [HASH, handle] }), '/request/context_handles/1'],
      [submit({ ...review, target_handles: [handle] }), '/request/target_handles/0'],
      [submit({ ...approval, parameters: { artifact: handle } }), '/request/parameters/artifact'],
    ] as const) {
      const error = refusal(body)
      expect(error).toMatchObject({ code: 'invalid_request', field })
      expect(error.accepted).toContain('sha256: and 64 lower-case hex digits')
    }
  })

  it('a blob in place of a handle is refused by its field and hardly echoed', () => {
    const blob = 'secret material '.repeat(20_000)
    const parsed = parseSubmission(submit({ ...question, context_handles: [blob], [blob]: blob }), POLICY)
    expect(JSON.stringify(parsed).length).toBeLessThan(1000)
    expect(fieldsOf(submit({ ...question, context_handles: [blob] }))).toEqual(['/request/context_handles/0'])
  })

  it('ten thousand wrong handles are answered by a bounded list', () => {
    const errors = errorsOf(submit({ ...question, context_handles: Array(10_000).fill('x') }))
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(25)
  })

  it('so are as many wrong handles that hold what must not be kept', () => {
    const secret = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}`
    expect(errorsOf(submit({ ...question, context_handles: Array(40).fill(secret) }))).toHaveLength(25)
  })

  it.each(['doc', 'receipt', 'diff', 'run', 'artifact'])('%s: names content without fixing it', prefix => {
    expect(errorsOf(submit({ ...review, target_handles: [`${prefix}:A-z.0_9`] }))).toEqual([])
  })

  it.each([
    ['a review', review],
    ['an approval', approval],
  ])('%s may say why, in 1 to 500 characters', (_noun, sample) => {
    for (const why of ['x', 'x'.repeat(500)]) expect(errorsOf(submit({ ...sample, why }))).toEqual([])
    for (const why of ['', 'x'.repeat(501), 7, 'two\nlines'])
      expect(refusal(submit({ ...sample, why }))).toMatchObject({
        code: 'invalid_request',
        field: '/request/why',
      })
  })

  it('a question says what its answer decides, and has no why beside it', () => {
    expect(refusal(submit({ ...question, why: 'x' }))).toMatchObject({ field: '/request/why' })
  })

  it("an approval's parameters are content hashes: a name alone is refused", () => {
    expect(refusal(submit({ ...approval, parameters: { artifact: 'artifact:v2' } }))).toMatchObject({
      field: '/request/parameters/artifact',
      read: '"artifact:v2"',
      accepted: 'sha256: and 64 lower-case hex digits, the hash of the content',
    })
  })

  it.each([
    [
      '21 context handles',
      { ...question, context_handles: Array(21).fill(HASH) },
      '/request/context_handles',
    ],
    ['no target', { ...review, target_handles: [] }, '/request/target_handles'],
    ['21 targets', { ...review, target_handles: Array(21).fill(HASH) }, '/request/target_handles'],
    ['no parameter', { ...approval, parameters: {} }, '/request/parameters'],
    ['parameters as a list', { ...approval, parameters: [HASH] }, '/request/parameters'],
    [
      '21 parameters',
      { ...approval, parameters: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}`, HASH])) },
      '/request/parameters',
    ],
  ])('%s: refused', (_, request, field) => {
    expect(refusal(submit(request))).toMatchObject({ code: 'invalid_request', field })
  })

  it.each(['1st', 'a b', 'é', '', 'a'.repeat(65), 'constructor', 'prototype'])(
    'parameter name %j is refused',
    name => {
      const error = refusal(submit({ ...approval, parameters: { [name]: HASH } }))
      expect(error.code).toBe('invalid_request')
      expect(error.field).toMatch(/^\/request\/parameters\//)
      expect(error.accepted).toContain('beginning with a letter')
    },
  )

  it('a __proto__ among the parameters is refused, not passed over', () => {
    const parameters = JSON.parse(`{"artifact":"${HASH}","__proto__":"${HASH}"}`)
    expect(refusal(submit({ ...approval, parameters }))).toMatchObject({
      field: '/request/parameters/__proto__',
    })
  })
})

describe('silence and time', () => {
  it('[LANE-016] a question without a default is refused, and the safe ones are listed', () => {
    expect(refusal(submit(without(question, 'default_action')))).toMatchObject({
      code: 'invalid_request',
      field: '/request/default_action',
      read: 'nothing',
      accepted: `what holds if nobody answers, one of ${DEFAULT_ACTIONS.join(', ')}`,
    })
  })

  it.each(['APPROVE', 'PUBLISH', 'CONTINUE', 'YES', 'halt', '', null, true])(
    '[LANE-017] default %j is refused',
    given => {
      for (const sample of Object.values(SAMPLES)) {
        const error = refusal(submit({ ...sample, default_action: given }))
        expect(error).toMatchObject({ code: 'invalid_request', field: '/request/default_action' })
      }
    },
  )

  it.each(DEFAULT_ACTIONS)(
    '[LANE-018] %s is accepted for questions and reviews and comes back as given',
    given => {
      for (const sample of [question, review]) {
        const parsed = parseSubmission(submit({ ...sample, default_action: given }), POLICY)
        expect(parsed.ok && parsed.submission.request.default_action).toBe(given)
      }
    },
  )

  it.each([
    ['PUBLISH', ['DENY', 'HALT', 'QUARANTINE_OUTPUTS', 'DO_NOT_PUBLISH']],
    ['EXPORT', ['DENY', 'HALT', 'QUARANTINE_OUTPUTS', 'DO_NOT_EXPORT']],
    ['PROMOTE', ['DENY', 'HALT', 'QUARANTINE_OUTPUTS']],
  ])('an approval of %s may default to %j only', (action, fitting) => {
    for (const default_action of DEFAULT_ACTIONS) {
      const fields = fieldsOf(submit({ ...approval, action, default_action }))
      expect(fields).toEqual(fitting.includes(default_action) ? [] : ['/request/default_action'])
    }
  })

  it.each([0, -1, 1.5, 2_592_001, '3600', null, Number.POSITIVE_INFINITY])(
    '[LANE-019] deadline_seconds %j is refused',
    deadline_seconds => {
      expect(refusal(submit({ ...question, deadline_seconds }))).toMatchObject({
        code: 'invalid_request',
        field: '/request/deadline_seconds',
        accepted: 'an integer from 1 to 2592000',
      })
    },
  )

  it.each([1, 2_592_000])('deadline_seconds %i is accepted', deadline_seconds => {
    expect(errorsOf(submit({ ...question, deadline_seconds }))).toEqual([])
  })
})

describe('the envelope', () => {
  const routed = (recipients: unknown) => submit(question, { run, recipients })

  it.each([
    ['no run', {}, '/run'],
    ['an unknown mood', { run: { ...run, mood: 'HAPPY' } }, '/run/mood'],
    ['an unknown sub_mode', { run: { ...run, sub_mode: 'root' } }, '/run/sub_mode'],
    ['an unknown field of run', { run: { ...run, agent: 'x' } }, '/run/agent'],
    ['an unknown field beside the request', { run, priority: 1 }, '/priority'],
    ['a sender identity', { run, sender_identity: { user_id: 'a' } }, '/sender_identity'],
  ])('%s: refused by name', (_, rest, field) => {
    expect(refusal(submit(question, rest))).toMatchObject({ code: 'invalid_request', field })
  })

  it('names and names with channels are read alike', () => {
    const parsed = parseSubmission(routed(['ann', { user_id: 'bo', channels: ['sms', 'web'] }]), POLICY)
    expect(parsed.ok && parsed.submission.recipients).toEqual([
      { user_id: 'ann' },
      { user_id: 'bo', channels: ['sms', 'web'] },
    ])
  })

  it.each([
    ['nobody', [], '/recipients'],
    ['null', null, '/recipients'],
    ['a bare name', 'ann', '/recipients'],
    ['eleven people', Array.from({ length: 11 }, (_, i) => `u${i}`), '/recipients'],
    ['somebody twice', ['ann', { user_id: 'ann', channels: ['web'] }], '/recipients'],
    ['a name that is no id', ['ann', 'b o'], '/recipients/1'],
    ['a number', [7], '/recipients/0'],
    ['no user_id', [{ channels: ['web'] }], '/recipients/0/user_id'],
    ['an address', [{ user_id: 'ann', email: 'a@example.org' }], '/recipients/0/email'],
    ['an unknown channel', [{ user_id: 'ann', channels: ['web', 'fax'] }], '/recipients/0/channels/1'],
    ['no channel', [{ user_id: 'ann', channels: [] }], '/recipients/0/channels'],
    ['a channel twice', [{ user_id: 'ann', channels: ['web', 'web'] }], '/recipients/0/channels'],
  ])('recipients: %s is refused', (_, recipients, field) => {
    expect(refusal(routed(recipients))).toMatchObject({ code: 'invalid_request', field })
  })
})

describe('what is not built yet is told apart from what is wrong', () => {
  it.each([
    ['a callback', submit(question, { run, callback_url: 'https://example.org/cb' }), '/callback_url'],
    ['a null callback', submit(question, { run, callback_url: null }), '/callback_url'],
  ])('%s is not_available', (_, body, field) => {
    expect(refusal(body)).toMatchObject({ code: 'not_available', field })
  })

  it('a callback names the variable that the operator has not set', () => {
    const body = submit(question, { run, callback_url: 'https://example.org/cb' })
    expect(refusal(body).accepted).toContain('LANE_WEBHOOK_SECRET')
  })
})

describe('a callback, where callbacks are configured', () => {
  const callback = { words: 'a good address', isCallable: (url: string) => url === 'https://example.org/cb' }
  const parse = (callback_url: unknown) =>
    parseSubmission(submit(question, { run, callback_url }), { ...POLICY, callback })
  it('is kept as it was given', () => {
    const callback_url = 'https://example.org/cb'
    expect(parse(callback_url)).toEqual({
      ok: true,
      submission: { request: question, run, recipients: null, callback_url },
    })
  })
  it.each([[null], [7], [''], ['https://example.org/other'], [['https://example.org/cb']], [{}]])(
    'that is %j is refused by its field',
    url => {
      const refused = parse(url)
      expect(refused).toMatchObject({
        ok: false,
        code: 'invalid_request',
        errors: [{ field: '/callback_url', accepted: 'a good address' }],
      })
    },
  )
})
