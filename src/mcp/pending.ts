// The requests that wait for an answer, as the lane lists them: one page, newest first.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { jsonOf } from '../client/call.js'
import { isFields, readCase, type ShownCase } from '../client/case.js'
import { told } from '../client/outcome.js'
import { isPassing } from '../client/pace.js'
import { persist } from '../client/persist.js'
import type { Request } from '../request/request.js'
import { type Connection, until } from './ask.js'
import { LONGEST_WAIT_SECONDS } from './input.js'
import { failed } from './output.js'
import { remedyOf } from './remedy.js'
import { listed } from './schema.js'

export const pendingOutput = listed(
  z.object({
    items: z.array(
      z.object({
        request_id: z.string(),
        run_id: z.string(),
        asked: z.string(),
        deadline_at: z.string(),
        default_action: z.string(),
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
)

type Query = { readonly run_id?: string | undefined; readonly cursor?: string | undefined }

export async function listPending(
  connection: Connection,
  { run_id, cursor }: Query,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const query = new URLSearchParams({ state: 'open' })
  if (run_id !== undefined) query.set('run_id', run_id)
  if (cursor !== undefined) query.set('cursor', cursor)
  const hurry = { until: until(connection, LONGEST_WAIT_SECONDS), signal }
  const answer = await persist(connection.pace, connection.endpoint, { path: `/v1/requests?${query}` }, hurry)
  if (answer.kind !== 'answer') {
    const { code, detail } = told(answer)
    const otherwise = isPassing(answer) ? 'Call again later.' : 'Correct this and call again.'
    return failed(
      `The list cannot be had (${code}: ${detail}). Nothing was asked. ${remedyOf(code) ?? otherwise}`,
    )
  }
  const body = jsonOf(answer)
  if (!isFields(body) || !Array.isArray(body.items)) return failed('What answers at LANE_URL is no lane.')
  const items = body.items
    .map(readCase)
    .filter(subject => subject !== null)
    .map(shown)
  const next_cursor = typeof body.next_cursor === 'string' ? body.next_cursor : null
  return {
    content: [{ type: 'text', text: sentence(items, next_cursor) }],
    structuredContent: { items, next_cursor },
  }
}

const shown = ({ request_id, run, request, deadline_at, default_action }: ShownCase) => ({
  request_id,
  run_id: run.run_id,
  asked: headline(request),
  deadline_at,
  default_action,
})
type Item = ReturnType<typeof shown>

function headline(request: Request): string {
  switch (request.type) {
    case 'REQUEST_QUESTION':
      return request.question_text
    case 'REQUEST_REVIEW':
      return `review for ${request.lens}`
    case 'REQUEST_APPROVAL':
      return `approve ${request.action}`
  }
}

function sentence(items: readonly Item[], next: string | null): string {
  if (items.length === 0) return 'Nothing is pending.'
  const lines = items.map(
    ({ request_id, asked, deadline_at, default_action }) =>
      `- ${request_id}: ${asked} (until ${deadline_at}, then ${default_action})`,
  )
  const more = next === null ? [] : [`More with cursor ${next}.`]
  return [
    'Call await_outcome with a request_id to wait for it, or withdraw what is no longer needed.',
    ...lines,
    ...more,
  ].join('\n')
}
