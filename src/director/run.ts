// A run as the ledger tells of it: its mood, its open requests, the decisions about it, and the deltas of its AHDB. A
// projection of the stories of its requests and of nothing else.
import type { AhdbField, Entry, EntryOf } from '../event.js'

type RunDecision = Omit<EntryOf<'DIRECTOR_DECIDED'>['body'], 'because'> & {
  readonly request_id: string
  readonly at: string
}

type RunView = {
  readonly run_id: string
  /** The last mood that is known: as the run stated it, or as it was told. */
  readonly mood: string | null
  readonly open_requests: readonly string[]
  readonly decisions: readonly RunDecision[]
  /** Each key holds the last delta proposed for it, whole: a later one replaces it. */
  readonly ahdb: Readonly<Record<'drive' | 'believe', readonly unknown[]>>
}

/** From the stories of a run's requests, in any order. */
export function foldRun(run_id: string, stories: readonly (readonly Entry[])[]): RunView {
  const entries = stories.flat().sort((a, b) => a.seq - b.seq)
  return {
    run_id,
    mood: moodOf(entries),
    open_requests: openOf(entries),
    decisions: entries.flatMap(entry => (entry.type === 'DIRECTOR_DECIDED' ? [shown(entry)] : [])),
    ahdb: { drive: lastDelta(entries, 'drive'), believe: lastDelta(entries, 'believe') },
  }
}

function moodOf(entries: readonly Entry[]): string | null {
  let mood: string | null = null
  for (const entry of entries) {
    if (entry.type === 'REQUEST_OPENED') mood = entry.body.run.mood
    if (entry.type === 'DIRECTOR_DECIDED') mood = entry.body.mood ?? mood
  }
  return mood
}

function openOf(entries: readonly Entry[]): readonly string[] {
  const open = new Set<string>()
  for (const { type, request_id = '' } of entries) {
    if (type === 'REQUEST_OPENED') open.add(request_id)
    if (type === 'REQUEST_RESOLVED') open.delete(request_id)
  }
  return [...open]
}

function shown({ request_id = '', at, body }: EntryOf<'DIRECTOR_DECIDED'>): RunDecision {
  const { because: _because, ...decided } = body
  return { request_id, ...decided, at }
}

function lastDelta(entries: readonly Entry[], field: AhdbField): readonly unknown[] {
  const last = entries.findLast(
    (entry): entry is EntryOf<'AHDB_DELTA'> =>
      entry.type === 'AHDB_DELTA' && entry.body.field === field && entry.body.state === 'proposed',
  )
  return last?.body.delta ?? []
}
