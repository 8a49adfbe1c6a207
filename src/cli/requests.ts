// `lane pending`, `lane show`, `lane withdraw`: looking at requests, and taking one back.

import type { Endpoint } from '../client/call.js'
import { call, jsonOf } from '../client/call.js'
import { isFields, readCase, type ShownCase } from '../client/case.js'
import { readArguments } from './arguments.js'
import { card, headline } from './card.js'
import { type Command, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { cut, paintFor, say, sayInstant, table, visible } from './print.js'
import { enter, strange, tell, tellTrouble } from './tell.js'

/** People read the beginning of a list; --json and --cursor give the rest. */
const MOST_PAGES = 10
const HEADLINE_CHARS = 60
const DEFAULT_REASON = 'withdrawn at the command line'

export const pathOf = (requestId: string): string => `/v1/requests/${encodeURIComponent(requestId)}`

export const pending: Command = {
  usage: `lane pending [--run R] [--cursor C] [--json]

Lists the requests that wait for an answer, newest first. With --json one page of the lane's own list;
--cursor takes its next_cursor.`,

  async run(args, shell) {
    const options = {
      run: { type: 'string' },
      cursor: { type: 'string' },
      json: { type: 'boolean' },
    } as const
    const read = readArguments(args, options)
    if (!read.ok) return misuse(...read.flaws)
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const { run, cursor, json } = read.values
    if (json)
      return tell(shell, await call(endpoint, { path: listPath(run, cursor) }), endpoint, true, () => [])
    return await list(shell, endpoint, run, cursor)
  },
}

const listPath = (run: string | undefined, cursor: string | undefined): string => {
  const query = new URLSearchParams({ state: 'open' })
  if (run !== undefined) query.set('run_id', run)
  if (cursor !== undefined) query.set('cursor', cursor)
  return `/v1/requests?${query}`
}

async function list(
  shell: Shell,
  endpoint: Endpoint,
  run: string | undefined,
  from: string | undefined,
): Promise<ExitCode> {
  const found: ShownCase[] = []
  let cursor = from
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await call(endpoint, { path: listPath(run, cursor) })
    if (answer.kind !== 'answer') return tellTrouble(shell, answer, endpoint, false)
    const body = jsonOf(answer)
    if (!isFields(body) || !Array.isArray(body.items))
      return tellTrouble(shell, strange(answer), endpoint, false)
    found.push(...body.items.map(readCase).filter(subject => subject !== null))
    cursor = typeof body.next_cursor === 'string' ? body.next_cursor : undefined
    if (cursor === undefined) break
  }
  say(shell.stdout, pendingLines(found, shell.clock.wall()))
  if (cursor !== undefined) say(shell.stderr, [`more: lane pending --cursor ${cursor}`])
  return EXIT.ok
}

export function pendingLines(subjects: readonly ShownCase[], now: number): string[] {
  if (subjects.length === 0) return ['nothing is pending']
  const rows = subjects.map(({ request_id, request, deadline_at, default_action }) => [
    visible(request_id),
    sayInstant(deadline_at, now),
    default_action,
    visible(cut(headline(request), HEADLINE_CHARS)),
  ])
  return table([['REQUEST', 'DEADLINE', 'DEFAULT', 'ASKED'], ...rows])
}

const cardLines =
  (shell: Shell) =>
  (body: unknown): string[] | null => {
    const subject = readCase(body)
    return subject === null ? null : card(subject, shell.clock.wall(), paintFor(shell.stdout, shell.env))
  }

export const show: Command = {
  usage: `lane show ID [--json]

Shows one request: what was asked, of whom, what became of each delivery, the outcome and its proof.`,

  async run(args, shell) {
    const read = readArguments(args, { json: { type: 'boolean' } }, ['ID'])
    if (!read.ok) return misuse(...read.flaws)
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const answer = await call(endpoint, { path: pathOf(read.words[0] ?? '') })
    return tell(shell, answer, endpoint, read.values.json, cardLines(shell))
  },
}

export const withdraw: Command = {
  usage: `lane withdraw ID [--reason T] [--json]

Takes a request back: it is resolved as withdrawn, its links are closed, nothing is applied.`,

  async run(args, shell) {
    const options = { reason: { type: 'string' }, json: { type: 'boolean' } } as const
    const read = readArguments(args, options, ['ID'])
    if (!read.ok) return misuse(...read.flaws)
    const endpoint = enter(shell)
    if (endpoint === null) return EXIT.error
    const path = `${pathOf(read.words[0] ?? '')}/withdraw`
    const answer = await call(endpoint, {
      method: 'POST',
      path,
      body: { reason: read.values.reason ?? DEFAULT_REASON },
    })
    return tell(shell, answer, endpoint, read.values.json, cardLines(shell))
  },
}
