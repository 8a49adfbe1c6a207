// Long polling: no public address is needed. A request for the updates after one confirms that one, and Telegram
// forgets it. So the next are asked for only when everything before is durable, and an error leaves it to come again.
//
// TL1  An update is confirmed only by a request made after it was kept.
// TL2  The cursor names the bot: another bot's numbers say nothing about this one's.
// TL3  Numbers rise, but after a week without updates they begin anew anywhere, also lower. So the first request, and
//      one after a long silence, asks for everything that waits; an update close below the cursor was kept before.
import { type Desk, Retries, reasonOf, type Say } from '../../src/adapter/index.js'
import type { BotApi } from './bot-api.js'
import { codeOf, type Failure } from './failure.js'
import type { Intake } from './intake.js'
import { type Bot, updateIdOf } from './update.js'

/** Pauses before Telegram is asked again after a failure: doubled each time, from the first to the last of these. */
const AGAIN_MS = 500
const AGAIN_AT_MOST_MS = 30_000
/** Shorter than the week after which Telegram chooses a new number. */
const SILENCE_MS = 6 * 24 * 60 * 60 * 1000
/** At most one batch waits unconfirmed although it was kept; a number chosen anew is hardly ever this close. */
const NEARBY = 1_000

type Line = { readonly api: BotApi; readonly intake: Intake; readonly bot: Bot; readonly say: Say }

const spellCursor = (bot: Bot, last: number): string => `${bot.id}:${last}`
function readCursor(bot: Bot, cursor: string | null): number | null {
  const [id, last = ''] = (cursor ?? '').split(':')
  return id === bot.id && /^[0-9]+$/.test(last) ? Number(last) : null
}

export async function listen(line: Line, cursor: string | null, desk: Desk): Promise<() => Promise<void>> {
  // A webhook and polling exclude each other; waiting updates are kept.
  const deleted = await line.api.deleteWebhook()
  if (!deleted.ok) throw new Error(`Telegram does not answer: ${codeOf(deleted.failure)}`)
  const stopping = new AbortController()
  const loop = poll(line, readCursor(line.bot, cursor), desk, stopping.signal)
  return async () => {
    stopping.abort()
    await loop
    await line.intake.settle()
  }
}

async function poll(line: Line, cursor: number | null, desk: Desk, stopping: AbortSignal): Promise<void> {
  let offset: number | null = null
  let heard = desk.now()
  const retries = new Retries(AGAIN_MS, AGAIN_AT_MOST_MS, stopping)
  while (!stopping.aborted) {
    if (desk.now() - heard > SILENCE_MS) offset = null
    const asked = await line.api.getUpdates(offset, stopping)
    if (stopping.aborted) return
    const taken = asked.ok ? await takeAll(line, asked.result, cursor, desk) : { last: null, trouble: null }
    if (taken.last !== null) {
      offset = taken.last + 1
      heard = desk.now()
    }
    const why = asked.ok ? taken.trouble : codeOf(asked.failure)
    if (why === null) {
      retries.reset()
      continue
    }
    line.say('error', 'Telegram is not heard just now; it is asked again', { channel: 'telegram', why })
    await retries.pause(asked.ok ? 0 : waitOf(asked.failure))
  }
}

const waitOf = (failure: Failure): number => (failure.kind === 'limited' ? failure.after_ms : 0)

const wasTaken = (id: number, cursor: number | null): boolean =>
  cursor !== null && id <= cursor && id > cursor - NEARBY

type Taken = { readonly last: number | null; readonly trouble: string | null }

/** Takes updates in order, up to the first that cannot be kept: that one is asked for again. */
async function takeAll(
  { intake, bot }: Line,
  updates: readonly unknown[],
  cursor: number | null,
  desk: Desk,
): Promise<Taken> {
  let last: number | null = null
  let unkept: number | null = null
  try {
    for (const update of updates) {
      const id = updateIdOf(update)
      if (id === null) continue
      if (!wasTaken(id, cursor)) unkept = (await intake.hand(update, desk, spellCursor(bot, id))) ? null : id
      last = id
    }
    if (unkept !== null) await desk.keep(spellCursor(bot, unkept))
    return { last, trouble: null }
  } catch (error) {
    return { last, trouble: reasonOf(error) }
  }
}
