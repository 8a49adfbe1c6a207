// A whole lane with the Telegram channel, against the Bot API server of these tests.
import { type Entry, type LaneUnderTest, question, startLane } from '../lane-under-test.js'
import { until } from '../until.js'
import { type BotServer, type Shown, startBotServer, TOKEN } from './bot-server.js'

export const OWNER = 501
export const DEPUTY = 502
export const NEWCOMER = 503
export const STRANGER = 999

const CONFIG = `
recipients:
  owner: { name: Owner, telegram: ${OWNER}, web: true, channels: [telegram, web] }
  deputy: { name: Deputy, telegram: ${DEPUTY} }
  newcomer: { name: Newcomer, telegram: link, web: true, channels: [telegram, web] }
actions:
  PUBLISH: { approvers: [owner], proofs: [telegram_id] }
outbox: on
limits: { open_questions_per_run: 0, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`

export type Scene = {
  readonly server: BotServer
  readonly lane: LaneUnderTest
  /** Opens a request for the owner and waits for its card. */
  ask(request: Record<string, unknown>, to?: string): Promise<Shown>
  /** The callback data of the card's button with this label. */
  button(card: Shown, label: string): string
  /** The card as it stands now. */
  now(card: Shown): Shown
  /** The bodies of a request's entries of one type, once there are so many. */
  comes(id: string, type: string, count?: number): Promise<Entry['body'][]>
  /** What people were told beside their cards. */
  told(): string[]
  close(): Promise<void>
}

export async function raise(env: Record<string, string> = {}): Promise<Scene> {
  const server = await startBotServer()
  const lane = await startLane({
    config: CONFIG,
    env: { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: server.url, ...env },
  })
  const find = (chat: number, id: number): Shown => {
    const card = server.shown(chat).find(({ message_id }) => message_id === id)
    if (card === undefined) throw new Error('there is no such message')
    return card
  }
  const comes = (id: string, type: string, count = 1): Promise<Entry['body'][]> =>
    until(`${count} of ${type}`, async () => {
      const bodies = (await lane.story(id)).filter(entry => entry.type === type).map(({ body }) => body)
      return bodies.length >= count && bodies
    })
  return {
    server,
    lane,
    async ask(request, to = 'owner') {
      const chat = CHATS[to] ?? 0
      const last = server.shown(chat).at(-1)?.message_id ?? 0
      const { status, text } = await lane.submit(request, { recipients: [to] })
      if (status !== 201) throw new Error(text)
      const isCard = (one: Shown): boolean => one.message_id > last && one.text.includes('Answer by')
      const card = await until('a card', () => server.shown(chat).find(isCard))
      // Only then a reply to it can be bound.
      await comes(String(request.question_id ?? request.approval_id), 'OUTBOUND_REQUEST_SENT')
      return card
    },
    button(card, label) {
      const rows = (card.reply_markup?.inline_keyboard ?? []) as { text: string; callback_data: string }[][]
      const found = rows.flat().find(({ text }) => text.includes(label))
      if (found === undefined) throw new Error(`no button says ${label}`)
      return found.callback_data
    },
    now: card => find(card.chat, card.message_id),
    comes,
    told: () =>
      server.calls
        .filter(({ method }) => method === 'answerCallbackQuery')
        .map(({ payload }) => String(payload.text)),
    async close() {
      await lane.close()
      await server.stop()
    },
  }
}

const CHATS: Readonly<Record<string, number>> = { owner: OWNER, deputy: DEPUTY, newcomer: NEWCOMER }

/** A reply below a card. */
export const below = ({ message_id }: Shown) => ({ reply_to_message: { message_id } })
/** A press on a card. */
export const on = ({ message_id }: Shown) => ({ message: { message_id } })

export const asking = (id: string, reply_schema: Record<string, unknown>) => question(id, { reply_schema })
