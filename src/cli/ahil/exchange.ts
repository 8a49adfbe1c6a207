// An exchange file that others write too: read whole, checked against what was last seen of it, and added to under a lock.
//
// AE1  Entries that were seen and are changed or gone are reported, and nothing is written.
// AE2  A write follows a reading under the lock. Whoever writes without the lock meanwhile is noticed before the new file
//      takes its place, and everything is read again.
// AE3  The file comes first, then what was seen of it: whoever is killed between leaves a shorter prefix, which still holds.
import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { canonical } from '../../canonical.js'
import { instant } from '../../clock.js'
import { MOST_BYTES, readFile, stampOf, writeFile } from '../../folder/file.js'
import { closeFolder, type Folder, openFolder } from '../../folder/folder.js'
import { lockFile } from '../../folder/lock.js'
import type { Entry } from '../../interop/ahil/entry.js'
import { type Log, type LogFlaw, readLog } from '../../interop/ahil/log.js'
import { isKnownPrefix, readSeen, type Seen, seenOf, spellSeen, unseen } from '../../interop/ahil/prefix.js'
import { type Profile, sidecarOf, strictOf } from '../../interop/ahil/profile.js'
import { addTo, emptyLog } from '../../interop/ahil/write.js'
import type { Shell } from '../command.js'

export type Exchange = {
  readonly folder: Folder
  readonly name: string
  /** Null for the one that the files show: strict where a pipeline has its whole log beside it. */
  readonly profile: Profile | null
}
type Opened =
  | { readonly ok: true; readonly exchange: Exchange }
  | { readonly ok: false; readonly detail: string }

export function openExchange(
  path: string,
  { shared, profile = null }: { readonly shared: boolean; readonly profile?: Profile | null },
): Opened {
  const opened = openFolder(dirname(path), [], { shared })
  if (!opened.ok) return { ok: false, detail: opened.detail }
  return { ok: true, exchange: { folder: opened.folder, name: basename(path), profile } }
}

export const closeExchange = ({ folder }: Exchange): void => closeFolder(folder)

/** One file, and what was last seen of it. */
type Page = {
  readonly name: string
  readonly log: Log
  readonly seen: Seen
  /** Whether anything was seen of it before. */
  readonly isKnown: boolean
  readonly stamp: string | null
}
export type Pages = {
  readonly main: Page
  /** The whole log beside a pipeline whose own is strict. */
  readonly side: Page | null
  /** All entries, whole. */
  readonly entries: readonly Entry[]
  readonly byId: ReadonlyMap<string, Entry>
}
export type Complaint = { readonly code: string; readonly details: readonly string[] }
type Read = { readonly ok: true; readonly pages: Pages } | { readonly ok: false; readonly refusal: Complaint }

const MEMORY = '.lane'

/** `mayBeNew`: a file that is not there is taken for an empty log. */
export function readExchange({ folder, name, profile }: Exchange, mayBeNew = false): Read {
  const main = readPage(folder, name, mayBeNew)
  if (!main.ok) return main
  const beside = main.page.log.form === 'adpl' ? sidecarOf(name) : null
  const isStrict = profile === 'adpl-1.1-strict'
  if (isStrict && beside === null)
    return refuse('profile', `adpl-1.1-strict is for the log in a pipeline (.adpl); ${name} is none`)
  const hasSide = beside !== null && profile !== 'ahil-1.0' && (isStrict || stampOf(folder, beside) !== null)
  if (!hasSide) {
    const { entries, byId } = main.page.log
    return { ok: true, pages: { main: main.page, side: null, entries, byId } }
  }
  const side = readPage(folder, beside, true)
  return side.ok ? joined(main.page, side.page) : side
}

type ReadPage =
  | { readonly ok: true; readonly page: Page }
  | { readonly ok: false; readonly refusal: Complaint }

function readPage(folder: Folder, name: string, mayBeNew: boolean): ReadPage {
  const stamp = stampOf(folder, name)
  const file = readFile(folder, name)
  const isNew = !file.ok && file.code === 'absent' && mayBeNew
  if (!file.ok && !isNew) return refuse(file.code, file.detail)
  const read = readLog(file.ok ? file.bytes : Buffer.from(emptyLog('Exchange between agents and people.')))
  if (!read.ok) return refuse('invalid_log', ...sayFlaws(read.flaws))
  const seen = readMemory(folder, name)
  if (!seen.ok) return seen
  const { memory } = seen
  if (memory !== null && !isKnownPrefix(read.log, memory))
    return refuse(
      'tampered',
      `of the ${memory.length} entries that were seen in ${name}, some were changed or taken away: nothing is written`,
      `whoever has looked and means it so removes ${name}${MEMORY}; what is open is then asked anew`,
    )
  const isKnown = memory !== null
  return {
    ok: true,
    page: { name, log: read.log, seen: memory ?? unseen(randomBytes(16).toString('hex')), isKnown, stamp },
  }
}

/** The rest is mostly of the same kind. */
const MOST_FLAWS = 50
const sayFlaws = (flaws: readonly LogFlaw[]): string[] => [
  ...flaws.slice(0, MOST_FLAWS).map(({ path, code, detail }) => `${code}: ${path || '/'} takes ${detail}`),
  ...(flaws.length > MOST_FLAWS ? [`and ${flaws.length - MOST_FLAWS} more`] : []),
]

function readMemory(
  folder: Folder,
  name: string,
): { readonly ok: true; readonly memory: Seen | null } | { readonly ok: false; readonly refusal: Complaint } {
  const file = readFile(folder, `${name}${MEMORY}`)
  if (!file.ok && file.code === 'absent') return { ok: true, memory: null }
  if (!file.ok) return refuse(file.code, file.detail)
  const memory = readSeen(file.bytes.toString('utf8'))
  return memory === null
    ? refuse('tampered', `${name}${MEMORY} is not as it was written: nothing is written`)
    : { ok: true, memory }
}

/** The whole log, then what others have put into the pipeline since. */
function joined(main: Page, side: Page): Read {
  const byId = new Map(side.log.byId)
  const entries = [...side.log.entries]
  for (const entry of main.log.entries) {
    const whole = byId.get(entry.id)
    if (whole === undefined) {
      byId.set(entry.id, entry)
      entries.push(entry)
    } else if (![entry, strictOf(entry)].some(one => canonical(one) === canonical(strictOf(whole))))
      return refuse(
        'tampered',
        `${entry.id} in ${main.name} is not what ${side.name} has: nothing is written`,
      )
  }
  return { ok: true, pages: { main, side, entries, byId } }
}

const refuse = (code: string, ...details: readonly string[]): { ok: false; refusal: Complaint } => ({
  ok: false,
  refusal: { code, details },
})

/** What is to be added, and what is asked and not told from then on. */
type Addition = { readonly entries: readonly Entry[]; readonly asked: Seen['asked'] }
type Added =
  | { readonly ok: true; readonly entries: readonly Entry[]; readonly pages: Pages }
  | { readonly ok: false; readonly refusal: Complaint }

/** A large file takes a second, and others may wait before us. */
const LOCK_PATIENCE_MS = 60_000
/** Somebody who writes without a lock, again and again in the middle of ours, is somebody to be told about. */
const MOST_TRIES = 5

export async function addEntries(
  shell: Shell,
  exchange: Exchange,
  prepare: (pages: Pages, at: string) => Addition | Complaint,
  mayBeNew = false,
): Promise<Added> {
  const { folder, name } = exchange
  const sleep = (ms: number): Promise<void> => shell.sleep(ms)
  const lock = await lockFile(folder, name, { patienceMs: LOCK_PATIENCE_MS, sleep })
  if (!lock.ok) return refuse('locked', lock.detail)
  try {
    let written: readonly Entry[] = []
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const read = readExchange(exchange, mayBeNew)
      if (!read.ok) return read
      const addition = prepare(read.pages, instant(shell.clock.wall()))
      if ('code' in addition) return { ok: false, refusal: addition }
      // Entries that stand beside the pipeline already are only brought into it.
      const rest = written.length > 0 ? { ...addition, entries: [] } : addition
      const done = write(folder, read.pages, rest)
      if (done.kind === 'refused') return done
      written = done.kind === 'beside' || written.length === 0 ? done.entries : written
      if (done.kind === 'added') return { ok: true, entries: written, pages: read.pages }
    }
    return refuse('changed', `${name} was written by others again and again meanwhile`)
  } finally {
    lock.release()
  }
}

type Written =
  | { readonly kind: 'added' | 'beside' | 'nothing'; readonly entries: readonly Entry[] }
  | { readonly kind: 'refused'; readonly ok: false; readonly refusal: Complaint }

/** How far it came: somebody else may have written meanwhile (AE2), either file. */
function write(folder: Folder, pages: Pages, { entries, asked }: Addition): Written {
  const { main, side } = pages
  const all = [...pages.entries, ...entries]
  const sides = side === null ? null : grown(side, all.slice(side.log.entries.length))
  const missing = side === null ? entries : all.filter(({ id }) => !main.log.byId.has(id)).map(strictOf)
  const mains = grown(main, missing)
  const large = [sides, mains].find(page => page !== null && page.bytes.length > MOST_BYTES)
  if (large)
    return {
      kind: 'refused',
      ...refuse('too_large', `${large.name} would have more than ${MOST_BYTES} bytes: begin another file`),
    }
  if (sides !== null && !put(folder, sides)) return { kind: 'nothing', entries: [] }
  if (!put(folder, mains))
    return sides === null ? { kind: 'nothing', entries: [] } : { kind: 'beside', entries }
  // AE3.
  if (sides !== null) remember(folder, sides, {})
  remember(folder, mains, asked)
  return { kind: 'added', entries }
}

type Grown = Page & Pick<Log, 'bytes' | 'place' | 'entries'> & { readonly isGrown: boolean }

const grown = (page: Page, more: readonly object[]): Grown => ({
  ...page,
  ...addTo(page.log, more),
  entries: [...page.log.entries, ...(more as readonly Entry[])],
  isGrown: more.length > 0,
})

const put = (folder: Folder, { name, bytes, stamp, isGrown }: Grown): boolean =>
  !isGrown || writeFile(folder, name, bytes, () => stampOf(folder, name) === stamp)

function remember(folder: Folder, page: Grown, asked: Seen['asked']): void {
  const now = seenOf(page, page.seen, asked)
  if (!page.isKnown || canonical(now) !== canonical(page.seen))
    writeFile(folder, `${page.name}${MEMORY}`, spellSeen(now))
}
