// The Tasks extension (io.modelcontextprotocol/tasks, 2026-07-28): a client that declares it is given a handle at once,
// and asks later what became of it. A task is a request, its id the request's; so it outlives the client, this server and
// the lane's own restarts, and belongs to the key that opened it: nothing about it is kept here.
//
// MT1  Only a request that carries the declaration is answered with a task, whatever was declared before.
// MT2  A default and a request that reached nobody are results, which say so: a failure would invite another try.
// MT3  Cancelling withdraws. An answer that was faster stands, and the task is then completed with it.
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { jsonOf } from '../client/call.js'
import { isFields, isOpen, readCase, type ShownCase } from '../client/case.js'
import { outcomeOf, told } from '../client/outcome.js'
import { isPassing } from '../client/pace.js'
import { persist } from '../client/persist.js'
import { id as requestId } from '../request/field.js'
import { type Connection, type CurrentOutcome, until } from './ask.js'
import { LONGEST_WAIT_SECONDS } from './input.js'
import { say, sentences } from './output.js'
import { isUse, sayUse, stillAsked } from './permission.js'
import type { Vet } from './vet.js'
import { takeBack } from './withdraw.js'

const TASKS = 'io.modelcontextprotocol/tasks'
/** What the server declares, and demands of whoever speaks of tasks. */
export const TASKS_CAPABILITY = { extensions: { [TASKS]: {} } }
/** People answer in minutes. */
const POLL_MS = 2000
const REASON = 'the agent cancelled the task'

/** Whether this very request declares the extension: an empty object, and nothing else, does (MT1). */
export function takesTasks({ mcpReq }: Pick<ServerContext, 'mcpReq'>): boolean {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY]
  const extensions = isFields(capabilities) ? capabilities.extensions : undefined
  const tasks = isFields(extensions) ? extensions[TASKS] : undefined
  return isFields(tasks) && Object.keys(tasks).length === 0
}

const shownTask = (subject: ShownCase) => ({
  taskId: subject.request_id,
  createdAt: subject.opened_at,
  lastUpdatedAt: subject.resolved_at ?? subject.opened_at,
  ttlMs: Math.max(Date.parse(subject.deadline_at) - Date.parse(subject.opened_at), 0),
  pollIntervalMs: POLL_MS,
})

const toldOf = (subject: ShownCase): CurrentOutcome =>
  isOpen(subject)
    ? { kind: 'pending', id: subject.request_id, case: subject }
    : outcomeOf(subject.request.reply_schema, subject)

/** The end of a call that asked: its handle while it is open, else its result. A client that declared what it does not
 *  know reads beside the handle that nothing is decided. */
export async function handOver(connection: Connection, subject: ShownCase): Promise<CallToolResult> {
  if (!isOpen(subject)) return await resultOf(connection, subject)
  const asked = isUse(subject) ? stillAsked() : say(toldOf(subject))
  return { ...asked, ...shownTask(subject), status: 'working', resultType: 'task' }
}

/** The same result that the call would have had, if it had waited. */
const resultOf = async (
  connection: Connection,
  subject: ShownCase,
  signal?: AbortSignal,
): Promise<CallToolResult> =>
  isUse(subject) ? await sayUse(connection, subject, signal) : say(toldOf(subject))

const named = z.looseObject({ taskId: requestId })

export function serveTasks({ server }: McpServer, connection: Connection, vet: Vet): void {
  /** The task's case, for a client that may speak of tasks and a key that opened it. */
  const find = async (taskId: string, ctx: ServerContext): Promise<ShownCase> => {
    if (!takesTasks(ctx))
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: TASKS_CAPABILITY })
    const { signal } = ctx.mcpReq
    const flaw = await vet(signal)
    if (flaw !== null) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, flaw)
    return await caseOf(connection, taskId, signal)
  }

  server.setRequestHandler('tasks/get', { params: named }, async ({ taskId }, ctx) => {
    const subject = await find(taskId, ctx)
    const task = shownTask(subject)
    if (isOpen(subject)) return { ...task, status: 'working' }
    const statusMessage = sentences(toldOf(subject))
    if (subject.state === 'withdrawn') return { ...task, status: 'cancelled', statusMessage }
    const result = await resultOf(connection, subject, ctx.mcpReq.signal)
    return { ...task, status: 'completed', statusMessage, result: { resultType: 'complete', ...result } }
  })

  server.setRequestHandler('tasks/cancel', { params: named }, async ({ taskId }, ctx) => {
    await find(taskId, ctx)
    const ended = await takeBack(connection, taskId, REASON, ctx.mcpReq.signal)
    if (ended.kind === 'unknown' || ended.kind === 'refused')
      throw new ProtocolError(ProtocolErrorCode.InternalError, sentences(ended))
    return {}
  })

  // The lane never asks the client for anything, so there is nothing to be given; what is not asked for is ignored.
  server.setRequestHandler('tasks/update', { params: named }, async ({ taskId }, ctx) => {
    await find(taskId, ctx)
    return {}
  })
}

async function caseOf(connection: Connection, taskId: string, signal: AbortSignal): Promise<ShownCase> {
  const hurry = { until: until(connection, LONGEST_WAIT_SECONDS), signal }
  const path = `/v1/requests/${encodeURIComponent(taskId)}`
  const answer = await persist(connection.pace, connection.endpoint, { path }, hurry)
  if (answer.kind === 'answer') {
    const subject = readCase(jsonOf(answer))
    if (subject !== null) return subject
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'What answers as the lane is none.')
  }
  const { code, detail } = told(answer)
  if (code === 'not_found')
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Task not found: this key has no task ${taskId}.`,
    )
  const again = isPassing(answer) ? ' The task stands: ask again.' : ''
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    `The lane does not tell (${code}: ${detail}).${again}`,
  )
}
