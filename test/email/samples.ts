// Displays and recipients, for tests that call the adapter's parts themselves.

import type { Outbound } from '../../src/adapter/contract.js'
import type { Display } from '../../src/request/display.js'

export const display: Display = {
  v: 1,
  type: 'REQUEST_QUESTION',
  request_id: 'ship-42',
  request_hash: `sha256:${'c'.repeat(64)}`,
  asked_by: 'Release pipeline',
  run_id: 'run-9',
  work_item_id: 'wi-3',
  headline: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  lens: null,
  action: null,
  why: null,
  contents: [],
  exhibits: new Map(),
  urgency: 'normal',
  ladder: null,
  origin: null,
  handles: [
    { name: 'artifact', handle: `sha256:${'b'.repeat(64)}`, fixed: true },
    { name: null, handle: 'doc:release-notes', fixed: false },
  ],
  reply_schema: { kind: 'yes_no' },
  deadline_at: '2026-11-16T14:00:05.000Z',
  default_action: 'HALT',
}

export const HANDLE = '0123456789abcdefghjkmnpqrs'

export const PAGE_HANDLE = 'zyxwvtsrqpnmkjhgfedcba9876'

export const outbound: Outbound = {
  delivery_id: 'd-0123456789abcdef01234567',
  attempt: 1,
  recipient: { user_id: 'owner', name: 'Owner' },
  address: 'owner@people.test',
  reply: { handle: HANDLE, code: '7K3FQ2M' },
  page: { link: `https://lane.example.org/r/${PAGE_HANDLE}`, code: null },
  at: '2026-11-16T12:00:00.000Z',
}
