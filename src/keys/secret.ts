// The installation's one secret: LANE_SECRET, or 32 bytes made at the first start and kept beside the ledger, readable
// by its owner alone. It wraps the keyring and is of no other use; a backup of the ledger does not contain it.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Secret } from '../token/wrap.js'

const SECRET_FILE = 'secret'

export const secretFileIn = (dataDir: string): string => join(dataDir, SECRET_FILE)

export const secretOf = (given: string): Secret => ({ bytes: createHash('sha256').update(given).digest() })

export function openSecret(dataDir: string, given: string | null): Secret {
  const found = findSecret(dataDir, given)
  return found ?? makeSecret(secretFileIn(dataDir))
}

/** Null if there is none yet: none is made. */
export function findSecret(dataDir: string, given: string | null): Secret | null {
  if (given !== null) return secretOf(given)
  const file = secretFileIn(dataDir)
  return existsSync(file) ? readSecret(file) : null
}

export function readSecret(file: string): Secret {
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new Error(`${file} is not a secret of this lane: 64 hex digits`)
  return { bytes: Buffer.from(text, 'hex') }
}

export function makeSecret(file: string): Secret {
  writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  return readSecret(file)
}
