// Socket Mode: Slack hands envelopes over a connection that we open, so nothing of ours must be reachable from outside.
// Each envelope is taken at the desk and only then acknowledged; one that was not is handed over again.
//
// SL1  When Slack is away, the library's own reconnecting rejects where nobody can catch it. So it is switched off,
//      and a closed connection is opened again here.
// SL2  No wait is endless: not the one for a hello, which the library would wait for, and not the one for a goodbye.
import { SocketModeReceiver } from '@slack/bolt'
import { aborted, type Desk, pause, Retries, reasonOf, type Say } from '../../src/adapter/index.js'
import { clientOptions, SILENT } from './api.js'
import type { Dispatch } from './app.js'

/** Opening a connection is asked for with the app's token, and may take its time. */
const OPEN_MS = 10_000
/** From asking for an address to Slack's hello: longer than the asking alone may take. */
const READY_MS = 20_000
const AGAIN_MS = 1_000
const AGAIN_AT_MOST_MS = 30_000
/** A connection that ends sooner is one that Slack, or something between, does not want. */
const STEADY_MS = 10_000
/** A peer that says no goodbye is left after this long. */
const GOODBYE_MS = 2_000

type SocketParts = {
  readonly appToken: string
  readonly apiUrl: string | undefined
  readonly dispatch: Dispatch
  readonly say: Say
}

type Handed = {
  readonly body: Record<string, unknown>
  readonly ack: (answer?: Record<string, unknown>) => Promise<void>
}

export async function listen(
  parts: SocketParts,
  desk: Desk,
  readyWithin: number = READY_MS,
): Promise<() => Promise<void>> {
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
  const line = { client, readyWithin, stopping: stopping.signal }
  await open(line)
  const again = reopen(line, desk, parts.say)
  return async () => {
    stopping.abort()
    await leave(client)
    await again
    // Closes a connection that was being opened meanwhile.
    await leave(client)
    await Promise.all(underWay)
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
type Line = { readonly client: Client; readonly readyWithin: number; readonly stopping: AbortSignal }

/** The library rejects without an error when the line closes before Slack's hello, also when we close it. */
async function open({ client, readyWithin, stopping }: Line): Promise<void> {
  const giveUp = (): void => void leave(client)
  const late = setTimeout(giveUp, readyWithin)
  stopping.addEventListener('abort', giveUp)
  try {
    await client.start()
  } catch (error) {
    throw error ?? new Error('the connection closed before it was ready')
  } finally {
    clearTimeout(late)
    stopping.removeEventListener('abort', giveUp)
  }
}

/** A second disconnect makes the library go without an answer to the first. */
async function leave(client: Client): Promise<void> {
  await Promise.race([client.disconnect(), pause(GOODBYE_MS)])
  await client.disconnect()
}

/** Slack asks for a new connection every few hours, and gets it at once. After one that did not last it waits. */
async function reopen(line: Line, desk: Desk, say: Say): Promise<void> {
  const { client, stopping } = line
  const retries = new Retries(AGAIN_MS, AGAIN_AT_MOST_MS, stopping)
  let since: number | null = desk.now()
  while (!stopping.aborted) {
    if (since !== null) await closed(client, stopping)
    const lasted = since !== null && desk.now() - since >= STEADY_MS
    if (lasted) retries.reset()
    else await retries.pause()
    if (!stopping.aborted) since = await reopened(line, desk, say)
  }
}

/** The instant it was opened; null if it could not be. */
async function reopened(line: Line, desk: Desk, say: Say): Promise<number | null> {
  try {
    await open(line)
    return desk.now()
  } catch (error) {
    say('warn', 'Slack’s connection could not be opened; it is tried again', {
      channel: 'slack',
      why: reasonOf(error),
    })
    return null
  }
}

async function closed(client: Client, stopping: AbortSignal): Promise<void> {
  const gone = new AbortController()
  const over = (): void => gone.abort()
  client.once('disconnected', over)
  await aborted(gone.signal, stopping)
  client.off('disconnected', over)
}
