// A whole lane in this process: real SQLite file, real HTTP on a free port, real reply page; nothing is replaced. Every
// answer it gives is held to its own OpenAPI description.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Running, serve } from '../src/main.js'
import { checker, type OpenApi } from './e2e/openapi.js'
import { until } from './until.js'

export const CONFIG = `
recipients:
  operator: { name: Operator, web: true }
  second: { name: Second person, web: true }
actions:
  PUBLISH: { approvers: [operator, second], proofs: [console, link_code] }
  EXPORT: { approvers: [operator], proofs: [console, link_code] }
  PROMOTE: { approvers: [operator], proofs: [slack_signed] }
limits: { open_questions_per_run: 3, requests_per_recipient_per_hour: 0, reply_attempts_per_delivery: 5 }
`

const RIDERS_MS = 15

/** For tests that ask a lot in one run. */
export const UNLIMITED = CONFIG.replace('open_questions_per_run: 3', 'open_questions_per_run: 0')

export type Reply = {
  readonly link: string
  readonly code: string
  readonly delivery_id: string
  readonly user_id: string
}
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

/** An event of the stream: an entry, or the empty one that only carries a place. */
export type Streamed = { readonly id: string; readonly event: string | null; readonly entry: Entry | null }
export type Entry = {
  readonly seq: number
  readonly at: string
  readonly type: string
  readonly request_id?: string
  readonly run_id?: string
  readonly body: Record<string, unknown>
  readonly prev: string
  readonly hash: string
}

export type LaneUnderTest = {
  readonly url: string
  readonly dataDir: string
  readonly agentKey: string
  readonly operatorKey: string
  /** Everything the lane printed on its console. */
  readonly printed: string[]
  call(
    method: string,
    path: string,
    options?: {
      key?: string | null
      body?: unknown
      raw?: string | Uint8Array
      headers?: Record<string, string>
    },
  ): Promise<Answer>
  /** Opens a request and gives the answer, whatever it is. */
  submit(request: Record<string, unknown>, envelope?: Record<string, unknown>): Promise<Answer>
  /** The newest link sent for a request; waits until it is there. */
  link(requestId: string, userId?: string): Promise<Reply>
  /** Answers on the page as a person would: opens it, fills the form, posts it. Asks for JSON unless told otherwise. */
  answer(
    reply: Reply,
    text: string | readonly string[],
    code?: string,
    headers?: Record<string, string>,
  ): Promise<Answer>
  ledger(): Promise<Entry[]>
  /** The entries of one request. */
  story(requestId: string): Promise<Entry[]>
  /** Asks until it is resolved. */
  outcome(requestId: string): Promise<Answer>
  /** A new API key with these scopes. */
  key(...scopes: string[]): Promise<string>
  /** Reads the event stream until `enough` is true of what came; `opened` is called when it stands. */
  events(
    query: string,
    enough: (seen: readonly Streamed[]) => boolean,
    options?: { readonly key?: string; readonly lastEventId?: string; readonly opened?: () => void },
  ): Promise<Streamed[]>
  /** Stops and removes its data, unless they were given to it. */
  close(): Promise<void>
  /** Stops and leaves its data to the test. */
  stop(): Promise<void>
  /** Stops and starts again on the same data; `meanwhile` happens while it is down. */
  restart(meanwhile?: () => Promise<unknown>): Promise<LaneUnderTest>
}

export async function startLane(
  options: {
    readonly config?: string
    readonly env?: Record<string, string>
    readonly dataDir?: string
    readonly keys?: { agentKey: string; operatorKey: string }
    /** The data are the lane's own to remove, as when it made the directory itself. */
    readonly owned?: boolean
    readonly acceptRollback?: number
    /** Somebody sees what it prints. */
    readonly isTerminal?: boolean
  } = {},
): Promise<LaneUnderTest> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'lane-'))
  const configFile = join(dataDir, 'lane.yaml')
  writeFileSync(configFile, options.config ?? CONFIG)
  const owned = options.owned ?? options.dataDir === undefined
  const remove = (): void => {
    if (owned) rmSync(dataDir, { recursive: true, force: true })
  }
  const printed: string[] = []
  const running: Running = await serve(
    { PORT: '0', LANE_DATA_DIR: dataDir, LANE_CONFIG: configFile, LOG_LEVEL: 'silent', ...options.env },
    text => void printed.push(text),
    {
      ...(options.acceptRollback !== undefined && { acceptRollback: options.acceptRollback }),
      ...(options.isTerminal !== undefined && { isTerminal: options.isTerminal }),
    },
  ).catch(error => {
    remove()
    throw error
  })
  const agentKey = running.keys?.agent ?? options.keys?.agentKey ?? ''
  const operatorKey = running.keys?.operator ?? options.keys?.operatorKey ?? ''
  const { url } = running
  const described = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  const check = checker(described)
  const subPath = new URL(options.env?.PUBLIC_URL ?? url).pathname.replace(/\/$/, '')
  /** A link names the public address, or the port of an earlier start; whatever stands before would pass it on to here. */
  const inside = (link: string): string => {
    const { pathname, search } = new URL(link)
    return `${pathname.slice(subPath.length)}${search}`
  }

  const call: LaneUnderTest['call'] = async (
    method,
    path,
    { key = agentKey, body, raw, headers = {} } = {},
  ) => {
    const local = path.startsWith('http') ? inside(path) : path
    const response = await fetch(`${url}${local}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...((body !== undefined || raw !== undefined) && {
        body: (raw as string | undefined) ?? JSON.stringify(body),
      }),
    })
    const text = await response.text()
    check(method, local, { status: response.status, headers: response.headers, text }, body)
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }

  const lines = (): (Reply & { request_id: string })[] => {
    try {
      return readFileSync(join(dataDir, 'outbox.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
    } catch {
      return []
    }
  }

  let closed = false
  const lane: LaneUnderTest = {
    url,
    dataDir,
    agentKey,
    operatorKey,
    printed,
    call,
    submit: (asked, envelope = {}) =>
      call('POST', '/v1/requests', {
        body: {
          request: asked,
          run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
          recipients: ['operator'],
          ...envelope,
        },
      }),
    link: (requestId, userId = 'operator') =>
      until(`a link of ${requestId} for ${userId}`, () =>
        lines().findLast(line => line.request_id === requestId && line.user_id === userId),
      ),
    async answer(reply, text, code = reply.code, headers = {}) {
      const page = await call('GET', reply.link, { key: null })
      const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
      const form = new URLSearchParams([
        ...[text].flat().map(one => ['reply', one] as [string, string]),
        ['code', code],
        ['csrf', csrf],
      ])
      return call('POST', reply.link, {
        key: null,
        raw: form.toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          ...headers,
        },
      })
    },
    async ledger() {
      // What nobody waits for is committed a few milliseconds later; a reader who counts entries waits for it.
      await sleep(RIDERS_MS)
      const { text } = await call('GET', '/v1/ledger', { key: operatorKey })
      return text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    },
    story: async requestId => (await lane.ledger()).filter(entry => entry.request_id === requestId),
    async outcome(requestId) {
      for (;;) {
        const answer = await call('GET', `/v1/requests/${requestId}/wait?timeout_seconds=20`)
        if (answer.status !== 202) return answer
      }
    },
    async key(...scopes) {
      const made = await call('POST', '/v1/keys', { key: operatorKey, body: { name: 'made', scopes } })
      return made.json.key as string
    },
    async events(query, enough, { key = agentKey, lastEventId, opened } = {}) {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      }
      // A connection of its own, gone when enough was seen: fetch would keep a spare one open.
      const asking = request(`${url}/v1/events${query}`, { agent: false, headers })
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        asking.once('response', resolve).once('error', reject).end(),
      )
      const media = response.headers['content-type']
      if (response.statusCode !== 200 || media !== 'text/event-stream; charset=utf-8') {
        throw new Error(`the stream answered ${response.statusCode} ${media}`)
      }
      opened?.()
      const seen: Streamed[] = []
      let held = ''
      for await (const chunk of response.setEncoding('utf8')) {
        held += chunk
        const blocks = held.split('\n\n')
        held = blocks.pop() ?? ''
        seen.push(...blocks.map(streamed))
        if (enough(seen)) break
      }
      asking.destroy()
      return seen
    },
    async stop() {
      if (closed) return
      closed = true
      await running.close()
    },
    async close() {
      await lane.stop()
      remove()
    },
    async restart(meanwhile) {
      closed = true
      await running.close()
      await meanwhile?.()
      return startLane({ ...options, dataDir, owned, keys: { agentKey, operatorKey } })
    },
  }
  return lane
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function streamed(block: string): Streamed {
  const fields = new Map(block.split('\n').map(line => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? null,
    entry: data === undefined ? null : JSON.parse(data),
  }
}

export const question = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'REQUEST_QUESTION',
  question_id: id,
  question_text: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  context_handles: [],
  deadline_seconds: 600,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
  ...more,
})

export const review = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'REQUEST_REVIEW',
  review_id: id,
  target_handles: [`sha256:${'a'.repeat(64)}`],
  lens: 'security',
  deadline_seconds: 600,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
  ...more,
})

export const approval = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'REQUEST_APPROVAL',
  approval_id: id,
  action: 'PUBLISH',
  parameters: { artifact: `sha256:${'b'.repeat(64)}` },
  deadline_seconds: 600,
  default_action: 'DENY',
  reply_schema: { kind: 'yes_no' },
  ...more,
})
