import { describe, expect, it } from 'vitest'
import { hashOf } from '../../src/canonical.js'
import { type Admission, admit } from '../../src/request/admit.js'
import { envelopeHash } from '../../src/request/envelope.js'
import { parseSubmission } from '../../src/request/parse.js'
import { MOODS } from '../../src/request/request.js'
import { approval, POLICY, question, review, run, submit } from './samples.js'

const ann = { channels: ['slack', 'email', 'telegram'] } as const
const bo = { channels: ['web'] } as const
const cy = { channels: ['sms'] } as const
const two: Admission = {
  recipients: { ann, bo },
  forms: { approvers: ['ann'], take_defaults: false },
  groups: {},
  ladderFor: () => undefined,
  actions: { PUBLISH: { approvers: ['ann'] }, EXPORT: { approvers: ['ann', 'bo'] } },
  configured: ['slack', 'email', 'sms', 'web'],
  proofsFor: () => ['slack_signed', 'dmarc', 'console'],
  asker: { owner: null, urgent: false },
  shows: () => true,
  printsLinks: true,
  signsIn: () => false,
  confirms: () => [],
}
const BY_PASSKEY = { proofsFor: () => ['passkey'] as const }
const SIGNED_IN = { proofsFor: () => ['web_session'] as const }
const onlyBo: Admission = { ...two, recipients: { bo } }

function submission(request: unknown, rest: object = { run }) {
  const parsed = parseSubmission(submit(request, rest), POLICY)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  return parsed.submission
}
const asked = (request: unknown, recipients: unknown, admission = two) =>
  admit(submission(request, { run, recipients }), admission)

describe('a run asks people only when it is deferential', () => {
  const inMood = (request: unknown, mood: string, sub_mode?: string) =>
    admit(
      submission(request, {
        run: { run_id: 'r', mood, ...(sub_mode ? { sub_mode } : {}) },
        recipients: ['ann'],
      }),
      two,
    )

  it.each(MOODS.filter(mood => mood !== 'DEFERENTIAL'))('a question from a %s run is not admitted', mood => {
    expect(inMood(question, mood)).toEqual({
      ok: false,
      code: 'not_admitted',
      detail: `The run is in mood ${mood}. A person is asked in mood DEFERENTIAL.`,
      errors: [{ field: '/run/mood', read: `"${mood}"`, accepted: 'mood DEFERENTIAL' }],
    })
  })
  it('sub_mode approval admits an approval and nothing else', () => {
    expect(inMood(approval, 'BOLD', 'approval').ok).toBe(true)
    expect(inMood(approval, 'BOLD')).toMatchObject({ ok: false, code: 'not_admitted' })
    expect(inMood(question, 'BOLD', 'approval')).toMatchObject({ ok: false, code: 'not_admitted' })
    expect(inMood(review, 'CALM', 'approval')).toMatchObject({ ok: false, code: 'not_admitted' })
  })
})

describe('whom it is put to', () => {
  it('the only person configured is meant where nobody is named', () => {
    expect(admit(submission(question), onlyBo)).toMatchObject({
      ok: true,
      recipients: [{ user_id: 'bo', channels: ['web'], route: 'first' }],
    })
  })
  it('with several people configured, naming nobody is refused and they are listed', () => {
    expect(admit(submission(question), two)).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: '/recipients', read: 'nothing', accepted: 'one or more of ann, bo' }],
    })
  })
  it.each(['carla', 'constructor', 'toString'])(
    'the unknown recipient %s is refused and the known are listed',
    name => {
      expect(asked(question, ['ann', name])).toMatchObject({
        code: 'invalid_request',
        errors: [{ field: '/recipients/1', read: `"${name}"`, accepted: 'one of ann, bo' }],
      })
    },
  )
  it("without channels the person's own order holds, the next when one fails", () => {
    expect(asked(question, ['ann'])).toMatchObject({
      ok: true,
      recipients: [{ user_id: 'ann', channels: ['slack', 'email', 'telegram'], route: 'first' }],
    })
  })
  it('named channels are all used, in the order named', () => {
    expect(asked(question, [{ user_id: 'ann', channels: ['email', 'slack'] }])).toMatchObject({
      ok: true,
      recipients: [{ user_id: 'ann', channels: ['email', 'slack'], route: 'all' }],
    })
  })
  it.each([
    ['a channel the operator does not list for the person, though it is running', 'sms'],
    ['a channel that is not running', 'telegram'],
  ])('%s is refused', (_, channel) => {
    expect(asked(question, [{ user_id: 'ann', channels: ['email', channel] }])).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: '/recipients/0/channels/1', read: `"${channel}"`, accepted: 'one of slack, email' }],
    })
  })
})

describe('a caller cannot choose a compliant approver', () => {
  it('a recipient who is not among the approvers is refused, even beside one who is', () => {
    expect(asked(approval, ['ann', 'bo'])).toEqual({
      ok: false,
      code: 'recipient_not_approver',
      detail: 'Only its configured approvers may approve PUBLISH.',
      errors: [{ field: '/recipients/1', read: '"bo"', accepted: 'one of ann' }],
    })
  })
  it('the only person configured is refused too where the action does not name them', () => {
    expect(admit(submission(approval), onlyBo)).toMatchObject({ ok: false, code: 'recipient_not_approver' })
  })
  it('approvers are per action', () => {
    expect(asked({ ...approval, action: 'EXPORT' }, ['ann', 'bo']).ok).toBe(true)
  })
  it('a question may go to anybody', () => {
    expect(asked(question, ['bo']).ok).toBe(true)
  })
})

describe('a request that nobody asked could answer is refused at the door', () => {
  const narrow = (more: Partial<Admission>): Admission => ({ ...two, recipients: { ann, bo, cy }, ...more })

  it('because no channel of anybody asked could show it, and no page’s proof is enough', () => {
    const admission = narrow({ shows: () => false })
    expect(asked(question, ['ann', 'cy'], admission)).toEqual({
      ok: false,
      code: 'cannot_be_shown',
      detail:
        'No channel of anybody asked could show all of what is decided, and none leads to a page whose proof is enough.',
      errors: [
        {
          field: '/recipients',
          read: 'asked on slack, email, telegram, sms',
          accepted: 'somebody who can answer by slack_signed, dmarc, console, or a shorter request',
        },
      ],
    })
  })
  it('because no channel of anybody asked gives a proof that is enough', () => {
    expect(asked(question, ['cy'], narrow({}))).toMatchObject({
      code: 'cannot_be_shown',
      detail: 'No channel of anybody asked gives a proof that is enough for this request.',
      errors: [{ field: '/recipients', read: 'asked on sms' }],
    })
  })
  it('because their one channel is the web and nothing carries its links', () => {
    expect(asked(question, ['bo'], narrow({ printsLinks: false }))).toMatchObject({ code: 'cannot_be_shown' })
  })
  it.each([
    ['whoever is asked cannot', ['cy'], { ...SIGNED_IN, signsIn: (): boolean => false }],
    ['policy does not take a session', ['cy'], { signsIn: (): boolean => true }],
    ['nothing tells them of it', ['bo'], { ...SIGNED_IN, signsIn: (): boolean => true, printsLinks: false }],
    ['they have no passkey', ['cy'], BY_PASSKEY],
    ['theirs is an operator’s', ['cy'], { ...BY_PASSKEY, confirms: () => ['passkey_by_operator'] as const }],
    [
      'nothing tells them of it, with a passkey',
      ['bo'],
      { ...BY_PASSKEY, confirms: () => ['passkey'] as const, printsLinks: false },
    ],
  ])('although people sign in, because %s', (_, recipients, more) => {
    expect(asked(question, recipients, narrow(more))).toMatchObject({ code: 'cannot_be_shown' })
  })
  it.each([
    ['one of them can be shown it', ['ann', 'cy'], { shows: (channel: string) => channel === 'email' }],
    ['the page’s proof is enough', ['cy'], { proofsFor: () => ['link_code'] as const, shows: () => false }],
    ['one of them is on a page', ['bo', 'cy'], { shows: () => false }],
    ['one of them can sign in', ['cy'], { ...SIGNED_IN, signsIn: (userId: string) => userId === 'cy' }],
    ['one of them has a passkey', ['cy'], { ...BY_PASSKEY, confirms: () => ['passkey'] as const }],
  ])('and is not where %s', (_, recipients, more) => {
    expect(asked(question, recipients, narrow(more)).ok).toBe(true)
  })
})

describe('the envelope hash', () => {
  const hash = (rest: object) => envelopeHash(submission(question, rest), '2')
  it('is the same for a name and for the same name without channels', () => {
    expect(hash({ run, recipients: ['ann'] })).toBe(hash({ recipients: [{ user_id: 'ann' }], run }))
  })
  it.each([
    ['another run', { run: { ...run, run_id: 'run-10' } }],
    ['another mood', { run: { ...run, mood: 'CALM' } }],
    ['a work item', { run: { ...run, work_item_id: 'wi-1' } }],
    ['a named recipient', { run, recipients: ['ann'] }],
    ['named channels', { run, recipients: [{ user_id: 'ann', channels: ['web'] }] }],
    ['a quorum', { run, quorum: { need: 2 } }],
    ['an urgency', { run, urgency: 'high' }],
    ['an origin', { run, origin: { system: 'ahil', ref: 'log 3', hash: `sha256:${'0'.repeat(64)}` } }],
  ])('%s makes another envelope', (_, rest) => {
    expect(hash(rest)).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(hash(rest)).not.toBe(hash({ run }))
  })
  it('a callback makes another envelope; without one the hash is what it was before there were any', () => {
    const plain = submission(question)
    for (const rules of ['1', '2'] as const) {
      const called = envelopeHash({ ...plain, callback_url: 'https://example.org/cb' }, rules)
      expect(called).not.toBe(envelopeHash(plain, rules))
      expect(envelopeHash(plain, rules)).toBe(hashOf(`lane/envelope/v${rules}`, { run, recipients: null }))
    }
  })
})

describe('groups and ladders', () => {
  const grouped: Admission = {
    ...two,
    recipients: { ann, bo, cy },
    groups: { all: ['ann', 'bo'], many: Array.from({ length: 10 }, () => 'ann') },
  }
  const climbing = (request: unknown, ladder: unknown, recipients: unknown = ['ann'], admission = grouped) =>
    admit(submission(request, { run, recipients, ladder }), admission)

  it('a group is its people, each once, and a ladder names nobody who is asked anyway', () => {
    const admitted = climbing(
      question,
      [
        { after_seconds: 1, do: 'remind' },
        { after_seconds: 2, do: 'add', recipients: ['group:all'] },
      ],
      ['ann', 'ann'].slice(1),
    )
    expect(admitted).toMatchObject({
      ok: true,
      recipients: [{ user_id: 'ann' }],
      terms: { ladder: [{ do: 'remind' }, { do: 'add', recipients: [{ user_id: 'bo', route: 'first' }] }] },
    })
    expect(asked(question, ['group:all', 'bo'], grouped)).toMatchObject({
      recipients: [{ user_id: 'ann' }, { user_id: 'bo' }],
    })
  })

  it.each([
    [
      'an unknown group',
      question,
      [{ after_seconds: 1, do: 'add', recipients: ['group:none'] }],
      '/ladder/0/recipients/0',
    ],
    [
      'a stranger',
      question,
      [{ after_seconds: 1, do: 'add', recipients: ['zoe'] }],
      '/ladder/0/recipients/0',
    ],
    [
      'a step at the deadline',
      question,
      [{ after_seconds: 2_592_000, do: 'remind' }],
      '/ladder/0/after_seconds',
    ],
    [
      'a channel that is not theirs',
      question,
      [{ after_seconds: 1, do: 'add', recipients: [{ user_id: 'bo', channels: ['sms'] }] }],
      '/ladder/0/recipients/0/channels/0',
    ],
  ])('%s is refused by its place', (_, request, ladder, field) => {
    expect(climbing(request, ladder)).toMatchObject({
      ok: false,
      code: 'invalid_request',
      errors: [{ field }],
    })
  })

  it('nobody is added who may not approve', () => {
    expect(climbing(approval, [{ after_seconds: 1, do: 'add', recipients: ['bo'] }])).toMatchObject({
      code: 'recipient_not_approver',
      errors: [{ field: '/ladder/0/recipients/0', read: '"bo"' }],
    })
  })

  it('the operator’s ladder holds where the caller gives none, without its steps beyond the deadline', () => {
    const ladder = [
      { after_seconds: 1, do: 'remind' as const },
      { after_seconds: 2_592_000, do: 'remind' as const },
    ]
    const admission = { ...grouped, ladderFor: () => ladder }
    expect(asked(question, ['ann'], admission)).toMatchObject({ terms: { ladder: [ladder[0]] } })
  })
})
