// The operator's variables, people and policy, read by the same readers as at the start of the lane, so that the
// doctor and the lane cannot disagree.
import { parseEnv } from 'node:util'
import { type Config, checkConfig, configFileOf, loadConfig } from '../../config/config.js'
import { OIDC_VARIABLES } from '../../config/oidc.js'
import { PERMISSIONS } from '../../config/plain-text.js'
import {
  CHANNEL_VARIABLES,
  configuredChannels,
  type Environment,
  settings as readSettings,
  type Settings,
} from '../../config/settings.js'
import { readText } from '../environment.js'
import { nearest } from '../nearest.js'
import { type Finding, fail, ok, warn } from './finding.js'
import { checkLadders } from './ladder.js'
import { checkPrivate } from './machine.js'
import { checkPolicy } from './policy.js'

const LANE_VARIABLES = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUST_PROXY',
  'LOG_LEVEL',
  'LANE_CONFIG',
  'LANE_DATA_DIR',
  'LANE_SECRET',
  'LANE_API_KEY',
  'LANE_URL',
  'LANE_RUN_ID',
  'LANE_WEBHOOK_SECRET',
  ...OIDC_VARIABLES,
  'DATABASE_URL',
  'REDIS_URL',
]
const KNOWN = [...LANE_VARIABLES, ...CHANNEL_VARIABLES, ...PERMISSIONS]
/** Names of other programs may stand in the same file; ones that begin like ours are ours, or misspelt. */
const OURS = /^(?:LANE|OIDC|SLACK|EMAIL|TELEGRAM|SMS|SMTP|IMAP)_/

export function checkVariables(env: Environment): {
  readonly findings: Finding[]
  readonly settings: Settings | null
} {
  const read = readSettings(env)
  if (read.ok) {
    const { plainText } = read.settings
    const findings = [ok('variables', 'the environment is understood'), ...plainText.map(warnOfPlainText)]
    return { findings, settings: read.settings }
  }
  const findings = read.problems.map(({ variable, message }) =>
    fail('variables', message, `correct ${variable}`),
  )
  return { findings, settings: null }
}

const warnOfPlainText = (variable: string): Finding =>
  warn(
    'variables',
    `what is said to the host of ${variable} is not encrypted for it alone, as ${variable}_INSECURE permits`,
    'use TLS unless the network between is yours',
  )

export function checkEnvFile(file: string): Finding[] {
  const text = readText(file)
  if (text === null) return []
  const unknown = Object.keys(parseEnv(text)).filter(name => OURS.test(name) && !KNOWN.includes(name))
  return [
    checkEnvRights(file),
    ...unknown.map(name => {
      const meant = nearest(name, KNOWN)
      return warn(
        '.env',
        `${name} means nothing to the lane`,
        meant === null ? 'remove it' : `did you mean ${meant}?`,
      )
    }),
  ]
}

/** The file usually holds secrets, but need not: worth a warning, no reason to call the lane ill. */
function checkEnvRights(file: string): Finding {
  const finding = checkPrivate('.env', file, '600')
  return finding.status === 'fail' ? { ...finding, status: 'warn' } : finding
}

export async function checkConfiguration(settings: Settings): Promise<Finding[]> {
  const file = configFileOf(settings)
  const loaded = await loadConfig(file)
  if (!loaded.ok)
    return loaded.problems.map(({ message }) => fail('configuration', message, `correct ${file}`))
  return [
    ok('configuration', `${file} is understood`),
    ...checkPeople(loaded.config, settings),
    ...checkPolicy(loaded.config, configuredChannels(settings), {
      hasProvider: settings.oidc !== null,
      publicUrl: settings.publicUrl,
    }),
    ...checkLadders(loaded.config, configuredChannels(settings)),
  ]
}

function checkPeople(config: Config, settings: Settings): Finding[] {
  const running = configuredChannels(settings)
  const problems = checkConfig(config, settings)
  if (problems.length > 0)
    return problems.map(message =>
      fail('people', message, 'set the variables in .env, or change the channels'),
    )
  const open = running.join(', ')
  return Object.values(config.recipients).map(({ user_id, channels }) =>
    ok('people', `${user_id} can be reached over ${channels.join(', ')} (configured: ${open})`),
  )
}
