// The load generator, in a process of its own: many clients that each send, wait for the answer and send again; or one
// person who answers while one caller waits. An answer of another status than expected fails the run.
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from './child.js'
import { type Answer, bytesOf, type Call, Connection } from './connection.js'
import { watchHead } from './outcome.js'

export type Volley = {
  readonly kind: 'volley'
  readonly port: number
  readonly clients: number
  readonly calls: readonly Call[]
  readonly status: number
  /** The clock runs on until the ledger has this many entries; null to stop it at the last answer. */
  readonly until: { readonly file: string; readonly size: number } | null
}
export type Wakes = {
  readonly kind: 'wakes'
  readonly port: number
  readonly wakes: readonly { readonly wait: Call; readonly reply: Call }[]
}
export type LoadAsk = Volley | Wakes
export type LoadAnswer = {
  readonly ms: number
  readonly bodies: readonly string[]
  readonly times: readonly number[]
}

/** Long enough for the waiter's question to have been read and its place taken. */
const SETTLED_MS = 10

async function volley({ port, clients, calls, status, until }: Volley): Promise<LoadAnswer> {
  const prepared = calls.map(bytesOf)
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)))
  const bodies: string[] = new Array(calls.length)
  let next = 0
  const work = async (connection: Connection): Promise<void> => {
    for (let index = next++; index < prepared.length; index = next++) {
      bodies[index] = expected(await connection.send(prepared[index] as Buffer), status)
    }
  }
  const start = performance.now()
  await Promise.all(connections.map(work))
  if (until !== null) await watchHead(until.file, until.size)
  const ms = performance.now() - start
  for (const connection of connections) connection.close()
  return { ms, bodies, times: [] }
}

async function wake({ port, wakes }: Wakes): Promise<LoadAnswer> {
  const [caller, person] = await Promise.all([Connection.open(port), Connection.open(port)])
  const begin = performance.now()
  const times: number[] = []
  for (const { wait, reply } of wakes) {
    const [waitBytes, replyBytes] = [bytesOf(wait), bytesOf(reply)]
    const woken = caller.send(waitBytes).then(answer => ({ answer, at: performance.now() }))
    await sleep(SETTLED_MS)
    const start = performance.now()
    const accepted = person.send(replyBytes)
    const { answer, at } = await woken
    times.push(at - start)
    expected(answer, 200)
    expected(await accepted, 200)
  }
  caller.close()
  person.close()
  return { ms: performance.now() - begin, bodies: [], times }
}

function expected({ status, body }: Answer, wanted: number): string {
  if (status !== wanted)
    throw new Error(`answered ${status} where ${wanted} was expected: ${body.slice(0, 300)}`)
  return body
}

answerParent<LoadAsk>(null, ask => (ask.kind === 'volley' ? volley(ask) : wake(ask)))
