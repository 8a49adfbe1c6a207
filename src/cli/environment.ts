// Where the lane is, and with which key it is asked. `.env` in the working directory lies beneath the environment:
// it fills in, it never overrides.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Door } from '../client/call.js'
import { OPERATOR_KEY_FILE } from '../first-keys.js'
import { type Environment, settings } from '../settings.js'

export const ENV_FILE = '.env'

export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

export function withEnvFile(env: Environment, file: string = ENV_FILE): Environment {
  const text = readText(file)
  return text === null ? env : { ...parseEnv(text), ...env }
}

export type FoundDoor =
  | { readonly ok: true; readonly door: Door & { readonly key: string } }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** Only these say where the lane is: a faulty setting of the server must not keep a client from asking. */
const CLIENT_VARIABLES = ['HOST', 'PORT', 'LANE_URL', 'LANE_API_KEY', 'LANE_DATA_DIR'] as const

export function clientSettings(env: Environment) {
  return settings(Object.fromEntries(CLIENT_VARIABLES.map(name => [name, env[name]])))
}

export function findDoor(env: Environment): FoundDoor {
  const read = clientSettings(env)
  if (!read.ok) return { ok: false, flaws: read.problems.map(problem => problem.message) }
  const { laneUrl: url, apiKey, dataDir } = read.settings
  if (apiKey !== null) return { ok: true, door: { url, key: apiKey } }
  const file = join(dataDir, OPERATOR_KEY_FILE)
  if (!isLocal(url, env)) {
    const why = `${file} is sent only to the lane beside it, and ${url} is elsewhere`
    return { ok: false, flaws: [`no API key: set LANE_API_KEY for ${url} (${why})`] }
  }
  const key = readKey(file)
  if (key !== null) return { ok: true, door: { url, key } }
  const made = `the first start of \`lane serve\` prints two and writes ${file}`
  return { ok: false, flaws: [`no API key: set LANE_API_KEY, or run where ${file} can be read; ${made}`] }
}

/** The operator's key opens everything, so an address that came from elsewhere must not be able to collect it. */
function isLocal(url: string, env: Environment): boolean {
  if (!env.LANE_URL?.trim() || url === env.PUBLIC_URL?.trim()) return true
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
}

function readKey(file: string): string | null {
  try {
    return readText(file)?.trim() || null
  } catch (error) {
    // Another user's file is as good as none; doctor says whose it is.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return null
    throw error
  }
}
