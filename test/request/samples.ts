// One good submission of each type; tests change one thing at a time.
export const HASH = `sha256:${'ab'.repeat(32)}`
export const POLICY = { actions: ['PUBLISH', 'PROMOTE', 'EXPORT'] }

export const run = { run_id: 'run-9', mood: 'DEFERENTIAL' }

export const question = {
  type: 'REQUEST_QUESTION',
  question_id: 'q-1',
  question_text: 'Shall the migration run tonight?',
  impact: 'Without it the release waits a week.',
  context_handles: [HASH, 'doc:plan-7'],
  deadline_seconds: 3600,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
}

export const review = {
  type: 'REQUEST_REVIEW',
  review_id: 'r-1',
  target_handles: ['diff:change-12'],
  lens: 'security',
  deadline_seconds: 3600,
  default_action: 'QUARANTINE_OUTPUTS',
  reply_schema: { kind: 'text', max_chars: 200 },
}

export const approval = {
  type: 'REQUEST_APPROVAL',
  approval_id: 'ship-42',
  action: 'PUBLISH',
  parameters: { artifact: HASH },
  deadline_seconds: 3600,
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
}

export const SAMPLES = { question, review, approval } as const

export const submit = (request: unknown, rest: object = { run }): unknown => ({ request, ...rest })
