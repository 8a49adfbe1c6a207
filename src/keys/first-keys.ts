// The API keys a lane starts with. LANE_API_KEY, if given, opens everything; otherwise the first start makes a key
// for an agent and one for the operator, prints them once, and leaves the operator's where the local CLI finds it.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANE } from '../event.js'
import { SCOPES } from '../ledger/shelf.js'
import { type KeyBook, keyFrom, makeKey } from './key-book.js'

export const OPERATOR_KEY_FILE = 'operator.key'
const GIVEN = 'LANE_API_KEY'

export type FirstKeys = { readonly agent: string; readonly operator: string }

/** The keys just made, to be shown this once; null when there is nothing new to show. They are made when nothing but
 *  showing them is left of the start: nobody would ever learn a key made by a start that failed. */
export async function firstKeys(
  keys: KeyBook,
  given: string | null,
  dataDir: string,
  at: string,
): Promise<FirstKeys | null> {
  await keys.reload()
  if (given !== null || keys.all().some(key => key.name !== GIVEN)) return null
  const agent = makeKey('agent', ['request'], at)
  const operator = makeKey('operator', SCOPES, at)
  keepForOperator(join(dataDir, OPERATOR_KEY_FILE), operator.secret)
  await keys.add(agent.key, LANE)
  await keys.add(operator.key, LANE)
  return { agent: agent.secret, operator: operator.secret }
}

/** An existing file is the key of another ledger, and perhaps its only copy. */
function keepForOperator(file: string, secret: string): void {
  if (existsSync(file))
    throw new Error(
      `${file} is the operator's key of another ledger: move it away, or set LANE_DATA_DIR to another directory`,
    )
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' })
}

/**
 * The variable is the truth: a key it no longer names is no longer accepted. A revoked key stays revoked: a replica
 * that still has the old one must not replace the new one, and leave nobody a key.
 */
export async function keepGiven(keys: KeyBook, given: string | null, at: string): Promise<void> {
  await keys.reload()
  const known = given === null ? null : keys.holding(given)
  if (known !== null && known.revoked_at !== null)
    throw new Error(
      `${GIVEN} names a key that was revoked, by hand or by a start without it: set another, the same for all replicas`,
    )
  for (const key of keys.all()) {
    if (key.name === GIVEN && key.key_id !== known?.key_id) await keys.revoke(key.key_id, LANE)
  }
  if (given !== null && known === null)
    await keys.add(keyFrom(given, GIVEN, SCOPES, at, { urgent: true }).key, LANE)
}
