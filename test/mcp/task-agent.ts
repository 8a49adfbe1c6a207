// An agent that takes tasks: the Tasks extension's own client package, on the MCP project's client, over either transport.
// The client's codec knows no tasks, so the package is handed the raw messages, as it asks for.
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client'
import { cleanEnv, freshDirectory, type Gateway, LANE } from '../cli/gateway.js'

export const VERSION = '2026-07-28'
const INFO = { name: 'a-tasking-agent', version: '1.0.0' }

type Reply = {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}
export type TaskAgent = {
  readonly session: TaskEnabledSession
  /** One message as it is, but for its id; `extensions` is what it declares. */
  send(method: string, params: object, extensions?: object): Promise<Reply>
  close(): Promise<void>
}
export type Way = 'stdio' | 'http'
type Access = Pick<Gateway, 'url' | 'agentKey'>

const transportOf = (way: Way, { url, agentKey }: Access, args: readonly string[]): Transport =>
  way === 'http'
    ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${agentKey}`, 'lane-run-id': 'run-of-tasks' } },
      })
    : new StdioClientTransport({
        command: process.execPath,
        args: [LANE, 'mcp', ...args],
        cwd: freshDirectory(),
        env: cleanEnv({ LANE_URL: url, LANE_API_KEY: agentKey, LANE_RUN_ID: 'run-of-tasks' }),
      })

export async function startTaskAgent(
  way: Way,
  access: Access,
  args: readonly string[] = [],
): Promise<TaskAgent> {
  const client = new Client(INFO, { versionNegotiation: { mode: { pin: VERSION } } })
  const transport = transportOf(way, access, args)
  await client.connect(transport)
  const waiting = new Map<string, (reply: Reply) => void>()
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    const id = 'id' in message ? String(message.id) : ''
    const taken = waiting.get(id)
    if (taken === undefined) return deliver?.(message, extra)
    waiting.delete(id)
    taken(message as Reply)
  }
  let sent = 0
  const raw = async (method: string, params: object): Promise<Reply> => {
    const id = `raw-${sent++}`
    const reply = new Promise<Reply>(resolve => waiting.set(id, resolve))
    await transport.send({ jsonrpc: '2.0', id, method, params: params as Record<string, unknown> })
    return await reply
  }
  const session = createTaskSessionFromClient(client, {
    endpointId: 'lane',
    v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: {} },
    rawDispatch: async ({ method, params }) => {
      const { result, error } = await raw(method, params)
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
    },
  })
  return {
    session,
    send: (method, params, extensions = { 'io.modelcontextprotocol/tasks': {} }) =>
      raw(method, {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': VERSION,
          'io.modelcontextprotocol/clientInfo': INFO,
          'io.modelcontextprotocol/clientCapabilities': { extensions },
        },
      }),
    async close() {
      await session.close()
      await client.close()
    },
  }
}
