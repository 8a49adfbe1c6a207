// Who is asked for a proof that only a passkey of theirs could give, and has none: nothing they say would be taken.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configFileOf, loadConfig } from '../../config/config.js'
import { configuredChannels, type Settings } from '../../config/settings.js'
import { LEDGER_FILE, openReadOnly } from '../../ledger/sqlite/open.js'
import { STANDING } from '../../ledger/sqlite/passkeys.js'
import { PROOF_BY } from '../../people/passkeys.js'
import type { Finding } from './finding.js'
import { checkEnrolment } from './policy.js'

type Row = { readonly user_id: string; readonly by: keyof typeof PROOF_BY }

const askedOf = (standing: string): string => `SELECT DISTINCT p.user_id, p.by FROM ${standing}`

export async function checkEnrolled(settings: Settings): Promise<Finding[]> {
  const loaded = await loadConfig(configFileOf(settings))
  // What cannot be read has a finding of its own.
  const rows = loaded.ok ? await readRows(settings).catch(() => null) : null
  if (!loaded.ok || rows === null) return []
  return checkEnrolment(
    loaded.config,
    configuredChannels(settings),
    { hasProvider: settings.oidc !== null, publicUrl: settings.publicUrl },
    userId => rows.filter(one => one.user_id === userId).map(({ by }) => PROOF_BY[by]),
  )
}

async function readRows({ dataDir, databaseUrl, profile }: Settings): Promise<readonly Row[]> {
  if (profile !== 'embedded') return rowsOfCluster(databaseUrl ?? '')
  const file = join(dataDir, LEDGER_FILE)
  if (!existsSync(file)) return []
  const db = openReadOnly(file)
  try {
    return db.prepare(askedOf(STANDING)).all() as Row[]
  } finally {
    db.close()
  }
}

async function rowsOfCluster(databaseUrl: string): Promise<readonly Row[]> {
  const { connector, leave } = await import('../../ledger/postgres/connection.js')
  const { STANDING: standing } = await import('../../ledger/postgres/passkeys.js')
  const client = await connector(databaseUrl)('doctor')
  try {
    return (await client.query<Row>(askedOf(standing))).rows
  } finally {
    await leave(client)
  }
}
