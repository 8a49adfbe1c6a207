// What the operator sees at the start: where it is, the keys this once, and two lines that can be pasted as they are.
import { configFileOf } from './config.js'
import type { FirstKeys } from './first-keys.js'
import type { Settings } from './settings.js'

type Facts = {
  readonly url: string
  readonly publicUrl: string
  readonly version: string
  readonly keys: FirstKeys | null
  readonly settings: Settings
  readonly printsLinks: boolean
}

export function welcome(facts: Facts): string {
  const { url, publicUrl, version, keys, settings } = facts
  const lines = [
    '',
    `  Interrupt Lane ${version} is ready at ${url}${publicUrl === url ? '' : ` (people reach it at ${publicUrl})`}`,
    `  ledger and keys in ${placeOf(settings)}, people and policy in ${configFileOf(settings)}`,
  ]
  if (facts.printsLinks) {
    lines.push(`  links and codes are printed here and appended to ${settings.dataDir}/outbox.ndjson`)
  }
  if (keys !== null) lines.push('', ...shown(keys))
  lines.push('', ...tryIt(url, keys?.agent ?? '$LANE_API_KEY'), '')
  return lines.join('\n')
}

const placeOf = ({ profile, dataDir }: Settings): string =>
  profile === 'cluster' ? 'PostgreSQL, alarms in Redis' : `${dataDir}/`

const shown = (keys: FirstKeys): string[] => [
  '  API keys, shown this once:',
  `    for an agent   ${keys.agent}   (may ask, sees only what it asked)`,
  `    operator       ${keys.operator}   (may do everything; the lane command beside the data directory uses it)`,
]

function tryIt(url: string, key: string): string[] {
  const body = {
    request: {
      type: 'REQUEST_QUESTION',
      question_text: 'Ship the release today?',
      impact: 'Decides whether the pipeline goes on',
      context_handles: [],
      deadline_seconds: 600,
      default_action: 'HALT',
      reply_schema: { kind: 'yes_no' },
    },
    run: { run_id: 'first-run', mood: 'DEFERENTIAL' },
  }
  return [
    '  Ask the first question:',
    `    curl -sS ${url}/v1/requests -H 'authorization: Bearer ${key}' -H 'content-type: application/json' \\`,
    `      -d '${JSON.stringify(body)}'`,
    '  or',
    '    npx lane ask "Ship the release today?" --impact "Decides whether the pipeline goes on" \\',
    '      --yes-no --deadline 10m --default HALT --wait',
  ]
}
