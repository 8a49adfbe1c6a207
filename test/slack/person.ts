// A person at a Slack client, who presses buttons, fills in forms and writes in threads. Each deed becomes a payload
// of Slack's shape, and goes to the lane as Slack hands it over: signed and posted, or through Socket Mode.
import { createHmac } from 'node:crypto'
import type { BlockAction, ButtonAction, ViewSubmitAction } from '@slack/bolt'
import type { SocketEnd } from './socket.js'
import { type Block, type Said, SIGNING_SECRET, TEAM, type Workspace } from './workspace.js'

export type Copy = { readonly channel: string; readonly message: Said }
type Button = { readonly action_id: string; readonly value: string; readonly text: { readonly text: string } }
export type Answer = { readonly status: number; readonly body: string }

export const sign = (body: string, seconds: number, secret = SIGNING_SECRET): Record<string, string> => ({
  'x-slack-request-timestamp': String(seconds),
  'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`,
})

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)

export const buttonsOf = ({ message }: Copy): readonly Button[] =>
  (message.blocks ?? []).flatMap(({ type, elements }) => (type === 'actions' ? (elements as Button[]) : []))

const form = (payload: unknown): string =>
  new URLSearchParams({ payload: JSON.stringify(payload) }).toString()

// The emulator counts from 1 within a second.
let counted = 500_000
/** Slack's time stamps are unique in a conversation. */
export const stamp = (): string => `${nowSeconds()}.${String(++counted).padStart(6, '0')}`

export const clicked = (
  workspace: Workspace,
  user: string,
  { channel, message }: Copy,
  button: Pick<Button, 'action_id' | 'value'>,
  more: { readonly trigger?: string; readonly team?: string } = {},
): BlockAction<ButtonAction> => ({
  type: 'block_actions',
  team: { id: TEAM, domain: 'emulate' },
  user: { id: user, username: 'somebody', team_id: more.team ?? TEAM },
  api_app_id: 'A1',
  token: 'unused',
  container: { type: 'message', message_ts: message.ts, channel_id: channel, is_ephemeral: false },
  trigger_id: more.trigger ?? `1.2.${stamp()}`,
  channel: { id: channel, name: 'directmessage' },
  message: { type: 'message', ts: message.ts, text: message.text },
  response_url: `${workspace.apiUrl}never-called`,
  actions: [
    {
      type: 'button',
      block_id: 'lane:buttons',
      action_id: button.action_id,
      value: button.value,
      action_ts: stamp(),
      text: { type: 'plain_text', text: 'as it was labelled' },
    },
  ],
})

type View = { readonly private_metadata: string; readonly callback_id: string }
type Filled = Readonly<Record<string, unknown>>

/** The view as Slack hands it back, with what was filled in. */
export const submitted = (user: string, view: View, value: Filled, trigger?: string): ViewSubmitAction =>
  filledIn(user, view, { answer: value }, trigger)

/** The same where several things were asked, by the ids of their blocks. */
export const filledIn = (
  user: string,
  view: View,
  blocks: Readonly<Record<string, Filled>>,
  trigger = `1.2.${stamp()}`,
): ViewSubmitAction =>
  ({
    type: 'view_submission',
    team: { id: TEAM, domain: 'emulate' },
    user: { id: user, name: 'somebody', team_id: TEAM },
    api_app_id: 'A1',
    token: 'unused',
    trigger_id: trigger,
    view: {
      id: 'V1',
      hash: 'h1',
      type: 'modal',
      ...view,
      state: {
        values: Object.fromEntries(Object.entries(blocks).map(([block, value]) => [block, { value }])),
      },
    },
  }) as unknown as ViewSubmitAction

export const written = (
  user: string,
  { channel, message }: Copy,
  text: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => {
  const ts = stamp()
  return {
    type: 'event_callback',
    team_id: TEAM,
    api_app_id: 'A1',
    event_id: `Ev${ts}`,
    event: {
      type: 'message',
      channel,
      channel_type: channel.startsWith('D') ? 'im' : 'channel',
      user,
      text,
      ts,
      thread_ts: message.ts,
      team: TEAM,
      ...more,
    },
  }
}

/** The way from Slack's client to the lane. */
export type Line = {
  interact(payload: unknown): Promise<Answer>
  happens(event: Record<string, unknown>): Promise<Answer>
  /** As Slack repeats what was not acknowledged. */
  again(): Promise<Answer>
}

/** `hook` is where the lane takes webhooks. */
export function byWebhook(hook: () => string): Line {
  let last: { readonly body: string; readonly type: string } | null = null
  async function post(body: string, type: string, headers = sign(body, nowSeconds())): Promise<Answer> {
    last = { body, type }
    const response = await fetch(hook(), {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body,
    })
    return { status: response.status, body: await response.text() }
  }
  return {
    interact: payload => post(form(payload), 'application/x-www-form-urlencoded'),
    happens: event => post(JSON.stringify(event), 'application/json'),
    /** The same payload, signed anew. */
    again() {
      if (last === null) throw new Error('nothing was posted yet')
      const retry = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' }
      return post(last.body, last.type, { ...sign(last.body, nowSeconds() + 1), ...retry })
    },
  }
}

/** Over Socket Mode: 200 is an acknowledgement, 0 that none came. */
export function bySocket(socket: SocketEnd, patienceMs?: number): Line {
  let last: readonly [type: string, payload: unknown] | null = null
  async function hand(type: string, payload: unknown): Promise<Answer> {
    last = [type, payload]
    const acknowledged = await socket.hand(type, payload, patienceMs)
    if (acknowledged === null) return { status: 0, body: '' }
    const said = acknowledged.payload
    return { status: 200, body: Object.keys(said).length === 0 ? '' : JSON.stringify(said) }
  }
  return {
    interact: payload => hand('interactive', payload),
    happens: event => hand('events_api', event),
    again() {
      if (last === null) throw new Error('nothing was handed over yet')
      return hand(...last)
    },
  }
}

export class Person {
  readonly #workspace: Workspace
  readonly #line: Line

  constructor(workspace: Workspace, line: Line) {
    this.#workspace = workspace
    this.#line = line
  }

  interact(payload: unknown): Promise<Answer> {
    return this.#line.interact(payload)
  }

  again(): Promise<Answer> {
    return this.#line.again()
  }

  press(
    user: string,
    copy: Copy,
    label: string,
    more: { trigger?: string; team?: string } = {},
  ): Promise<Answer> {
    const button = buttonsOf(copy).find(
      ({ text }) => text.text === label || text.text.startsWith(`${label} ·`),
    )
    if (button === undefined) throw new Error(`the card has no button ${label}`)
    return this.interact(clicked(this.#workspace, user, copy, button, more))
  }

  write(user: string, copy: Copy, text: string, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.#line.happens(written(user, copy, text, more))
  }
}

export const cardIn = (said: readonly Said[], channel: string): Copy[] =>
  said
    .filter(({ metadata }) => metadata?.event_type === 'lane_request')
    .map(message => ({ channel, message }))

/** Everything a reader sees of some blocks, as one string. */
export const readable = (blocks: readonly Block[] | undefined): string => JSON.stringify(blocks ?? [])
