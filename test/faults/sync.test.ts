// What the disk is asked to do before anybody is told "recorded", and what happens when it says that it could not.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { connect } from './client.js'
import { expectKept, Journal } from './journal.js'
import { delivered, expectRecovery, live } from './life.js'
import { ALL, DiedAtStart, endAll, freshDirectory, has, launch, ledgerPaths } from './rig.js'

afterEach(endAll)

const without = has('strace') ? '' : ' (skipped: strace is not installed)'
const needsStrace = test.skipIf(without !== '' && !ALL)
/** A deadline of seconds has to pass. */
const takesLong = test.runIf(ALL)

function traced(options: readonly string[]) {
  const directory = freshDirectory()
  const dataDir = join(directory, 'data')
  const trace = join(directory, 'trace')
  return { dataDir, under: ['strace', '-o', trace, ...options], trace: () => readFileSync(trace, 'utf8') }
}

describe('a sync', () => {
  needsStrace(
    `[LANE-078] of what was written comes before every acknowledgement, in the order of the system’s own calls${without}`,
    async () => {
      const { dataDir, under, trace } = traced(['-y', '-s', '32', '-e', 'trace=pwrite64,fsync,write,writev'])
      const journal = new Journal()
      const lane = await launch({ dataDir, under })
      const calls = trace().split('\n').length
      expect((await live(lane, journal)).code).toBe(0)
      const acts = trace().split('\n').slice(calls).flatMap(actOf)
      const posted = acts.filter(act => act.kind === 'told' && act.status === 201)
      expect(posted).toHaveLength(journal.opened.size)
      let unsynced = false
      for (const act of acts) {
        if (act.kind === 'wrote') unsynced = true
        if (act.kind === 'synced') unsynced = false
        if (act.kind === 'told') expect([act, unsynced]).toEqual([act, false])
      }
      // And each opening was written for itself: between two of them something was written and synced.
      const order = acts.map(act => (act.kind === 'told' && act.status !== 201 ? '' : act.kind)).join(' ')
      expect(order).not.toMatch(/told +told/)
    },
    60_000,
  )
})

type Act = { readonly kind: 'wrote' | 'synced' } | { readonly kind: 'told'; readonly status: number }

function actOf(line: string): Act[] {
  if (/^pwrite64\(\d+<[^>]*ledger\.db-wal>/.test(line)) return [{ kind: 'wrote' }]
  if (/^fsync\(\d+<[^>]*ledger\.db-wal>\) += 0$/.test(line)) return [{ kind: 'synced' }]
  const status = /^writev?\(.*"HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]
  return status === undefined ? [] : [{ kind: 'told', status: Number(status) }]
}

/** Syncs of the ledger until a fresh lane is ready: those after them belong to what the test does. */
async function syncsOfAStart(): Promise<number> {
  const directory = freshDirectory()
  const dataDir = join(directory, 'data')
  const file = join(directory, 'trace')
  const lane = await launch({
    dataDir,
    under: ['strace', '-o', file, '-e', 'trace=fsync', ...ledgerPaths(dataDir)],
  })
  const count = readFileSync(file, 'utf8').match(/^fsync/gm)?.length ?? 0
  await lane.kill()
  return count
}

const failing = (dataDir: string, when: number): string[] => [
  ...['-e', 'trace=fsync', ...ledgerPaths(dataDir)],
  ...['-e', `inject=fsync:error=EIO:when=${when}`],
]

describe('a sync that fails', () => {
  takesLong(
    `[LANE-071] stops every acknowledgement until a restart, loudly; what was acknowledged stays readable, and what fell due fires once after it${without}`,
    async () => {
      const atStart = await syncsOfAStart()
      const directory = freshDirectory()
      const dataDir = join(directory, 'data')
      const trace = join(directory, 'trace')
      const journal = new Journal()
      // Two requests, each opened with its claim and sent: four commits. The fifth is the one that fails, once.
      const under = ['strace', '-o', trace, ...failing(dataDir, atStart + 5)]
      const lane = await launch({ dataDir, under })
      const client = connect(lane.url, dataDir, journal)
      // Due while nothing can be written, and not before: a busy machine takes seconds to get there.
      await client.open('silent', { deadline_seconds: 8 })
      await delivered(client, 'silent')
      await client.open('pending')
      await delivered(client, 'pending')
      const link = await client.link('pending')
      const stamp = await client.stamp(link)

      const lost = await client.open('lost')
      expect(readFileSync(trace, 'utf8').match(/EIO .*\(INJECTED\)/g)).toHaveLength(1)
      // The disk says yes again, and that is worth nothing: pages it has dropped are gone.
      const refused = [
        lost,
        await client.open('lost'),
        await client.open('another'),
        await client.reply(link, stamp, 'yes'),
        await client.withdraw('pending'),
      ]
      expect(refused.map(({ status, json }) => [status, json.code])).toEqual(
        Array(5).fill([503, 'ledger_unavailable']),
      )
      expect((await client.call('GET', '/readyz')).status).toBe(503)
      await until('the failed sync in the log', () => lane.output().includes('SQLITE_IOERR_FSYNC'))

      expect((await client.call('GET', '/v1/requests/pending')).json.state).toBe('pending')
      const overdue = async () => (await client.call('GET', '/v1/requests/silent')).status === 503
      await until('what is overdue to be refused', overdue)
      await expectKept(journal, await client.lines())
      client.leave()
      await lane.kill()

      const entries = await expectRecovery(dataDir, journal)
      const timeouts = entries.filter(({ type }) => type === 'TIMEOUT_RECEIPT')
      expect(timeouts.map(({ request_id }) => request_id)).toEqual(['silent'])
    },
    60_000,
  )

  needsStrace(
    `under what stands beside the ledger stops the ledger too: they are one file${without}`,
    async () => {
      const atStart = await syncsOfAStart()
      const directory = freshDirectory()
      const dataDir = join(directory, 'data')
      const under = ['strace', '-o', join(directory, 'trace'), ...failing(dataDir, atStart + 1)]
      const lane = await launch({ dataDir, under })
      const client = connect(lane.url, dataDir, new Journal())
      const blob = { headers: { 'content-type': 'text/plain' }, body: 'what is reviewed' }
      const told = [await client.call('PUT', '/v1/blobs', blob), await client.open('after')]
      expect(told.map(({ status, json }) => [status, json.code])).toEqual(
        Array(2).fill([503, 'ledger_unavailable']),
      )
      client.leave()
    },
    60_000,
  )

  needsStrace(
    `while it starts: it does not start, and says why; the next start is whole${without}`,
    async () => {
      const atStart = await syncsOfAStart()
      const all = Array.from({ length: atStart }, (_, n) => n + 1)
      for (const when of ALL ? all : [1, atStart]) {
        const directory = freshDirectory()
        const dataDir = join(directory, 'data')
        const under = ['strace', '-o', join(directory, 'trace'), ...failing(dataDir, when)]
        const died = await launch({ dataDir, under }).then(
          () => null,
          (error: unknown) => error,
        )
        expect([when, died]).toEqual([when, expect.any(DiedAtStart)])
        expect((died as DiedAtStart).message).toMatch(/disk I\/O error|could not be written/)
        await expectRecovery(dataDir, new Journal())
      }
    },
    60_000,
  )
})
