// kill -9 between the entry of a ladder's step and its sending, and between its sending and the next entry: what was
// claimed is not claimed again, and nobody is asked or reminded twice.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { connect, linksIn } from './client.js'
import { expectKept, Journal, readLines } from './journal.js'
import { revive } from './life.js'
import { ALL, endAll, freshDirectory, has, type Launched, launch } from './rig.js'

afterEach(endAll)

const LADDER = [
  { after_seconds: 2, do: 'remind' },
  { after_seconds: 4, do: 'add', recipients: ['second'] },
]

/** The lines of the outbox, in their order: the first copy, its reminder, the copy of the one who was added. */
const REMINDER = 2
const ADDED = 3

type Kill = {
  readonly name: string
  readonly line: number
  /** Before the line is written, or after it and before anybody has learnt of that. */
  readonly before: boolean
  /** Whose lines the outbox holds in the end. */
  readonly sent: readonly string[]
}
const KILLS: readonly Kill[] = [
  // A reminder takes nothing away if it fails: it is not repeated.
  { name: 'before a reminder is sent', line: REMINDER, before: true, sent: ['operator', 'second'] },
  {
    name: 'after a reminder was sent',
    line: REMINDER,
    before: false,
    sent: ['operator', 'operator', 'second'],
  },
  {
    name: 'before whoever was added is asked',
    line: ADDED,
    before: true,
    sent: ['operator', 'operator', 'second'],
  },
]
/** Long enough for the test to see the line and to kill. */
const HOLD_US = 60_000_000

/** Half a minute each, for an attempt that was claimed is made anew when its lease has run out: left to CI=true. The twin
 *  on a clock set by hand is in test/lane/ladder.test.ts. */
describe.skipIf(!ALL)(`kill -9${has('strace') ? '' : ' (strace is not installed)'}`, () => {
  test.each(KILLS)(
    '$name: each step stands once, and nothing is sent twice',
    async kill => {
      const directory = freshDirectory()
      const dataDir = join(directory, 'data')
      const trace = join(directory, 'trace')
      const deed = kill.before ? 'signal=KILL' : `delay_exit=${HOLD_US}`
      const under = [
        ...['strace', '-f', '-o', trace, '-P', join(dataDir, 'outbox.ndjson')],
        ...['-e', 'trace=write', '-e', `inject=write:${deed}:when=${kill.line}`],
      ]
      // Calls are counted by thread: one thread writes all files.
      const lane = await launch({ dataDir, under, env: { UV_THREADPOOL_SIZE: '1' } })
      const journal = new Journal()
      const client = connect(lane.url, dataDir, journal)
      const more = { deadline_seconds: 600 }
      expect((await client.open('q', more, ['operator'], { ladder: LADDER })).status).toBe(201)
      await died(lane, kill, dataDir)
      client.leave()
      expect(readFileSync(trace, 'utf8').match(/ write\(/g)).toHaveLength(kill.line)
      expect(linksIn(dataDir, 'q')).toHaveLength(kill.before ? kill.line - 1 : kill.line)
      expect(namesOf(dataDir)).toEqual(
        kill.line === REMINDER ? ['REQUEST_REMINDED'] : ['REQUEST_REMINDED', 'REQUEST_ESCALATED'],
      )

      const again = await revive(dataDir)
      const later = connect(again.url, dataDir, journal)
      try {
        await until(
          'whoever was added is asked',
          () => linksIn(dataDir, 'q').some(one => one.user_id === 'second'),
          Boolean,
          60_000,
        )
        const { json } = await later.call('GET', '/v1/requests/q')
        expect(json).toMatchObject({ state: 'pending', escalations: [{ step: 1, to: ['second'] }] })
      } finally {
        later.leave()
        await again.close()
      }
      expect(namesOf(dataDir)).toEqual(['REQUEST_REMINDED', 'REQUEST_ESCALATED'])
      expect(linksIn(dataDir, 'q').map(one => one.user_id)).toEqual(kill.sent)
      await expectKept(journal, readLines(dataDir))
    },
    120_000,
  )
})

/** Killed by its own write, or by us while that write does not return. */
async function died(lane: Launched, { before, line }: Kill, dataDir: string): Promise<void> {
  if (!before) {
    await until('the line', () => linksIn(dataDir, 'q').length >= line, Boolean, 30_000)
    await lane.kill()
  }
  expect((await lane.ended).signal).toBe('SIGKILL')
}

const STEPS = ['REQUEST_REMINDED', 'REQUEST_ESCALATED']
const namesOf = (dataDir: string): string[] =>
  readLines(dataDir)
    .map(line => (JSON.parse(line) as { type: string }).type)
    .filter(type => STEPS.includes(type))
