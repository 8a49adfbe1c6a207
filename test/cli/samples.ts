// Cases as the lane answers them.
import type { ShownCase } from '../../src/client/case.js'

const HASH = `sha256:${'ab'.repeat(32)}`

export const shownCase = (more: Partial<ShownCase> = {}): ShownCase => ({
  request_id: 'ask-1',
  request: {
    type: 'REQUEST_QUESTION',
    question_id: 'ask-1',
    question_text: 'Ship the release today?',
    impact: 'Decides whether the pipeline goes on',
    context_handles: ['doc:notes'],
    deadline_seconds: 600,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
  },
  request_hash: HASH,
  run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
  state: 'pending',
  opened_at: '2026-02-17T11:58:00.000Z',
  deadline_at: '2026-02-17T12:08:00.000Z',
  resolved_at: null,
  answer: null,
  default_action: 'HALT',
  default_applied: false,
  deliveries: [
    { user_id: 'operator', channel: 'web', state: 'sent', attempts: 1, at: '2026-02-17T11:58:01.000Z' },
  ],
  receipt: { seq: 7, hash: HASH },
  ...more,
})
