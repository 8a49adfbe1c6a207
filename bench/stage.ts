// A lane, the token server it is held against and the generator, each in its process; and the calls that open a
// request, draw its page and answer it, as a caller and a person would make them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, launch } from './child.js'
import type { Call } from './connection.js'
import type { LoadAnswer, LoadAsk } from './load.js'
import { requireCounts, requireHolds, sizeOf, WrongOutcome } from './outcome.js'
import { KEY, type Place, withPlace } from './place.js'
import { STARTED_WITH } from './started-with.js'

export const CLIENTS = 64
export const REPEATS = 5

export type Server = { readonly port: number; readonly pid: number; stop(): Promise<void> }

export async function startLane(place: Place): Promise<Server> {
  return serverOf(await launch('server', 'lane-process.js', { env: place.env, nodeArgs: STARTED_WITH }))
}

function serverOf(child: Child<never, never>): Server {
  const { pid } = child
  return { port: Number(new URL(String(child.first)).port), pid, stop: () => child.stop() }
}

export type Stage = {
  readonly place: Place
  /** The lane that runs now. */
  readonly lane: Server
  readonly tokens: Server
  load(ask: LoadAsk): Promise<LoadAnswer>
  /** Another process on the same ledger. */
  restart(): Promise<void>
}

/** When the stage is struck, the whole ledger it leaves must hold. `before` fills it, if anything is to be there. */
export async function withStage<T>(
  use: (stage: Stage) => Promise<T>,
  before: (place: Place) => Promise<void> = async () => undefined,
): Promise<T> {
  return withPlace(async place => {
    await before(place)
    let lane = await startLane(place)
    const tokens = serverOf(await launch('server', 'token-process.js'))
    const load = await launch<LoadAsk, LoadAnswer>('load', 'load.js')
    let result: T
    try {
      result = await use({
        place,
        get lane() {
          return lane
        },
        tokens,
        load: load.ask,
        async restart() {
          await lane.stop()
          lane = await startLane(place)
        },
      })
    } finally {
      await Promise.all([lane.stop(), tokens.stop(), load.stop()])
    }
    await requireHolds(place.ledger)
    return result
  })
}

const JSON_HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** About 1 kB, as a question with its context is. */
export const submission = (id: string, reply_schema: object = { kind: 'yes_no' }): string =>
  JSON.stringify({
    request: {
      type: 'REQUEST_QUESTION',
      question_id: id,
      question_text:
        'The candidate passed every check but the soak test, which was cut short after six hours of twelve. Ship the release today with the soak test repeated afterwards?',
      impact: 'Decides whether the pipeline goes on to the public registry or stops here until tomorrow',
      context_handles: ['a', 'b', 'c'].map(letter => `sha256:${letter.repeat(64)}`),
      deadline_seconds: 3600,
      default_action: 'HALT',
      reply_schema,
    },
    run: { run_id: 'run-bench', mood: 'DEFERENTIAL', work_item_id: 'release-candidate' },
    recipients: ['operator'],
  })

export const post = (path: string, body: string): Call => ({
  method: 'POST',
  path,
  headers: JSON_HEADERS,
  body,
})

export const waitCall = (id: string): Call => ({
  method: 'GET',
  path: `/v1/requests/${id}/wait?timeout_seconds=30`,
  headers: JSON_HEADERS,
  body: '',
})

export const idsOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`)

/** Opens them all and waits until each was delivered. Milliseconds from the first byte to the last commit. */
export const open = (stage: Stage, ids: readonly string[], schema?: object): Promise<number> =>
  openAll(
    stage,
    ids.map(id => submission(id, schema)),
  )

/** The same, of any submissions. */
export async function openAll(stage: Stage, bodies: readonly string[]): Promise<number> {
  const { place, lane } = stage
  const from = sizeOf(place.ledger)
  const n = bodies.length
  const { ms } = await stage.load({
    kind: 'volley',
    port: lane.port,
    clients: CLIENTS,
    calls: bodies.map(body => post('/v1/requests', body)),
    status: 201,
    until: { file: place.ledger, size: from + 3 * n },
  })
  requireCounts(place.ledger, from, { REQUEST_OPENED: n, DELIVERY_STARTED: n, OUTBOUND_REQUEST_SENT: n })
  return ms
}

type Sent = { readonly request_id: string; readonly link: string; readonly code: string }

/** The outbox's lines for these requests: exactly one link each. */
export function linksOf({ place }: Stage, ids: readonly string[]): Sent[] {
  const wanted = new Set(ids)
  const lines = readFileSync(join(place.dir, 'outbox.ndjson'), 'utf8').trimEnd().split('\n')
  const sent = lines.map(line => JSON.parse(line) as Sent).filter(({ request_id }) => wanted.has(request_id))
  if (sent.length !== ids.length || new Set(sent.map(one => one.request_id)).size !== ids.length) {
    throw new WrongOutcome(`the outbox has ${sent.length} links for ${ids.length} requests`)
  }
  return sent
}

/** Opens every page, as a person does, and gives the reply each would send. */
export async function drawReplies(
  stage: Stage,
  ids: readonly string[],
  reply = 'YES',
): Promise<ReadonlyMap<string, Call>> {
  const sent = linksOf(stage, ids)
  const paths = sent.map(({ link }) => new URL(link).pathname)
  const { bodies } = await stage.load({
    kind: 'volley',
    port: stage.lane.port,
    clients: CLIENTS,
    calls: paths.map(path => ({ method: 'GET', path, headers: {}, body: '' })),
    status: 200,
    until: null,
  })
  return new Map(
    sent.map(({ request_id, code }, index) => {
      const csrf = /name="csrf" value="([^"]*)"/.exec(bodies[index] ?? '')?.[1] ?? ''
      return [request_id, replyCall(paths[index] ?? '', new URLSearchParams({ reply, code, csrf }))]
    }),
  )
}

const replyCall = (path: string, form: URLSearchParams): Call => ({
  method: 'POST',
  path,
  headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
  body: form.toString(),
})

export const perSecond = (count: number, ms: number): number => (count * 1000) / ms
