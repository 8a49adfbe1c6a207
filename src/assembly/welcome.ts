// The operator's first sight of a started lane: its address, the keys this once, and two lines that can be pasted as
// they are.
import { questionOf } from '../client/draft.js'
import { configFileOf, OUTBOX_FILE } from '../config/config.js'
import { type Settings, settings } from '../config/settings.js'
import type { FirstKeys } from '../keys/first-keys.js'

type Facts = {
  readonly url: string
  readonly publicUrl: string
  readonly version: string
  readonly keys: FirstKeys | null
  readonly settings: Settings
  readonly printsLinks: boolean
  readonly recipients: readonly string[]
  /** Signs a newcomer in, once; null where nobody is. */
  readonly console: string | null
}

export function welcome(facts: Facts): string {
  const { url, publicUrl, version, keys } = facts
  const lines = [
    '',
    `  Interrupt Lane ${version} is ready at ${url}${publicUrl === url ? '' : ` (people reach it at ${publicUrl})`}`,
    `  ledger and keys in ${placeOf(facts.settings)}, people and policy in ${configFileOf(facts.settings)}`,
  ]
  if (facts.printsLinks) {
    lines.push(`  links and codes are printed here and appended to ${facts.settings.dataDir}/${OUTBOX_FILE}`)
  }
  if (keys !== null) lines.push('', ...shown(keys))
  if (facts.console !== null)
    lines.push('', '  The console, for you, within ten minutes and once:', `    ${facts.console}`)
  lines.push('', ...tryIt(facts), '')
  return lines.join('\n')
}

const placeOf = ({ profile, dataDir }: Settings): string =>
  profile === 'cluster' ? 'PostgreSQL, alarms in Redis' : `${dataDir}/`

const shown = (keys: FirstKeys): string[] => [
  '  API keys, shown this once:',
  `    for an agent   ${keys.agent}   (may ask, sees only what it asked)`,
  `    operator       ${keys.operator}   (may do everything; the lane command beside the data directory uses it)`,
]

/** The options by which the command finds this lane, if it would not by itself. */
function whereabouts({ url, settings: { dataDir } }: Facts): string {
  const usual = settings({})
  const told: string[] = []
  if (!usual.ok || url !== usual.settings.laneUrl) told.push(`LANE_URL=${url} `)
  if (!usual.ok || dataDir !== usual.settings.dataDir) told.push(`LANE_DATA_DIR=${dataDir} `)
  return told.join('')
}

const FIRST_QUESTION = 'Ship the release today?'
const FIRST_IMPACT = 'Decides whether the pipeline goes on'

function tryIt(facts: Facts): string[] {
  const { url, keys, recipients } = facts
  // With several recipients, somebody must be named.
  const [first] = recipients.length > 1 ? recipients : []
  const { submission } = questionOf({
    question: FIRST_QUESTION,
    impact: FIRST_IMPACT,
    reply: { kind: 'yes_no' },
    deadlineSeconds: 600,
    default: 'HALT',
    runId: 'first-run',
    to: first === undefined ? undefined : [first],
  })
  return [
    `  ${keys === null ? 'Ask a question (LANE_API_KEY: a key of yours, `lane keys add` makes one)' : 'Ask the first question'}:`,
    // In double quotes: the shell puts in the value of $LANE_API_KEY.
    `    curl -sS ${url}/v1/requests -H "authorization: Bearer ${keys?.agent ?? '$LANE_API_KEY'}" -H 'content-type: application/json' \\`,
    `      -d '${JSON.stringify(submission)}'`,
    '  or',
    `    ${whereabouts(facts)}npx lane ask "${FIRST_QUESTION}" --impact "${FIRST_IMPACT}" \\`,
    `      --yes-no --deadline 10m --default HALT${first === undefined ? '' : ` --to ${first}`} --wait`,
  ]
}
