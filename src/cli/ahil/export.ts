// What was asked through the lane, as a log: printed, or appended to a file, where what stands there stays and what was
// appended before is not appended again.
import { canonical } from '../../canonical.js'
import { call, type Endpoint, jsonOf } from '../../client/call.js'
import { isFields } from '../../client/case.js'
import { type Entry, HUMAN, hashOfEntry, refOf } from '../../interop/ahil/entry.js'
import { numbering } from '../../interop/ahil/id.js'
import { readLog } from '../../interop/ahil/log.js'
import type { Profile } from '../../interop/ahil/profile.js'
import { entryOf } from '../../interop/ahil/write.js'
import type { Shell } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { say } from '../print.js'
import { complain, strange, tellTrouble, writeBody } from '../tell.js'
import { addEntries, closeExchange, openExchange, type Pages } from './exchange.js'

type ExportOptions = {
  /** Null to print it. */
  readonly file: string | null
  readonly run: string | null
  readonly profile: Profile | null
  readonly shared: boolean
  readonly json: boolean
}

export async function exportLog(shell: Shell, endpoint: Endpoint, options: ExportOptions): Promise<ExitCode> {
  const { file, run, profile, shared, json } = options
  const query = new URLSearchParams()
  if (run !== null) query.set('run_id', run)
  // A file beside the pipeline needs the entries whole.
  if (file === null && profile !== null) query.set('profile', profile)
  const answer = await call(endpoint, { path: `/v1/ahil?${query}` })
  if (answer.kind !== 'answer') return tellTrouble(shell, answer, endpoint, json)
  const read = readLog(answer.body)
  if (!read.ok || !isFields(jsonOf(answer))) return tellTrouble(shell, strange(answer), endpoint, json)
  if (file === null) {
    writeBody(shell.stdout, answer.body)
    return EXIT.ok
  }
  const opened = openExchange(file, { shared, profile })
  if (!opened.ok) return complain(shell, [opened.detail])
  const { exchange } = opened
  try {
    const isNew = exchange.name.endsWith('.json')
    const added = await addEntries(
      shell,
      exchange,
      (pages, at) => ({ entries: missingIn(pages, read.log.entries, at), asked: pages.main.seen.asked }),
      isNew,
    )
    if (!added.ok)
      return complain(
        shell,
        added.refusal.details.map(detail => `${added.refusal.code}: ${detail}`),
      )
    const ids = added.entries.map(({ id }) => id)
    say(shell.stdout, [json ? JSON.stringify({ file, appended: ids }) : `${ids.length} entries appended`])
    return EXIT.ok
  } finally {
    closeExchange(exchange)
  }
}

/** What the file lacks, under ids of its own and with references to them. */
function missingIn(pages: Pages, exported: readonly Entry[], at: string): Entry[] {
  const next = numbering(pages.entries)
  const there = new Map(pages.entries.flatMap(entry => (isOurs(entry) ? [[saidIn(entry), entry.id]] : [])))
  const own = ownIn(pages, exported)
  const ids = new Map<string, string>()
  const missing: Entry[] = []
  for (const entry of exported.filter(({ context }) => !own.has(context?.request_id))) {
    const before = there.get(saidIn(entry))
    if (before !== undefined) {
      ids.set(entry.id, before)
      continue
    }
    const made = entryOf(referring(entry, ids), next, at)
    ids.set(entry.id, made.id)
    missing.push({ ...made, status: entry.status })
  }
  return missing
}

/** The entry with the id that what it refers to has here. */
function referring(entry: Entry, ids: ReadonlyMap<string, string>): Entry {
  const ref = refOf(entry)
  const here = ref === null ? undefined : ids.get(ref)
  if (ref === null || here === undefined) return entry
  return { ...entry, content: entry.content.replaceAll(ref, here), context: { ...entry.context, ref: here } }
}

const isOurs = ({ context }: Entry): boolean => typeof context?.request_id === 'string'

/** What an entry says, but for its id, its day, and the id and name of what it refers to. */
function saidIn({ type, from, status, context }: Entry): string {
  const { ref: _ref, ...rest } = context ?? {}
  return canonical([type, from, status, rest])
}

/** Requests about entries of this very log: those stand here already, and `sync` tells what became of them. */
function ownIn({ entries }: Pages, exported: readonly Entry[]): ReadonlySet<unknown> {
  const origins = new Map(
    exported.flatMap(({ context }) => {
      const origin = context?.origin
      return isFields(origin) && origin.system === 'ahil' ? [[origin.hash, context?.request_id]] : []
    }),
  )
  const mine = origins.size === 0 ? [] : entries.filter(({ to }) => to === HUMAN)
  return new Set(mine.flatMap(entry => origins.get(hashOfEntry(entry)) ?? []))
}
