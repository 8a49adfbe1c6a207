// Displays and page states the web tests share, one for every kind of answer and every state of the page.

import type { PageState } from '../../src/adapter/page.js'
import type { Hash } from '../../src/canonical.js'
import type { FormSchema, ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Content } from '../../src/request/content/exhibit.js'
import type { Display } from '../../src/request/display.js'

export const HANDLE = '0123456789abcdefghjkmnpqrs'
export const HASH = `sha256:${'3f9a1b2c'.repeat(8)}`

export const OPTIONS = [
  { value: 'canary', label: 'Ship to one percent first' },
  { value: 'all', label: 'Ship to everyone' },
  { value: 'wait', label: 'Wait until Monday' },
] as const

/** The kinds of one answer. */
export type PlainKind = Exclude<ReplySchema['kind'], 'form'>

export const SCHEMAS: Readonly<Record<PlainKind, ReplySchema>> = {
  yes_no: { kind: 'yes_no' },
  choice: { kind: 'choice', options: OPTIONS },
  multi_choice: { kind: 'multi_choice', options: OPTIONS, min: 1, max: 2 },
  text: { kind: 'text', max_chars: 80 },
  number: { kind: 'number', min: 0, max: 200, step: 5, unit: 'chips', lead: 'max spend' },
  date: { kind: 'date', min: '2026-02-17', max: '2026-12-31' },
}

/** A decision of every type, with all that can stand beside one. */
export const FORM: FormSchema = {
  kind: 'form',
  context: 'The release is built.\nTwo areas changed since the last one.',
  blocking: [
    { task_id: 'T-7', artifact_id: 'build-9', description: 'The release job' },
    { description: 'Billing' },
  ],
  decisions: [
    {
      id: 'ship',
      type: 'approval',
      prompt: 'Ship the release?',
      description: 'To the first ring.\nThe others follow a day later.',
      required: true,
      default: false,
      reason: { when: 'on_no', max_chars: 200 },
    },
    {
      id: 'notify',
      type: 'approval',
      prompt: 'Tell the customers?',
      required: false,
      reason: { when: 'optional', max_chars: 500 },
    },
    {
      id: 'ring',
      type: 'choice',
      prompt: 'To whom first?',
      required: true,
      default: 'staff',
      options: [
        { value: 'staff', label: 'Staff', description: 'Everybody with an account of ours' },
        { value: 'beta', label: 'Beta users' },
      ],
    },
    {
      id: 'areas',
      type: 'multi_choice',
      prompt: 'Which areas were looked at?',
      required: false,
      options: OPTIONS,
      constraints: { min: 1, max: 2 },
    },
    {
      id: 'note',
      type: 'text',
      prompt: 'A note for the log',
      required: false,
      constraints: { max: 80, pattern: '^[A-Z]' },
    },
    {
      id: 'share',
      type: 'number',
      prompt: 'Which share in percent?',
      required: true,
      constraints: { min: 1, max: 100 },
    },
    { id: 'when', type: 'date', prompt: 'On which day?', required: true },
  ],
}

export const REASONED: ReplySchema = { kind: 'yes_no', reason: { when: 'on_no', max_chars: 200 } }

export const question = (reply_schema: ReplySchema = SCHEMAS.yes_no): Display => ({
  v: 1,
  type: 'REQUEST_QUESTION',
  request_id: 'q-17',
  request_hash: `sha256:${'c0ffee42'.repeat(8)}`,
  asked_by: 'release-agent',
  run_id: 'run-9',
  work_item_id: 'wi-3',
  headline: 'Which rollout should version 4.2 follow?',
  impact: 'The chosen rollout starts within the hour and cannot be slowed down afterwards.',
  lens: null,
  action: null,
  why: null,
  contents: [],
  exhibits: new Map(),
  urgency: 'normal',
  ladder: null,
  origin: null,
  handles: [
    { name: null, handle: HASH, fixed: true },
    { name: null, handle: 'doc:rollout-plan', fixed: false },
  ],
  reply_schema,
  deadline_at: '2026-02-17T14:00:05.000Z',
  default_action: 'HALT',
})

export const approval: Display = {
  ...question(),
  type: 'REQUEST_APPROVAL',
  request_id: 'ship-42',
  headline: 'Approve PUBLISH',
  impact: null,
  action: 'PUBLISH',
  handles: [
    { name: 'artifact', handle: HASH, fixed: true },
    { name: 'notes', handle: `sha256:${'0badf00d'.repeat(8)}`, fixed: true },
  ],
  default_action: 'DENY',
}

export const review: Display = {
  ...question(SCHEMAS.text),
  type: 'REQUEST_REVIEW',
  request_id: 'rev-5',
  headline: 'Review for security',
  impact: null,
  lens: 'security',
  default_action: 'QUARANTINE_OUTPUTS',
}

export type Open = Extract<PageState, { kind: 'open' }>

export const open = (display: Display, last: Refused | null = null): Open => ({
  kind: 'open',
  handle: HANDLE,
  display,
  elsewhere: null,
  csrf: 'csrf-1',
  refused: last?.refused ?? null,
  typed: last?.typed ?? null,
  settled: [],
  openable: [HASH],
  standing: null,
  beside: null,
  now: '2026-02-17T13:00:00.000Z',
})

/** Urgent, with a ladder, handed to this person, who may hand it on. */
export const peopled = (display: Display, last: Refused | null = null): Open => ({
  ...open(
    {
      ...display,
      v: 2,
      urgency: 'high',
      ladder: [
        { after_seconds: 600, do: 'remind' },
        {
          after_seconds: 5_400,
          do: 'add',
          recipients: [{ user_id: 'manager', channels: ['email'], route: 'first' }],
        },
        { after_seconds: 86_400, do: 'next_channel' },
      ],
    },
    last,
  ),
  beside: {
    local_deadline: 'Tue 17 Feb 15:00 Europe/Berlin',
    votes: null,
    others: ['Second in place of Third', 'Fourth'],
    handed_by: 'Release owner',
    delegates: [
      { user_id: 'deputy', name: 'Deputy' },
      { user_id: 'night-shift', name: 'Night <shift> & co' },
    ],
  },
})

type Refused = Pick<Open, 'typed'> & { readonly refused: NonNullable<Open['refused']> }
export const refused = (typed: string): Refused => ({
  refused: {
    message: 'These words are not one of the accepted answers.',
    read: `“${typed}”`,
    accepted: 'YES or NO',
  },
  typed: { reply: typed, fields: {}, all: null },
})

/** Handing it on was not taken. */
export const notHanded: Refused = {
  ...refused('DELEGATE deputy'),
  typed: { reply: 'DELEGATE deputy', fields: {}, all: null, hands: true },
}

const ENDED = { at: '2026-02-17T13:20:00.000Z', answered_by: null, answer: null, default_action: null }

export const ENDINGS: Readonly<Record<string, PageState>> = {
  recorded: { kind: 'recorded', answer: 'YES', at: '2026-02-17T13:20:00.000Z', missing: null },
  answered: {
    kind: 'closed',
    ending: { ...ENDED, outcome: 'answered', answered_by: 'release-owner', answer: 'YES' },
  },
  defaulted: { kind: 'closed', ending: { ...ENDED, outcome: 'defaulted', default_action: 'HALT' } },
  undelivered: { kind: 'closed', ending: { ...ENDED, outcome: 'undelivered', default_action: 'DENY' } },
  withdrawn: { kind: 'closed', ending: { ...ENDED, outcome: 'withdrawn' } },
  unknown: { kind: 'unknown' },
  stopped: { kind: 'stopped', title: 'Too many tries', message: 'This link takes no more answers.' },
}

/** Unbroken and as long as the lane admits: what a phone has to bear. */
export const LONG = 'W'.repeat(500)
const MANY = Array.from({ length: 26 }, (_, at) => ({
  value: `${'v'.repeat(31)}${at % 10}`,
  label: `${at}`.padEnd(75, 'M'),
}))

export const bulky = (kind: PlainKind): Display => {
  const schema =
    kind === 'number'
      ? { ...SCHEMAS.number, lead: LONG.slice(0, 80), unit: LONG.slice(0, 80) }
      : { ...SCHEMAS[kind] }
  return {
    ...question('options' in schema ? { ...schema, options: MANY } : schema),
    asked_by: LONG.slice(0, 128),
    run_id: LONG.slice(0, 128),
    work_item_id: LONG.slice(0, 128),
    request_id: LONG.slice(0, 128),
    headline: LONG,
    impact: LONG,
    handles: [
      { name: LONG.slice(0, 64), handle: HASH, fixed: true },
      { name: null, handle: `doc:${LONG.slice(0, 128)}`, fixed: false },
    ],
  }
}

/** A content under a handle of the samples. */
export const stored = (text: string | null, size = 2): Content => ({
  handle: HASH as Hash,
  name: null,
  size: text === null ? size : Buffer.byteLength(text),
  text,
})
