// Names what a half-configured channel lacks, and asks each running one's provider whether the lane could work with it:
// tokens, rights, reachability.

import { halfWords, makeAdapters } from '../../channel/make.js'
import { halfConfigured, type Settings } from '../../config/settings.js'
import { reasonOf } from '../../say.js'
import { type Finding, fail, warn } from './finding.js'

export async function checkChannels(settings: Settings): Promise<Finding[]> {
  return [...checkHalves(settings), ...(await checkProviders(settings))]
}

const checkHalves = (settings: Settings): Finding[] =>
  halfConfigured(settings).map(half => warn(half.channel, ...halfWords(half)))

async function checkProviders(settings: Settings): Promise<Finding[]> {
  const adapters = await makeAdapters(settings, {
    publicUrl: () => settings.publicUrl,
    say: () => undefined,
  }).catch(error => fail('channels', reasonOf(error), 'correct the variable that is named'))
  if (!Array.isArray(adapters)) return [adapters]
  const looks = adapters.map(async ({ channel, check }): Promise<readonly Finding[]> => {
    try {
      return (await check?.()) ?? []
    } catch (error) {
      return [
        fail(channel, `could not be examined: ${reasonOf(error)}`, 'see that the provider is reachable'),
      ]
    }
  })
  return (await Promise.all(looks)).flat()
}
