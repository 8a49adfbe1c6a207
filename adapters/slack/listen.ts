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
  await client.start()
  const again = reopen(client, parts.say, stopping.signal)
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

async function reopen(client: Client, say: Say, stopping: AbortSignal): Promise<void> {
  let wait = AGAIN_MS
  let open = true
  while (!stopping.aborted) {
    if (open) await closed(client, stopping)
    if (stopping.aborted) return
    try {
      await client.start()
      open = true
      wait = AGAIN_MS
    } catch (error) {
      open = false
      say('warn', 'Slack’s connection could not be opened; it is tried again', {
        channel: 'slack',
        why: reasonOf(error ?? 'closed before it was ready'),
      })
      await pause(wait, stopping)
      wait = Math.min(wait * 2, AGAIN_AT_MOST_MS)
    }
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
