// TRUST.md: what is held to be true, how it was checked, and until when that counts. Trust decays: a row past its day is
// an assumption, whatever it says.
import { putSection, readSection } from './section.js'
import { cell, dayOf } from './words.js'

export const TRUST = 'TRUST.md'
const DECISIONS = 'human_decisions'
/** A decision is as stable as what it decides: the protocol gives such properties a month. */
const TTL_DAYS = 30
const DAY_MS = 86_400_000

type TrustRow = {
  readonly property: string
  readonly status: string
  readonly provenance: string | null
  readonly verified: string | null
  readonly expires: string | null
}

/** The rows of every table that names a property and its status. */
export function trustRows(text: string): TrustRow[] {
  const rows: TrustRow[] = []
  let columns: readonly string[] | null = null
  for (const line of text.split(/\r?\n/)) {
    const cells = cellsOf(line)
    if (cells === null) columns = null
    else if (cells.some(one => /^property$/i.test(one))) columns = cells.map(one => one.toLowerCase())
    else if (columns !== null && !cells.every(one => /^:?-*:?$/.test(one))) rows.push(rowOf(columns, cells))
  }
  return rows
}

function cellsOf(line: string): readonly string[] | null {
  const inner = /^\s*\|(.*)\|\s*$/.exec(line)?.[1]
  return inner === undefined ? null : inner.split('|').map(one => one.trim())
}

function rowOf(columns: readonly string[], cells: readonly string[]): TrustRow {
  const named = (...names: readonly string[]): string | null => {
    const place = columns.findIndex(column => names.includes(column))
    const text = place < 0 ? '' : (cells[place] ?? '')
    return text === '' || text === '-' ? null : text
  }
  const verified = dayIn(named('verified', 'last verified'))
  const expires = dayIn(named('expires')) ?? endOf(verified, named('ttl'))
  const status = (named('status') ?? 'untested').replace(/[*_`]/g, '').toLowerCase()
  return { property: named('property') ?? '', status, provenance: named('provenance'), verified, expires }
}

/** A day may have a remark behind it. */
const dayIn = (text: string | null): string | null => /\d{4}-\d\d-\d\d/.exec(text ?? '')?.[0] ?? null

function endOf(verified: string | null, ttl: string | null): string | null {
  const days = /^(\d{1,4})d$/.exec(ttl ?? '')?.[1]
  return verified === null || days === undefined ? null : later(verified, Number(days))
}

const later = (day: string, days: number): string =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString())

/** What a row is worth on this day. */
export const worthOf = ({ status, expires }: TrustRow, today: string): string =>
  status === 'verified' && expires !== null && expires < today ? 'assumed' : status

export const expiredRows = (text: string, today: string): TrustRow[] =>
  trustRows(text).filter(row => row.status === 'verified' && worthOf(row, today) !== 'verified')

type Confirmation = {
  readonly property: string
  /** A pseudonym. */
  readonly by: string
  readonly at: string
  readonly notes: string
}

const HEAD = [
  '## Human decisions',
  '',
  '| Property | Status | Provenance | Last Verified | Agent | TTL | Expires | Notes |',
  '|----------|--------|------------|---------------|-------|-----|---------|-------|',
]

/** A person's word is the last rung of the ladder. The same property again takes the row's place, with a new term. */
export function confirm(text: string, { property, by, at, notes }: Confirmation): string {
  const day = dayOf(at)
  const cells = [
    property,
    'verified',
    'human_confirmed',
    day,
    by,
    `${TTL_DAYS}d`,
    later(day, TTL_DAYS),
    notes,
  ]
  const row = `| ${cells.map(cell).join(' | ')} |`
  const others = (readSection(text, DECISIONS) ?? '')
    .split(/\r?\n/)
    .filter(
      line =>
        line.startsWith('| ') && !line.startsWith('| Property ') && !line.startsWith(`| ${cell(property)} |`),
    )
  return putSection(text, DECISIONS, `${[...HEAD, row, ...others].join('\n')}\n`)
}
