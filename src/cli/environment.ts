// The lane's address, and the key it is called with.
//
// CE1  A command believes the environment, and beneath it a file named with --env. Only `serve` and `doctor` believe
//      a `.env` that merely lies in the working directory: an agent writes in the directories it works in, and an
//      address it leaves there would be sent the operator's key, or would say YES in people's place.
// CE2  The operator's key goes to the lane whose address lies beside it, or to this machine, and nowhere else.
// CE3  A command that an agent runs never reads the operator's key.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Endpoint } from '../client/call.js'
import { addressIn, isOpenToOthers, isOthersToo } from '../config/data-directory.js'
import { isLoopback } from '../config/loopback.js'
import { type Environment, settings } from '../config/settings.js'
import { OPERATOR_KEY_FILE } from '../keys/first-keys.js'
import type { Shell } from './command.js'

export const ENV_FILE = '.env'

export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Some editors begin a file with this mark; the first variable would have another name, and be ignored. */
const BYTE_ORDER = /^\ufeff/

/** The file fills gaps and never overrides; null if there is no such file. */
export function withEnvFile(env: Environment, file: string): Environment | null {
  const text = readText(file)
  return text === null ? null : { ...parseEnv(text.replace(BYTE_ORDER, '')), ...env }
}

/** The environment of a lane started here: a file named with --env stands in the place of `.env`. */
export const serverEnv = ({ env, envFile }: Shell): Environment =>
  envFile === null ? (withEnvFile(env, ENV_FILE) ?? env) : env

export type FoundEndpoint =
  | { readonly ok: true; readonly endpoint: Endpoint & { readonly key: string } }
  | { readonly ok: false; readonly flaws: readonly string[] }

/** The variables a client needs: a fault in any other setting must not keep it from asking. */
const CLIENT_VARIABLES = ['HOST', 'PORT', 'LANE_URL', 'LANE_API_KEY', 'LANE_DATA_DIR'] as const

export function clientSettings(env: Environment) {
  return settings(Object.fromEntries(CLIENT_VARIABLES.map(name => [name, env[name]])))
}

export function findEndpoint(env: Environment): FoundEndpoint {
  const read = clientSettings(env)
  if (!read.ok) return { ok: false, flaws: read.problems.map(problem => problem.message) }
  const { laneUrl: url, apiKey: key, dataDir } = read.settings
  return key === null ? endpointBeside(dataDir, url, env) : { ok: true, endpoint: { url, key } }
}

/** For commands that an agent or a watcher runs: the key it was given, or none (CE3). */
export function findAgentEndpoint(env: Environment): FoundEndpoint {
  if (env.LANE_API_KEY?.trim()) return findEndpoint(env)
  const never = "the operator's key is not for agents and is never taken here"
  return {
    ok: false,
    flaws: [
      `no API key: set LANE_API_KEY to one with scope request alone, or name a file that sets it; ${never}`,
      'an operator makes one with: lane keys add --name agent --scopes request',
      ...namingHint(),
    ],
  }
}

function endpointBeside(dataDir: string, told: string, env: Environment): FoundEndpoint {
  const file = join(dataDir, OPERATOR_KEY_FILE)
  const isTold = Boolean(env.LANE_URL?.trim())
  const url = isTold ? told : (addressIn(dataDir) ?? told)
  if (isTold && !isOwn(url, env)) {
    const why = `${file} is sent only to the lane beside it, and ${url} is elsewhere`
    return { ok: false, flaws: [`no API key: set LANE_API_KEY for ${url} (${why})`] }
  }
  // A lane writes this file for its owner alone; one that came with a checkout can be read by others.
  if (isOpenToOthers(file)) {
    const why = `${file} can be read by others, so it is no operator's key`
    return { ok: false, flaws: [`${why}: if it is yours, chmod 600 ${file}; else set LANE_API_KEY`] }
  }
  if (isOthersToo(dataDir)) {
    const why = `${dataDir} can be written by others, so the address in it may be anybody's`
    return { ok: false, flaws: [`${why}: if it is yours, chmod 700 ${dataDir}; else set LANE_API_KEY`] }
  }
  const key = readKey(file)
  if (key !== null) return { ok: true, endpoint: { url, key } }
  const made = `the first start of \`lane serve\` prints two and writes ${file}`
  const flaw = `no API key: set LANE_API_KEY, or run where ${file} can be read; ${made}`
  return { ok: false, flaws: [flaw, ...namingHint()] }
}

/** The operator's key opens everything, so an address that came from elsewhere must not be able to collect it (CE2). */
const isOwn = (url: string, env: Environment): boolean =>
  url === env.PUBLIC_URL?.trim() || isLoopback(new URL(url).hostname)

/** If a key is missing, a person would first ask about an unread file that lies here. */
const namingHint = (): string[] =>
  existsSync(ENV_FILE)
    ? [
        `${ENV_FILE} here was not read, since anybody may have left it; if it is yours: lane --env ${ENV_FILE} …`,
      ]
    : []

function readKey(file: string): string | null {
  try {
    return readText(file)?.trim() || null
  } catch (error) {
    // Another user's file is as good as none; doctor says whose it is.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return null
    throw error
  }
}
