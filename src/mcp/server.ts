// `lane mcp`: the lane's tools for agents. Each call is a request by its key, so a client that gives up, restarts or
// calls twice asks nobody twice and loses no outcome; the lane holds everything, this process nothing.
import { McpServer } from '@modelcontextprotocol/server'
import type { Endpoint } from '../client/call.js'
import type { Pace } from '../client/pace.js'
import { DOCTRINE } from '../director/doctrine.js'
import { type Connection, type CurrentOutcome, until, wait } from './ask.js'
import { ASKS, type Served, serveAsking } from './asking.js'
import { awaitInput, pendingInput, permissionInput, withdrawInput } from './input.js'
import type { Origin } from './key.js'
import { failed, outcomeOutput, sayLater } from './output.js'
import { listPending, pendingOutput } from './pending.js'
import { deny, type PermissionOptions, permissions, sayDecision } from './permission.js'
import { handOver, serveTasks, TASKS_CAPABILITY, takesTasks } from './task.js'
import type { Vet } from './vet.js'
import { takeBack } from './withdraw.js'
import { INSTRUCTIONS, WORDS } from './words.js'

type McpParts = Origin & {
  readonly endpoint: Endpoint
  readonly vet: Vet
  readonly pace: Pace
  readonly version: string
  readonly permission: PermissionOptions
}

const READS = { readOnlyHint: true, openWorldHint: false }

export function mcpServer(parts: McpParts): McpServer {
  const connection: Connection = { endpoint: parts.endpoint, pace: parts.pace }
  const server = new McpServer(
    { name: 'interrupt-lane', version: parts.version },
    { instructions: INSTRUCTIONS, capabilities: TASKS_CAPABILITY },
  )
  const permit = permissions(connection, parts, parts.permission)

  /** A key with too many scopes is not used. Each call checks, since the lane may have been away at the start. */
  const served: Served = async (signal, deed) => {
    const flaw = await parts.vet(signal)
    return flaw === null ? await deed() : failed(flaw)
  }

  serveAsking(server, connection, parts, served)

  server.registerTool(
    'await_outcome',
    {
      title: 'Wait for an outcome',
      description: WORDS.await_outcome,
      inputSchema: awaitInput,
      outputSchema: outcomeOutput,
      annotations: READS,
    },
    ({ request_id, wait_seconds }, { mcpReq }) =>
      served(mcpReq.signal, async () => {
        const told: CurrentOutcome = await wait(connection, request_id, {
          until: until(connection, wait_seconds),
          signal: mcpReq.signal,
        })
        return sayLater(told)
      }),
  )

  server.registerTool(
    'withdraw',
    {
      title: 'Take a request back',
      description: WORDS.withdraw,
      inputSchema: withdrawInput,
      outputSchema: outcomeOutput,
      annotations: ASKS,
    },
    ({ request_id, reason }, { mcpReq }) =>
      served(mcpReq.signal, async () =>
        sayLater(await takeBack(connection, request_id, reason, mcpReq.signal)),
      ),
  )

  server.registerTool(
    'list_pending',
    {
      title: 'What waits for an answer',
      description: WORDS.list_pending,
      inputSchema: pendingInput,
      outputSchema: pendingOutput,
      annotations: READS,
    },
    (args, { mcpReq }) => served(mcpReq.signal, () => listPending(connection, args, mcpReq.signal)),
  )

  server.registerTool(
    'permission_prompt',
    {
      title: 'Permission for a tool',
      description: WORDS.permission_prompt,
      inputSchema: permissionInput,
      annotations: ASKS,
    },
    async (args, ctx) => {
      const { signal } = ctx.mcpReq
      const flaw = await parts.vet(signal)
      const prompted = flaw === null ? await permit(args, { signal, asTask: takesTasks(ctx) }) : deny(flaw)
      return 'case' in prompted ? await handOver(connection, prompted.case) : sayDecision(prompted)
    },
  )

  server.registerPrompt('doctrine', { title: 'Doctrine', description: WORDS.doctrine }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: DOCTRINE } }],
  }))

  serveTasks(server, connection, parts.vet)
  return server
}
