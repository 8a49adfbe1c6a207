// The settings of a database on which the ledger's promises rest. Asked at every connection that writes: a server may
// have been restarted with other settings, or another one may have taken its place.
import { LedgerUnavailable } from '../contract.js'
import type { Client } from './connection.js'

export class NotDurable extends LedgerUnavailable {}

/** Older servers no longer get fixes. */
const POSTGRES_AT_LEAST = 14

export type Durability = {
  readonly version: number
  readonly fsync: string
  readonly full_page_writes: string
  readonly synchronous_commit: string
  readonly encoding: string
  readonly read_only: string
  readonly standby: boolean
}

export async function durability(client: Client): Promise<Durability> {
  const { rows } = await client.query<Durability>(`
    SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
      current_setting('full_page_writes') AS full_page_writes,
      current_setting('synchronous_commit') AS synchronous_commit,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
      current_setting('default_transaction_read_only') AS read_only`)
  const [found] = rows
  if (found === undefined) throw new Error('PostgreSQL says nothing about itself')
  return found
}

/** Each sentence says what is wrong and what would be right; an empty list means that nothing is wrong. */
export function flawsOf(found: Durability): string[] {
  const flaws: string[] = []
  if (found.version < POSTGRES_AT_LEAST)
    flaws.push(`PostgreSQL ${found.version} is too old: ${POSTGRES_AT_LEAST} or newer is needed`)
  if (found.standby) flaws.push('DATABASE_URL names a standby: it must name the primary')
  if (found.fsync !== 'on') flaws.push('fsync is off: what was recorded could be lost; set fsync = on')
  if (found.full_page_writes !== 'on')
    flaws.push('full_page_writes is off: a crash could tear a page; set full_page_writes = on')
  // remote_apply waits for more than on does; everything else for less.
  if (!['on', 'remote_apply'].includes(found.synchronous_commit))
    flaws.push(
      `synchronous_commit is ${found.synchronous_commit}: what was recorded could be lost; set synchronous_commit = on`,
    )
  if (found.read_only !== 'off')
    flaws.push('default_transaction_read_only is on: nothing could be recorded; set it to off')
  if (found.encoding !== 'UTF8') flaws.push(`the database's encoding is ${found.encoding}: it must be UTF8`)
  return flaws
}

export async function assertDurable(client: Client): Promise<void> {
  const found = await durability(client)
  const flaws = flawsOf(found)
  if (flaws.length > 0) throw new NotDurable(flaws.join('; '))
  // From here on a change of the server's configuration does not weaken this connection.
  await client.query(`SET synchronous_commit = ${found.synchronous_commit}`)
}
