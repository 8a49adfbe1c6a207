// A handoff: one decision, told in every file that speaks of the task. Pure: files in, files out; whoever calls locks,
// writes and commits.
//
// WH1  What stood there stays byte for byte; entries and tasks that have no room any more are moved, not changed.
// WH2  Nothing is handed on where anything is forbidden, in what is there or in what would be written.
import { ACTIONS, addOverflow, BACKLOG, DASHBOARD, limitActions, noteDecision } from './actions.js'
import { type Board, type FoundHit, hitsOn, wallOf } from './board.js'
import { isBarred } from './firewall.js'
import { isMet, settle } from './graph.js'
import { ARCHIVE, ARCHIVE_INDEX, addEntry, archive, LOG, newestTitles } from './log.js'
import { MANIFEST, type Manifest, spellManifest, type Task, type Tasks } from './manifest.js'
import { regenerate } from './regenerate.js'
import { putSection, readSection } from './section.js'
import { confirm, TRUST } from './trust.js'
import type { TaskVerdict } from './verdict.js'
import { AGENT, type AgentSession, ascii, cutTo, dayOf, provenance, textOf } from './words.js'

export const STATUS = 'STATUS.md'
const DECISIONS = 'human_decisions'
const TOLD_DECISIONS = 5
const BLOCKER_CHARS = 200

/** Names and contents, in the order in which they are to be written: the manifest is the last. */
type Files = ReadonlyMap<string, string>
type Written =
  | { readonly ok: true; readonly files: Files; readonly task: Task | undefined }
  | { readonly ok: false; readonly code: WriteFlaw; readonly details: readonly string[] }
type WriteFlaw = 'firewall' | 'nothing_to_do' | 'no_text'

export function handOn(
  board: Board,
  manifest: Manifest,
  verdict: TaskVerdict,
  session: AgentSession,
): Written {
  const tasks = decide(manifest.tasks ?? {}, verdict, session.at)
  const task = tasks[verdict.task]
  const effect = `${verdict.task} is now ${task?.status ?? 'gone'}`
  const said = `${verdict.words}${verdict.by === null ? '' : ` by ${verdict.by}`}, request ${verdict.requestId}`
  const draft = new Draft(board)
  draft.log(manifest, `${verdict.task} decided: ${verdict.words}`, session, [
    `- Task: ${verdict.task}`,
    `- Request: ${verdict.requestId}`,
    `- Event hash: ${verdict.eventHash}`,
    `- Verdict: ${[verdict.words, verdict.by, verdict.how].filter(Boolean).join(', ')}`,
    `- Effect: ${effect}${released(manifest.tasks ?? {}, tasks, verdict.task)}`,
  ])
  draft.status(
    manifest,
    session,
    `- ${verdict.task}: ${said} (${verdict.by === null ? 'Unknown' : 'Verified'}), ${session.at}`,
  )
  if (task !== undefined && !draft.actions(verdict.task, task, said, tasks))
    return {
      ok: false,
      code: 'nothing_to_do',
      details: [`${ACTIONS} and ${DASHBOARD} are empty: the owner must say what is next`],
    }
  if (verdict.releases && verdict.by !== null)
    draft.put(
      TRUST,
      confirm(draft.text(TRUST) ?? `# ${ascii(manifest.project)}: Trust Register\n`, {
        property: `${verdict.task} human decision`,
        by: verdict.by,
        at: session.at,
        notes: `${verdict.words}; request ${verdict.requestId}; event ${verdict.eventHash}`,
      }),
    )
  const context = `${verdict.task}: ${said}. ${effect}. ${manifest.quick_context}`
  return draft.finish(manifest, { tasks, context, session, task })
}

/** The session that ended in the middle, told by whoever found it. */
export type Interruption = {
  /** Whose it was, as its lock or manifest says. */
  readonly agent: string
  /** Files whose claims of that session are unknown now. */
  readonly unknown: readonly string[]
  /** Files that changed outside the protocol: what they say is assumed. */
  readonly assumed: readonly string[]
  /** Where what it left is kept; null if it left nothing. */
  readonly kept: string | null
}

/** The clean state, with the interruption in its log. */
export function tellRecovery(
  board: Board,
  manifest: Manifest,
  told: Interruption,
  session: AgentSession,
): Written {
  const draft = new Draft(board)
  draft.log(manifest, `recovery after ${ascii(told.agent)}`, session, [
    `- Interrupted session: ${cutTo(ascii(told.agent), 100)}`,
    ...told.unknown.map(
      name => `- ${ascii(name)}: what that session wrote is (Unknown); the last clean state stands`,
    ),
    ...told.assumed.map(name => `- ${ascii(name)}: changed outside the protocol, read as (Assumed)`),
    ...(told.kept === null ? [] : [`- What it left is kept as ${told.kept}`]),
  ])
  draft.status(
    manifest,
    session,
    `- recovery after ${cutTo(ascii(told.agent), 100)} (Unknown), ${session.at}`,
  )
  const { tasks } = manifest
  return draft.finish(manifest, {
    tasks,
    context: `Recovered. ${manifest.quick_context}`,
    session,
    task: undefined,
  })
}

/** The board after the decision. What the lane writes into a task stands under its own key. */
function decide(
  tasks: Tasks,
  { task: id, releases, words, by, requestId, eventHash }: TaskVerdict,
  at: string,
): Tasks {
  const before = Object.hasOwn(tasks, id) ? tasks[id] : undefined
  if (before === undefined) return settle(tasks, at)
  const { blocked_by, ...rest } = before
  const last = { request_id: requestId, event_hash: eventHash, verdict: words }
  const lane = { ...(rest.lane as Record<string, unknown> | undefined), last }
  const question = ascii((blocked_by ?? '').replace(/^human:\s*/, ''))
  const why = `${by === null ? words : `refused by ${by}`}, request ${requestId}: ${question}`
  const decided: Task = releases
    ? { ...rest, lane, ...(rest.status === 'blocked' && isMet(tasks, rest) && { status: 'ready' as const }) }
    : { ...rest, status: 'blocked', blocked_by: cutTo(ascii(why), BLOCKER_CHARS), lane }
  return settle({ ...tasks, [id]: decided }, at)
}

function released(before: Tasks, after: Tasks, decided: string): string {
  const ids = Object.keys(after).filter(id => id !== decided && after[id]?.status !== before[id]?.status)
  return ids.length === 0 ? '' : `; ${ids.join(', ')} too`
}

/** The files as they will be: first as they are, then each as it was changed. */
class Draft {
  private readonly before: Board
  private readonly changed = new Map<string, string>()

  constructor(board: Board) {
    this.before = board
  }

  text(name: string): string | null {
    return this.changed.get(name) ?? textOf(this.before.get(name))
  }

  put(name: string, text: string): void {
    if (text !== textOf(this.before.get(name))) this.changed.set(name, text)
  }

  /** The archive comes first: an entry stands twice rather than nowhere. */
  log({ project }: Manifest, title: string, session: AgentSession, lines: readonly string[]): void {
    const found = this.text(LOG)
    const gap = found === null ? [`- ${LOG} was not there: what came before is (Unknown)`] : []
    const heading = `## [${dayOf(session.at)}] ${AGENT}: ${title}`
    const entry = [heading, '', provenance(session), '', ...lines, ...gap].join('\n')
    const head = `# ${ascii(project)}: Agent Journal\n\n> Newest entry on top.\n\n---\n\n`
    const { log, moved } = addEntry(found ?? head, entry)
    if (moved.length > 0) {
      const kept = archive({ text: this.text(ARCHIVE), index: this.text(ARCHIVE_INDEX) }, moved)
      this.put(ARCHIVE, kept.text)
      this.put(ARCHIVE_INDEX, kept.index)
    }
    this.put(LOG, log)
  }

  /** The newest decisions, under the provenance of this session. A status that cannot be read is rebuilt from the log. */
  status({ project }: Manifest, session: AgentSession, line: string): void {
    const found = this.text(STATUS)
    const usable = found !== null && found.trim() !== ''
    const text = usable ? found : rebuiltStatus(project, this.text(LOG) ?? '')
    const earlier = (readSection(text, DECISIONS) ?? '').split(/\r?\n/).filter(one => one.startsWith('- '))
    const told = [line, ...earlier].slice(0, TOLD_DECISIONS)
    this.put(
      STATUS,
      putSection(
        text,
        DECISIONS,
        `${['## Human decisions', '', provenance(session), '', ...told].join('\n')}\n`,
      ),
    )
  }

  /** False if neither the next actions nor the board say what is to be done: then nobody may go on. */
  actions(id: string, task: Task, said: string, tasks: Tasks): boolean {
    const found = this.text(ACTIONS) ?? ''
    const board = this.before.has(DASHBOARD) ? DASHBOARD : BACKLOG
    if (found.trim() === '' && (this.text(DASHBOARD) ?? '').trim() === '') return false
    const { text, ...moved } = limitActions(noteDecision(found, id, task, said), tasks)
    if (moved.overflow.length + moved.completed.length > 0)
      this.put(board, addOverflow(this.text(board) ?? '# Backlog\n', moved))
    this.put(ACTIONS, text)
    return true
  }

  finish(
    manifest: Manifest,
    {
      tasks,
      context,
      session,
      task,
    }: { tasks: Tasks | undefined; context: string; session: AgentSession; task: Task | undefined },
  ): Written {
    // A status that cannot be read is rebuilt, as the protocol says; of no other file a guess takes the place.
    const garbled = [...this.changed.keys()].filter(
      name => name !== STATUS && this.before.has(name) && textOf(this.before.get(name)) === null,
    )
    if (garbled.length > 0)
      return { ok: false, code: 'no_text', details: garbled.map(name => `${name} is no UTF-8 text`) }
    const after = this.after()
    const made = spellManifest(regenerate(manifest, after, { tasks, context, session }))
    this.changed.set(MANIFEST, made)
    const details = this.forbidden(new Map([...after, [MANIFEST, Buffer.from(made)]]), dayOf(session.at))
    if (details.length > 0) return { ok: false, code: 'firewall', details }
    return { ok: true, files: this.changed, task }
  }

  private after(): Board {
    const changed = [...this.changed].map(([name, text]) => [name, Buffer.from(text)] as const)
    return new Map([...this.before, ...changed])
  }

  /** What is barred wherever it stands, and whatever a rule finds that it did not find before (WH2). */
  private forbidden(after: Board, today: string): string[] {
    const { wall, flaws } = wallOf(this.before)
    const known = new Set(hitsOn(this.before, wall, today).map(keyOf))
    const hits = hitsOn(after, wall, today).filter(hit => isBarred(hit) || !known.has(keyOf(hit)))
    return [...flaws, ...hits.map(sayHit)]
  }
}

const keyOf = ({ file, rule, hash }: FoundHit): string => `${file} ${rule} ${hash}`
export const sayHit = ({ file, line, rule, hash }: FoundHit): string =>
  `${file}:${line} holds what ${rule} forbids (${hash})`

const REBUILT_FROM = 3

const rebuiltStatus = (project: string, log: string): string =>
  [
    `# ${ascii(project)}: Current State`,
    '',
    `> Rebuilt from the newest entries of ${LOG}: all of it is (Assumed).`,
    '',
    ...newestTitles(log, REBUILT_FROM).map(title => `- ${ascii(title)} (Assumed)`),
    '',
  ].join('\n')
