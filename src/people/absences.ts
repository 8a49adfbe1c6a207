// Who is away, until when, and who is asked in their place. It is judged when somebody would be asked, and takes nothing
// from anybody who was asked before.
//
// AW1  Nobody is asked in somebody's place but one of that person's delegates, through at most three hands; where these
//      lead to nobody who is there, the person is asked all the same.
// AW2  A row that the lane has not sealed sends nobody's questions anywhere.
import { instant } from '../clock.js'
import { acted } from '../event.js'
import type { Store } from '../ledger/contract.js'
import type { Away, Shelf } from '../ledger/shelf.js'
import type { People } from './person.js'

/** More hands than this, and nobody knows any more who was asked. */
const MOST_HANDS = 3

type Handed = { readonly from: string; readonly to: string }

export class Absences {
  readonly #shelf: Shelf
  readonly #now: () => number
  /** By person. Owned by refresh(). */
  #away: ReadonlyMap<string, Away> = new Map()

  private constructor({ shelf, ledger }: Store) {
    this.#shelf = shelf
    this.#now = () => ledger.now()
  }

  static async open(store: Store): Promise<Absences> {
    const absences = new Absences(store)
    await absences.refresh()
    return absences
  }

  /** Reads them again: after one was recorded here or on another replica. */
  async refresh(): Promise<void> {
    const all = await this.#shelf.away(this.#now())
    this.#away = new Map(all.map(one => [one.user_id, one]))
  }

  /** Whether there is nobody whose absence is known: nothing need be asked then. */
  get none(): boolean {
    return this.#away.size === 0
  }

  /** Null for somebody who is there. */
  at(userId: string, ms: number): Away | null {
    const away = this.#away.get(userId)
    return away !== undefined && away.from_ms <= ms && ms < away.until_ms ? away : null
  }

  /** The hands through which a request goes that would be put to this person now; none where it stays with them. */
  handsFrom(userId: string, ms: number, isFit: (hand: Handed) => boolean): readonly Handed[] {
    return handsThrough(one => this.at(one, ms), userId, isFit)
  }
}

/** AW1. */
export function handsThrough(
  awayOf: (userId: string) => Pick<Away, 'deputy'> | null,
  userId: string,
  isFit: (hand: Handed) => boolean,
): readonly Handed[] {
  const hands: Handed[] = []
  for (let from = userId; hands.length <= MOST_HANDS; ) {
    const away = awayOf(from)
    if (away === null) return hands
    const to = away.deputy
    if (to === null || to === userId || hands.some(one => one.to === to) || !isFit({ from, to })) return []
    hands.push({ from, to })
    from = to
  }
  return []
}

export type AwayPlan = {
  readonly user_id: string
  /** At once where it is absent. */
  readonly from?: number
  readonly until: number
  readonly to?: string
}

type NotAway = { readonly field: '/to' | '/until'; readonly accepted: string }
type Recorded = { readonly from: string; readonly until: string; readonly to: string | null }

/** Recorded with its author, or the reason why it cannot be: the deputy is one of theirs, and leads back to nobody. */
export async function sendAway(
  { ledger }: Store,
  { people, absences }: { readonly people: People; readonly absences: Absences },
  plan: AwayPlan,
  by: string,
): Promise<Recorded | NotAway> {
  const flaw = unfit(people, absences, plan, ledger.now())
  if (flaw !== null) return flaw
  const { user_id, until, to } = plan
  let from = plan.from ?? 0
  await ledger.append({
    decide(moment) {
      // An end that has come already says that they are back.
      from = Math.min(plan.from ?? moment.ms, until)
      const hours = { from: instant(from), until: instant(until) }
      return {
        kind: 'append',
        events: [
          { type: 'RECIPIENT_AWAY', body: { user_id, ...hours, ...(to !== undefined && { to }), by } },
          acted('away_set', user_id, by),
        ],
        shelve: [{ put: 'away', away: { user_id, from_ms: from, until_ms: until, deputy: to ?? null } }],
      }
    },
  })
  await absences.refresh()
  return { from: instant(from), until: instant(until), to: to ?? null }
}

function unfit(people: People, absences: Absences, plan: AwayPlan, now: number): NotAway | null {
  const { user_id, from = now, until, to } = plan
  if (plan.from !== undefined && until <= plan.from) return { field: '/until', accepted: 'a time after from' }
  if (to === undefined) return null
  const delegates = people[user_id]?.delegates ?? []
  const theirs = delegates.length === 0 ? 'nobody: they have no delegates' : `one of ${delegates.join(', ')}`
  if (!delegates.includes(to)) return { field: '/to', accepted: theirs }
  const against = againstDeputy(absences, user_id, to, Math.max(from, now))
  return against === null ? null : { field: '/to', accepted: `${theirs}, ${against}` }
}

/** What would have to be true of the deputy; null where they, or whoever is asked in their place, are there then. */
function againstDeputy(absences: Absences, user: string, deputy: string, ms: number): string | null {
  const seen = new Set<string>()
  for (let next = deputy; !seen.has(next); ) {
    if (next === user) return `who is not away in favour of ${user}`
    seen.add(next)
    const away = absences.at(next, ms)
    if (away === null) return null
    if (away.deputy === null) return 'who is not away too, with nobody in their place'
    next = away.deputy
  }
  return 'who is not away too, with nobody in their place'
}
