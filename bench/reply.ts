// The cost of a reply: the form posted, its token verified, its words compiled, the request resolved and committed.
import type { Call } from './connection.js'
import type { Figure } from './figure.js'
import { answered, requireCounts, sizeOf } from './outcome.js'
import {
  CLIENTS,
  drawReplies,
  idsOf,
  open,
  perSecond,
  post,
  REPEATS,
  type Stage,
  withStage,
} from './stage.js'

const WARM_UP = 1_000
/** A process that was restarted is compiled anew, in the course of its first few thousand replies: what is asked is what
 *  verifying costs. */
const WARM_UP_ANEW = 5_000
const REPLIES = 2_000
/** Each has a lane of its own, opened by one process and answered by the next. */
const COLD_REPEATS = 3

export async function measureReplies(): Promise<Figure[]> {
  return [await measureRecentReplies(), await measureVerifiedReplies()]
}

async function measureRecentReplies(): Promise<Figure> {
  return withStage(async stage => {
    const tokens = await signedTokens(stage, REPLIES)
    await verifyTokens(stage, tokens.slice(0, WARM_UP))
    await answer(stage, idsOf('warm', WARM_UP))
    const measured: number[] = []
    const baseline: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      baseline.push(perSecond(REPLIES, await verifyTokens(stage, tokens)))
      measured.push(perSecond(REPLIES, await answer(stage, idsOf(`reply-${repeat}`, REPLIES))))
    }
    return {
      what: `replies compiled and resolved, ${CLIENTS} clients`,
      unit: 'per s',
      measured,
      baseline: { what: 'Fastify route that verifies one token', measured: baseline },
      goal: { judged: 'ratio', better: 'more', must: 0.35, aim: 0.6 },
    }
  })
}

/** A lane does not verify tokens it signed itself lately; one that was started since verifies every token. */
async function measureVerifiedReplies(): Promise<Figure> {
  const measured: number[] = []
  const baseline: number[] = []
  for (let repeat = 0; repeat < COLD_REPEATS; repeat++) {
    const { reply, verify } = await withStage(async stage => {
      const tokens = await signedTokens(stage, REPLIES)
      const ids = idsOf(`verified-${repeat}`, WARM_UP_ANEW + REPLIES)
      await open(stage, ids)
      const replies = [...(await drawReplies(stage, ids)).values()]
      await stage.restart()
      await verifyTokens(stage, tokens.slice(0, WARM_UP))
      await volley(stage, stage.lane.port, replies.slice(0, WARM_UP_ANEW))
      const verify = perSecond(REPLIES, await verifyTokens(stage, tokens))
      return {
        verify,
        reply: perSecond(REPLIES, await volley(stage, stage.lane.port, replies.slice(WARM_UP_ANEW))),
      }
    })
    measured.push(reply)
    baseline.push(verify)
  }
  return {
    what: 'the same by a lane that was restarted, which verifies every token',
    unit: 'per s',
    measured,
    baseline: { what: 'Fastify route that verifies one token', measured: baseline },
    goal: null,
  }
}

/** Opens them and draws their pages first; only the replies are timed. */
export async function answer(stage: Stage, ids: readonly string[]): Promise<number> {
  const { place, lane } = stage
  await open(stage, ids)
  const replies = await drawReplies(stage, ids)
  const from = sizeOf(place.ledger)
  const ms = await volley(stage, lane.port, [...replies.values()])
  const n = ids.length
  requireCounts(place.ledger, from, answered(n))
  return ms
}

async function signedTokens({ tokens, load }: Stage, count: number): Promise<string[]> {
  const calls = idsOf('sign', count).map(() => post('/sign', '{}'))
  const { bodies } = await load({
    kind: 'volley',
    port: tokens.port,
    clients: CLIENTS,
    calls,
    status: 200,
    until: null,
  })
  return bodies.map(body => (JSON.parse(body) as { token: string }).token)
}

const verifyTokens = (stage: Stage, tokens: readonly string[]): Promise<number> =>
  volley(
    stage,
    stage.tokens.port,
    tokens.map(token => post('/verify', JSON.stringify({ token, reply: 'YES' }))),
  )

async function volley({ load }: Stage, port: number, calls: readonly Call[]): Promise<number> {
  const { ms } = await load({ kind: 'volley', port, clients: CLIENTS, calls, status: 200, until: null })
  return ms
}
