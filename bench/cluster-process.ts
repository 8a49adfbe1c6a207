// Raw BullMQ in a process of its own: the speed of the same Redis and the same worker on jobs that do nothing.
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { answerParent } from './child.js'

export type RawAsk =
  /** So many delayed jobs with 200 bytes of data; answers with bytes each. */
  | { readonly kind: 'memory'; readonly count: number }
  /** So many empty jobs, ready; answers with milliseconds until the last is done. */
  | { readonly kind: 'burst'; readonly count: number; readonly concurrency: number }
  /** So many a second for so long, with a crowd pending; answers with the lateness of each. */
  | {
      readonly kind: 'lateness'
      readonly pending: number
      readonly due: number
      readonly everyMs: number
      readonly concurrency: number
    }
  /** Plain `pg`: single-row insert transactions a second. */
  | {
      readonly kind: 'insert'
      readonly url: string
      readonly clients: number
      readonly warmUp: number
      readonly rows: number
    }

const DATA = 'x'.repeat(198)
const MONTH_MS = 2_592_000_000
const BATCH = 1_000
const LEAD_MS = 3_000

const redis = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null })
const queue = new Queue('raw', { connection: redis })

async function fill(count: number, data: string, delay: (index: number) => number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const jobs = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => ({
      name: 'raw',
      data,
      opts: { delay: delay(first + index), removeOnComplete: true, removeOnFail: true },
    }))
    await queue.addBulk(jobs)
  }
}

async function usedBytes(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
}

async function memory(count: number): Promise<number> {
  const before = await usedBytes()
  await fill(count, DATA, () => MONTH_MS)
  return ((await usedBytes()) - before) / count
}

function run(concurrency: number, count: number, each: (late: number) => void): Promise<void> {
  return new Promise(resolve => {
    let done = 0
    const own = redis.duplicate()
    const worker = new Worker('raw', async job => each(Date.now() - job.timestamp - (job.opts.delay ?? 0)), {
      connection: own,
      concurrency,
    })
    worker.on('completed', () => {
      if (++done < count) return
      void worker.close().then(() => {
        own.disconnect()
        resolve()
      })
    })
  })
}

async function burst(count: number, concurrency: number): Promise<number> {
  await fill(count, '', () => 0)
  const start = performance.now()
  await run(concurrency, count, () => undefined)
  return performance.now() - start
}

async function lateness(ask: Extract<RawAsk, { kind: 'lateness' }>): Promise<number[]> {
  await fill(ask.pending, DATA, () => MONTH_MS)
  const first = Date.now() + LEAD_MS
  await fill(ask.due, DATA, index => Math.round(first + index * ask.everyMs - Date.now()))
  const late: number[] = []
  await run(ask.concurrency, ask.due, ms => void late.push(ms))
  return late
}

async function insert({ url, clients, warmUp, rows }: Extract<RawAsk, { kind: 'insert' }>): Promise<number> {
  const { default: pg } = await import('pg')
  const connections = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client(url)
      await client.connect()
      return client
    }),
  )
  await connections[0]?.query('CREATE TABLE IF NOT EXISTS raw (id bigserial PRIMARY KEY, body text NOT NULL)')
  const body = 'x'.repeat(1_000)
  const insertAll = async (count: number): Promise<number> => {
    let left = count
    const start = performance.now()
    await Promise.all(
      connections.map(async client => {
        while (left-- > 0)
          await client.query({ name: 'insert', text: 'INSERT INTO raw (body) VALUES ($1)', values: [body] })
      }),
    )
    return performance.now() - start
  }
  await insertAll(warmUp)
  const ms = await insertAll(rows)
  await Promise.all(connections.map(client => client.end()))
  return (rows * 1000) / ms
}

async function perform(ask: RawAsk): Promise<number | number[]> {
  await redis.flushall()
  switch (ask.kind) {
    case 'memory':
      return memory(ask.count)
    case 'burst':
      return burst(ask.count, ask.concurrency)
    case 'lateness':
      return lateness(ask)
    case 'insert':
      return insert(ask)
  }
}

answerParent<RawAsk>(null, perform, async () => redis.disconnect())
