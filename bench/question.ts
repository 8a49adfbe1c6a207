// The question of a whole cycle: what a caller submits, the answer it must come back with, and the account it goes out by.

export const ACCOUNT = {
  sid: `AC${'0'.repeat(32)}`,
  token: 'a'.repeat(32),
  from: '+15550000001',
} as const

const OPTIONS = ['approve', 'deny', 'edit'] as const
const LETTERS = ['A', 'B', 'C'] as const
/** About as long as a question may be. */
const TEXT = 'May the agent do this, as it was described in the plan that you have seen before, '
  .repeat(7)
  .slice(0, 440)

/** The answer that the n-th question wants, as the person writes it and as the caller gets it. */
const wanted = (n: number) => ({ letter: LETTERS[n % 3] ?? 'A', value: OPTIONS[n % 3] ?? 'approve' })
export const choiceOf = (n: number): string => wanted(n).value
export const wantedIn = (text: string) => wanted(Number(/ask ([0-9]+)/.exec(text)?.[1] ?? Number.NaN))

export const personOf = (n: number): string => `p${n}`
export const numberOf = (n: number): string => `+1555${1_000_000 + n}`

export const question = (n: number, people: number) => ({
  request: {
    type: 'REQUEST_QUESTION',
    question_id: `cycle-${n}`,
    question_text: `ask ${n}: ${TEXT}`,
    impact: 'Decides whether the run goes on.',
    context_handles: [],
    deadline_seconds: 3600,
    default_action: 'HALT',
    reply_schema: { kind: 'choice', options: OPTIONS.map(value => ({ value, label: value })) },
  },
  run: { run_id: `run-${n}`, mood: 'DEFERENTIAL' },
  recipients: [personOf(n % people)],
})

export const configOf = (people: number): string => {
  const each = Array.from({ length: people }, (_, n) => {
    return `  ${personOf(n)}: { name: Person ${n}, sms: "${numberOf(n)}", channels: [sms] }\n`
  })
  return `recipients:
${each.join('')}actions:
  PUBLISH: { approvers: [${personOf(0)}], proofs: [sms_from] }
questions: { proofs: [sms_from] }
outbox: off
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 10 }
`
}
