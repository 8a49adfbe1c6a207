// Long polling: no public address is needed. Asking for what comes after an update confirms it, and Telegram then
// forgets it; so nothing is asked for until everything before it is durable, and an error leaves it to be given again.
//
// T1  An update is confirmed only by the question that follows its keeping.
// T2  The cursor names the bot: the numbers of another bot say nothing about this one's.
import type { Desk, Say } from '../../src/adapter.js'
import { reasonOf } from '../../src/adapter.js'
import type { BotApi } from './bot-api.js'
import type { Counter } from './counter.js'
import { codeOf, type Failure } from './failure.js'
import { type Bot, updateIdOf } from './update.js'

/** How long after a failure Telegram is asked again: doubled each time, from the first to the last of these. */
const AGAIN_MS = 500
const AGAIN_AT_MOST_MS = 30_000

export type Line = { readonly api: BotApi; readonly counter: Counter; readonly bot: Bot; readonly say: Say }

const spellCursor = (bot: Bot, last: number): string => `${bot.id}:${last}`
function readCursor(bot: Bot, cursor: string | null): number | null {
  const [id, last = ''] = (cursor ?? '').split(':')
  return id === bot.id && /^[0-9]+$/.test(last) ? Number(last) : null
}

export async function listen(line: Line, cursor: string | null, desk: Desk): Promise<() => Promise<void>> {
  // A webhook and polling exclude each other; what waits is kept.
  const deleted = await line.api.deleteWebhook()
  if (!deleted.ok) throw new Error(`Telegram does not answer: ${codeOf(deleted.failure)}`)
  const stopping = new AbortController()
  const loop = poll(line, readCursor(line.bot, cursor), desk, stopping.signal)
  return async () => {
    stopping.abort()
    await loop
    await line.counter.settle()
  }
}

async function poll(line: Line, first: number | null, desk: Desk, stopping: AbortSignal): Promise<void> {
  let last = first
  let wait = AGAIN_MS
  while (!stopping.aborted) {
    const asked = await line.api.getUpdates(last === null ? null : last + 1, stopping)
    if (stopping.aborted) return
    const batch = asked.ok ? await takeAll(line, asked.result, desk) : { last: null, trouble: null }
    last = batch.last ?? last
    const why = asked.ok ? batch.trouble : codeOf(asked.failure)
    if (why === null) {
      wait = AGAIN_MS
      continue
    }
    line.say('error', 'Telegram is not heard just now; it is asked again', { channel: 'telegram', why })
    await pause(asked.ok ? wait : Math.max(wait, waitOf(asked.failure)), stopping)
    wait = Math.min(wait * 2, AGAIN_AT_MOST_MS)
  }
}

const waitOf = (failure: Failure): number => (failure.kind === 'limited' ? failure.after_ms : 0)

type Taken = { readonly last: number | null; readonly trouble: string | null }

/** In order, up to the first that cannot be kept: that one is asked for again. */
async function takeAll({ counter, bot }: Line, updates: readonly unknown[], desk: Desk): Promise<Taken> {
  let last: number | null = null
  let kept: number | null = null
  try {
    for (const update of updates) {
      const id = updateIdOf(update)
      if (id === null) continue
      if (await counter.hand(update, desk, spellCursor(bot, id))) kept = id
      last = id
    }
    if (last !== null && last !== kept) await desk.keep(spellCursor(bot, last))
    return { last, trouble: null }
  } catch (error) {
    return { last, trouble: reasonOf(error) }
  }
}

function pause(ms: number, stopping: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    stopping.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
