// The Telegram channel: a card with buttons in the private chat of one person with the bot. Telegram vouches for who
// presses and who replies. Polled unless a webhook's secret is set.
import type { Adapter, AdapterParts } from '../../src/adapter/index.js'
import { botApi, TELEGRAM } from './bot-api.js'
import { check } from './check.js'
import { codeOf } from './failure.js'
import { Intake } from './intake.js'
import { listen } from './listen.js'
import { Pace } from './pace.js'
import { receive } from './receive.js'
import { shows } from './render.js'
import { close, send } from './send.js'
import { readVariables } from './variables.js'

export function telegramAdapter({ variables, publicUrl, say }: AdapterParts): Adapter {
  const { token, bot, apiRoot, secret } = readVariables(variables, publicUrl())
  const api = botApi(token, apiRoot ?? TELEGRAM)
  const intake = new Intake({ api, bot, say })
  const post = { api, pace: new Pace() }
  const hook = (): string => `${publicUrl()}/hooks/telegram`

  const shared: Adapter = {
    channel: 'telegram',
    shows,
    send: (display, outbound) => send(post, display, outbound),
    close: (ref, ending, display) => close(post, ref, ending, display),
    async invite(code) {
      const me = await api.getMe()
      if (!me.ok) throw new Error(`Telegram does not say what the bot is called: ${codeOf(me.failure)}`)
      return `https://t.me/${me.result.username}?start=${code}`
    },
    check: () => check(api, secret === null ? null : hook()),
  }
  if (secret === null) {
    return { ...shared, listen: (cursor, desk) => listen({ api, intake, bot, say }, cursor, desk) }
  }
  return {
    ...shared,
    receive: (given, desk) => receive(intake, secret, given, desk),
    /** Nothing is pulled: starting tells Telegram where to post, and stopping waits for notices under way. */
    async listen() {
      const told = await api.setWebhook(hook(), secret)
      if (!told.ok) throw new Error(`Telegram does not take the webhook: ${codeOf(told.failure)}`)
      return () => intake.settle()
    },
  }
}
