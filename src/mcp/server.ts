// `lane mcp`: the lane's tools for agents. Each call is a request by its key, so a client that gives up, restarts or
// calls twice asks nobody twice and loses no outcome; the lane holds everything, this process nothing.
import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import type { Endpoint } from '../client/call.js'
import { approvalOf, type Common, type Drafted, questionOf, reviewOf } from '../client/draft.js'
import type { Pace } from '../client/pace.js'
import { DOCTRINE } from '../director/doctrine.js'
import type { DefaultAction } from '../request/request.js'
import { ask, type Connection, type CurrentOutcome, keepAll, laid, open, until, wait } from './ask.js'
import {
  approvalInput,
  awaitInput,
  pendingInput,
  permissionInput,
  questionInput,
  reviewInput,
  withdrawInput,
} from './input.js'
import { type Naming, nameCall, type Origin } from './key.js'
import { failed, outcomeOutput, say, sayLater } from './output.js'
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

type Arguments = {
  readonly key?: string | undefined
  readonly run_id?: string | undefined
  readonly work_item_id?: string | undefined
  readonly urgency?: Common['urgency']
  readonly ladder?: Common['ladder']
  readonly recipients?: readonly string[] | undefined
  readonly wait_seconds: number
  readonly deadline_seconds: number
  readonly default_action: DefaultAction
}

/** The fields that every request of this server shares, with ids by which the same call is the same request. */
const commonOf = (args: Arguments, { requestId, runId }: Naming): Common => ({
  id: requestId,
  runId,
  workItemId: args.work_item_id,
  urgency: args.urgency,
  ladder: args.ladder,
  to: args.recipients,
  deadlineSeconds: args.deadline_seconds,
  default: args.default_action,
})

/** Asking again changes nothing, and asking reaches people outside. */
const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }
const READS = { readOnlyHint: true, openWorldHint: false }

export function mcpServer(parts: McpParts): McpServer {
  const connection: Connection = { endpoint: parts.endpoint, pace: parts.pace }
  const server = new McpServer(
    { name: 'interrupt-lane', version: parts.version },
    { instructions: INSTRUCTIONS, capabilities: TASKS_CAPABILITY },
  )
  const permit = permissions(connection, parts, parts.permission)

  /** A key with too many scopes is not used. Each call checks, since the lane may have been away at the start. */
  const served = async (
    signal: AbortSignal,
    deed: () => Promise<CallToolResult>,
  ): Promise<CallToolResult> => {
    const flaw = await parts.vet(signal)
    return flaw === null ? await deed() : failed(flaw)
  }

  /** The request is made once its texts are handles; `texts` and the handles have the same order. */
  const put = (
    tool: string,
    args: Arguments,
    texts: readonly string[],
    draft: (common: Common, handles: readonly string[]) => Drafted,
    ctx: ServerContext,
  ): Promise<CallToolResult> =>
    served(ctx.mcpReq.signal, async () => {
      const naming = nameCall(parts, tool, { ...args })
      if (naming === null) return failed(WORDS.nameless)
      const hurry = { until: until(connection, args.wait_seconds), signal: ctx.mcpReq.signal }
      const kept = await keepAll(connection, texts, naming.requestId, hurry)
      if (kept.kind !== 'kept') return say(kept)
      const drafted = laid(draft(commonOf(args, naming), kept.handles), kept.contents)
      if (!takesTasks(ctx)) return say(await ask(connection, drafted, hurry))
      const opened = await open(connection, drafted, hurry)
      return opened.kind === 'opened' ? await handOver(connection, opened.case) : say(opened)
    })

  server.registerTool(
    'ask_question',
    {
      title: 'Ask a person',
      description: WORDS.ask_question,
      inputSchema: questionInput,
      outputSchema: outcomeOutput,
      annotations: ASKS,
    },
    (args, ctx) =>
      put(
        'ask_question',
        args,
        args.context_texts,
        (common, handles) =>
          questionOf({
            ...common,
            question: args.question_text,
            impact: args.impact,
            context: [...args.context_handles, ...handles],
            reply: args.reply_schema,
          }),
        ctx,
      ),
  )

  server.registerTool(
    'request_review',
    {
      title: 'Have something reviewed',
      description: WORDS.request_review,
      inputSchema: reviewInput,
      outputSchema: outcomeOutput,
      annotations: ASKS,
    },
    (args, ctx) =>
      put(
        'request_review',
        args,
        args.target_texts,
        (common, handles) =>
          reviewOf({
            ...common,
            targets: [...args.target_handles, ...handles],
            lens: args.lens,
            why: args.why,
            reply: args.reply_schema,
          }),
        ctx,
      ),
  )

  server.registerTool(
    'request_approval',
    {
      title: 'Ask for the right to act',
      description: WORDS.request_approval,
      inputSchema: approvalInput,
      outputSchema: outcomeOutput,
      annotations: ASKS,
    },
    (args, ctx) => {
      const names = Object.keys(args.parameter_texts)
      return put(
        'request_approval',
        args,
        Object.values(args.parameter_texts),
        (common, handles) => {
          const kept = Object.fromEntries(names.map((name, index) => [name, handles[index] ?? '']))
          const quorum = args.quorum === undefined ? undefined : { need: args.quorum }
          return approvalOf({
            ...common,
            action: args.action,
            parameters: { ...args.parameters, ...kept },
            why: args.why,
            quorum,
            reply: args.reply_schema,
          })
        },
        ctx,
      )
    },
  )

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
      annotations: { ...ASKS, openWorldHint: true },
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
