// The eight steps with which every session begins: what is there, whether it is whole, and what may be done.
import { ACTIONS, countActions, DASHBOARD } from './actions.js'
import { type Board, isTrusted, mismatches } from './board.js'
import { cycleIn, eligible, flawsOfNumbers, heldByOthers } from './graph.js'
import { ARCHIVE, ARCHIVE_INDEX, flawOfArchive, LOG, splitLog } from './log.js'
import { MANIFEST, type Manifest, parseManifest } from './manifest.js'
import { expiredRows, TRUST } from './trust.js'
import { DATA_NOTE, LOCK, textOf } from './words.js'
import { STATUS } from './write.js'

/** `stop`: nothing may be written. `warn`: it may, and somebody should know. */
type State = 'ok' | 'warn' | 'stop' | 'skipped'
type Step = {
  readonly step: number
  readonly name: string
  readonly state: State
  readonly notes: readonly string[]
}

type Scene = {
  /** Null if there is no such directory. */
  readonly board: Board | null
  readonly today: string
  /** The manifest of the handoff before this one, where git tells it. */
  readonly before: Manifest | null
  /** Names that are not as the branch has them; null where git does not tell. */
  readonly dirty: readonly string[] | null
}
export type Health = {
  readonly steps: readonly Step[]
  /** Null unless it can be read as what the schema says. */
  readonly manifest: Manifest | null
  readonly mode: 'v3' | 'v2' | 'v1' | 'bootstrap' | 'recovery' | 'broken'
  readonly mayWrite: boolean
}

const NAMES = [
  'the handoff directory',
  'the manifest',
  'the lock',
  'checksums',
  'trust',
  'quick context',
  'files to read',
  'work',
] as const

type Found = { readonly state: State; readonly notes: readonly string[] }
const ok = (...notes: readonly string[]): Found => ({ state: 'ok', notes })
const warn = (...notes: readonly string[]): Found => ({ state: 'warn', notes })
const stop = (...notes: readonly string[]): Found => ({ state: 'stop', notes })
const SKIPPED: Found = { state: 'skipped', notes: [] }

export function examine({ board, today, before, dirty }: Scene): Health {
  if (board === null)
    return healthOf([stop('missing: bootstrap, the project is new here')], null, 'bootstrap')
  const text = textOf(board.get(MANIFEST))
  if (!board.has(MANIFEST)) {
    const read = warn(`missing: as in version 1, all files are read; the lane writes nothing`)
    return healthOf(
      [ok(), read, lockStep(board, dirty), SKIPPED, trustStep(board, today), SKIPPED, filesStep(board, {})],
      null,
      'v1',
    )
  }
  const parsed = text === null ? null : parseManifest(text)
  if (parsed === null || !parsed.ok) {
    const flaws =
      parsed === null ? ['no text'] : parsed.flaws.map(({ path, detail }) => `${path || '/'}: ${detail}`)
    return healthOf([ok(), stop(...flaws), lockStep(board, dirty)], null, 'broken')
  }
  const { manifest } = parsed
  const locked = lockStep(board, dirty)
  const steps = [
    ok(),
    numbersStep(manifest, before),
    locked,
    checksumStep(manifest, board),
    trustStep(board, today),
    ok(`${DATA_NOTE} ${manifest.quick_context}`),
    filesStep(board, manifest.tasks ?? {}),
    workStep(manifest),
  ]
  return healthOf(
    steps,
    manifest,
    locked.state === 'stop' ? 'recovery' : manifest.tasks === undefined ? 'v2' : 'v3',
  )
}

function healthOf(found: readonly Found[], manifest: Manifest | null, mode: Health['mode']): Health {
  const steps = NAMES.map((name, index) => ({ step: index + 1, name, ...(found[index] ?? SKIPPED) }))
  const mayWrite =
    manifest !== null && manifest.tasks !== undefined && steps.every(({ state }) => state !== 'stop')
  return { steps, manifest, mode, mayWrite }
}

function numbersStep(manifest: Manifest, before: Manifest | null): Found {
  const flaws = flawsOfNumbers(manifest, before)
  return flaws.length > 0 ? stop(...flaws) : ok(`version ${manifest.aahp_version}`)
}

function lockStep(board: Board, dirty: readonly string[] | null): Found {
  const lock = board.get(LOCK)
  if (lock !== undefined) return stop(`${LOCK} is there: ${sayLock(lock)}; recovery is needed`)
  if (dirty === null) return warn('git tells nothing here: what was left uncommitted is not seen')
  if (dirty.length === 0) return ok('none, and nothing is left uncommitted')
  return stop(`no lock, and left uncommitted: ${dirty.join(', ')}; recovery is needed`)
}

/** Whatever stands in it, it is a lock. Whose, is told only as far as it can be read. */
function sayLock(bytes: Uint8Array): string {
  const { agent, started } = readLock(bytes)
  return `of ${agent ?? 'somebody who left no name'}${started === null ? '' : `, since ${started}`}`
}

type Lock = {
  readonly agent: string | null
  readonly started: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

/** JSON, or lines of `key: value`, as other tools write it. */
export function readLock(bytes: Uint8Array): Lock {
  const text = textOf(bytes) ?? ''
  const fields =
    jsonIn(text) ??
    Object.fromEntries(
      [...text.matchAll(/^\s*(\w+)\s*[:=]\s*(.+?)\s*$/gm)].map(([, name = '', value]) => [name, value]),
    )
  const word = (name: string): string | null =>
    typeof fields[name] === 'string' ? (fields[name] as string).slice(0, 100) : null
  return { agent: word('agent'), started: word('started'), fields }
}

function jsonIn(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function checksumStep(manifest: Manifest, board: Board): Found {
  const found = mismatches(manifest, board)
  const archived = flawOfArchive(textOf(board.get(ARCHIVE)), textOf(board.get(ARCHIVE_INDEX)))
  const notes = [
    ...found.map(({ name, why }) =>
      why === 'unlisted' ? `${name} is not listed` : `${name} is ${why}: what it says is (Assumed)`,
    ),
    ...(archived === null ? [] : [archived]),
  ]
  if (!isTrusted(found) || archived !== null) return stop(...notes)
  return notes.length > 0 ? warn(...notes) : ok('all match')
}

function trustStep(board: Board, today: string): Found {
  const rows = expiredRows(textOf(board.get(TRUST)) ?? '', today)
  const notes = rows.map(
    ({ property, expires }) => `${property} expired on ${expires}: (Assumed) until it is verified anew`,
  )
  return rows.length > 0 ? warn(...notes) : ok('nothing expired')
}

/** What the protocol says of files that are missing or cannot be read. */
function filesStep(board: Board, tasks: Parameters<typeof countActions>[1]): Found {
  const notes: string[] = []
  const read = (name: string): string => (textOf(board.get(name)) ?? '').trim()
  if (read(STATUS) === '')
    notes.push(`${STATUS} cannot be read: it is rebuilt from ${LOG} by the next handoff`)
  if (!board.has(LOG)) notes.push(`${LOG} is missing: the next handoff begins a new one and notes the gap`)
  const actions = read(ACTIONS)
  if (actions === '' && read(DASHBOARD) === '')
    return stop(...notes, `${ACTIONS} and ${DASHBOARD} are empty: the owner must say what is next`)
  if (actions === '') notes.push(`${ACTIONS} is empty: read ${DASHBOARD}`)
  const { active, completed } = countActions(actions, tasks)
  if (active > 5 || completed > 5)
    notes.push(`${ACTIONS} has ${active} active and ${completed} completed items, above five`)
  const entries = splitLog(read(LOG)).entries.length
  if (entries > 10)
    notes.push(`${LOG} has ${entries} entries, above ten: the next handoff moves the older ones`)
  return notes.length > 0 ? warn(...notes) : ok(`${STATUS}, ${ACTIONS}`)
}

function workStep({ tasks }: Manifest): Found {
  if (tasks === undefined)
    return ok(`no tasks are listed: read ${ACTIONS} from the top; the lane only reads here`)
  const cycle = cycleIn(tasks)
  if (cycle !== null)
    return stop(`tasks wait for each other: ${cycle.join(' -> ')}; the owner must part them`)
  const held = [...heldByOthers(tasks)].map(
    ([id, by]) => `${id} waits for ${by.join(', ')}, which is blocked`,
  )
  const [next] = eligible(tasks)
  return ok(next === undefined ? 'no task can be taken' : `next: ${next[0]}`, ...held)
}
