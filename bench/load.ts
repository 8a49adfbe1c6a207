// The load generator, in a process of its own: many clients that each send, wait for the answer and send again; or one
// person who answers while one caller waits; or people who answer at a steady pace while one caller follows the stream;
// or a crowd that follows it and hears nothing. An answer of another status than expected fails the run.
import type { ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from './child.js'
import { type Answer, bytesOf, type Call, Connection } from './connection.js'
import { listen, listenMany, resolutions, type Stream } from './listening.js'
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
/** Replies leave one every `everyMs`, whether or not the ones before are answered, while one caller follows. */
export type Pace = {
  readonly kind: 'pace'
  readonly port: number
  readonly clients: number
  readonly everyMs: number
  readonly stream: Stream
  readonly replies: readonly { readonly request_id: string; readonly reply: Call }[]
}
/** So many follow and stay, until a crowd of none takes their place. */
export type Crowd = { readonly kind: 'crowd'; readonly stream: Stream; readonly count: number }
export type LoadAsk = Volley | Wakes | Pace | Crowd
export type LoadAnswer = {
  readonly ms: number
  readonly bodies: readonly string[]
  readonly times: readonly number[]
}

/** Long enough for the waiter's question to have been read and its place taken. */
const SETTLED_MS = 10
/** An event that is not heard by then was lost. */
const PATIENCE_MS = 5_000

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

/** Milliseconds from the first byte of each reply to its event on the stream; `ms` is the time all replies took to leave. */
async function pace({ port, clients, everyMs, stream, replies }: Pace): Promise<LoadAnswer> {
  const prepared = replies.map(({ request_id, reply }) => ({ request_id, bytes: bytesOf(reply) }))
  const free = await Promise.all(Array.from({ length: clients }, () => Connection.open(port)))
  const [sent, heard] = [new Map<string, number>(), new Map<string, number>()]
  const following = await listen(
    stream,
    resolutions((id, at) => void heard.set(id, at)),
  )
  const answered: Promise<string>[] = []
  const start = performance.now()
  for (const [index, { request_id, bytes }] of prepared.entries()) {
    await sleep(Math.max(0, start + index * everyMs - performance.now()))
    const connection = free.pop()
    if (connection === undefined)
      throw new Error(`${clients} replies are under way at once: the lane is behind`)
    sent.set(request_id, performance.now())
    answered.push(
      connection.send(bytes).then(answer => {
        free.push(connection)
        return expected(answer, 200)
      }),
    )
  }
  const ms = performance.now() - start
  await Promise.all(answered)
  for (const end = performance.now() + PATIENCE_MS; heard.size < sent.size && performance.now() < end; )
    await sleep(1)
  following.destroy()
  for (const connection of free) connection.close()
  const times = [...sent].filter(([id]) => heard.has(id)).map(([id, at]) => (heard.get(id) ?? at) - at)
  return { ms, bodies: [], times }
}

/** The followers of now. Owned by crowd(). */
let followers: readonly ClientRequest[] = []

async function crowd({ stream, count }: Crowd): Promise<LoadAnswer> {
  for (const follower of followers) follower.destroy()
  followers = await listenMany(stream, count)
  return { ms: 0, bodies: [], times: [] }
}

function expected({ status, body }: Answer, wanted: number): string {
  if (status !== wanted)
    throw new Error(`answered ${status} where ${wanted} was expected: ${body.slice(0, 300)}`)
  return body
}

function perform(ask: LoadAsk): Promise<LoadAnswer> {
  switch (ask.kind) {
    case 'volley':
      return volley(ask)
    case 'wakes':
      return wake(ask)
    case 'pace':
      return pace(ask)
    case 'crowd':
      return crowd(ask)
  }
}

answerParent<LoadAsk>(null, perform)
