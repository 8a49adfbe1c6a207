// For `lane doctor`: the token, its scopes, and whether Slack can hand over people's answers. Changes nothing.
import { webApi } from '@slack/bolt'
import type { Finding } from '../../src/adapter/index.js'
import { type Api, clientOptions, troubleOf } from './api.js'

type CheckParts = {
  readonly api: Api
  readonly appToken: string | undefined
  readonly apiUrl: string | undefined
  readonly publicUrl: string
}

/** The use of each scope; without one of these, something this channel promises does not work. */
const SCOPES: Readonly<Record<string, string>> = {
  'chat:write': 'to post and edit cards',
  'im:write': 'to open direct messages',
  'im:history': 'to read replies in threads, and to find a card whose post was not answered',
  'users:read': 'to tell members from guests, bots and closed accounts',
}
/** Only where cards are posted in channels. */
const CHANNEL_SCOPES = ['channels:history', 'groups:history']

const OPEN_MS = 10_000

const finding = (status: Finding['status'], message: string, remedy: string | null = null): Finding => ({
  check: 'slack',
  status,
  message,
  remedy,
})

export async function check(parts: CheckParts): Promise<readonly Finding[]> {
  try {
    const { team, team_id, enterprise_id, user, response_metadata } = await parts.api.calm.auth.test()
    return [
      finding(
        'ok',
        `the bot ${user} is installed in ${team}; people there have team: ${enterprise_id ?? team_id}`,
      ),
      checkScopes(response_metadata?.scopes ?? null),
      parts.appToken === undefined
        ? checkUrl(parts.publicUrl)
        : await checkSocket(parts.appToken, parts.apiUrl),
    ]
  } catch (error) {
    const { kind, code } = troubleOf(error)
    const remedy =
      kind === 'refused'
        ? 'install the app again and put its bot token into SLACK_BOT_TOKEN'
        : 'see that slack.com can be reached from this machine'
    return [finding('fail', `the bot token could not be used: ${code}`, remedy)]
  }
}

export function checkScopes(granted: readonly string[] | null): Finding {
  if (granted === null)
    return finding('warn', 'Slack does not say which scopes the token has', 'compare them with the manifest')
  const missing = Object.keys(SCOPES).filter(scope => !granted.includes(scope))
  if (missing.length > 0) {
    const needs = missing.map(scope => `${scope} ${SCOPES[scope]}`).join('; ')
    return finding('fail', `the token lacks ${needs}`, 'add the scopes to the app and install it again')
  }
  const without = CHANNEL_SCOPES.filter(scope => !granted.includes(scope))
  const note = without.length === 0 ? '' : `; replies in threads of channels would need ${without.join(', ')}`
  return finding('ok', `the token has the scopes it needs${note}`)
}

export function checkUrl(publicUrl: string): Finding {
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' && !isLocal)
    return finding('ok', `Slack is to be given ${publicUrl}/hooks/slack for interactivity and events`)
  const remedy = 'set PUBLIC_URL to a public https address, or set SLACK_APP_TOKEN for Socket Mode'
  return finding('fail', `Slack cannot deliver to ${publicUrl}/hooks/slack`, remedy)
}

async function checkSocket(appToken: string, apiUrl: string | undefined): Promise<Finding> {
  try {
    await new webApi.WebClient(appToken, clientOptions(apiUrl, OPEN_MS)).apps.connections.open()
    return finding('ok', 'Socket Mode can be opened; no public address is needed')
  } catch (error) {
    const remedy = 'switch Socket Mode on, and give the app-level token the scope connections:write'
    return finding('fail', `Socket Mode cannot be opened: ${troubleOf(error).code}`, remedy)
  }
}
