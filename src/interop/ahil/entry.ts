// One entry of an exchange log (AHIL 1.0): who says what to whom. Whatever stands in a file was written by anybody who can
// write it, so an entry gives nobody a right by itself.

import { canonical, type Hash, sha256 } from '../../canonical.js'
import type { Fields } from '../fields.js'

export const TYPES = [
  'observation',
  'recommendation',
  'alert',
  'order',
  'approval',
  'override',
  'acknowledgement',
] as const
export const STATUSES = ['pending', 'noted', 'acknowledged', 'acted', 'rejected'] as const
export type EntryType = (typeof TYPES)[number]
export type Status = (typeof STATUSES)[number]

export type Entry = {
  readonly id: string
  readonly type: EntryType
  readonly from: string
  readonly to: string
  readonly date: string
  readonly status: Status
  readonly content: string
  readonly context?: Fields
}
/** The seven that every entry has; `context` may be left out. */
export const REQUIRED = ['id', 'type', 'from', 'to', 'date', 'status', 'content'] as const

export const HUMAN = 'human'
/** Addresses everybody. */
export const ALL = 'all'
/** The lane's own name in a log: it speaks for the gateway, never for a person. */
export const GATEWAY = 'lane'

/** Types that may be addressed to everybody: nobody in particular is expected to answer them. */
export const BROADCAST: readonly EntryType[] = ['observation', 'alert', 'order']
/** Types that answer another entry, and name it. */
export const REFERRING: readonly EntryType[] = ['approval', 'override', 'acknowledgement']

/** The id of the entry that this one is about. */
export const refOf = ({ context }: Pick<Entry, 'context'>): string | null =>
  typeof context?.ref === 'string' ? context.ref : null

/** What a decision is about: the entry as it stands. */
export const hashOfEntry = (entry: Entry): Hash => sha256(canonical(entry))
