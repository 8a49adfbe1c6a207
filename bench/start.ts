// The time of a restart: from starting `lane serve` to the first 200 of /readyz, on a ledger of a hundred thousand
// entries and, beside it, on an empty one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/port.js'
import { bytesOf, Connection } from './connection.js'
import type { Figure } from './figure.js'
import { seated } from './machine.js'
import { requireCounts, requireHolds, requirePending, sizeOf, WrongOutcome } from './outcome.js'
import { type Place, withPlace } from './place.js'
import { fillWithMany, MANY } from './population.js'
import { REPEATS } from './stage.js'

const LANE = fileURLToPath(new URL('../src/cli/lane.js', import.meta.url))
const PATIENCE_MS = 30_000

export async function measureStart(): Promise<Figure[]> {
  return withPlace(empty =>
    withPlace(async full => {
      await fillWithMany(full)
      const from = sizeOf(full.ledger)
      const { measured, baseline } = await timeStarts(full, empty)
      requireCounts(full.ledger, from, { LANE_STARTED: REPEATS + 1, KEY_ROTATED: 2, OPERATOR_ACTED: 1 })
      requirePending(full.ledger, MANY)
      await requireHolds(full.ledger)
      return [
        {
          what: `start to ready, ${MANY / 1000} 000 entries in the ledger`,
          unit: 'ms',
          measured,
          baseline: { what: 'the same, ledger empty', measured: baseline },
          goal: { judged: 'value', better: 'less', must: 1_000, aim: 300 },
        },
      ]
    }),
  )
}

/** Of a full ledger and of an empty one, in turn. */
export async function timeStarts(
  full: Place,
  empty: Place,
): Promise<Record<'measured' | 'baseline', number[]>> {
  // The first start makes keys and is not counted: a restart is measured.
  await timeStart(full)
  await timeStart(empty)
  const measured: number[] = []
  const baseline: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    baseline.push(await timeStart(empty))
    measured.push(await timeStart(full))
  }
  return { measured, baseline }
}

async function timeStart({ dir, env }: Place): Promise<number> {
  const port = await freePort()
  const [command, args] = seated('server', process.execPath, [LANE, 'serve'])
  const start = performance.now()
  const lane = spawn(command, args, {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
  })
  const ended = once(lane, 'exit')
  try {
    await ready(port, start + PATIENCE_MS)
    return performance.now() - start
  } finally {
    lane.kill('SIGTERM')
    await ended
  }
}

async function ready(port: number, end: number): Promise<void> {
  const call = bytesOf({ method: 'GET', path: '/readyz', headers: {}, body: '' })
  while (performance.now() < end) {
    const connection = await Connection.open(port).catch(() => null)
    const answer = await connection?.send(call).finally(() => connection.close())
    if (answer?.status === 200) return
    await sleep(1)
  }
  throw new WrongOutcome(`the lane was not ready within ${PATIENCE_MS} ms`)
}
