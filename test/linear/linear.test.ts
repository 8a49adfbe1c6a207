// Four times the text is four times the work, whoever sends it and whatever it is made of: a parser whose work grows with
// the square of the length would take sixteen times as much, and one mail of a quarter of a megabyte then stops the lane
// for seconds. No clock on the wall is asked: times of one process are compared with each other, the best of several, and
// a text that is read in no time at its full length is not asked about.
import { describe, expect, test } from 'vitest'
import { PARSERS, type Parser } from './parsers.js'
import { shapes } from './shapes.js'

/** Microseconds of this process. Below this a collection of garbage would decide, and nobody is kept waiting. */
const FLOOR = 40_000
/** Between four and sixteen. */
const FACTOR = 10
const TRIES = 4
/** Each of them takes long; a few say enough. */
const ENOUGH = 3

async function cost(read: Parser['read'], text: string): Promise<number> {
  const started = process.cpuUsage()
  await read(text)
  const { user, system } = process.cpuUsage(started)
  return user + system
}

/** The least of some tries, or of those it took to be little enough. */
async function least(read: Parser['read'], text: string, enough: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < TRIES && best > enough; tries++) best = Math.min(best, await cost(read, text))
  return best
}

describe.each(PARSERS)('$name', ({ read, most }) => {
  test('is read in proportion to its length', async () => {
    const quarters = shapes(most / 4)
    const steep: string[] = []
    for (const [name, text] of shapes(most)) {
      if (steep.length === ENOUGH) break
      if ((await cost(read, text)) <= FLOOR) continue
      const quarter = await least(read, quarters.get(name) ?? '', 0)
      const whole = await least(read, text, FACTOR * quarter)
      if (whole > FACTOR * quarter) steep.push(`${name}: ${Math.round(whole / quarter)} times the work`)
    }
    expect(steep).toEqual([])
  }, 600_000)
})
