// This channel's variables. A value that cannot be right stops the start and is named, never repeated.
import type { AdapterParts } from '../../src/adapter/index.js'

type Variables = {
  readonly botToken: string
  readonly signingSecret: string | undefined
  readonly appToken: string | undefined
  readonly apiUrl: string | undefined
}

/** Slack's secrets have 32 characters; a much shorter one is a slip, and could be guessed. */
const MIN_SECRET_CHARS = 20

const VALID: Readonly<Record<string, readonly [RegExp, string]>> = {
  SLACK_BOT_TOKEN: [/^xoxb-\S+$/, 'the bot token, which begins with xoxb-'],
  SLACK_APP_TOKEN: [/^xapp-\S+$/, 'the app-level token, which begins with xapp-'],
  SLACK_SIGNING_SECRET: [
    new RegExp(`^[!-~]{${MIN_SECRET_CHARS},}$`),
    'the signing secret of the app’s Basic Information page',
  ],
  SLACK_API_URL: [
    /^https?:\/\/[^\s@?#]+$/,
    'an http or https address without credentials or query, such as https://slack.com/api/',
  ],
}

export function readVariables(variables: AdapterParts['variables']): Variables {
  for (const [name, [pattern, words]] of Object.entries(VALID)) {
    const value = variables[name]
    if (value !== undefined && !pattern.test(value)) throw new Error(`${name} must be ${words}`)
  }
  const { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_APP_TOKEN, SLACK_API_URL } = variables
  if (SLACK_BOT_TOKEN === undefined) throw new Error('SLACK_BOT_TOKEN must be set')
  return {
    botToken: SLACK_BOT_TOKEN,
    signingSecret: SLACK_SIGNING_SECRET,
    appToken: SLACK_APP_TOKEN,
    apiUrl: SLACK_API_URL,
  }
}
