// An agent and a person at a lane's doors, over real connections, who write every answer they get into a journal.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { until } from '../until.js'
import type { Journal } from './journal.js'
import { API_KEY } from './rig.js'

export type Answer = {
  readonly status: number
  readonly text: string
  readonly json: Record<string, unknown>
}
export type Link = {
  readonly request_id: string
  readonly user_id: string
  readonly link: string
  readonly code: string
}
type Sending = { readonly key?: boolean; readonly headers?: Record<string, string>; readonly body?: string }

export type Client = {
  /** Our own ports of the connections that have carried an answer. */
  readonly ports: ReadonlySet<number>
  call(method: string, path: string, sending?: Sending): Promise<Answer>
  /** `envelope`: what stands beside the request, such as a ladder. */
  open(
    id: string,
    more?: Record<string, unknown>,
    recipients?: readonly string[],
    envelope?: Record<string, unknown>,
  ): Promise<Answer>
  links(id: string): Link[]
  /** The link a request was sent with; waits for it. */
  link(id: string, userId?: string): Promise<Link>
  /** The stamp on the form that a link opens. */
  stamp(link: Link): Promise<string>
  reply(link: Link, stamp: string, text: string): Promise<Answer>
  withdraw(id: string): Promise<Answer>
  /** Waits until it is resolved; the state. */
  outcome(id: string): Promise<string>
  lines(): Promise<string[]>
  leave(): void
}

/** A lane that is broken on purpose, or asked by hundreds at once, takes its time; a test's own limit may be sooner. */
const PATIENCE_MS = 110_000
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

export function connect(url: string, dataDir: string, journal: Journal, connections = 16): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const ports = new Set<number>()
  let left = false
  const waitFor = <T>(what: string, look: () => T | Promise<T>) => {
    const lookWhileHere = () => {
      if (left) throw new Error('the client has left')
      return look()
    }
    return until(what, lookWhileHere, Boolean, PATIENCE_MS)
  }
  const call: Client['call'] = (method, path, { key = true, headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const all = { ...(key && { authorization: `Bearer ${API_KEY}` }), ...headers }
      const sent = request(new URL(path, url), { method, agent, headers: all }, response => {
        ports.add(response.socket.localPort ?? 0)
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, text, json: parsed(text) })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })

  const client: Client = {
    ports,
    call,
    async open(id, more = {}, recipients = ['operator'], envelope = {}) {
      const body = JSON.stringify({
        request: { ...question(id), ...more },
        run: { run_id: 'run-1', mood: 'DEFERENTIAL' },
        recipients,
        ...envelope,
      })
      const answer = await call('POST', '/v1/requests', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      if (answer.status === 201) journal.open(id, answer.json.receipt as { seq: number; hash: string })
      return answer
    },
    links: id => linksIn(dataDir, id),
    link: (id, userId = 'operator') =>
      waitFor(`a link of ${id}`, () => client.links(id).findLast(line => line.user_id === userId)),
    async stamp({ link }) {
      const page = await call('GET', new URL(link).pathname, { key: false })
      return /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    },
    async reply({ request_id, link, code }, csrf, text) {
      const body = new URLSearchParams({ reply: text, code, csrf }).toString()
      const answer = await call('POST', new URL(link).pathname, { key: false, headers: FORM, body })
      if (answer.status === 200) journal.end(request_id, choiceIn(answer))
      return answer
    },
    async withdraw(id) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ reason: 'no longer needed' })
      const answer = await call('POST', `/v1/requests/${id}/withdraw`, { headers, body })
      if (answer.status === 200) journal.end(id, 'withdrawn')
      return answer
    },
    async outcome(id) {
      const { json } = await waitFor(`the outcome of ${id}`, async () => {
        const answer = await call('GET', `/v1/requests/${id}/wait?timeout_seconds=20`)
        return answer.status === 200 ? answer : null
      })
      const state = json.state as string
      journal.end(id, state === 'answered' ? choiceIn({ json }) : (state as 'defaulted'))
      return state
    },
    lines: async () => (await call('GET', '/v1/ledger')).text.trim().split('\n'),
    leave() {
      left = true
      agent.destroy()
    },
  }
  return client
}

export const question = (id: string) => ({
  type: 'REQUEST_QUESTION',
  question_id: id,
  question_text: 'Ship the release today?',
  impact: 'Decides whether the pipeline goes on',
  context_handles: [],
  deadline_seconds: 600,
  default_action: 'HALT',
  reply_schema: { kind: 'yes_no' },
})

const choiceIn = ({ json }: Pick<Answer, 'json'>): 'YES' | 'NO' =>
  (json.answer as { parsed_choice: 'YES' | 'NO' }).parsed_choice

/** The links a request was sent with so far, by whichever lane has this outbox. */
export const linksIn = (dataDir: string, id: string): Link[] =>
  outbox(dataDir).filter(line => line.request_id === id)

/** A kill may have torn the last line; the lane closes it at its next write. */
function outbox(dataDir: string): Link[] {
  const text = readOr(join(dataDir, 'outbox.ndjson'), '')
  return text.split('\n').flatMap(line => {
    const read = parsed(line) as unknown as Link
    return read.request_id === undefined ? [] : [read]
  })
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
