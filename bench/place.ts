// Directories of the run: beside the build, so that they lie on a disk that really syncs (a temporary directory is
// often memory), and gone when the run is over.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LEDGER_FILE } from '../src/ledger/sqlite/open.js'
import { SECRET } from './unlocking.js'

export const PLACES = fileURLToPath(new URL('../data/', import.meta.url))

/** There is no limit on requests: the generator is one caller who asks one person thousands of times. A checkpoint
 *  would stand among the entries that are counted, and none comes within a day. */
const CONFIG = `
recipients:
  operator: { name: Operator, web: true }
outbox: on
forms: { approvers: [operator] }
checkpoints: { every: 24h }
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 10, open_requests_per_key: 0, waits_per_key: 0, streams_per_key: 0 }
`
export const KEY = 'lane_bench_key_of_one_run_only'

export type Place = { readonly dir: string; readonly ledger: string; readonly env: Record<string, string> }

export function makePlace(): Place {
  mkdirSync(PLACES, { recursive: true })
  const dir = mkdtempSync(PLACES)
  const config = join(dir, 'lane.yaml')
  writeFileSync(config, CONFIG)
  const env = {
    LANE_DATA_DIR: dir,
    LANE_CONFIG: config,
    LANE_API_KEY: KEY,
    LANE_SECRET: SECRET,
    LOG_LEVEL: 'warn',
    PORT: '0',
  }
  return { dir, ledger: join(dir, LEDGER_FILE), env }
}

export async function withPlace<T>(use: (place: Place) => Promise<T>): Promise<T> {
  const place = makePlace()
  try {
    return await use(place)
  } finally {
    rmSync(place.dir, { recursive: true, force: true })
  }
}

/** Removes the remains of a run that was cut short. */
export const clearPlaces = (): void => rmSync(PLACES, { recursive: true, force: true })
