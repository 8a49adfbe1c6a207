// One round over a board: what waits for a person is asked, and what was decided is handed on, each decision by itself.
//
// AS1  A request counts for a task only if this key opened it, and for the task as it stands now: both are read from the
//      lane, not from a file.
// AS2  Nothing leaves that the firewall forbids.
import { randomBytes } from 'node:crypto'
import type { Hash } from '../../canonical.js'
import { call, type Endpoint, jsonOf } from '../../client/call.js'
import { isOpen, readCase, type ShownCase } from '../../client/case.js'
import { ownKey } from '../../client/own-key.js'
import { put, type Submission } from '../../client/put.js'
import { storyOf } from '../../client/story.js'
import { instant } from '../../clock.js'
import { wallOf } from '../../interop/aahp/board.js'
import { hitsIn } from '../../interop/aahp/firewall.js'
import { examine } from '../../interop/aahp/health.js'
import type { Manifest, Task } from '../../interop/aahp/manifest.js'
import { hashOfTask, readTask, textsOf, waitsForPerson } from '../../interop/aahp/read.js'
import { type TaskVerdict, verdictOf } from '../../interop/aahp/verdict.js'
import { dayOf, LOCK } from '../../interop/aahp/words.js'
import { handOn } from '../../interop/aahp/write.js'
import { eventHashIn } from '../../interop/ending.js'
import type { Shell } from '../command.js'
import { pathOf } from '../requests.js'
import { type Troubled, troubled, type Watching } from '../watcher.js'
import { type OnStep, perform } from './perform.js'
import { type Branch, closeProject, leftOver, manifestBefore, openProject, type Project } from './project.js'
import { isOurs, recover } from './recover.js'

type SyncOptions = {
  readonly directory: string
  readonly shared: boolean
  /** `refs/heads/…`; null for whichever is checked out. */
  readonly ref: string | null
  readonly to: readonly string[] | undefined
  readonly deadlineSeconds: number
}
type AskedTask = { readonly task: string; readonly request_id: string; readonly state: string }
type Handed = AskedTask & {
  readonly verdict: string
  readonly event_hash: string
  readonly commit: string
  readonly status: string
}
type Complaint = {
  readonly task: string | null
  readonly code: string
  readonly details: readonly string[]
}
export type Round = {
  readonly asked: readonly AskedTask[]
  readonly handed: readonly Handed[]
  readonly recovered: readonly string[]
  readonly refused: readonly Complaint[]
}

type Work = {
  readonly shell: Shell
  readonly watching: Watching
  readonly options: SyncOptions
  readonly told: OnStep
}

export async function syncOnce(work: Work): Promise<Round> {
  const asked: AskedTask[] = []
  const handed: Handed[] = []
  const refused: Complaint[] = []
  const recovered: string[] = []
  const ready = await withBoard(work, recovered, async (board, manifest) => {
    const decided: Decided[] = []
    for (const [id, task] of Object.entries(manifest.tasks ?? {}).filter(([, one]) => waitsForPerson(one))) {
      const outcome = await askFor(work, board, manifest, id, task)
      if (outcome.kind === 'refused') refused.push(outcome.refusal)
      else if (outcome.kind === 'decided') decided.push(outcome.decided)
      else asked.push(outcome.asked)
    }
    return decided
  })
  if (!ready.ok) return { asked, handed, recovered, refused: [...refused, ready.refusal] }
  for (const decided of ready.value) {
    const done = await handDecision(work, recovered, decided)
    if ('commit' in done) handed.push(done)
    else refused.push(done)
  }
  return { asked, handed, recovered, refused }
}

type Decided = { readonly verdict: TaskVerdict; readonly hash: Hash; readonly state: string }
type Sound = Project & {
  readonly board: NonNullable<Project['board']>
  readonly branch: Branch
}
type With<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Complaint }

/** The board, where it may be written. What the lane itself has left in the middle is put right first. */
async function withBoard<T>(
  { shell, options, told }: Work,
  recovered: string[],
  use: (board: Sound, manifest: Manifest) => Promise<T>,
): Promise<With<T>> {
  const refuse = (code: string, ...details: readonly string[]): With<T> => ({
    ok: false,
    refusal: { task: null, code, details },
  })
  for (let tries = 0; ; tries++) {
    const opened = await openProject(options.directory, options)
    if (!opened.ok) return refuse('not_opened', opened.detail)
    const { project } = opened
    try {
      const { folder, board, branch } = project
      if (branch === null) return refuse('no_branch', project.why ?? 'git tells nothing here')
      const left = await leftOver(project)
      const dirty = [...new Set([...(left?.files ?? []), ...(left?.staged ?? [])])]
      const isLeft = dirty.length > 0 || (board?.has(LOCK) ?? false)
      if (folder !== null && isLeft && tries === 0 && (await isOurs(project, left?.staged ?? []))) {
        const done = await recover(project, sessionAt(shell, branch.tip), shell.clock.wall(), told)
        if (!done.ok) return refuse('not_recovered', ...done.details)
        recovered.push(
          done.told === null ? done.did : `${done.did}: ${done.told.unknown.join(', ')} (Unknown)`,
        )
        continue
      }
      const today = dayOf(instant(shell.clock.wall()))
      const health = examine({ board, today, before: await manifestBefore(project), dirty })
      if (health.mode === 'v2')
        return refuse('read_only', 'this project lists no tasks: there is nothing to ask')
      if (board === null || health.manifest === null || !health.mayWrite) {
        const stops = health.steps.filter(
          ({ state }) => state === 'stop' || (health.mode === 'v1' && state === 'warn'),
        )
        const by = health.manifest?.last_session.agent
        const whose = dirty.length > 0 && by !== undefined ? [`the newest manifest there is by ${by}`] : []
        return refuse(
          health.mode,
          ...stops.flatMap(({ name, notes }) => notes.map(note => `${name}: ${note}`)),
          ...whose,
        )
      }
      return { ok: true, value: await use({ ...project, board, branch }, health.manifest) }
    } finally {
      closeProject(project)
    }
  }
}

const sessionAt = (shell: Shell, tip: string) => ({
  id: `lane-${randomBytes(6).toString('hex')}`,
  at: instant(shell.clock.wall()),
  before: tip,
})

type Outcome =
  | { readonly kind: 'asked'; readonly asked: AskedTask }
  | { readonly kind: 'decided'; readonly decided: Decided }
  | { readonly kind: 'refused'; readonly refusal: Complaint }

async function askFor(
  work: Work,
  { board, branch }: Sound,
  manifest: Manifest,
  id: string,
  task: Task,
): Promise<Outcome> {
  const refuse = (code: string, ...details: readonly string[]): Outcome => ({
    kind: 'refused',
    refusal: { task: id, code, details },
  })
  const place = { project: manifest.project, branch: branch.ref.replace(/^refs\/heads\//, ''), id }
  const read = readTask(place, task, work.options)
  if (!read.ok) return refuse('invalid_task', `/tasks/${id}${read.path} takes ${read.detail}`)
  const { asked } = read
  const { wall, flaws } = wallOf(board)
  const hits = hitsIn(textsOf(asked.submission).join('\n'), wall, dayOf(instant(work.shell.clock.wall())))
  const forbidden = hits.map(({ rule, hash }) => `what would be asked holds what ${rule} forbids (${hash})`)
  if (flaws.length + hits.length > 0) return refuse('firewall', ...flaws, ...forbidden)
  const found = await submitted(work, asked.id, asked.submission as unknown as Submission)
  if (found.kind !== 'case') return refuse(found.code, found.detail)
  const { subject } = found
  if (isOpen(subject))
    return { kind: 'asked', asked: { task: id, request_id: asked.id, state: subject.state } }
  const ended = await endOf(work.watching, subject, asked.submission.origin.hash)
  if (ended.kind !== 'hash') return refuse(ended.code, ended.detail)
  const verdict = verdictOf(id, subject, ended.hash)
  return { kind: 'decided', decided: { verdict, hash: asked.submission.origin.hash, state: subject.state } }
}

const ATTEMPTS = 3

/** The same request again is the same case. Under its id with other options it was asked before, and stands. */
async function submitted(
  { shell, watching: { endpoint } }: Work,
  id: string,
  submission: Submission,
): Promise<{ readonly kind: 'case'; readonly subject: ShownCase } | Troubled> {
  const pace = { clock: shell.clock, sleep: (ms: number) => shell.sleep(ms) }
  const posted = await put(pace, endpoint, submission, { isFinal: (_, attempt) => attempt >= ATTEMPTS })
  const isTaken = posted.kind === 'problem' && posted.status === 409
  const answer = isTaken ? await call(endpoint, { path: pathOf(id) }) : posted
  if (answer.kind !== 'answer') return troubled(isTaken && answer.kind === 'problem' ? posted : answer)
  const subject = readCase(jsonOf(answer))
  return subject?.request_id === id
    ? { kind: 'case', subject }
    : { kind: 'trouble', code: 'not_a_lane', detail: 'the answer is no case of this id' }
}

/** The hash of what ended it, if it was opened by this key for this very task (AS1). */
async function endOf(
  { endpoint, keyId }: Watching,
  subject: ShownCase,
  origin: Hash,
): Promise<{ readonly kind: 'hash'; readonly hash: Hash } | Troubled> {
  const story = await storyOf(endpoint as Endpoint, subject)
  if (story.kind !== 'story') return troubled(story)
  const opened = story.entries.find(({ type }) => type === 'REQUEST_OPENED')?.body
  const from = opened?.origin as { hash?: unknown; system?: unknown } | undefined
  // A lane that was away at the start may tell now whose key this is; while it does not, nothing is known to be ours.
  const own = keyId ?? (await ownKey(endpoint as Endpoint))?.id
  if (from?.hash !== origin || from.system !== 'aahp' || own === undefined || opened?.opened_by !== own)
    return {
      kind: 'trouble',
      code: 'not_ours',
      detail: `${subject.request_id} was not opened by this key for this task as it stands`,
    }
  const hash = eventHashIn(story.entries)
  return hash === null
    ? { kind: 'trouble', code: 'not_a_lane', detail: 'the story has no end' }
    : { kind: 'hash', hash: hash as Hash }
}

async function handDecision(
  work: Work,
  recovered: string[],
  { verdict, hash, state }: Decided,
): Promise<Handed | Complaint> {
  const { shell, told } = work
  const refuse = (code: string, ...details: readonly string[]): Complaint => ({
    task: verdict.task,
    code,
    details,
  })
  const done = await withBoard(
    work,
    recovered,
    async ({ folder, board, branch }, manifest): Promise<Handed | Complaint> => {
      const task = manifest.tasks?.[verdict.task]
      if (task === undefined || hashOfTask(task) !== hash)
        return refuse('changed', 'the task was changed meanwhile, and is asked anew')
      const session = sessionAt(shell, branch.tip)
      const written = handOn(board, manifest, verdict, session)
      if (!written.ok) return refuse(written.code, ...written.details)
      const message = `aahp: ${verdict.task} decided, ${verdict.words}\n\nRequest: ${verdict.requestId}\nEvent: ${verdict.eventHash}\n`
      const handoff = { folder, branch, changes: written.files, session, message, at: shell.clock.wall() }
      const made = await perform(handoff, board, told)
      if (!made.ok) return refuse(made.code, made.detail)
      return {
        task: verdict.task,
        request_id: verdict.requestId,
        state,
        verdict: verdict.words,
        event_hash: verdict.eventHash,
        commit: made.commit,
        status: written.task?.status ?? 'gone',
      }
    },
  )
  return done.ok ? done.value : done.refusal
}
