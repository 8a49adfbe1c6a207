// The SMS provider of the tests: somebody else's emulator of it (emulate, service twilio) behind a gate of ours that can
// refuse, hang or break off, because the emulator never fails.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from 'emulate'
import { freePort } from '../port.js'

export const SID = `AC${'0'.repeat(31)}7`
export const TOKEN = 'a-token-for-tests-only-0123456789'
export const NUMBER = '+15550001111'
export const OWNER = '+15551230001'
export const DEPUTY = '+15551230002'
export const NOBODY = '+15551239999'

export type Message = {
  readonly sid: string
  readonly to: string
  readonly body: string
  readonly direction: string
}

/** What happens to a message in place of being taken; null lets it through. */
export type Fault = ((reply: ServerResponse) => void) | null
export type Choose = (form: URLSearchParams) => Fault

/** An error as the provider's API words it. */
export const says =
  (status: number, code: number, headers: Record<string, string> = {}): Fault =>
  reply =>
    void reply
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ code, message: 'as the tests say', status }))

export type Provider = {
  /** What the adapter is pointed at. */
  readonly api: string
  readonly env: Readonly<Record<string, string>>
  /** Every message the lane asked it to send, as it came. */
  readonly asked: readonly URLSearchParams[]
  /** From now on. */
  fault(choose: Choose): void
  messages(): Promise<readonly Message[]>
  /** A phone sends a message to the lane's number. */
  text(from: string, body: string): Promise<void>
  /** The provider reports what became of a message. */
  status(sid: string, status: string): Promise<void>
  stop(): Promise<void>
}

/** Provides the number whose messages go to `hook`. */
export async function raiseProvider(hook: string): Promise<Provider> {
  const emulator = await createEmulator({
    service: 'twilio',
    port: await freePort(),
    seed: {
      twilio: {
        account: { sid: SID, auth_token: TOKEN },
        phone_numbers: [{ phone_number: NUMBER, sms_url: hook, sms_method: 'POST' }],
      },
    },
  })
  const asked: URLSearchParams[] = []
  let choose: Choose = () => null
  const headers = { authorization: `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}` }

  const gate = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const form = new URLSearchParams(body)
    const isMessage = request.method === 'POST' && (request.url ?? '').endsWith('/Messages.json')
    const fault = isMessage ? choose(form) : null
    if (isMessage) asked.push(form)
    if (fault !== null) return fault(reply)
    const { authorization = '' } = request.headers
    const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
    const response = await fetch(`${emulator.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(request.method === 'POST' && { body }),
    })
    reply.writeHead(response.status, { 'content-type': 'application/json' }).end(await response.text())
  })
  await new Promise<void>(resolve => gate.listen(0, '127.0.0.1', resolve))
  const api = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`

  const call = async (path: string, form?: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${emulator.url}${path}`, {
      headers,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    if (!response.ok) throw new Error(`the emulator answers ${response.status}: ${await response.text()}`)
    return response.json()
  }

  return {
    api,
    env: { SMS_ACCOUNT_SID: SID, SMS_AUTH_TOKEN: TOKEN, SMS_FROM: NUMBER, SMS_API_URL: api },
    asked,
    fault: next => {
      choose = next
    },
    async messages() {
      const all = await call(`/2010-04-01/Accounts/${SID}/Messages.json?PageSize=1000`)
      const { messages } = all as { messages: Message[] }
      return messages.filter(({ direction }) => direction === 'outbound-api').reverse()
    },
    text: async (from, body) =>
      void (await call('/_twilio/simulate/inbound-message', { From: from, To: NUMBER, Body: body })),
    status: async (sid, status) =>
      void (await call('/_twilio/simulate/message-status', { MessageSid: sid, Status: status })),
    async stop() {
      gate.closeAllConnections()
      await new Promise(resolve => gate.close(resolve))
      await emulator.close()
    },
  }
}

/** The emulator takes no port 0. */
/** The words of the TwiML the lane answered a webhook with; null for none. */
export const spokenIn = (twiml: string): string | null => {
  const words = /<Message>([^<]*)<\/Message>/.exec(twiml)?.[1]
  if (words === undefined) return null
  return words.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
}
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

/** The code in a message, as a person would type it. */
export function codeIn(body: string): string {
  const code = /(?:Reply Y|End with) ([0-9A-Z]+)/.exec(body)?.[1]
  if (code === undefined) throw new Error('the message shows no code')
  return code
}
