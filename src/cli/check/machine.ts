// The machine the lane runs on: Node, the data directory and its rights, the room left on its disk.
import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { OUTBOX_FILE } from '../../config/config.js'
import { OTHERS } from '../../config/data-directory.js'
import { OPERATOR_KEY_FILE } from '../../keys/first-keys.js'
import { reasonOf } from '../../say.js'
import { isAtLeast } from '../../version.js'
import { mayWriteIn } from '../file.js'
import { type Finding, fail, ok, warn } from './finding.js'

const NODE_AT_LEAST = '20.19.0'
/** From here on the headers of Node 24 make an addon abort the process at some collections (nodejs/node#65446). */
const NODE_ABORTS_FROM = '24.19.0'
const NODE_ABORTS_BELOW = '25.0.0'
const MIB = 1024 * 1024
/** A busy day of entries; below it somebody should make room. */
const WARN_BYTES = 1024 * MIB
/** SQLite needs room for its write-ahead log to commit at all. */
const FAIL_BYTES = 100 * MIB

export function checkNode(version: string): Finding {
  if (!isAtLeast(version, NODE_AT_LEAST))
    return fail('node', `Node ${version} is too old`, `install Node ${NODE_AT_LEAST} or newer`)
  if (isAtLeast(version, NODE_ABORTS_FROM) && !isAtLeast(version, NODE_ABORTS_BELOW))
    return warn(
      'node',
      `Node ${version} aborts now and then where SQLite was compiled with its headers`,
      'run `npm rebuild better-sqlite3` under Node 24.18.1, or use another version',
    )
  return ok('node', `Node ${version}`)
}

export function checkDirectory(dataDir: string): Finding[] {
  const obstacle = obstacleTo(dataDir)
  if (obstacle !== null) return [fail('data directory', ...obstacle)]
  if (!existsSync(dataDir))
    return [warn('data directory', `${dataDir} does not exist yet`, 'the first `lane serve` makes it')]
  const files = ['secret', OPERATOR_KEY_FILE]
    .map(name => join(dataDir, name))
    .filter(file => existsSync(file))
  const outbox = join(dataDir, OUTBOX_FILE)
  return [
    ...(existsSync(outbox) && !statSync(outbox).isFile()
      ? [fail('outbox', `${outbox} is not a file: no link can be printed`, 'move it away')]
      : []),
    checkPrivate('data directory', dataDir, '700'),
    ...files.map(file => checkPrivate('secrets', file, '600')),
  ]
}

/**
 * The reason why the lane can have no such directory, and the remedy; null if it has one, or can make it. Whether the
 * lane may write to an existing one is not judged: the doctor may run as another user. The superuser may make one
 * anywhere, so a test brings its own `mayMake`.
 */
export function obstacleTo(
  dataDir: string,
  mayMake: (at: string) => boolean = mayWriteIn,
): readonly [seen: string, remedy: string] | null {
  const at = nearestExisting(dataDir)
  const isIt = at === resolve(dataDir)
  if (!statSync(at).isDirectory()) {
    const seen = isIt
      ? `${dataDir} is not a directory`
      : `${dataDir} cannot be made: ${at} is not a directory`
    return [seen, 'set LANE_DATA_DIR to a directory, or to where one can be made']
  }
  if (isIt || mayMake(at)) return null
  const seen = `${dataDir} cannot be made: this user may not write to ${at}`
  return [seen, `make it and give it to the user that runs the lane, or set LANE_DATA_DIR`]
}

export function checkPrivate(check: string, path: string, mode: string): Finding {
  const others = statSync(path).mode & OTHERS
  if (others === 0) return ok(check, `${path} is its owner's alone`)
  const rights = others.toString(8).padStart(2, '0')
  return fail(check, `${path} is open to others (rights 0${rights})`, `chmod ${mode} ${path}`)
}

export async function checkDisk(dataDir: string): Promise<Finding> {
  const at = nearestExisting(dataDir)
  try {
    const { bavail, bsize } = await statfs(at)
    return judgeRoom(bavail * bsize, at)
  } catch (error) {
    return warn('disk', `the room at ${at} cannot be seen: ${reasonOf(error)}`, 'look with df')
  }
}

export function judgeRoom(bytes: number, at: string): Finding {
  const message = `${Math.floor(bytes / MIB)} MiB free at ${at}`
  const remedy = 'make room, or move LANE_DATA_DIR: a full disk stops the ledger, and with it every answer'
  if (bytes < FAIL_BYTES) return fail('disk', message, remedy)
  return bytes < WARN_BYTES ? warn('disk', message, remedy) : ok('disk', message)
}

function nearestExisting(path: string): string {
  let at = resolve(path)
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  return at
}
