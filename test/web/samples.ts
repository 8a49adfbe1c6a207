// Displays and page states the web tests share, one for every kind of answer and every state of the page.

import type { PageState } from '../../src/adapter/page.js'
import type { ReplySchema } from '../../src/compiler/reply-schema.js'
import type { Display } from '../../src/request/display.js'

export const HANDLE = '0123456789abcdefghjkmnpqrs'
export const HASH = `sha256:${'3f9a1b2c'.repeat(8)}`

export const OPTIONS = [
  { value: 'canary', label: 'Ship to one percent first' },
  { value: 'all', label: 'Ship to everyone' },
  { value: 'wait', label: 'Wait until Monday' },
] as const

export const SCHEMAS: Readonly<Record<ReplySchema['kind'], ReplySchema>> = {
  yes_no: { kind: 'yes_no' },
  choice: { kind: 'choice', options: OPTIONS },
  multi_choice: { kind: 'multi_choice', options: OPTIONS, min: 1, max: 2 },
  text: { kind: 'text', max_chars: 80 },
  number: { kind: 'number', min: 0, max: 200, step: 5, unit: 'chips', lead: 'max spend' },
  date: { kind: 'date', min: '2026-02-17', max: '2026-12-31' },
}

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

export const open = (display: Display, refused: Open['refused'] = null): Open => ({
  kind: 'open',
  handle: HANDLE,
  display,
  elsewhere: null,
  csrf: 'csrf-1',
  refused,
  openable: [HASH],
  contents: new Map(),
  now: '2026-02-17T13:00:00.000Z',
})

export const refused = (typed: string): NonNullable<Open['refused']> => ({
  message: 'These words are not one of the accepted answers.',
  read: `“${typed}”`,
  accepted: 'YES or NO',
  typed,
})

const ENDED = { at: '2026-02-17T13:20:00.000Z', answered_by: null, answer: null, default_action: null }

export const ENDINGS: Readonly<Record<string, PageState>> = {
  recorded: { kind: 'recorded', answer: 'YES', at: '2026-02-17T13:20:00.000Z' },
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

export const bulky = (kind: ReplySchema['kind']): Display => {
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
