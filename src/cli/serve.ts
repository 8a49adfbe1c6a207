// `lane serve`: the lane itself, until it is told to stop.
import { join } from 'node:path'
import { settings as readSettings, type Settings } from '../config/settings.js'
import { AlreadyRunning, LOCK_FILE } from '../ledger/sqlite/lock.js'
import { LEDGER_FILE } from '../ledger/sqlite/open.js'
import { CannotStart, serve as start } from '../main.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { serverEnv } from './environment.js'
import { EXIT } from './exit-code.js'
import { say } from './print.js'
import { complain } from './tell.js'

export const serve: Command = {
  usage: `lane serve [--accept-rollback SIZE]

Runs the lane. Settings come from the environment and .env (or the file that --env names), people and policy
from config/lane.yaml. SIGTERM and
SIGINT stop it after what is under way is finished; a second one stops it at once, and loses nothing recorded.

--accept-rollback gives up a published checkpoint that the ledger does not contain, such as after a restored backup: every
open request is withdrawn, every unspent policy token revoked, and the log goes on under a new key. SIZE is the one that
the refused start has named. Leave it out of the next start.`,

  async run(args, shell) {
    const read = readArguments(args, { 'accept-rollback': { type: 'string' } })
    if (!read.ok) return misuse(...read.flaws)
    const given = read.values['accept-rollback']
    if (given !== undefined && !/^[1-9][0-9]{0,14}$/.test(given))
      return misuse(`--accept-rollback takes the size that the refusal named, a whole number; read ${given}`)
    const stopped = nextStop()
    const env = serverEnv(shell)
    try {
      const running = await start(env, text => say(shell.stdout, [text]), {
        ...(given !== undefined && { acceptRollback: Number(given) }),
        isTerminal: process.stdout.isTTY === true,
      })
      await stopped
      await running.close()
      return EXIT.ok
    } catch (error) {
      if (error instanceof CannotStart || error instanceof AlreadyRunning)
        return complain(shell, ['cannot start', ...error.message.split('\n')])
      const read = readSettings(env)
      const obstacle = read.ok ? obstacleIn(error, read.settings) : null
      if (obstacle === null) throw error
      return complain(shell, [`cannot start: ${obstacle}`])
    }
  },
}

/** Listens from before the start, so that a signal during the start stops the lane too. */
function nextStop(): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      // From here on the default action of a signal holds: a second one ends the process.
      process.off('SIGTERM', stop).off('SIGINT', stop)
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}

type Place = Pick<Settings, 'host' | 'port' | 'dataDir' | 'databaseUrl'>
type Fault = { readonly code: string; readonly syscall: string; readonly path: string }

const NOT_OURS = ['EACCES', 'EPERM', 'EROFS']

/** A refusal of the system in the operator's words, with the remedy; null for an error that no setting can mend. */
export function obstacleIn(error: unknown, place: Place): string | null {
  const fault = faultOf(error)
  if (fault === null) return null
  return obstacleToListen(fault, place) ?? obstacleToReach(fault, place) ?? obstacleInData(fault, place)
}

/** A write that failed comes wrapped by the ledger, with the system's own error as its cause. */
function faultOf(error: unknown): Fault | null {
  if (!(error instanceof Error)) return null
  if (!('code' in error)) return faultOf(error.cause)
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const { code, syscall, path } = error as NodeJS.ErrnoException
  return { code: text(code), syscall: text(syscall), path: text(path) }
}

function obstacleToListen({ code, syscall }: Fault, { host, port }: Place): string | null {
  if (syscall !== 'listen') return null
  switch (code) {
    case 'EADDRINUSE':
      return `another program listens at ${host}:${port} (${code}) → stop it, or set PORT`
    case 'EADDRNOTAVAIL':
      return `HOST ${host} is no address of this machine (${code}) → set HOST to one that is, or to 0.0.0.0 for all`
    case 'EACCES':
      return `this user may not listen at port ${port} (${code}) → set PORT to 1024 or more`
    default:
      return null
  }
}

/** Among all connections only the database's stops a start with such an error: a channel has words of its own. */
function obstacleToReach({ code, syscall }: Fault, { databaseUrl }: Place): string | null {
  if (databaseUrl === null || !['connect', 'getaddrinfo'].includes(syscall)) return null
  return `PostgreSQL cannot be reached (${code}) → start it, or correct DATABASE_URL`
}

function obstacleInData({ code, syscall, path }: Fault, { dataDir }: Place): string | null {
  const elsewhere = 'or set LANE_DATA_DIR to another directory'
  const rights = `let the user that runs the lane write to ${dataDir}, ${elsewhere}`
  if (syscall === 'mkdir') return `${obstacleToMake(code, dataDir)}, ${elsewhere}`
  // Files outside the data directory have rights as well, and errors of their own.
  if (NOT_OURS.includes(code) && path.startsWith(join(dataDir, '/')))
    return `${path} may not be opened or written (${code}) → ${rights}`
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY'))
    return `the files in the data directory ${dataDir} cannot be opened and written (${code}) → ${rights}`
  if (code === 'SQLITE_NOTADB')
    return `${LEDGER_FILE} or ${LOCK_FILE} in ${dataDir} is no SQLite file (${code}) → restore the ledger from a backup (${LOCK_FILE} holds nothing and may be removed), ${elsewhere}`
  return null
}

function obstacleToMake(code: string, dataDir: string): string {
  const seen = `the data directory ${dataDir} cannot be made`
  if (code === 'EEXIST') return `LANE_DATA_DIR ${dataDir} is a file (${code}) → move it away`
  if (code === 'ENOTDIR') return `${seen}: a part of its path is a file (${code}) → move that away`
  return NOT_OURS.includes(code)
    ? `${seen}: this user may not write to the directory above it (${code}) → make it and give it to this user`
    : `${seen} (${code}) → make it`
}
