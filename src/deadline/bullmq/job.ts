// A job is a wake-up call: one request, one moment, nothing else. Its id is derived from both, so that arming twice
// is arming once and a moved alarm is never swallowed by the one it replaces. A job leaves nothing behind when it is
// done, or an alarm for the same moment could not be set again.
import { createHash } from 'node:crypto'
import type { BulkJobOptions } from 'bullmq'
import type { Alarm } from '../../ledger/contract.js'

export const PREFIX = 'lane'
const NAME = 'ring'
export const BEAT = 'beat'

type JobSpec = { readonly name: string; readonly data: string; readonly opts: BulkJobOptions }
type Rung = { readonly data: string; readonly timestamp: number; readonly opts: { delay?: number } }

/** 128 bits, and no colon: BullMQ keeps that for itself. */
export const jobId = ({ request_id, at }: Alarm): string =>
  `d-${createHash('sha256').update(`${at} ${request_id}`).digest('base64url').slice(0, 22)}`

/** Timed by the ledger's clock: the clock of the machine that arms may differ. */
export function jobFor(alarm: Alarm, now: number): JobSpec {
  const delay = Math.max(0, alarm.at - now)
  const opts = { jobId: jobId(alarm), timestamp: alarm.at - delay, delay }
  return { name: NAME, data: alarm.request_id, opts: { ...opts, removeOnComplete: true, removeOnFail: true } }
}

export const alarmOf = ({ data, timestamp, opts }: Rung): Alarm => ({
  request_id: data,
  at: timestamp + (opts.delay ?? 0),
})
