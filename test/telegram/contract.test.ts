// Telegram as one of the channels: the contract of every adapter, once polled and once by webhook.
import { adapterContract, type Driver, type MakeDriver } from '../contract/adapter.js'
import { type BotServer, startBotServer, TOKEN } from './bot-server.js'

const OWNER = 501
const WHO = { deputy: 502, nobody: 999 }

type Copy = { readonly message: number; readonly data: readonly string[] }

const makeDriver =
  (secret: string | null): MakeDriver<Copy> =>
  async () => {
    const server = await startBotServer()
    return driverOf(server, secret)
  }

function driverOf(server: BotServer, secret: string | null): Driver<Copy> {
  const cards = () => server.shown(OWNER).filter(({ text }) => text.includes('Ship the release'))
  const seen = new Map<number, readonly string[]>()
  /** By the button that says it, or in words below the card. */
  const say = async (user: number, { message, data }: Copy, text: string): Promise<void> => {
    const pressed = data.find(one => one.endsWith(`:${text}`))
    if (pressed !== undefined) await server.press(user, pressed, { message: { message_id: message } })
    else await server.write(user, text, { reply_to_message: { message_id: message } })
  }
  return {
    channel: 'telegram',
    proof: 'telegram_id',
    env: {
      TELEGRAM_BOT_TOKEN: TOKEN,
      TELEGRAM_API_ROOT: server.url,
      ...(secret !== null && { TELEGRAM_WEBHOOK_SECRET: secret }),
    },
    addresses: { owner: String(OWNER), deputy: String(WHO.deputy) },
    strangers: { deputy: 'wrong_recipient', nobody: 'unknown_sender' },
    async delivered() {
      return cards().map(({ message_id, reply_markup }) => {
        const rows = (reply_markup?.inline_keyboard ?? []) as { callback_data: string }[][]
        const data = rows.flat().map(({ callback_data }) => callback_data)
        // A button that is gone from the chat can still be sent by a modified client.
        if (data.length > 0) seen.set(message_id, data)
        return { message: message_id, data: seen.get(message_id) ?? data }
      })
    },
    answer: (copy, text) => say(OWNER, copy, text),
    answerAs: (stranger, copy, text) => say(WHO[stranger], copy, text),
    async repeat() {
      server.repeat()
    },
    async told() {
      return server.calls.flatMap(({ method, payload }) => {
        const isNotice = method === 'sendMessage' && !String(payload.text).includes('Ship the release')
        return method === 'answerCallbackQuery' || isNotice ? [String(payload.text)] : []
      })
    },
    async edited({ message }) {
      return cards().some(one => one.message_id === message && one.edited)
    },
    async outage(on) {
      server.faults.always('*', on ? { kind: 'break', status: 502 } : null)
    },
    stop: () => server.stop(),
  }
}

adapterContract('Telegram, polled,', makeDriver(null))
adapterContract('Telegram, by webhook,', makeDriver('aSecretThatOnlyTelegramAndTheLaneKnow'))
