// Whether an event of the lane stands behind an entry from a person: the request it names was answered so, and was about
// the entry it refers to, as that stands.
import { canonical } from '../../canonical.js'
import { answersOf } from '../../interop/ahil/answer.js'
import { type Entry, HUMAN, hashOfEntry, refOf } from '../../interop/ahil/entry.js'
import { openingOf } from '../../interop/ahil/opening.js'
import { isSaidBy } from '../../interop/ahil/write.js'
import type { Troubled, Watching } from '../watcher.js'
import type { Pages } from './exchange.js'
import { caseOf, isAbout, type Verified, verify } from './verified.js'

export type Vouched = {
  /** Whether a lane was asked. */
  readonly asked: boolean
  /** For each entry from a person that the lane does not vouch for, why not. */
  readonly why: ReadonlyMap<string, string>
}

/** Requests that are asked about at once. */
const AT_ONCE = 8

export async function vouch(watching: Watching, { entries, byId }: Pages): Promise<Vouched> {
  const said = entries.filter(({ from }) => from === HUMAN)
  const ids = [...new Set(said.flatMap(entry => requestOf(entry) ?? []))]
  const found = new Map<string, Verified | Troubled>()
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const [id, one] of await Promise.all(ids.slice(at, at + AT_ONCE).map(id => lookUp(watching, id))))
      found.set(id, one)
  const why = new Map<string, string>()
  const told = new Set<string>()
  for (const entry of said) {
    const flaw = doubtAbout(entry, byId, found.get(requestOf(entry) ?? ''))
    // One event stands behind one entry: a copy could be put in again where it was overridden.
    const what = canonical([requestOf(entry), entry.context?.decision ?? null])
    if (flaw !== null) why.set(entry.id, flaw)
    else if (told.has(what)) why.set(entry.id, 'the same stands above')
    else told.add(what)
  }
  return { asked: true, why }
}

const requestOf = ({ context }: Entry): string | null =>
  typeof context?.request_id === 'string' ? context.request_id : null

async function lookUp(watching: Watching, id: string): Promise<[string, Verified | Troubled]> {
  const subject = await caseOf(watching, id)
  return [id, 'kind' in subject ? subject : await verify(watching, subject)]
}

function doubtAbout(
  entry: Entry,
  byId: ReadonlyMap<string, Entry>,
  found: Verified | Troubled | undefined,
): string | null {
  const about = byId.get(refOf(entry) ?? '')
  if (found === undefined || about === undefined)
    return 'it names no request of the lane, or no entry of this log'
  if (found.kind === 'trouble') return `the lane was asked: ${found.code}`
  if (found.end === null) return 'its request is open'
  if (!isAbout(found, hashOfEntry(about)) && !isSaidBy(about, openingIn(found)))
    return 'its request is about something else'
  const answers = answersOf(about, found.subject, found.end)
  return answers.some(answer => isSaidBy(entry, answer)) ? null : 'the lane was answered otherwise'
}

const openingIn = ({ subject, askedBy, origin }: Verified) =>
  openingOf({ asked: subject as never, askedBy, origin, end: null })
