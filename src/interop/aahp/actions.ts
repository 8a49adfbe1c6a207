// NEXT_ACTIONS.md: at most five tasks that can be worked on, and at most five that were completed lately. What has no
// room is moved, byte for byte, to the board beside it.
import { numberOf, rankOf } from './graph.js'
import type { Task, Tasks } from './manifest.js'
import { linesOf, putSection, readSection } from './section.js'
import { ascii, cutTo, inStyleOf } from './words.js'

export const ACTIONS = 'NEXT_ACTIONS.md'
export const DASHBOARD = 'DASHBOARD.md'
export const BACKLOG = 'BACKLOG.md'
const MOST_ACTIVE = 5
const MOST_COMPLETED = 5

/** A part of the file from one heading of the second level to the next. The first has no heading. */
type Part = {
  readonly text: string
  readonly task: string | null
  readonly completed: boolean
  readonly blocked: boolean
}

function partsOf(text: string): Part[] {
  const starts = [0]
  for (const { line, start } of linesOf(text)) if (start > 0 && line.startsWith('## ')) starts.push(start)
  return starts.map((start, index) => {
    const part = text.slice(start, starts[index + 1] ?? text.length)
    const heading = part.startsWith('## ') ? (part.split('\n')[0] ?? '') : ''
    const task = /^## (T-\d{3,})\b/.exec(heading)?.[1] ?? null
    return {
      text: part,
      task,
      completed: /^## recently completed/i.test(heading),
      blocked: /\bblocked\b/i.test(heading),
    }
  })
}

const isActive = ({ task, blocked }: Part, tasks: Tasks): boolean => {
  if (task === null) return false
  const status = Object.hasOwn(tasks, task) ? tasks[task]?.status : undefined
  return status === undefined ? !blocked : status === 'ready' || status === 'in_progress'
}

type Counted = { readonly active: number; readonly completed: number }

export function countActions(text: string, tasks: Tasks): Counted {
  const parts = partsOf(text)
  const active = parts.filter(part => isActive(part, tasks)).length
  return {
    active,
    completed: parts.filter(part => part.completed).flatMap(part => itemsIn(part.text)).length,
  }
}

/** Rows of a table behind its second line, and items of a list. */
function itemsIn(text: string): { readonly start: number; readonly end: number }[] {
  const items: { start: number; end: number }[] = []
  let rows = 0
  for (const { line, start, end } of linesOf(text)) {
    rows = line.trimStart().startsWith('|') ? rows + 1 : 0
    if (rows > 2 || /^\s*[-*] \S/.test(line)) items.push({ start, end })
  }
  return items
}

/** Says the decision beneath the task's heading; a task that has none yet is given one before the completed. */
export function noteDecision(text: string, id: string, task: Task, said: string): string {
  const note = `**Decision:** ${said}\n`
  const parts = partsOf(text)
  if (parts.some(part => part.task === id))
    return parts.map(part => (part.task === id ? beneathHeading(part.text, note) : part.text)).join('')
  if (task.status !== 'ready') return text
  const added = inStyleOf(text, `## ${id}: ${cutTo(ascii(task.title), 200)}\n\n${note}\n---\n\n`)
  const before = parts.findIndex(
    part => part.completed || (part.task === null && part.text.startsWith('## ')),
  )
  const place = before < 0 ? parts.length : before
  const gap =
    before < 0 && text !== '' && !text.endsWith('\n') ? '\n\n' : before < 0 && text !== '' ? '\n' : ''
  return [
    ...parts.slice(0, place).map(part => part.text),
    gap,
    added,
    ...parts.slice(place).map(part => part.text),
  ].join('')
}

function beneathHeading(text: string, note: string): string {
  const end = text.indexOf('\n')
  const [heading, rest] = end < 0 ? [`${text}\n`, ''] : [text.slice(0, end + 1), text.slice(end + 1)]
  return heading + inStyleOf(text, `\n${note}`) + rest
}

type Limited = {
  readonly text: string
  /** Tasks without room, each with all that stands beneath its heading. */
  readonly overflow: readonly string[]
  /** Lines of completed items without room, the newest first. */
  readonly completed: readonly string[]
}

/** Keeps the five most urgent of the active tasks and the five newest of the completed. */
export function limitActions(text: string, tasks: Tasks): Limited {
  const parts = partsOf(text)
  const urgent = parts
    .filter(part => isActive(part, tasks))
    .sort((a, b) => rankIn(tasks, a) - rankIn(tasks, b) || numberOf(a.task ?? '') - numberOf(b.task ?? ''))
  const surplus = new Set(urgent.slice(MOST_ACTIVE))
  const kept = parts.filter(part => !surplus.has(part))
  return {
    text: kept.map(part => (part.completed ? pruned(part.text) : part.text)).join(''),
    overflow: parts.filter(part => surplus.has(part)).map(part => part.text),
    completed: kept.filter(part => part.completed).flatMap(part => surplusIn(part.text)),
  }
}

const rankIn = (tasks: Tasks, { task }: Part): number => {
  const found = task !== null && Object.hasOwn(tasks, task) ? tasks[task] : undefined
  return found === undefined ? Number.MAX_SAFE_INTEGER : rankOf(found)
}

/** The newest stand on top. */
function pruned(text: string): string {
  const surplus = itemsIn(text).slice(MOST_COMPLETED)
  return surplus.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text)
}

const surplusIn = (text: string): string[] =>
  itemsIn(text)
    .slice(MOST_COMPLETED)
    .map(({ start, end }) => text.slice(start, end).replace(/\r?\n$/, ''))

const EARLIER = 'completed_earlier'

/** The board with what has no room among the next actions: tasks at its end, completed items in a section of their own. */
export function addOverflow(board: string, { overflow, completed }: Omit<Limited, 'text'>): string {
  const gap = board === '' || board.endsWith('\n') ? '' : '\n'
  const grown = overflow.length === 0 ? board : `${board}${gap}\n${overflow.join('')}`
  if (completed.length === 0) return grown
  const before = (readSection(grown, EARLIER) ?? '').split(/\r?\n/).slice(HEAD.length).filter(Boolean)
  return putSection(grown, EARLIER, `${[...HEAD, ...completed, ...before].join('\n')}\n`)
}
const HEAD = ['## Completed earlier', '']
