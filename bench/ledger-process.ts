// The baseline of a burst: the entries that resolve a crowd, handed straight to the ledger with nothing read, folded
// or decided on the way. It is the cost of the disk and the chain of hashes alone.

import { fold } from '../src/agenda/case.js'
import { machineClock } from '../src/clock.js'
import type { Entry } from '../src/event.js'
import type { AppendDecision, Ledger, Moment } from '../src/ledger/contract.js'
import { openSqlite } from '../src/ledger/sqlite/open.js'
import { answerParent } from './child.js'
import { unlocked } from './unlocking.js'

const { ledger } = await unlocked(openSqlite(process.env.LANE_DATA_DIR ?? '', machineClock), 'embedded')

type Opened = {
  readonly request_id: string
  readonly run_id: string
  readonly subject: NonNullable<ReturnType<typeof fold>>
}

async function dueStories(): Promise<Opened[]> {
  const ids = await ledger.due(ledger.now(), Number.MAX_SAFE_INTEGER)
  const stories: (readonly Entry[])[] = await Promise.all(ids.map(id => ledger.story(id)))
  return stories.flatMap(story => {
    const subject = fold(story)
    return subject === null ? [] : [{ request_id: subject.request_id, run_id: subject.run.run_id, subject }]
  })
}

function resolution({ subject, ...ids }: Opened, moment: Moment): AppendDecision<never> {
  const { request_hash, deadline_at } = subject
  const { default_action } = subject.request
  return {
    kind: 'append',
    alarm: null,
    events: [
      {
        type: 'TIMEOUT_RECEIPT',
        ...ids,
        body: { request_hash, default_action, deadline_at, fired_at: moment.at, deliveries: [] },
      },
      {
        type: 'REQUEST_RESOLVED',
        ...ids,
        body: { outcome: 'undelivered', causes: [moment.seq], default_action },
      },
    ],
  }
}

async function resolveAll(target: Ledger): Promise<{ readonly ms: number; readonly resolved: number }> {
  const due = await dueStories()
  const start = performance.now()
  const results = await Promise.all(
    due.map(opened =>
      target.append({
        story: { request_id: opened.request_id, expected: 1, last: opened.subject.last },
        decide: moment => resolution(opened, moment),
      }),
    ),
  )
  const ms = performance.now() - start
  return { ms, resolved: results.filter(({ kind }) => kind === 'appended').length }
}

answerParent<'resolve'>(
  null,
  () => resolveAll(ledger),
  () => ledger.close(),
)
