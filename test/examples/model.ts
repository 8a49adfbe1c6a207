// Stands in for the models of coding agents: whatever is said to it, it wants to run one command, and once it is told what
// became of that it has finished. It speaks the two APIs that Claude Code and Codex call.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Model = {
  readonly url: string
  /** What the agent told it of the command, the newest last. */
  readonly told: readonly string[]
  close(): Promise<void>
}

type Body = {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly { readonly name?: string }[]
  readonly messages?: readonly unknown[]
  readonly input?: readonly { readonly type?: string; readonly output?: unknown }[]
}
type Said = readonly { readonly type: string; readonly [member: string]: unknown }[]

export async function startModel(command: string): Promise<Model> {
  const told: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const body: Body = text === '' ? {} : JSON.parse(text)
    if (request.url?.startsWith('/v1/responses')) return tell(response, responses(body, command, told))
    if (request.url?.startsWith('/v1/messages?') || request.url === '/v1/messages')
      return tell(response, messages(body, command, told))
    response.writeHead(404).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    told,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

function tell(response: ServerResponse, said: Said): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of said) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}

/** Claude Code's: a call without tools (for a title, say) is answered with a word. */
function messages({ model, tools = [], messages: sent = [] }: Body, command: string, told: string[]): Said {
  const last = JSON.stringify(sent.at(-1) ?? '')
  const isTold = last.includes('"tool_result"')
  if (isTold) told.push(last)
  const isCalling = !isTold && tools.some(({ name }) => name === 'Bash')
  const input = JSON.stringify({ command, description: 'The one thing to do' })
  const [block, delta, stop] = isCalling
    ? [
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
        { type: 'input_json_delta', partial_json: input },
        'tool_use',
      ]
    : [{ type: 'text', text: '' }, { type: 'text_delta', text: 'finished' }, 'end_turn']
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage }
  return [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}

/** Codex's. */
function responses({ input = [] }: Body, cmd: string, told: string[]): Said {
  const result = input.findLast(({ type }) => type === 'function_call_output')
  if (result !== undefined) told.push(JSON.stringify(result.output))
  const text = [{ type: 'output_text', text: 'finished' }]
  const item =
    result === undefined
      ? {
          type: 'function_call',
          id: 'f1',
          call_id: 'call_1',
          name: 'exec_command',
          arguments: JSON.stringify({ cmd }),
        }
      : { type: 'message', id: 'm1', role: 'assistant', content: text }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    { type: 'response.created', response: { id: 'r1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r1', usage } },
  ]
}
