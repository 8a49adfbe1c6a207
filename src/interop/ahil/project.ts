// What a log comes to: the effective status of each entry, and whether it may be acted on. Entries never change; this is
// computed from those that refer to them, and only from ones that stand below what they refer to.
//
// AJ1  Only its addressee changes an entry's status, by acknowledging it; for a person also the gateway, and once it was
//      answered also the one who is to act.
// AJ2  An approval gives nothing unless policy says that its sender may, and for a person's that the lane vouches for it.
//      Whatever takes a right away needs no such proof, and is final: an old approval put in again gives nothing back.
import { ALL, type Entry, GATEWAY, HUMAN, refOf, type Status } from './entry.js'

type Authority = 'none' | 'approved' | 'rejected' | 'overridden'
type Standing = {
  status: Status
  /** The id of the acknowledgement by which it has this status; null for its own. */
  acknowledgedBy: string | null
  /** The id of the approval, order or override that answers it. */
  settledBy: string | null
  authority: Authority
}
export type Policy = {
  /** Agents whose approvals count. */
  readonly approvers: readonly string[]
  /** Whether an event of the lane stands behind an entry from a person. */
  readonly isVouched: (entry: Entry) => boolean
}
/** Nobody's word counts: what is known from a file alone. */
export const FILE_ALONE: Policy = { approvers: [], isVouched: () => false }

export type Projection = ReadonlyMap<string, Standing>

export function project(entries: readonly Entry[], policy: Policy = FILE_ALONE): Projection {
  const byId = new Map<string, Entry>()
  const standings = new Map<string, Standing>()
  const approvals = new Map<string, Given>()
  for (const entry of entries) {
    const ref = refOf(entry)
    const about = ref === null ? undefined : byId.get(ref)
    const standing = about === undefined ? undefined : standings.get(about.id)
    if (about !== undefined && standing !== undefined)
      tell(entry, about, standing, { policy, standings, approvals })
    byId.set(entry.id, entry)
    standings.set(entry.id, {
      status: entry.status,
      acknowledgedBy: null,
      settledBy: null,
      authority: 'none',
    })
  }
  return standings
}

/** The approvals of an entry, and whom they tell to act. */
type Given = { readonly entries: Entry[]; readonly to: Set<string> }
type Told = {
  readonly policy: Policy
  readonly standings: ReadonlyMap<string, Standing>
  readonly approvals: Map<string, Given>
}

function tell(entry: Entry, about: Entry, standing: Standing, { policy, standings, approvals }: Told): void {
  switch (entry.type) {
    case 'acknowledgement':
      if (about.type !== 'acknowledgement') acknowledge(entry, about, standing, approvals)
      return
    case 'approval':
      standing.settledBy = entry.id
      give(approvals, about, entry)
      if (standing.authority === 'none' && mayApprove(entry, policy)) standing.authority = 'approved'
      return
    case 'order':
      standing.settledBy = entry.id
      return
    case 'override': {
      standing.settledBy = entry.id
      if (entry.from !== HUMAN && !policy.approvers.includes(entry.from)) return
      standing.authority = 'overridden'
      // An override of what was approved cancels the approval too, and one of the approval what it approved.
      for (const one of approvals.get(about.id)?.entries.splice(0) ?? [])
        override(standings.get(one.id), entry)
      const approved = about.type === 'approval' ? refOf(about) : null
      if (approved !== null) override(standings.get(approved), entry)
    }
  }
}

function give(approvals: Map<string, Given>, { id }: Entry, approval: Entry): void {
  const given = approvals.get(id) ?? { entries: [], to: new Set() }
  given.entries.push(approval)
  given.to.add(approval.to)
  approvals.set(id, given)
}

function override(standing: Standing | undefined, { id }: Entry): void {
  if (standing === undefined) return
  standing.settledBy = id
  standing.authority = 'overridden'
}

const mayApprove = (entry: Entry, { approvers, isVouched }: Policy): boolean =>
  entry.from === HUMAN ? isVouched(entry) : approvers.includes(entry.from)

const AFTER: Readonly<Partial<Record<Status, Status>>> = {
  noted: 'acknowledged',
  acknowledged: 'acknowledged',
  acted: 'acted',
  rejected: 'rejected',
}

function acknowledge(
  entry: Entry,
  about: Entry,
  standing: Standing,
  approvals: ReadonlyMap<string, Given>,
): void {
  const after = AFTER[entry.status]
  const waits = standing.status !== 'noted' || about.type === 'alert'
  if (after === undefined || !waits || !mayAcknowledge(entry.from, about, approvals)) return
  if (entry.from !== about.from && after === 'rejected') standing.authority = 'rejected'
  // To have been received says less than what was said before.
  if (after === 'acknowledged' && standing.status !== 'pending' && standing.status !== 'noted') return
  standing.status = after
  standing.acknowledgedBy = entry.id
}

function mayAcknowledge(from: string, about: Entry, approvals: ReadonlyMap<string, Given>): boolean {
  if (about.to === ALL || from === about.to || (from === GATEWAY && about.to === HUMAN)) return true
  const given = approvals.get(about.id)
  return given !== undefined && (from === about.from || given.to.has(from))
}

/** An entry that somebody is to act on, and has not. An alert to a person waits also where it was only noted. */
const isOpen = (entry: Entry, { status, settledBy }: Standing): boolean =>
  settledBy === null &&
  (status === 'pending' || (status === 'noted' && entry.type === 'alert' && entry.to === HUMAN))

/** What waits for this slug, itself addressed or everybody. */
export const pendingFor = (entries: readonly Entry[], projection: Projection, slug: string): Entry[] =>
  entries.filter(entry => {
    const standing = projection.get(entry.id)
    return (entry.to === slug || entry.to === ALL) && standing !== undefined && isOpen(entry, standing)
  })

/** What a person is asked about: recommendations and alerts to one, which nobody has answered. */
export const waitingForPerson = (entries: readonly Entry[], projection: Projection): Entry[] =>
  pendingFor(entries, projection, HUMAN).filter(
    ({ to, type }) => to === HUMAN && (type === 'recommendation' || type === 'alert'),
  )
