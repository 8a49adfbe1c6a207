// The meaning of a database error for an append: the statement may not stand, the database cannot take it just now,
// or the connection is gone and with it, perhaps, the answer.
import pg from 'pg'
import { LedgerUnavailable } from '../contract.js'

type Failure = 'refused' | 'unavailable' | 'lost'

/** SQLSTATE classes for which the statement itself is to blame: its data, a constraint, a trigger of ours, its text. */
const REFUSED = ['22', '23', 'P0', '42', '0A']
/** The server closes the connection with these: shutdown, crash, start, idle in a transaction, broken protocol. A
 *  read-only connection stays so for as long as it lives, even if the server changes: only a new one is of use. */
const LOST = ['08', '57P01', '57P02', '57P03', '57P05', '25P03', '25P04', '25006']

export function failureOf(error: unknown): Failure {
  if (!(error instanceof pg.DatabaseError)) return 'lost'
  const code = error.code ?? ''
  if (LOST.some(prefix => code.startsWith(prefix))) return 'lost'
  return REFUSED.some(prefix => code.startsWith(prefix)) ? 'refused' : 'unavailable'
}

/** The code and the constraint alone: the database's own message and details quote the data that
 *  was to be written. */
export function refusal(error: unknown): Error {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return new Error(
    `the database refused what was to be written (${[code, constraint].filter(Boolean).join(' ')})`,
  )
}

/** The database could not be reached, or the connection was lost before a COMMIT was sent: try again. */
export class Away extends LedgerUnavailable {}

function wordsFor(error: unknown): string {
  const { code } = error as { code?: unknown }
  const why = typeof code === 'string' ? code : 'connection lost'
  return `PostgreSQL cannot be used just now (${why})`
}

export const unavailable = (error: unknown): LedgerUnavailable =>
  error instanceof LedgerUnavailable ? error : new LedgerUnavailable(wordsFor(error), { cause: error })

export const away = (error: unknown): LedgerUnavailable =>
  error instanceof LedgerUnavailable ? error : new Away(wordsFor(error), { cause: error })
