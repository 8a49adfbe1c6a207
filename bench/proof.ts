// The cost of a decision proof and of a start where the ledger has a million entries: neither may grow with what is behind.
import { checkEd25519 } from '../src/checkpoint/key.js'
import { readVkey } from '../src/checkpoint/note.js'
import { verifyProof } from '../src/proof/verify.js'
import type { Call } from './connection.js'
import { type Figure, median } from './figure.js'
import { processorMs } from './machine.js'
import { sizeOf, WrongOutcome } from './outcome.js'
import { type Place, withPlace } from './place.js'
import { fillWithMillion, MILLION } from './population.js'
import { answer } from './reply.js'
import { idsOf, post, REPEATS, type Stage, waitCall, withStage } from './stage.js'
import { timeStarts } from './start.js'

/** Proofs of one repeat, each of another decision. */
const PROOFS = 100
const A_MILLION = '1 000 000 entries in the ledger'

export async function measureProofs(): Promise<Figure[]> {
  return withPlace(empty =>
    withStage(async stage => {
      if (sizeOf(stage.place.ledger) < MILLION) throw new WrongOutcome('the ledger has no million entries')
      const proofs = await measureMaking(stage)
      return [...proofs, await measureFullStart(stage, empty)]
    }, fillWithMillion),
  )
}

async function measureMaking(stage: Stage): Promise<Figure[]> {
  const ids = idsOf('proof', PROOFS * (REPEATS + 1))
  await answer(stage, ids)
  // One covers them all: signing is a cost of the minute and not of a proof.
  await send(stage, [post('/v1/ledger/checkpoint', '{}')])
  const [times, sizes, spent]: [number[], number[], number[]] = [[], [], []]
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const mine = ids.slice(repeat * PROOFS, (repeat + 1) * PROOFS)
    const before = processorMs(stage.lane.pid)
    const { ms, bodies } = await send(stage, mine.map(proofCall))
    const after = processorMs(stage.lane.pid)
    for (const body of bodies) await requireProven(stage, body)
    // The first round warms up.
    if (repeat === 0) continue
    times.push(ms / PROOFS)
    spent.push((after - before) / PROOFS)
    sizes.push(Math.max(...bodies.map(body => Buffer.byteLength(body))))
  }
  const what = `proof of one yes_no, ${A_MILLION}`
  const less = { judged: 'value', better: 'less', aim: null } as const
  return [
    {
      what,
      unit: 'ms',
      measured: times,
      baseline: null,
      goal: { ...less, must: 5 },
      note: `of which ${median(spent).toFixed(2)} ms are processor time of the lane`,
    },
    {
      what: `${what}, its size`,
      unit: 'B',
      measured: sizes,
      baseline: null,
      goal: { ...less, must: 20_000 },
    },
  ]
}

/** By one caller, one after the other. */
const send = ({ lane, load }: Stage, calls: readonly Call[]) =>
  load({ kind: 'volley', port: lane.port, clients: 1, calls, status: 200, until: null })

const proofCall = (id: string): Call => ({ ...waitCall(id), path: `/v1/requests/${id}/proof` })

async function requireProven(stage: Stage, body: string): Promise<void> {
  const { bodies } = await send(stage, [{ ...waitCall(''), path: '/.well-known/lane-log-key' }])
  const keys = (bodies[0] ?? '')
    .trim()
    .split('\n')
    .flatMap(line => readVkey(line) ?? [])
  const verdict = await verifyProof(Buffer.from(body), { keys, check: checkEd25519 })
  if (!verdict.ok) throw new WrongOutcome(`a proof proves nothing: ${verdict.code}`)
}

async function measureFullStart(stage: Stage, empty: Place): Promise<Figure> {
  await stage.lane.stop()
  const { measured, baseline } = await timeStarts(stage.place, empty)
  return {
    what: `start to ready, ${A_MILLION}`,
    unit: 'ms',
    measured,
    baseline: { what: 'the same, ledger empty', measured: baseline },
    goal: { judged: 'difference', better: 'less', must: 100, aim: null },
  }
}
