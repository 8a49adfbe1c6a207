// This channel's variables. A value that cannot be right stops the start and is named, never repeated.
import type { AdapterParts } from '../../src/adapter/index.js'
import type { Bot } from './update.js'

type Variables = {
  readonly token: string
  readonly bot: Bot
  /** Null for Telegram's own. */
  readonly apiRoot: string | null
  /** Null where updates are polled. */
  readonly secret: string | null
}

/** The token stands in the path of every call. */
const TOKEN = /^(?:([0-9]{1,20}):)?[A-Za-z0-9_-]+$/
/** The characters the Bot API takes as secret_token, and enough of them not to be guessed. */
const SECRET = /^[A-Za-z0-9_-]{24,256}$/

export function readVariables(variables: AdapterParts['variables'], publicUrl: string): Variables {
  const { TELEGRAM_BOT_TOKEN = '', TELEGRAM_WEBHOOK_SECRET: secret = null } = variables
  const apiRoot = variables.TELEGRAM_API_ROOT?.replace(/\/$/, '') ?? null
  const token = TOKEN.exec(TELEGRAM_BOT_TOKEN)
  if (token === null) {
    throw new Error('TELEGRAM_BOT_TOKEN must be the token @BotFather gave, such as 123456:ABC-def')
  }
  if (secret !== null && !SECRET.test(secret)) {
    throw new Error('TELEGRAM_WEBHOOK_SECRET must be 24 to 256 of A-Z a-z 0-9 _ -')
  }
  if (apiRoot !== null && !isHttp(apiRoot)) {
    throw new Error('TELEGRAM_API_ROOT must be an http or https address without query or credentials')
  }
  // A Bot API server of one's own may post over http; Telegram's does not.
  if (secret !== null && apiRoot === null && !publicUrl.startsWith('https:')) {
    throw new Error(
      'TELEGRAM_WEBHOOK_SECRET is set, so PUBLIC_URL must be an https address: Telegram posts to no other',
    )
  }
  return { token: TELEGRAM_BOT_TOKEN, bot: { id: token[1] ?? '0' }, apiRoot, secret }
}

function isHttp(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#@]/.test(text)) return false
  return ['http:', 'https:'].includes(new URL(text).protocol)
}
