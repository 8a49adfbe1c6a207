// A workspace nobody on this project wrote: the Slack emulator, with a small proxy before it that remembers every
// call, can refuse, hang or break one, and can answer calls that the emulator does not know.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from 'emulate'
import { freePort } from '../port.js'

export const BOT_TOKEN = 'xoxb-lane-under-test'
export const APP_TOKEN = 'xapp-1-A1-lane-under-test'
export const SIGNING_SECRET = '0123456789abcdef0123456789abcdef'
export const TEAM = 'T000000001'

export type Call = { readonly method: string; readonly body: Record<string, string> }
export type Said = {
  readonly ts: string
  readonly text: string
  readonly thread_ts?: string
  readonly blocks?: readonly Block[]
  readonly metadata?: { readonly event_type: string; readonly event_payload: Record<string, unknown> }
}
export type Block = { readonly type: string; readonly block_id?: string; readonly [field: string]: unknown }

/** What the proxy does in place of passing a call on; `pass` makes the call first. */
export type Fault = (reply: ServerResponse, call: Call, pass: () => Promise<Answer>) => unknown
type Answer = { readonly status: number; readonly body: string }

export const limited =
  (seconds: number): Fault =>
  reply =>
    reply.writeHead(429, { 'retry-after': String(seconds) }).end('{"ok":false,"error":"ratelimited"}')
export const broken: Fault = reply => reply.writeHead(500).end('oops')
export const hung: Fault = () => undefined
export const reset: Fault = reply => reply.destroy()
/** The deed is done, and its answer lost. */
export const lost: Fault = async (reply, _call, pass) => {
  await pass()
  reply.destroy()
}
export const says =
  (answer: Record<string, unknown>, headers: Record<string, string> = {}): Fault =>
  reply =>
    reply.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer))
export const refuses = (error: string): Fault => says({ ok: false, error })
/** Passes on, and adds to what was answered. */
export const amended =
  (
    amend: (answer: Record<string, unknown>, call: Call) => void,
    headers: Record<string, string> = {},
  ): Fault =>
  async (reply, call, pass) => {
    const answer = JSON.parse((await pass()).body) as Record<string, unknown>
    amend(answer, call)
    says(answer, headers)(reply, call, pass)
  }

export type Workspace = {
  /** As SLACK_API_URL takes it. */
  readonly apiUrl: string
  readonly people: { readonly owner: string; readonly deputy: string; readonly nobody: string }
  /** A channel with everybody in it. */
  readonly channel: string
  readonly calls: readonly Call[]
  of(method: string): readonly Call[]
  /** For the next `times` calls of a method; `*` is any. Infinity until mended. */
  will(method: string, fault: Fault, times?: number): void
  mend(): void
  /** Answers for a method the emulator does not have, whatever else is broken or mended. */
  always(method: string, fault: Fault): void
  /** Straight to the emulator, past the proxy. */
  api<T>(method: string, body: Record<string, unknown>): Promise<T>
  directMessages(user: string): Promise<string>
  /** What was said in a conversation, the oldest first. */
  said(channel: string): Promise<Said[]>
  replies(channel: string, ts: string): Promise<Said[]>
  trigger(user: string): Promise<string>
  close(): Promise<void>
}

export async function openWorkspace(): Promise<Workspace> {
  const port = await freePort()
  const emulator = await createEmulator({
    service: 'slack',
    port,
    seed: {
      slack: {
        signing_secret: SIGNING_SECRET,
        users: ['owner', 'deputy', 'nobody'].map(name => ({ name })),
        channels: [{ name: 'release' }],
        oauth_apps: [
          { client_id: '1.2', client_secret: 's', name: 'Lane', redirect_uris: [], bot_name: 'lane' },
        ],
        tokens: [{ token: BOT_TOKEN, type: 'bot', user: 'lane', scopes: SCOPES }],
      },
    },
  })
  const calls: Call[] = []
  const stands = new Map<string, Fault>()
  let faults: { method: string; fault: Fault; left: number }[] = []

  async function pass(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
    const response = await fetch(`${emulator.url}${url}`, { method: 'POST', headers, body })
    return { status: response.status, body: await response.text() }
  }

  async function serve(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const url = request.url ?? ''
    const call = { method: url.replace('/api/', ''), body: Object.fromEntries(new URLSearchParams(text)) }
    calls.push(call)
    const headers = {
      authorization: request.headers.authorization ?? '',
      'content-type': request.headers['content-type'] ?? '',
    }
    const fault = faults.find(({ method, left }) => left > 0 && (method === '*' || method === call.method))
    const through = () => pass(url, headers, text)
    const standing = stands.get(call.method)
    if (standing !== undefined) return void (await standing(reply, call, through))
    if (fault === undefined) {
      const { status, body } = await through()
      reply.writeHead(status, { 'content-type': 'application/json' }).end(body)
      return
    }
    fault.left--
    await fault.fault(reply, call, through)
  }
  const proxy = createServer((request, reply) => void serve(request, reply).catch(() => reply.destroy()))
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))

  const api = async <T>(method: string, body: Record<string, unknown>): Promise<T> => {
    const headers = { authorization: `Bearer ${BOT_TOKEN}`, 'content-type': 'application/json' }
    const answer = JSON.parse((await pass(`/api/${method}`, headers, JSON.stringify(body))).body)
    if (!answer.ok) throw new Error(`${method}: ${answer.error}`)
    return answer
  }
  type Member = { readonly id: string; readonly name: string }
  const { members } = await api<{ members: Member[] }>('users.list', {})
  const idOf = (name: string): string => members.find(member => member.name === name)?.id ?? ''
  const { channels } = await api<{ channels: Member[] }>('conversations.list', {})
  return {
    apiUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/`,
    people: { owner: idOf('owner'), deputy: idOf('deputy'), nobody: idOf('nobody') },
    channel: channels.find(({ name }) => name === 'release')?.id ?? '',
    calls,
    of: method => calls.filter(call => call.method === method),
    will: (method, fault, times = 1) => void faults.push({ method, fault, left: times }),
    always: (method, fault) => void stands.set(method, fault),
    mend: () => {
      faults = []
    },
    api,
    directMessages: async user =>
      (await api<{ channel: { id: string } }>('conversations.open', { users: user })).channel.id,
    said: async channel =>
      (await api<{ messages: Said[] }>('conversations.history', { channel })).messages.reverse(),
    replies: async (channel, ts) =>
      (await api<{ messages: Said[] }>('conversations.replies', { channel, ts })).messages.slice(1),
    trigger: async user =>
      (await api<{ trigger_id: string }>('views.generateTriggerId', { user_id: user })).trigger_id,
    async close() {
      proxy.closeAllConnections()
      await new Promise(resolve => proxy.close(resolve))
      await emulator.close()
    },
  }
}

const SCOPES = ['chat:write', 'im:write', 'im:history', 'users:read', 'channels:read', 'channels:history']

/** A port where nobody listens now. */
