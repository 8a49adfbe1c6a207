// A Bot API server: the emulator telegram-test-api, and before it the parts the emulator leaves out: the limits,
// updates that stay until they are confirmed, the webhook's secret header and its repetition, messages that cannot be
// edited, and faults on demand. People press and write through the emulator's own client.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js'
import { freePort } from '../port.js'
import { commit, Faults, say } from './faults.js'
import { type Payload, refusalOf } from './limits.js'

export const TOKEN = '4242:AAtestTokenOfABotThatDoesNotExist_x'
export const BOT_NAME = 'TestNameBot'

export type Call = { readonly method: string; readonly payload: Payload }
export type Update = Readonly<Record<string, unknown>> & { readonly update_id: number }
/** A message of the bot as it stands in the chat now. */
export type Shown = {
  readonly message_id: number
  readonly chat: number
  readonly text: string
  readonly entities: readonly Payload[]
  readonly reply_markup?: Payload
  readonly edited: boolean
}

export type BotServer = {
  readonly url: string
  readonly calls: Call[]
  readonly faults: Faults
  /** Everything the bot has in this chat, as it is now. */
  shown(chat: number): Shown[]
  /** An update the emulator has no way to make. */
  inject(update: Record<string, unknown>): void
  press(user: number, data: string, more?: Record<string, unknown>): Promise<void>
  write(user: number, text: string, more?: Record<string, unknown>): Promise<void>
  /** The last update once more. */
  repeat(): void
  /** Updates that were not confirmed. */
  waiting(): readonly Update[]
  stop(): Promise<void>
}

async function bodyOf(request: IncomingMessage): Promise<Payload> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text)
}

/** How long the emulator keeps a message: longer than any test. */
const KEPT_SECONDS = 600

export async function startBotServer(): Promise<BotServer> {
  const port = await freePort()
  const emulator = new TelegramServer({ port, host: '127.0.0.1', storeTimeout: KEPT_SECONDS })
  await emulator.start()
  const inside = `http://127.0.0.1:${port}`
  const faults = new Faults()
  const calls: Call[] = []
  const shown: Shown[] = []
  let queue: Update[] = []
  let newest: Update | null = null
  let hook: { readonly url: string; readonly secret: string } | null = null
  /** Why the webhook could not be reached lately. */
  let trouble: string | null = null
  let stopped = false
  const wakeUp = new Set<() => void>()

  function arrive(update: Update): void {
    newest = update
    queue.push(update)
    for (const wake of wakeUp) wake()
    if (hook !== null) void post(update)
  }

  /** Not taken is tried again, as Telegram does. */
  async function post(update: Update): Promise<void> {
    for (const to = hook; to !== null && to === hook && !stopped; ) {
      const status = await fetch(to.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': to.secret },
        body: JSON.stringify(update),
      }).then(
        response => response.status,
        () => 0,
      )
      trouble = status === 0 ? 'Connection refused' : `Wrong response from the webhook: ${status}`
      if (status >= 200 && status < 300) {
        trouble = null
        queue = queue.filter(one => one !== update)
        return
      }
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  async function pull(): Promise<void> {
    const { result } = (await forward('getUpdates', {})) as { result: Update[] }
    for (const update of result) arrive(update)
  }

  const forward = async (method: string, payload: Payload): Promise<unknown> =>
    (
      await fetch(`${inside}/bot${TOKEN}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      })
    ).json()

  /** Asking from `offset` on forgets what was before it; without news it waits. */
  async function getUpdates({ offset, timeout }: Payload, reply: ServerResponse): Promise<void> {
    if (hook !== null) {
      const description = "Conflict: can't use getUpdates method while webhook is active"
      return say(reply, 409, { ok: false, error_code: 409, description })
    }
    if (offset !== undefined) queue = queue.filter(({ update_id }) => update_id >= Number(offset))
    if (queue.length === 0) await news(Number(timeout ?? 0) * 1000, reply)
    say(reply, 200, { ok: true, result: queue.slice(0, 100) })
  }

  const news = (ms: number, reply: ServerResponse): Promise<void> =>
    new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        wakeUp.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      wakeUp.add(done)
      reply.once('close', done)
    })

  const find = ({ chat_id, message_id }: Payload): number =>
    shown.findIndex(one => one.chat === chat_id && one.message_id === message_id)

  function refusalOfEdit(method: string, payload: Payload): string | null {
    const found = shown[find(payload)]
    if (found === undefined) return 'message to edit not found'
    if (found.reply_markup !== undefined && !('inline_keyboard' in found.reply_markup))
      return "message can't be edited"
    const markup = (one: unknown): string => JSON.stringify(one ?? null)
    const sameText = method !== 'editMessageText' || payload.text === found.text
    const isSame = sameText && markup(payload.reply_markup) === markup(found.reply_markup)
    return isSame ? 'message is not modified: the new content is the same' : null
  }

  async function perform(method: string, payload: Payload, reply: ServerResponse): Promise<void> {
    const why = refusalOf(method, payload) ?? (/^edit/.test(method) ? refusalOfEdit(method, payload) : null)
    if (why !== null)
      return say(reply, 400, { ok: false, error_code: 400, description: `Bad Request: ${why}` })
    switch (method) {
      case 'getUpdates':
        return getUpdates(payload, reply)
      case 'setWebhook':
        hook = { url: String(payload.url), secret: String(payload.secret_token ?? '') }
        for (const update of queue) void post(update)
        return say(reply, 200, { ok: true, result: true })
      case 'deleteWebhook':
        hook = null
        return say(reply, 200, { ok: true, result: true })
      case 'getWebhookInfo': {
        const result = {
          url: hook?.url ?? '',
          pending_update_count: queue.length,
          ...(trouble !== null && { last_error_message: trouble }),
        }
        return say(reply, 200, { ok: true, result })
      }
    }
    const answer = await forward(method, payload)
    remember(method, payload, answer as { result: { message_id: number } | null })
    say(reply, 200, answer)
  }

  function remember(
    method: string,
    payload: Payload,
    answer: { result: { message_id: number } | null },
  ): void {
    const { chat_id, text, entities = [], reply_markup } = payload
    if (method === 'sendMessage') {
      shown.push({
        message_id: answer.result?.message_id ?? 0,
        chat: Number(chat_id),
        text: String(text),
        entities: entities as Payload[],
        ...(reply_markup !== undefined && { reply_markup: reply_markup as Payload }),
        edited: false,
      })
    }
    const index = /^edit/.test(method) ? find(payload) : -1
    const before = shown[index]
    if (before === undefined) return
    const { reply_markup: _gone, ...rest } = before
    shown[index] = {
      ...rest,
      ...(method === 'editMessageText' && { text: String(text), entities: entities as Payload[] }),
      ...(reply_markup !== undefined && { reply_markup: reply_markup as Payload }),
      edited: true,
    }
  }

  const server = createServer(async (request, reply) => {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const payload = await bodyOf(request)
    if (token !== TOKEN) return say(reply, 401, { ok: false, error_code: 401, description: 'Unauthorized' })
    calls.push({ method, payload })
    const fault = faults.of(method)
    if (fault === null) return perform(method, payload, reply)
    if (fault.kind === 'reset' && fault.after === true)
      remember(method, payload, (await forward(method, payload)) as never)
    commit(fault, reply)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port: outside } = server.address() as AddressInfo

  /** The emulator counts its updates itself. */
  const counted = emulator as unknown as { updateId: number }
  const nextId = (): number => counted.updateId++
  const clientOf = (user: number) => emulator.getClient(TOKEN, { userId: user, chatId: user })

  return {
    url: `http://127.0.0.1:${outside}`,
    calls,
    faults,
    shown: chat => shown.filter(one => one.chat === chat),
    inject: update => arrive({ update_id: nextId(), ...update }),
    async press(user, data, more = {}) {
      const client = clientOf(user)
      await client.sendCallback(client.makeCallbackQuery(data, more))
      await pull()
    },
    async write(user, text, more = {}) {
      const client = clientOf(user)
      await client.sendMessage(client.makeMessage(text, more as never) as never)
      await pull()
    },
    repeat() {
      if (newest === null) return
      // What was confirmed is never given again; the same press can come under a new number.
      arrive(hook === null ? { ...newest, update_id: nextId() } : newest)
    },
    waiting: () => queue,
    async stop() {
      stopped = true
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await emulator.stop()
    },
  }
}
