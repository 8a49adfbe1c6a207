// The cost of an audit: the checks behind `lane ledger verify` over a ledger in which requests were opened, delivered
// and answered, against hashing and parsing the same bytes and doing nothing with them.
import { createHash } from 'node:crypto'
import { verify } from '../src/ledger/verify.js'
import { launch } from './child.js'
import type { Figure } from './figure.js'
import { linesOf, WrongOutcome } from './outcome.js'
import { answer } from './reply.js'
import { idsOf, perSecond, REPEATS, withStage } from './stage.js'

/** Each becomes six entries. */
const ANSWERED = 4_000

export async function measureVerification(): Promise<Figure[]> {
  return withStage(async stage => {
    await answer(stage, idsOf('audit', ANSWERED))
    const child = await launch<string, Figure>('server', 'verification-process.js')
    return [await child.ask(stage.place.ledger).finally(() => child.stop())]
  })
}

export async function timeVerification(file: string): Promise<Figure> {
  const lines = linesOf(file)
  const measured: number[] = []
  const baseline: number[] = []
  await timeVerify(lines)
  timeBare(lines)
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    baseline.push(perSecond(lines.length, timeBare(lines)))
    measured.push(perSecond(lines.length, await timeVerify(lines)))
  }
  return {
    what: '`ledger verify`, entries',
    unit: 'per s',
    measured,
    baseline: { what: 'SHA-256 and JSON.parse of each', measured: baseline },
    goal: { judged: 'ratio', better: 'more', must: 0.3, aim: 0.6 },
    note: `${lines.length} entries of ${ANSWERED} answered requests`,
  }
}

async function timeVerify(lines: readonly string[]): Promise<number> {
  const start = performance.now()
  const { ok, entries } = await verify(lines)
  const ms = performance.now() - start
  if (!ok || entries !== lines.length) throw new WrongOutcome('the ledger that is verified does not hold')
  return ms
}

function timeBare(lines: readonly string[]): number {
  const start = performance.now()
  let types = 0
  for (const line of lines) {
    const hash = createHash('sha256').update(line).digest('hex')
    types += hash.length + (JSON.parse(line) as { type: string }).type.length
  }
  const ms = performance.now() - start
  if (types === 0) throw new WrongOutcome('nothing was hashed')
  return ms
}
