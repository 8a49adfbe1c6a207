// One round over an exchange file: what waits for a person is asked, what was answered is told, and what somebody has settled
// in the file is withdrawn.
//
// AY1  What is asked is noted beside the file first: whoever is killed at any point finds it again, asks it under the same
//      id, and tells it once.
// AY2  Entries come of compiled answers alone. What stands in the file answers nothing: it can only withdraw a question.
import type { Hash } from '../../canonical.js'
import { call, type HttpProblem, jsonOf } from '../../client/call.js'
import { isOpen, readCase, type ShownCase } from '../../client/case.js'
import { put, type Submission } from '../../client/put.js'
import { stampOf } from '../../folder/file.js'
import { answersOf } from '../../interop/ahil/answer.js'
import { type Entry, hashOfEntry } from '../../interop/ahil/entry.js'
import { sidecarOf } from '../../interop/ahil/profile.js'
import { type Projection, project, waitingForPerson } from '../../interop/ahil/project.js'
import { type AskOptions, readEntry, requestIdOf } from '../../interop/ahil/read.js'
import { type Draft, entriesOf, isSaidBy } from '../../interop/ahil/write.js'
import { spellOut } from '../../request/text.js'
import type { Shell } from '../command.js'
import { pathOf } from '../requests.js'
import { type Troubled, troubled, type Watching } from '../watcher.js'
import { addEntries, type Complaint, type Exchange, type Pages } from './exchange.js'
import { type Open, opened, openRequests, unheard } from './open.js'
import { caseOf, isAbout, verify } from './verified.js'

type About = { readonly entry: string; readonly request_id: string }
export type Round = {
  readonly asked: readonly About[]
  /** The ids of the entries that were appended. */
  readonly told: readonly (About & { readonly state: string; readonly entries: readonly string[] })[]
  readonly withdrawn: readonly (About & { readonly reason: string })[]
  /** The lane takes no more just now. */
  readonly waiting: readonly { readonly entry: string; readonly code: string; readonly seconds: number }[]
  readonly refused: readonly ({ readonly entry: string | null } & Complaint)[]
}
export type Work = {
  readonly shell: Shell
  readonly watching: Watching
  readonly exchange: Exchange
  readonly asking: Omit<AskOptions, 'log' | 'file'>
  readonly memory: Memory
}
/** What one loop over a file knows from round to round. */
type Memory = {
  readonly open: Open
  /** What it saw last. */
  last: Glance | null
  /** The limit that was met: all that is asked here goes from one key to the same people, so it holds for the rest too. */
  limit: Limit | null
}
/** In milliseconds since 1970, and as the lane said it. */
type Limit = { readonly until: number; readonly code: string; readonly seconds: number }
export const nothingSeen = (): Memory => ({ open: unheard(), last: null, limit: null })

type Glance = { readonly stamp: string; readonly asked: readonly string[]; readonly round: Round }

export async function syncOnce(work: Work): Promise<Round> {
  const open = await openRequests(work.watching.endpoint, work.memory.open)
  if ('kind' in open) return nothingBut({ entry: null, code: open.code, details: [open.detail] })
  const { last } = work.memory
  const stamp = stampsOf(work.exchange)
  if (last !== null && last.stamp === stamp && last.asked.every(id => open.has(id))) return last.round
  const begun = await noteWhatIsAsked(work)
  if (!begun.ok) return nothingBut({ entry: null, ...begun.refusal })
  const { pages, waiting, projection, asked } = begun
  const found: Outcome[] = []
  for (const [id, requestId] of Object.entries(asked)) {
    const entry = pages.byId.get(id)
    if (entry === undefined || requestIdOf(pages.main.seen.log, entry) !== requestId)
      found.push(refusal(id, 'changed', 'the entry is not the one that was asked about'))
    else if (waiting.has(id)) found.push(await askFor(work, pages, entry, open.has(requestId)))
    else found.push(await settle(work, projection, pages, entry, requestId, open.has(requestId)))
  }
  const round = await tellAll(work, found)
  const isSettled =
    round.told.length + round.withdrawn.length + round.waiting.length + round.refused.length === 0
  const stays = {
    stamp: stampsOf(work.exchange),
    asked: Object.values(asked),
    round,
  }
  work.memory.last = isSettled ? stays : null
  return round
}

/** Of both files, where a pipeline has its whole log beside it. */
const stampsOf = ({ folder, name }: Exchange): string =>
  [name, sidecarOf(name)].map(one => one && stampOf(folder, one)).join('\n')

type Outcome =
  | { readonly kind: 'asked'; readonly about: About }
  | { readonly kind: 'decided'; readonly about: About; readonly decided: Decided }
  | { readonly kind: 'over'; readonly about: About; readonly reason: string | null }
  | { readonly kind: 'waiting'; readonly entry: string; readonly code: string; readonly seconds: number }
  | { readonly kind: 'refused'; readonly refusal: Round['refused'][number] }
type Decided = { readonly state: string; readonly hash: Hash; readonly drafts: readonly Draft[] }

const refusal = (entry: string, code: string, ...details: readonly string[]): Outcome => ({
  kind: 'refused',
  refusal: { entry, code, details },
})
const nothingBut = (one: Round['refused'][number]): Round => ({
  asked: [],
  told: [],
  withdrawn: [],
  waiting: [],
  refused: [one],
})

type Begun = {
  readonly ok: true
  readonly pages: Pages
  readonly projection: Projection
  readonly waiting: ReadonlySet<string>
  readonly asked: Readonly<Record<string, string>>
}

/** Reads the file, and notes what was seen of it and what will be asked (AY1). */
async function noteWhatIsAsked({
  shell,
  exchange,
}: Work): Promise<Begun | { readonly ok: false; readonly refusal: Complaint }> {
  let begun: Omit<Begun, 'ok' | 'pages'> | null = null
  const added = await addEntries(shell, exchange, pages => {
    const projection = project(pages.entries)
    const waits = waitingForPerson(pages.entries, projection)
    const { log, asked: before } = pages.main.seen
    const asked = { ...before, ...Object.fromEntries(waits.map(one => [one.id, requestIdOf(log, one)])) }
    begun = { projection, waiting: new Set(waits.map(({ id }) => id)), asked }
    return { entries: [], asked }
  })
  if (!added.ok) return added
  if (begun === null) throw new Error('an addition was made without being prepared')
  return { ok: true, pages: added.pages, ...(begun as Omit<Begun, 'ok' | 'pages'>) }
}

const ATTEMPTS = 3
/** A place is free once somebody has answered. */
const PLACE_AGAIN_S = 5

async function askFor(work: Work, pages: Pages, entry: Entry, isAsked: boolean): Promise<Outcome> {
  const { shell, watching, exchange, asking, memory } = work
  const { log } = pages.main.seen
  const about = { entry: entry.id, request_id: requestIdOf(log, entry) }
  if (isAsked) return { kind: 'asked', about }
  const read = readEntry(entry, { ...asking, log, file: exchange.name })
  if (!read.ok) return refusal(entry.id, 'invalid_entry', `${read.path} takes ${read.detail}`)
  const now = shell.clock.wall()
  if (memory.limit !== null && now < memory.limit.until) return waitingFor(entry, memory.limit)
  const pace = { clock: shell.clock, sleep: (ms: number) => shell.sleep(ms) }
  const submission = read.asked.submission as unknown as Submission
  const posted = await put(pace, watching.endpoint, submission, { isFinal: (_, tries) => tries >= ATTEMPTS })
  memory.limit = posted.kind === 'problem' && posted.status === 429 ? limitOf(posted, now) : null
  if (memory.limit !== null) return waitingFor(entry, memory.limit)
  // Under its id with other options it was asked before, and stands.
  const isTaken = posted.kind === 'problem' && posted.status === 409
  const found = isTaken
    ? await caseOf(watching, about.request_id)
    : posted.kind === 'answer'
      ? (readCase(jsonOf(posted)) ?? NOT_A_CASE)
      : troubled(posted)
  if ('kind' in found) return refusal(entry.id, isTaken ? 'id_conflict' : found.code, found.detail)
  if (!isOpen(found)) return await ended(watching, entry, about, found)
  opened(memory.open, about.request_id)
  return { kind: 'asked', about }
}

function limitOf(problem: HttpProblem, now: number): Limit {
  const { retryAfterMs } = problem
  const seconds = retryAfterMs === null ? PLACE_AGAIN_S : Math.max(Math.ceil(retryAfterMs / 1000), 1)
  return { until: now + seconds * 1000, code: troubled(problem).code, seconds }
}

const waitingFor = ({ id }: Entry, { code, seconds }: Limit): Outcome => ({
  kind: 'waiting',
  entry: id,
  code,
  seconds,
})

const NOT_A_CASE: Troubled = { kind: 'trouble', code: 'not_a_lane', detail: 'the answer is no case' }

async function ended(watching: Watching, entry: Entry, about: About, subject: ShownCase): Promise<Outcome> {
  const verified = await verify(watching, subject)
  if (verified.kind === 'trouble') return refusal(entry.id, verified.code, verified.detail)
  const hash = hashOfEntry(entry)
  if (verified.end === null || !isAbout(verified, hash))
    return refusal(entry.id, 'not_ours', `${about.request_id} is not about this entry as it stands`)
  const drafts = answersOf(entry, subject, verified.end)
  return { kind: 'decided', about, decided: { state: subject.state, hash, drafts } }
}

/** What somebody has settled in the file: its question is withdrawn, and an answer that came before stands all the same. */
async function settle(
  { watching }: Work,
  projection: Projection,
  { byId }: Pages,
  entry: Entry,
  request_id: string,
  isAsked: boolean,
): Promise<Outcome> {
  const about = { entry: entry.id, request_id }
  if (!isAsked) {
    const subject = await caseOf(watching, request_id)
    if ('kind' in subject)
      return subject.code === 'not_found'
        ? { kind: 'over', about, reason: null }
        : refusal(entry.id, subject.code, subject.detail)
    if (subject.state === 'answered') return await ended(watching, entry, about, subject)
    if (!isOpen(subject)) return { kind: 'over', about, reason: null }
  }
  const standing = projection.get(entry.id)
  const by = byId.get(standing?.settledBy ?? standing?.acknowledgedBy ?? '')?.from ?? 'somebody'
  const reason = `settled in file by ${spellOut(by.slice(0, LONGEST_NAME))} (unauthenticated)`
  const path = `${pathOf(request_id)}/withdraw`
  const answer = await call(watching.endpoint, { method: 'POST', path, body: { reason } })
  if (answer.kind === 'answer') return { kind: 'over', about, reason }
  // Answered in this moment: the next look tells it.
  const { code, detail } = troubled(answer)
  return code === 'already_resolved'
    ? { kind: 'waiting', entry: entry.id, code, seconds: 1 }
    : refusal(entry.id, code, detail)
}

const LONGEST_NAME = 64

/** Tells all that was decided in one write, each answer once. */
async function tellAll({ shell, exchange }: Work, found: readonly Outcome[]): Promise<Round> {
  const asked = found.flatMap(one => (one.kind === 'asked' ? [one.about] : []))
  const withdrawn = found.flatMap(one =>
    one.kind === 'over' && one.reason !== null ? [{ ...one.about, reason: one.reason }] : [],
  )
  const waiting = found.flatMap(one => (one.kind === 'waiting' ? [one] : []))
  const refused = found.flatMap(one => (one.kind === 'refused' ? [one.refusal] : []))
  const told: Round['told'][number][] = []
  const round = {
    asked,
    told,
    withdrawn,
    waiting: waiting.map(({ entry, code, seconds }) => ({ entry, code, seconds })),
    refused,
  }
  const over = found.flatMap(one => (one.kind === 'over' || one.kind === 'decided' ? [one] : []))
  if (over.length === 0) return round
  const added = await addEntries(shell, exchange, (pages, at) => {
    told.length = 0
    const said = saidAbout(pages.entries)
    const drafts: Draft[] = []
    const groups: { readonly one: Extract<Outcome, { kind: 'decided' }>; readonly count: number }[] = []
    for (const one of over) {
      if (one.kind !== 'decided') continue
      const standing = pages.byId.get(one.about.entry)
      if (standing === undefined || hashOfEntry(standing) !== one.decided.hash) continue
      const before = said.get(one.about.request_id) ?? []
      const fresh = one.decided.drafts.filter(draft => !before.some(entry => isSaidBy(entry, draft)))
      groups.push({ one, count: fresh.length })
      drafts.push(...fresh)
    }
    const entries = entriesOf(drafts, pages.entries, at)
    let next = 0
    for (const { one, count } of groups) {
      const ids = entries.slice(next, next + count).map(({ id }) => id)
      next += count
      if (count > 0) told.push({ ...one.about, state: one.decided.state, entries: ids })
    }
    const ends = new Set(over.map(({ about }) => about.entry))
    const left = Object.entries(pages.main.seen.asked).filter(([id]) => !ends.has(id))
    return { entries, asked: Object.fromEntries(left) }
  })
  return added.ok ? round : { ...round, told: [], refused: [...refused, { entry: null, ...added.refusal }] }
}

/** Entries by the request that they name. */
function saidAbout(entries: readonly Entry[]): Map<string, Entry[]> {
  const said = new Map<string, Entry[]>()
  for (const entry of entries) {
    const id = entry.context?.request_id
    if (typeof id !== 'string') continue
    const before = said.get(id)
    if (before === undefined) said.set(id, [entry])
    else before.push(entry)
  }
  return said
}
