// An agent's side of `lane mcp`: the MCP project's own client on the built command, as an agent's program starts it.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { cleanEnv, freshDirectory, type Gateway, LANE } from '../cli/gateway.js'
import { until } from '../until.js'

export type Called = {
  readonly isError: boolean
  readonly text: string
  readonly data: Record<string, unknown>
}
export type Agent = {
  readonly client: Client
  call(tool: string, args: Record<string, unknown>, options?: { readonly timeout?: number }): Promise<Called>
  close(): Promise<void>
}

export async function startAgent(
  { url, agentKey }: Pick<Gateway, 'url' | 'agentKey'>,
  { env = {}, args = [] }: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Promise<Agent> {
  const client = new Client({ name: 'an-agent', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LANE, 'mcp', ...args],
    cwd: freshDirectory(),
    env: cleanEnv({ LANE_URL: url, LANE_API_KEY: agentKey, ...env }),
  })
  await client.connect(transport)
  return {
    client,
    async call(name, args, options) {
      const result = await client.callTool({ name, arguments: args }, options)
      const [first] = result.content
      return {
        isError: result.isError === true,
        text: first?.type === 'text' ? first.text : '',
        data: (result.structuredContent ?? {}) as Record<string, unknown>,
      }
    },
    close: () => client.close(),
  }
}

export type Entry = {
  readonly type: string
  readonly request_id?: string
  readonly body: Record<string, unknown>
}

export async function entries({ url, operatorKey }: Gateway): Promise<readonly Entry[]> {
  const response = await fetch(`${url}/v1/ledger`, { headers: { authorization: `Bearer ${operatorKey}` } })
  return (await response.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

/** Waits until a request was put before its person: before that, a lane that dies leaves a delivery to be settled first. */
export async function sent(gateway: Gateway, requestId: string): Promise<void> {
  const isSent = (entry: Entry): boolean =>
    entry.type === 'OUTBOUND_REQUEST_SENT' && entry.request_id === requestId
  await until(`${requestId} to be sent`, async () => (await entries(gateway)).some(isSent))
}

/** The ids of everything that was ever asked. */
export const asked = async (gateway: Gateway): Promise<readonly (string | undefined)[]> =>
  (await entries(gateway)).filter(({ type }) => type === 'REQUEST_OPENED').map(entry => entry.request_id)
