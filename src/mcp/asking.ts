// The three tools that ask a person: a question, a review, an approval. Each becomes one request, known again by its key.
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'
import { approvalOf, type Common, type Drafted, questionOf, reviewOf } from '../client/draft.js'
import type { DefaultAction } from '../request/request.js'
import { ask, type Connection, keepAll, laid, open, until } from './ask.js'
import { approvalInput, questionInput, reviewInput } from './input.js'
import { type Naming, nameCall, type Origin } from './key.js'
import { failed, outcomeOutput, say } from './output.js'
import { handOver, takesTasks } from './task.js'
import { WORDS } from './words.js'

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
export const ASKS = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }

/** Does a call's deed, if its key may be used. */
export type Served = (signal: AbortSignal, deed: () => Promise<CallToolResult>) => Promise<CallToolResult>

export function serveAsking(server: McpServer, connection: Connection, origin: Origin, served: Served): void {
  /** The request is made once its texts are handles; `texts` and the handles have the same order. */
  const put = (
    tool: string,
    args: Arguments,
    texts: readonly string[],
    draft: (common: Common, handles: readonly string[]) => Drafted,
    ctx: ServerContext,
  ): Promise<CallToolResult> =>
    served(ctx.mcpReq.signal, async () => {
      const naming = nameCall(origin, tool, { ...args })
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
}
