// `lane doctor`: looks at everything a lane rests on, changes nothing, and names a remedy for each finding.

import type { Settings } from '../config/settings.js'
import { readVersion } from '../version.js'
import { readArguments } from './arguments.js'
import { checkChannels } from './check/channels.js'
import { checkPlaces } from './check/checkpoint.js'
import { checkConfiguration, checkEnvFile, checkVariables } from './check/configuration.js'
import { checkDatabase } from './check/database.js'
import type { Finding } from './check/finding.js'
import { checkDirectory, checkDisk, checkNode } from './check/machine.js'
import { checkEnrolled } from './check/passkeys.js'
import { checkLane, checkPublicUrl } from './check/reach.js'
import { checkRedis } from './check/redis.js'
import { checkPasskeys, checkSigningIn } from './check/signing-in.js'
import { checkStore } from './check/store.js'
import { type Command, misuse, type Shell } from './command.js'
import { ENV_FILE, serverEnv } from './environment.js'
import { EXIT } from './exit-code.js'
import { type Paint, paintFor, type Style, say, visible } from './print.js'

const MARKS: Readonly<Record<Finding['status'], readonly [mark: string, style: Style]>> = {
  ok: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
}

/** Wide enough for the longest name of a check. */
const NAME_CHARS = 14

export const findingLine = ({ check, status, message, remedy }: Finding, paint: Paint): string => {
  const [mark, style] = MARKS[status]
  const advice = remedy === null ? '' : paint('dim', ` → ${visible(remedy)}`)
  return `${paint(style, mark)} ${check.padEnd(NAME_CHARS)}  ${visible(message)}${advice}`
}

async function examine(shell: Shell): Promise<Finding[]> {
  const { findings, settings } = checkVariables(serverEnv(shell))
  const file = shell.envFile ?? ENV_FILE
  const first = [checkNode(process.versions.node), ...findings, ...checkEnvFile(file)]
  if (settings === null) return first
  const now = (): number => shell.clock.wall()
  return [
    ...first,
    ...(await checkConfiguration(settings)),
    ...(await checkPlaces(settings)),
    ...(settings.profile === 'embedded' ? await checkData(settings, now()) : []),
    ...(await checkDatabase(settings, now)),
    ...(await checkRedis(settings)),
    ...(await checkLane(settings.laneUrl, readVersion(), now)),
    ...(await checkPublicUrl(settings)),
    checkSigningIn(settings),
    checkPasskeys(settings),
    ...(await checkEnrolled(settings)),
    ...(await checkChannels(settings)),
  ]
}

async function checkData({ dataDir, secret }: Settings, now: number): Promise<Finding[]> {
  const store = await checkStore(dataDir, secret, now)
  return [...checkDirectory(dataDir), await checkDisk(dataDir), ...store]
}

export const doctor: Command = {
  usage: `lane doctor [--json]

Checks Node, variables, configuration, people's channels, the data directory, the disk, the ledger,
PostgreSQL, Redis, the clock, the running lane, PUBLIC_URL and the channels' providers. Exits 0 if nothing failed. --json prints [{check, status, message, remedy}], status
one of ok, warn, fail.`,

  async run(args, shell) {
    const read = readArguments(args, { json: { type: 'boolean' } })
    if (!read.ok) return misuse(...read.flaws)
    const findings = await examine(shell)
    const paint = paintFor(shell.stdout, shell.env)
    const lines = read.values.json
      ? [JSON.stringify(findings)]
      : findings.map(each => findingLine(each, paint))
    say(shell.stdout, lines)
    return findings.some(({ status }) => status === 'fail') ? EXIT.error : EXIT.ok
  },
}
