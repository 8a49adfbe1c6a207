// bolt's App routes payloads from Slack to their listeners. It has no receiver of its own: verified webhooks and
// Socket Mode envelopes come in by one function, whose result is the answer to Slack.
//
// SA1  bolt acknowledges an event before its listeners run. The acknowledgement is therefore held back until they are
//      done: a payload that Slack is told was received is durable.
import { App, type Context, type Receiver, type ViewSubmitAction } from '@slack/bolt'
import type { Desk, Say } from '../../src/adapter/index.js'
import { SILENT } from './api.js'
import { type Click, openForm, openHands, takeClick } from './click.js'
import { FORM_VIEW } from './form.js'
import { HAND_VIEW } from './hand.js'
import { FORM, HAND, OPTION } from './render.js'
import type { Parts } from './reply.js'
import { takeHanding, takeSubmission } from './submission.js'
import { type Message, takeMessage } from './thread.js'

/** The answer to Slack; undefined for a plain "received". Rejects if Slack must not be told that. */
export type Dispatch = (body: Record<string, unknown>, desk: Desk) => Promise<unknown>

const NO_RECEIVER: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
}

const isOption = new RegExp(`^${OPTION}`)
const deskOf = (context: Context): Desk => context.desk as Desk

export function openApp(parts: Parts, say: Say): Dispatch {
  const app = new App({
    receiver: NO_RECEIVER,
    authorize: async () => ({}),
    logger: SILENT,
    ignoreSelf: false,
    convoStore: false,
  })
  app.action<Click>({ type: 'block_actions', action_id: isOption }, async ({ body, action, context }) =>
    takeClick(parts, body, action, deskOf(context)),
  )
  app.action<Click>({ type: 'block_actions', action_id: FORM }, async ({ body, action, context }) =>
    openForm(parts, body, action, deskOf(context)),
  )
  app.action<Click>({ type: 'block_actions', action_id: HAND }, async ({ body, action, context }) =>
    openHands(parts, body, action, deskOf(context)),
  )
  for (const [callback_id, take] of [
    [FORM_VIEW, takeSubmission],
    [HAND_VIEW, takeHanding],
  ] as const)
    app.view<ViewSubmitAction>({ type: 'view_submission', callback_id }, async ({ ack, body, context }) => {
      await ack(await take(parts, body, deskOf(context)))
    })
  app.event('message', async ({ event, context }) => takeMessage(parts, event as Message, deskOf(context)))
  for (const gone of ['app_uninstalled', 'tokens_revoked'] as const)
    app.event(gone, async () =>
      say('error', 'Slack has taken the app’s rights', { channel: 'slack', why: gone }),
    )
  // A listener's error is rethrown as it was, because the door tells an unavailable ledger from a mistake.
  app.error(async error => {
    throw 'original' in error && error.original instanceof Error ? error.original : error
  })

  return async (body, desk) => {
    let answer: unknown
    const ack = async (response: unknown): Promise<void> => {
      answer = response
    }
    await app.processEvent({ body, ack, customProperties: { desk } })
    return answer
  }
}
