// For `lane doctor`: whether the token is a bot's, and how updates reach the lane. Asks, and changes nothing.
import type { Finding } from '../../src/adapter.js'
import type { BotApi } from './bot-api.js'
import { codeOf } from './failure.js'

/** What is shorter could be tried out. */
const SAFE_SECRET_CHARS = 24

/** `webhook` is what Telegram should have been told; null while it is polled. */
export type Expected = { readonly url: string; readonly secret: string }

export async function check(api: BotApi, webhook: Expected | null): Promise<readonly Finding[]> {
  const me = await api.getMe()
  if (!me.ok) {
    const remedy = 'check TELEGRAM_BOT_TOKEN and TELEGRAM_API_ROOT, and whether this machine reaches Telegram'
    return [found('fail', `the bot does not answer (${codeOf(me.failure)})`, remedy)]
  }
  const bot = found('ok', `the bot is @${me.result.username}`)
  return webhook === null ? [bot, await checkPolling(api)] : [bot, ...(await checkWebhook(api, webhook))]
}

const found = (status: Finding['status'], message: string, remedy: string | null = null): Finding => ({
  check: 'telegram',
  status,
  message,
  remedy,
})

async function checkPolling(api: BotApi): Promise<Finding> {
  const info = await api.getWebhookInfo()
  if (!info.ok || info.result.url === '') return found('ok', 'updates are polled')
  const remedy = 'start the lane: it removes the webhook; if it comes back, another program uses this bot'
  return found('warn', 'a webhook is set, so that nothing can be polled', remedy)
}

async function checkWebhook(api: BotApi, { url, secret }: Expected): Promise<Finding[]> {
  const weak =
    secret.length >= SAFE_SECRET_CHARS
      ? []
      : [
          found(
            'warn',
            'TELEGRAM_WEBHOOK_SECRET is short',
            `give it at least ${SAFE_SECRET_CHARS} characters`,
          ),
        ]
  return [...weak, await judgeWebhook(api, url)]
}

async function judgeWebhook(api: BotApi, url: string): Promise<Finding> {
  const info = await api.getWebhookInfo()
  if (!info.ok) {
    return found('warn', `Telegram does not say where it posts (${codeOf(info.failure)})`, 'try again')
  }
  const { url: told, last_error_message: trouble } = info.result
  if (told !== url) {
    return found('warn', `Telegram does not post to ${url} yet`, 'start the lane: it tells Telegram so')
  }
  if (trouble === undefined) return found('ok', `Telegram posts to ${url}`)
  const remedy = `${url} must be reachable over https on port 443, 80, 88 or 8443`
  return found('warn', `Telegram could not post lately: ${trouble}`, remedy)
}
