import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OutboxLine, outboxWriter, webAdapter } from '../../adapters/web/index.js'
import type { Outbound } from '../../src/adapter/contract.js'
import { describeReply } from '../../src/compiler/describe.js'
import { approval, HANDLE, LONG, question, SCHEMAS } from './samples.js'

const outbound: Outbound = {
  delivery_id: 'd-1',
  attempt: 1,
  recipient: { user_id: 'release-owner', name: 'Release owner' },
  address: true,
  reply: null,
  page: { link: `https://lane.example.org/r/${HANDLE}`, code: '7K2M' },
  at: '2026-02-17T13:00:00.000Z',
}

const line = (number: number): OutboxLine => ({
  delivery_id: `d-${number}`,
  request_id: 'ship-42',
  user_id: 'release-owner',
  link: outbound.page.link,
  code: '7K2M',
  at: outbound.at,
})

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lane-outbox-'))
  path = join(folder, 'outbox.ndjson')
})
afterEach(() => rm(folder, { recursive: true }))

const lines = async (file = path): Promise<unknown[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map(text => JSON.parse(text))
const mode = async (): Promise<number> => (await stat(path)).mode & 0o777

async function sentWith(outbox: boolean, write: (line: OutboxLine) => Promise<void>, display = approval) {
  const printed: string[] = []
  const adapter = webAdapter({ outbox, write, print: text => printed.push(text) })
  const sent = await adapter.send(display, outbound)
  await setImmediate()
  return { sent, printed }
}

describe('a link with no channel to carry it', () => {
  it('goes to the outbox with its code, and leaves no copy to edit', async () => {
    const outbox = outboxWriter(path)
    const { sent } = await sentWith(true, outbox.write)
    await outbox.close()
    expect(sent).toEqual({ kind: 'sent' })
    expect(await lines()).toEqual([
      {
        delivery_id: 'd-1',
        request_id: 'ship-42',
        user_id: 'release-owner',
        link: outbound.page.link,
        code: '7K2M',
        at: outbound.at,
      },
    ])
  })

  it('is not delivered while the outbox is off, and nothing is written or printed', async () => {
    const written: OutboxLine[] = []
    const { sent, printed } = await sentWith(false, async line => void written.push(line))
    expect(sent).toEqual({ kind: 'failed', code: 'no_carrier', retryable: false })
    expect([written, printed]).toEqual([[], []])
  })

  it('is tried again when the outbox cannot be written, and is not printed', async () => {
    const outbox = outboxWriter(join(folder, 'missing', 'outbox.ndjson'))
    const { sent, printed } = await sentWith(true, outbox.write)
    expect(sent).toEqual({ kind: 'failed', code: 'outbox_unwritable', retryable: true })
    expect(printed).toEqual([])
  })

  it.each(Object.values(SCHEMAS))(
    '[LANE-028] is printed for people, with the short reply format: $kind',
    async schema => {
      const { printed } = await sentWith(true, async () => {}, question(schema))
      expect(printed).toHaveLength(1)
      for (const words of [
        'Question for Release owner: Which rollout should version 4.2 follow?',
        'release-agent, run run-9',
        '17 Feb 2026, 14:00:05 UTC; otherwise HALT: the run stops',
        describeReply(schema),
        outbound.page.link,
        '7K2M',
      ]) {
        expect(printed[0]).toContain(words)
      }
    },
  )

  it('is printed in one piece with all that are sent in the same turn, whole and in order', async () => {
    const printed: string[] = []
    const adapter = webAdapter({ outbox: true, write: async () => {}, print: text => printed.push(text) })
    const links = [1, 2, 3].map(number => `https://lane.example.org/r/${number}`)
    await Promise.all(
      links.map(link => adapter.send(approval, { ...outbound, page: { link, code: '7K2M' } })),
    )
    await setImmediate()
    const [alone = ''] = (await sentWith(true, async () => {})).printed
    expect(printed).toEqual([links.map(link => alone.replace(outbound.page.link, link)).join('\n')])
  })

  it('is printed without flooding the console with a caller’s words', async () => {
    const { printed } = await sentWith(true, async () => {}, { ...question(), headline: LONG, run_id: LONG })
    expect(Math.max(...(printed[0] ?? '').split('\n').map(text => text.length))).toBeLessThan(220)
    expect(printed[0]).toContain(`${'W'.repeat(159)}…`)
  })

  it('is cut between characters, never within one', async () => {
    const { printed } = await sentWith(true, async () => {}, {
      ...question(),
      headline: '\u{20000}'.repeat(200),
    })
    expect(printed[0]).toContain(` ${'\u{20000}'.repeat(159)}…`)
  })
})

describe('the outbox file', () => {
  it('is readable by its owner alone, also when it was there before with a wider mode', async () => {
    const fresh = outboxWriter(path)
    await fresh.write(line(1))
    await fresh.close()
    expect(await mode()).toBe(0o600)
    await chmod(path, 0o644)
    const again = outboxWriter(path)
    await again.write(line(2))
    await again.close()
    expect(await mode()).toBe(0o600)
    expect(await lines()).toEqual([line(1), line(2)])
  })

  it('holds every line whole and in order when thousands are written at once', async () => {
    const outbox = outboxWriter(path)
    const all = Array.from({ length: 5000 }, (_, number) => line(number))
    await Promise.all(all.map(outbox.write))
    await outbox.close()
    expect(await lines()).toEqual(all)
  })

  it('has a line in it before its write returns', async () => {
    const outbox = outboxWriter(path)
    for (const number of [1, 2, 3]) {
      await outbox.write(line(number))
      expect(await lines()).toHaveLength(number)
    }
    await outbox.close()
  })

  it('closes a line torn by a crash, so that the next one is readable', async () => {
    await writeFile(path, '{"delivery_id":"d-0","requ')
    const outbox = outboxWriter(path)
    await outbox.write(line(1))
    await outbox.close()
    const [torn, whole] = (await readFile(path, 'utf8')).split('\n')
    expect(torn).toBe('{"delivery_id":"d-0","requ')
    expect(JSON.parse(whole ?? '')).toEqual(line(1))
  })

  it('is made anew when an operator has moved it away', async () => {
    const outbox = outboxWriter(path)
    await outbox.write(line(1))
    await rename(path, `${path}.old`)
    await outbox.write(line(2))
    await rm(path)
    await outbox.write(line(3))
    await outbox.close()
    expect(await lines(`${path}.old`)).toEqual([line(1)])
    expect(await lines()).toEqual([line(3)])
  })

  it('is written again once what prevented it is gone', async () => {
    const nested = join(folder, 'later', 'outbox.ndjson')
    const outbox = outboxWriter(nested)
    await expect(outbox.write(line(1))).rejects.toThrow('ENOENT')
    await mkdir(join(folder, 'later'))
    await outbox.write(line(2))
    await outbox.close()
    expect(await lines(nested)).toEqual([line(2)])
  })
})
