// A key may have megabytes stored under the handles of one request, and each of its copies is asked how much of that it
// could show, inside the append that claims them: whoever sends the worst text must not stop the lane with it.
import { expect, test } from 'vitest'
import { sha256 } from '../../src/canonical.js'
import { fitInto, fitPage } from '../../src/delivery/fit.js'
import type { Content } from '../../src/request/content/exhibit.js'
import { spell } from '../../src/request/content/spell.js'
import { type Display, display } from '../../src/request/display.js'
import { hashRequest, type Request } from '../../src/request/request.js'

const held = (text: string, at: number): Content => {
  const own = `${text}#${at}`
  return { handle: sha256(own), name: `p${at}`, size: Buffer.byteLength(own), text: own }
}

function frameOf(contents: readonly Content[]): Display {
  const request: Request = {
    type: 'REQUEST_APPROVAL',
    approval_id: 'a-1',
    action: 'PUBLISH',
    parameters: Object.fromEntries(contents.map(({ handle, name }) => [name ?? '', handle])),
    deadline_seconds: 60,
    default_action: 'DENY',
    reply_schema: { kind: 'yes_no' },
  }
  return display(
    {
      request,
      request_hash: hashRequest(request),
      run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
      deadline_at: '2026-11-01T12:00:00.000Z',
      terms: { urgency: 'normal' },
      asked_by: 'agent',
      origin: null,
    },
    'agent',
  )
}

const unitsOf = ({ exhibits, handles }: Display): number =>
  handles
    .flatMap(({ handle }) => exhibits.get(handle)?.parts.flat() ?? [])
    .reduce((sum, { text }) => sum + text.length, 0)

function cost(deed: () => unknown): number {
  const before = process.cpuUsage()
  deed()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Each blank of a long run is named by itself where it follows another kind of blank. */
const WORST = `${' \t'.repeat(17)}x`

test('contents that are all blanks, in their thousands: the search for what fits reads them once', () => {
  const contents = Array.from({ length: 10 }, (_, at) => held(WORST.repeat(1800), at))
  const once = cost(() => contents.map(({ text }) => spell(text ?? '')))
  const search = cost(() =>
    fitInto('telegram', shown => unitsOf(shown) <= 500, frameOf(contents), contents, 'any'),
  )
  // Once for each of nine tries it was more than nine times as much.
  expect(search / once).toBeLessThan(3)
})

test('ten people on one channel: what was found for the first copy is asked about once for each other', () => {
  const contents = [held('a line\n'.repeat(5000), 0)]
  let asked = 0
  const shows = (shown: Display): boolean => {
    asked++
    return unitsOf(shown) <= 500
  }
  const first = fitInto('slack', shows, frameOf(contents), contents, 'any')
  const searched = asked
  const others = Array.from({ length: 9 }, () => fitInto('slack', shows, frameOf(contents), contents, 'any'))
  expect(searched).toBeGreaterThan(3)
  expect(asked - searched).toBe(9)
  for (const { shown, fits } of others) {
    expect(fits).toBe(true)
    expect(shown.contents).toEqual(first.shown.contents)
  }
})

test('a copy with less room than the one before is searched for anew, and fits', () => {
  const contents = [held('a line\n'.repeat(5000), 0)]
  const within = (units: number) =>
    fitInto('slack', shown => unitsOf(shown) <= units, frameOf(contents), contents, 'any')
  expect(within(5000).fits).toBe(true)
  expect(unitsOf(within(700).shown)).toBeLessThanOrEqual(700)
  expect(fitPage(frameOf(contents), contents).contents[0]?.whole).toBe(true)
})
