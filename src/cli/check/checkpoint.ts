// Where checkpoints are published: a place is worth as much as it is out of reach of whoever could change the ledger.
import { stat } from 'node:fs/promises'
import { type Config, configFileOf, loadConfig } from '../../config/config.js'
import type { Settings } from '../../config/settings.js'
import { type Finding, fail, ok, warn } from './finding.js'

const CHECK = 'checkpoints'
type PublishedAt = Config['checkpoints']['publish'][number]

export async function checkPlaces(settings: Settings): Promise<Finding[]> {
  const loaded = await loadConfig(configFileOf(settings))
  if (!loaded.ok) return []
  const { publish } = loaded.config.checkpoints
  if (publish.length > 0) return await Promise.all(publish.map(at => checkPlace(at, settings)))
  return [
    warn(
      CHECK,
      'they are published nowhere: a ledger that is cut off, rolled back or written anew by whoever owns the disk shows no trace of it',
      'name a place in checkpoints.publish that this machine cannot take back',
    ),
  ]
}

async function checkPlace(at: PublishedAt, { profile, dataDir }: Settings): Promise<Finding> {
  if ('http' in at) return ok(CHECK, `published at ${new URL(at.http).host}`)
  const path = 'directory' in at ? at.directory : at.git
  const [place, data] = await Promise.all([deviceOf(path), deviceOf(dataDir)])
  if (place === null)
    return fail(CHECK, `${path} is not there`, 'make it, or mount it: the lane does not start without it')
  if (profile === 'embedded' && place === data)
    return warn(
      CHECK,
      `${path} is on the device that the ledger is on: what takes one takes both`,
      'publish on another machine, or push the work tree there',
    )
  return ok(CHECK, `published in ${path}`)
}

const deviceOf = async (path: string): Promise<number | null> =>
  stat(path).then(
    ({ dev }) => dev,
    () => null,
  )
