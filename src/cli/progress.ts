// The progress of a long reading, on a terminal only: a line that is drawn over, and wiped before other words.
import type { Clock } from '../clock.js'
import type { Output } from './command.js'

/** Often enough to look alive, seldom enough to cost nothing. */
const REDRAW_MS = 100
const BAR_CELLS = 24
const WIPE = '\r\u001b[K'

type Progress = {
  /** `done` of `total`, if the total is known. */
  at(done: number, total: number | null): void
  end(): void
}

export function progressOn(output: Output, clock: Clock, noun: string): Progress {
  if (!output.isTTY) return { at: () => undefined, end: () => undefined }
  const startedAt = clock.monotonic()
  let drawnAt = startedAt
  return {
    at(done, total) {
      const now = clock.monotonic()
      if (now - drawnAt < REDRAW_MS) return
      drawnAt = now
      output.write(`${WIPE}${progressLine(done, total, now - startedAt, noun)}`)
    },
    end: () => void output.write(WIPE),
  }
}

export function progressLine(done: number, total: number | null, ms: number, noun: string): string {
  const rate = ms <= 0 ? 0 : Math.round((done * 1000) / ms)
  if (total === null || total === 0) return `${done} ${noun}, ${rate}/s`
  const share = Math.min(done / total, 1)
  const full = Math.round(share * BAR_CELLS)
  const bar = '█'.repeat(full) + '░'.repeat(BAR_CELLS - full)
  return `${bar} ${Math.floor(share * 100)} %  ${done} of ${total} ${noun}, ${rate}/s`
}

/** The same items, each told as it passes. */
export async function* counted<T>(items: AsyncIterable<T>, tell: (done: number) => void): AsyncIterable<T> {
  let done = 0
  for await (const item of items) {
    yield item
    done += 1
    tell(done)
  }
}
