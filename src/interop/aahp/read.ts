// A task that waits for a person, as a request for the lane. The text is an agent's: it is asked as it stands, named as
// what it is, and gives nobody any right.
//
// AR1  The id is made of the project, the branch, the task's number and the task as it stands: whoever changes the task
//      has it asked anew, and nobody's answer to something else counts for it.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import { type Fields, isFields } from '../fields.js'
import { typed } from '../typed.js'
import type { Task } from './manifest.js'
import { cutTo, DATA_NOTE } from './words.js'

const MARK = 'human:'
const ID_CHARS = 24
const REF_CHARS = 200
const TEXT_CHARS = 500

/** Whether a person is what the task waits for. */
export const waitsForPerson = ({ status, blocked_by }: Task): boolean =>
  status !== 'done' && status !== 'cancelled' && (blocked_by?.startsWith(MARK) ?? false)

type Origin = { readonly system: 'aahp'; readonly ref: string; readonly hash: Hash }
type Asked = {
  readonly id: string
  readonly submission: {
    readonly request: Readonly<Record<string, unknown>>
    readonly run: { readonly run_id: string; readonly mood: 'DEFERENTIAL'; readonly work_item_id: string }
    readonly recipients?: readonly { readonly user_id: string }[]
    readonly origin: Origin
  }
}
type Read =
  | { readonly ok: true; readonly asked: Asked }
  | { readonly ok: false; readonly path: string; readonly detail: string }

type Place = { readonly project: string; readonly branch: string; readonly id: string }
type AskOptions = { readonly deadlineSeconds: number; readonly to: readonly string[] | undefined }

/** The JCS hash of the task: what a decision is about. */
export const hashOfTask = (task: Task): Hash => sha256(canonical(task))

export function readTask(place: Place, task: Task, { deadlineSeconds, to }: AskOptions): Read {
  const own = laneOf(task)
  if (!own.ok) return own
  if (textsOf([task, place]).some(text => /\p{Surrogate}/u.test(text)))
    return { ok: false, path: '', detail: 'text without half characters' }
  const hash = hashOfTask(task)
  const id = `aahp-${place.id}-${sha256(canonical([place.project, place.branch, place.id, hash])).slice(7, 7 + ID_CHARS)}`
  const timing = { deadline_seconds: deadlineSeconds }
  const request =
    own.request === undefined ? question(id, place, task, timing) : typed(id, own.request, timing)
  if (request === null)
    return {
      ok: false,
      path: '/lane/request',
      detail: 'a typed request of the lane without an id of its own',
    }
  const people = own.to ?? to
  const origin = {
    system: 'aahp' as const,
    ref: cutTo(`${place.id} of ${place.project} on ${place.branch}`, REF_CHARS),
    hash,
  }
  const run = { run_id: id, mood: 'DEFERENTIAL' as const, work_item_id: place.id }
  const recipients = people === undefined ? {} : { recipients: people.map(user_id => ({ user_id })) }
  return { ok: true, asked: { id, submission: { request, run, ...recipients, origin } } }
}

function question(
  id: string,
  { id: number, project }: Place,
  task: Task,
  timing: { deadline_seconds: number },
) {
  const text = (task.blocked_by ?? '').slice(MARK.length).trim()
  const stays = `Task ${number} of ${cutTo(project, 60)} (${cutTo(task.title, 200)}) stays blocked unless this is answered YES.`
  return {
    type: 'REQUEST_QUESTION',
    question_id: id,
    question_text: text || `May ${number} go ahead: ${cutTo(task.title, 200)}?`,
    impact: cutTo(`${stays} ${DATA_NOTE}`, TEXT_CHARS),
    context_handles: [],
    ...timing,
    default_action: 'HALT',
    reply_schema: { kind: 'yes_no' },
  }
}

type Own =
  | { readonly ok: true; readonly request: Fields | undefined; readonly to: readonly string[] | undefined }
  | { readonly ok: false; readonly path: string; readonly detail: string }

/** The task's own key `lane`, which says more than its blocker. */
function laneOf({ lane }: Task): Own {
  if (lane === undefined) return { ok: true, request: undefined, to: undefined }
  if (!isFields(lane)) return { ok: false, path: '/lane', detail: 'an object with request or to' }
  const { request, to } = lane
  if (request !== undefined && !isFields(request))
    return { ok: false, path: '/lane/request', detail: 'a typed request' }
  const people = typeof to === 'string' ? [to] : to
  const named =
    people === undefined || (Array.isArray(people) && people.every(one => typeof one === 'string'))
  if (!named) return { ok: false, path: '/lane/to', detail: 'a person, or a list of people, by their ids' }
  return { ok: true, request, to: people as readonly string[] | undefined }
}

/** Every text of a submission, for the firewall: nothing leaves that may not stand in a file. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isFields(value) ? Object.entries(value).flatMap(([name, one]) => [name, ...textsOf(one)]) : []
}
