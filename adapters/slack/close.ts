// Edits a delivered copy to its outcome. An edit can be repeated without harm, so a short limit is waited out.
import { type Display, type Ending, pause } from '../../src/adapter/index.js'
import { type Api, troubleOf } from './api.js'
import type { Copy } from './copy.js'
import { closedCard } from './render.js'
import { INERT } from './send.js'

/** The lane gives an edit 10 s; one more call must fit behind the wait. */
const LONGEST_WAIT_MS = 5_000

export async function close({ calm }: Api, copy: Copy, ending: Ending, display: Display): Promise<void> {
  const edit = () => calm.chat.update({ ...copy, ...closedCard(display, ending), ...UPDATE })
  try {
    await edit()
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble.kind !== 'limited' || trouble.retry_after_ms > LONGEST_WAIT_MS)
      throw new Error(`the copy could not be edited: ${trouble.code}`)
    await pause(trouble.retry_after_ms)
    await edit()
  }
}

/** chat.update takes fewer options, and unfurls nothing. */
const UPDATE = { parse: INERT.parse, link_names: INERT.link_names } as const
