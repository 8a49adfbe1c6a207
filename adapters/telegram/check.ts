// For `lane doctor`: whether the token is a bot's, and how updates reach the lane. Asks, and changes nothing.
import type { Finding } from '../../src/adapter/index.js'
import type { BotApi } from './bot-api.js'
import { codeOf } from './failure.js'

/** `webhook` is the address Telegram should post to; null while it is polled. */
export async function check(api: BotApi, webhook: string | null): Promise<readonly Finding[]> {
  const me = await api.getMe()
  if (!me.ok) {
    const remedy = 'check TELEGRAM_BOT_TOKEN and TELEGRAM_API_ROOT, and whether this machine reaches Telegram'
    return [finding('fail', `the bot does not answer (${codeOf(me.failure)})`, remedy)]
  }
  const bot = finding('ok', `the bot is @${me.result.username}`)
  return [bot, webhook === null ? await checkPolling(api) : await checkWebhook(api, webhook)]
}

const finding = (status: Finding['status'], message: string, remedy: string | null = null): Finding => ({
  check: 'telegram',
  status,
  message,
  remedy,
})

async function checkPolling(api: BotApi): Promise<Finding> {
  const info = await api.getWebhookInfo()
  if (!info.ok || info.result.url === '') return finding('ok', 'updates are polled')
  const remedy = 'start the lane: it removes the webhook; if it comes back, another program uses this bot'
  return finding('warn', 'a webhook is set, so that nothing can be polled', remedy)
}

async function checkWebhook(api: BotApi, url: string): Promise<Finding> {
  const info = await api.getWebhookInfo()
  if (!info.ok) {
    return finding('warn', `Telegram does not say where it posts (${codeOf(info.failure)})`, 'try again')
  }
  const { url: told, last_error_message: trouble } = info.result
  if (told !== url) {
    return finding('warn', `Telegram does not post to ${url} yet`, 'start the lane: it tells Telegram so')
  }
  if (trouble === undefined) return finding('ok', `Telegram posts to ${url}`)
  const remedy = `${url} must be reachable over https on port 443, 80, 88 or 8443`
  return finding('warn', `Telegram could not post lately: ${trouble}`, remedy)
}
