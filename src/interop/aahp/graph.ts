// The graph of tasks: who waits for whom, which task an agent takes next, and what a decision or a completion changes.
//
// AG1  A task is taken only if it is ready, nothing outside holds it, and all it depends on is done.
// AG2  The lane releases the task that was decided, and tasks whose last dependency is done; no other.
import { type Manifest, PRIORITIES, type Task, type Tasks } from './manifest.js'

/** The ids of a circle, its first one again at the end; null if there is none. */
export function cycleIn(tasks: Tasks): readonly string[] | null {
  const settled = new Set<string>()
  for (const start of Object.keys(tasks)) {
    // By hand, because a chain may be longer than the stack is deep.
    const trail: { readonly id: string; rest: readonly string[] }[] = [
      { id: start, rest: dependencies(tasks, start) },
    ]
    const onTrail = new Set([start])
    if (settled.has(start)) continue
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const [next, ...rest] = top.rest
      if (next === undefined) {
        settled.add(top.id)
        onTrail.delete(top.id)
        trail.pop()
        continue
      }
      top.rest = rest
      if (onTrail.has(next)) {
        const ids = trail.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next)), next]
      }
      if (settled.has(next)) continue
      onTrail.add(next)
      trail.push({ id: next, rest: dependencies(tasks, next) })
    }
  }
  return null
}

const taskOf = (tasks: Tasks, id: string): Task | undefined =>
  Object.hasOwn(tasks, id) ? tasks[id] : undefined
const dependencies = (tasks: Tasks, id: string): readonly string[] => taskOf(tasks, id)?.depends_on ?? []
const isHeld = ({ blocked_by }: Task): boolean => blocked_by !== undefined && blocked_by !== ''

/** A dependency that is not on the board is not done. */
export const isMet = (tasks: Tasks, { depends_on = [] }: Task): boolean =>
  depends_on.every(id => taskOf(tasks, id)?.status === 'done')

/** The tasks an agent may take, the most urgent first (AG1). */
export function eligible(tasks: Tasks): readonly (readonly [id: string, task: Task])[] {
  return Object.entries(tasks)
    .filter(([, task]) => task.status === 'ready' && !isHeld(task) && isMet(tasks, task))
    .sort(([one, a], [other, b]) => rankOf(a) - rankOf(b) || numberOf(one) - numberOf(other))
}

export const numberOf = (id: string): number => Number(id.slice('T-'.length))

/** A task that names no priority comes last. */
export const rankOf = ({ priority }: Task): number =>
  priority === undefined ? PRIORITIES.length : PRIORITIES.indexOf(priority)

/** Tasks that cannot be taken because something outside holds one they wait for, with the ids of those held. */
export function heldByOthers(tasks: Tasks): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const [id, task] of Object.entries(tasks)) {
    if (task.status === 'done' || task.status === 'cancelled') continue
    const held = [...ancestors(tasks, id)].filter(one => {
      const before = taskOf(tasks, one)
      return before !== undefined && before.status !== 'done' && isHeld(before)
    })
    if (held.length > 0)
      found.set(
        id,
        held.sort((a, b) => numberOf(a) - numberOf(b)),
      )
  }
  return found
}

function ancestors(tasks: Tasks, id: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const left = [...dependencies(tasks, id)]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    left.push(...dependencies(tasks, next))
  }
  return seen
}

/** A task is done, and says since when. */
export const complete = (task: Task, at: string): Task => ({
  ...task,
  status: 'done',
  completed: task.completed ?? at,
})

/** What is done says since when; what waited for it alone is ready (AG2). */
export function settle(tasks: Tasks, at: string): Tasks {
  const dated = mapped(tasks, task => (task.status === 'done' ? complete(task, at) : task))
  return mapped(dated, task => {
    const waited = task.status === 'blocked' && !isHeld(task) && (task.depends_on ?? []).length > 0
    return waited && isMet(dated, task) ? { ...task, status: 'ready' } : task
  })
}

const mapped = (tasks: Tasks, change: (task: Task) => Task): Tasks =>
  Object.fromEntries(Object.entries(tasks).map(([id, task]) => [id, change(task)]))

/** What is wrong with the numbers of tasks, given the manifest of the handoff before. */
export function flawsOfNumbers(
  { tasks = {}, next_task_id: next }: Manifest,
  before: Manifest | null,
): string[] {
  const ids = Object.keys(tasks)
  const flaws: string[] = []
  if (next === undefined && ids.length > 0) flaws.push('next_task_id is missing, and there are tasks')
  const above = ids.filter(id => next !== undefined && numberOf(id) >= next)
  if (above.length > 0)
    flaws.push(`next_task_id ${next} must be above every task; there is ${above.join(', ')}`)
  const earlier = before?.next_task_id
  if (earlier === undefined) return flaws
  if (next !== undefined && next < earlier) flaws.push(`next_task_id went back from ${earlier} to ${next}`)
  const reused = ids.filter(id => numberOf(id) < earlier && !Object.hasOwn(before?.tasks ?? {}, id))
  return reused.length === 0
    ? flaws
    : [...flaws, `a number is used once for ever, and ${reused.join(', ')} came back`]
}
