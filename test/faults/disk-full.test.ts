// A disk that is full, and has room again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { until } from '../until.js'
import { type Client, connect } from './client.js'
import { expectKept, Journal } from './journal.js'
import { delivered, expectRecovery } from './life.js'
import { ALL, endAll, freshDirectory, has, launch } from './rig.js'
import { noSmallDisk, type SmallDisk, smallDisk } from './small-disk.js'

const without = noSmallDisk()
const skipped = without === '' ? '' : ` (skipped: ${without})`
/** And a deadline of seconds has to pass on it. */
const needsDisk = test.runIf(ALL)

const noStrace = has('strace') ? '' : ' (skipped: strace is not installed)'
const needsStrace = test.skipIf(noStrace !== '' && !ALL)

let disk: SmallDisk | undefined
afterEach(endAll)
afterAll(() => disk?.remove())

describe('a full disk', () => {
  needsDisk(
    `stops every acknowledgement, loudly, and nothing else; once there is room the lane goes on by itself, and what fell due meanwhile has its default, once${skipped}`,
    async () => {
      disk = await smallDisk()
      const dataDir = join(disk.directory, 'data')
      const seen = join(disk.outside, 'data')
      const journal = new Journal()
      const lane = await launch({ dataDir, seen, under: disk.under })
      const client = connect(lane.url, seen, journal)
      // Due while nothing can be written, and not before: a busy machine takes seconds to get there.
      await client.open('silent', { deadline_seconds: 8 })
      await delivered(client, 'silent')
      await client.open('pending')
      await delivered(client, 'pending')
      const link = await client.link('pending')
      const stamp = await client.stamp(link)

      disk.fill()
      const tried = async () => [
        await client.open('refused'),
        await client.reply(link, stamp, 'yes'),
        await client.withdraw('pending'),
        await putBlob(client),
      ]
      const unavailable = Array(4).fill([503, 'ledger_unavailable'])
      const codes = async () => (await tried()).map(({ status, json }) => [status, json.code])
      expect(await codes()).toEqual(unavailable)
      await until('the full disk in the log', () => lane.output().includes('SQLITE_FULL'))
      expect((await client.call('GET', '/readyz')).status).toBe(503)
      // Overdue and not to be resolved: neither pending nor defaulted would be true.
      await until(
        'what is overdue to be refused',
        async () => (await client.call('GET', '/v1/requests/silent')).status,
        503,
      )
      expect(await codes()).toEqual(unavailable)
      expect((await client.call('GET', '/v1/requests/pending')).json.state).toBe('pending')
      await expectKept(journal, await client.lines())

      disk.free()
      // Nobody asks for it: only the ledger is watched.
      const timeout = /"request_id":"silent".*"type":"TIMEOUT_RECEIPT"/
      await until('the timeout in the ledger', async () =>
        (await client.lines()).some(line => timeout.test(line)),
      )
      expect((await client.call('GET', '/readyz')).status).toBe(200)
      expect(await client.outcome('silent')).toBe('defaulted')
      // Nothing of what was refused has been kept: the same id is new, and the same link still answers.
      expect((await client.open('refused')).status).toBe(201)
      expect((await client.reply(link, stamp, 'no')).status).toBe(200)
      expect((await putBlob(client)).status).toBe(201)
      const fresh = await client.link('refused')
      expect((await client.reply(fresh, await client.stamp(fresh), 'yes')).status).toBe(200)
      client.leave()
      await lane.stop()

      const again = await launch({ dataDir, seen, under: disk.under })
      const auditor = connect(again.url, seen, journal)
      const entries = await expectKept(journal, await auditor.lines())
      auditor.leave()
      expect(entries.filter(({ type }) => type === 'TIMEOUT_RECEIPT')).toHaveLength(1)
    },
    60_000,
  )
})

const putBlob = (client: Client, body = 'what is reviewed') =>
  client.call('PUT', '/v1/blobs', { headers: { 'content-type': 'text/plain' }, body })

describe('a disk with no room for the index of the log alone', () => {
  needsStrace(
    `refuses that one append, and takes the next${noStrace}`,
    async () => {
      const directory = freshDirectory()
      const dataDir = join(directory, 'data')
      const trace = join(directory, 'trace')
      const shm = ['-e', 'trace=pwrite64', '-P', join(dataDir, 'ledger.db-shm')]
      // The index is laid out in eight pages at a time: the ninth is asked for when the log has grown to 16 MB.
      const under = ['strace', '-o', trace, ...shm, '-e', 'inject=pwrite64:error=ENOSPC:when=9']
      const journal = new Journal()
      const lane = await launch({ dataDir, under })
      const client = connect(lane.url, dataDir, journal)
      await client.open('before')
      const fired = (): boolean => readFileSync(trace, 'utf8').includes('INJECTED')
      let refused = 0
      for (let n = 0; !fired(); n++) {
        expect(n).toBeLessThan(200)
        const { status } = await putBlob(client, `${n} `.padEnd(200_000, 'x'))
        if (status === 503) refused++
        else expect(status).toBe(201)
      }
      expect(refused).toBe(1)
      await until('the full disk in the log', () => lane.output().includes('SQLITE_IOERR_SHMSIZE'))
      expect((await client.open('after')).status).toBe(201)
      expect((await client.call('GET', '/readyz')).status).toBe(200)
      client.leave()
      await lane.kill()
      await expectRecovery(dataDir, journal)
    },
    60_000,
  )
})
