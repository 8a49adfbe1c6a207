// Somebody at a Slack client: presses buttons, fills in forms and writes in threads. Each becomes a payload of the shape
// Slack sends, signed as Slack signs, and posted to a lane's webhook.
import { createHmac } from 'node:crypto'
import type { BlockAction, ButtonAction, ViewSubmitAction } from '@slack/bolt'
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

/** The view as Slack hands it back, with what was filled in. */
export const submitted = (
  user: string,
  view: { readonly private_metadata: string; readonly callback_id: string },
  value: Record<string, unknown>,
  trigger = `1.2.${stamp()}`,
): ViewSubmitAction =>
  ({
    type: 'view_submission',
    team: { id: TEAM, domain: 'emulate' },
    user: { id: user, name: 'somebody', team_id: TEAM },
    api_app_id: 'A1',
    token: 'unused',
    trigger_id: trigger,
    view: { id: 'V1', hash: 'h1', type: 'modal', ...view, state: { values: { answer: { value } } } },
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

export class Person {
  readonly #workspace: Workspace
  readonly #hook: () => string
  #last: { readonly body: string; readonly type: string } | null = null

  /** `hook` is where the lane takes webhooks. */
  constructor(workspace: Workspace, hook: () => string) {
    this.#workspace = workspace
    this.#hook = hook
  }

  async post(body: string, type: string, headers = sign(body, nowSeconds())): Promise<Answer> {
    this.#last = { body, type }
    const response = await fetch(this.#hook(), {
      method: 'POST',
      headers: { 'content-type': type, ...headers },
      body,
    })
    return { status: response.status, body: await response.text() }
  }

  interact(payload: unknown): Promise<Answer> {
    return this.post(form(payload), 'application/x-www-form-urlencoded')
  }

  happens(event: Record<string, unknown>): Promise<Answer> {
    return this.post(JSON.stringify(event), 'application/json')
  }

  /** As Slack repeats what was not acknowledged: the same payload, signed anew. */
  again(): Promise<Answer> {
    if (this.#last === null) throw new Error('nothing was posted yet')
    const { body, type } = this.#last
    const headers = {
      ...sign(body, nowSeconds() + 1),
      'x-slack-retry-num': '1',
      'x-slack-retry-reason': 'http_timeout',
    }
    return this.post(body, type, headers)
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
    return this.happens(written(user, copy, text, more))
  }
}

export const cardIn = (said: readonly Said[], channel: string): Copy[] =>
  said
    .filter(({ metadata }) => metadata?.event_type === 'lane_request')
    .map(message => ({ channel, message }))

/** Everything a reader sees of some blocks, as one string. */
export const readable = (blocks: readonly Block[] | undefined): string => JSON.stringify(blocks ?? [])
