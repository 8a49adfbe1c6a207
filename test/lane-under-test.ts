// A whole lane in this process: real SQLite file, real HTTP on a free port, real reply page; nothing is replaced.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Running, serve } from '../src/main.js'

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
  ledger(): Promise<Record<string, unknown>[]>
  close(): Promise<void>
  /** Stops and starts again on the same data. */
  restart(): Promise<LaneUnderTest>
}

export async function startLane(
  options: {
    readonly config?: string
    readonly env?: Record<string, string>
    readonly dataDir?: string
    readonly keys?: { agentKey: string; operatorKey: string }
  } = {},
): Promise<LaneUnderTest> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'lane-'))
  const configFile = join(dataDir, 'lane.yaml')
  writeFileSync(configFile, options.config ?? CONFIG)
  const printed: string[] = []
  const running: Running = await serve(
    { PORT: '0', LANE_DATA_DIR: dataDir, LANE_CONFIG: configFile, LOG_LEVEL: 'silent', ...options.env },
    text => void printed.push(text),
  )
  const agentKey = running.keys?.agent ?? options.keys?.agentKey ?? ''
  const operatorKey = running.keys?.operator ?? options.keys?.operatorKey ?? ''
  const { url } = running

  const call: LaneUnderTest['call'] = async (
    method,
    path,
    { key = agentKey, body, raw, headers = {} } = {},
  ) => {
    const response = await fetch(path.startsWith('http') ? path : `${url}${path}`, {
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
    submit: (request, envelope = {}) =>
      call('POST', '/v1/requests', {
        body: {
          request,
          run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
          recipients: ['operator'],
          ...envelope,
        },
      }),
    async link(requestId, userId = 'operator') {
      for (let tries = 0; tries < 400; tries++) {
        const found = lines()
          .filter(line => line.request_id === requestId && line.user_id === userId)
          .at(-1)
        if (found) return found
        await new Promise(resolve => setTimeout(resolve, 10))
      }
      throw new Error(`no link was sent for ${requestId} to ${userId}`)
    },
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
      const { text } = await call('GET', '/v1/ledger', { key: operatorKey })
      return text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    },
    async close() {
      if (closed) return
      closed = true
      await running.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
    async restart() {
      closed = true
      await running.close()
      return startLane({ ...options, dataDir, keys: { agentKey, operatorKey } })
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
