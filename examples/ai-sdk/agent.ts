// A tool of the Vercel AI SDK that needs approval, and a person who gives it. The SDK stops before it runs such a tool;
// a person is asked about each call of it, and the SDK goes on with the answer.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { generateText, type ModelMessage, stepCountIs, type ToolApprovalResponse, tool } from 'ai'
import { connect } from 'interrupt-lane/client'
import { z } from 'zod'
import { scripted } from './model.js'

const [command = 'echo done', callId = crypto.randomUUID()] = process.argv.slice(2)
const lane = connect()
const run = promisify(execFile)

const tools = {
  shell: tool({
    description: 'Runs a command',
    inputSchema: z.object({ command: z.string() }),
    needsApproval: true,
    execute: async ({ command }) => (await run('sh', ['-c', command])).stdout,
  }),
}
const model = scripted(command, callId)
const messages: ModelMessage[] = [{ role: 'user', content: 'Run it.' }]

for (;;) {
  const { content, response, text } = await generateText({ model, tools, messages, stopWhen: stepCountIs(8) })
  messages.push(...response.messages)
  const wanted = content.filter(part => part.type === 'tool-approval-request')
  if (wanted.length === 0) {
    console.log(text)
    break
  }
  messages.push({ role: 'tool', content: await Promise.all(wanted.map(ask)) })
}

type Wanted = {
  readonly approvalId: string
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
}

/** The person is shown the tool and its whole input. Anything but a YES in time denies. The id is the call's: whoever asks
 *  again about the same call finds the same request. */
async function ask({ approvalId, toolCall }: Wanted): Promise<ToolApprovalResponse> {
  const values = { tool: toolCall.toolName, input: JSON.stringify(toolCall.input, null, 2) }
  const outcome = await lane
    .approve({ id: toolCall.toolCallId, action: 'USE_TOOL', values, deadlineSeconds: 600, default: 'DENY' })
    .wait()
  const approved = outcome.kind === 'answered' && outcome.answer === 'YES'
  const reason = outcome.kind === 'answered' ? `${outcome.by} said ${outcome.answer}` : outcome.kind
  return { type: 'tool-approval-response', approvalId, approved, reason }
}
