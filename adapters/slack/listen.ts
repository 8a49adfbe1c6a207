// Socket Mode: Slack hands envelopes over a connection that we open, so nothing of ours must be reachable from outside.
// Each envelope is taken at the desk and only then acknowledged; one that was not is handed over again.
//
// L1  The library's own reconnecting rejects where nobody can catch it when Slack is away, so it is switched off: a
//     closed connection is opened again here.
import { SocketModeReceiver } from '@slack/bolt'
import { type Desk, reasonOf, type Say } from '../../src/adapter.js'
import { clientOptions, SILENT } from './api.js'
import type { Dispatch } from './app.js'

/** Opening a connection is asked for with the app's token, and may take its time. */
const OPEN_MS = 10_000
const AGAIN_MS = 1_000
const AGAIN_AT_MOST_MS = 30_000
/** A connection that ends sooner is one that Slack, or something between, does not want. */
const STEADY_MS = 10_000
/** A peer that does not say goodbye is left. */
const GOODBYE_MS = 2_000

export type SocketParts = {
  readonly appToken: string
  readonly apiUrl: string | undefined
  readonly dispatch: Dispatch
  readonly say: Say
}

type Handed = {
  readonly body: Record<string, unknown>
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>
}

export async function listen(parts: SocketParts, desk: Desk): Promise<() => Promise<void>> {
  const { client } = new SocketModeReceiver({
    appToken: parts.appToken,
    logger: SILENT,
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(parts.apiUrl, OPEN_MS) },
  })
  const underWay = new Set<Promise<void>>()
  client.on('slack_event', (handed: Handed) => {
    const work = take(parts, handed, desk).finally(() => underWay.delete(work))
    underWay.add(work)
  })
  const stopping = new AbortController()
  await open(client)
  const again = reopen(client, desk, parts.say, stopping.signal)
  return async () => {
    stopping.abort()
    await Promise.race([client.disconnect(), pause(GOODBYE_MS)])
    await Promise.all([again, ...underWay])
  }
}

async function take({ dispatch, say }: SocketParts, { body, ack }: Handed, desk: Desk): Promise<void> {
  try {
    const answer = await dispatch(body, desk)
    await ack(answer as Record<string, unknown> | undefined)
  } catch (error) {
    say('error', 'what came over Slack’s connection was not acknowledged', {
      channel: 'slack',
      why: reasonOf(error),
    })
  }
}

type Client = SocketModeReceiver['client']

/** The library rejects with nothing when the line closes before Slack has said hello. */
const open = (client: Client): Promise<unknown> =>
  client.start().catch(error => {
    throw error ?? new Error('the connection closed before it was ready')
  })

/** Slack asks for a new connection every few hours and is given one at once; one that does not last is waited for. */
async function reopen(client: Client, desk: Desk, say: Say, stopping: AbortSignal): Promise<void> {
  let wait = AGAIN_MS
  let since: number | null = desk.now()
  while (!stopping.aborted) {
    if (since !== null) await closed(client, stopping)
    const lasted = since !== null && desk.now() - since >= STEADY_MS
    if (!lasted) await pause(wait, stopping)
    wait = lasted ? AGAIN_MS : Math.min(wait * 2, AGAIN_AT_MOST_MS)
    if (!stopping.aborted) since = await reopened(client, desk, say)
  }
}

/** When it was opened; null where it could not be. */
async function reopened(client: Client, desk: Desk, say: Say): Promise<number | null> {
  try {
    await open(client)
    return desk.now()
  } catch (error) {
    say('warn', 'Slack’s connection could not be opened; it is tried again', {
      channel: 'slack',
      why: reasonOf(error),
    })
    return null
  }
}

const closed = (client: Client, stopping: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    client.once('disconnected', () => resolve())
    stopping.addEventListener('abort', () => resolve(), { once: true })
  })

function pause(ms: number, stopping?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    stopping?.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
  })
}
