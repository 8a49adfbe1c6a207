// `lane mcp`: the lane's tools over the Model Context Protocol, on standard input and output.
import { randomBytes } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { sleep } from '../client/pace.js'
import { USUAL_PERMISSION } from '../mcp/permission.js'
import { mcpServer } from '../mcp/server.js'
import { vetting } from '../mcp/vet.js'
import { readVersion } from '../version.js'
import { readArguments } from './arguments.js'
import { type Command, misuse } from './command.js'
import { DURATION_WORDS, parseDuration } from './duration.js'
import { findAgentEndpoint } from './environment.js'
import { EXIT } from './exit-code.js'
import { say } from './print.js'
import { complain, enter } from './tell.js'

/**
 * The client has gone when its end of standard input has. A pipe then closes too; a file, /dev/null or a descriptor
 * that was never open only ends. After the end one more turn passes, in which the last message is answered.
 */
const clientGone = (): Promise<void> =>
  new Promise(resolve => {
    process.stdin.once('close', resolve)
    process.stdin.once('end', () => setImmediate(resolve))
  })

export const mcp: Command = {
  usage: `lane mcp [--permission-deadline D] [--permission-to U …]

Serves agents over the Model Context Protocol on standard input and output: ask_question, request_review,
request_approval, await_outcome, withdraw, list_pending, the prompt doctrine, and permission_prompt for a coding
agent's own permission prompts. LANE_URL and LANE_API_KEY say which lane, and LANE_RUN_ID which run asks: from the
environment, or from a file named before the command (lane --env FILE mcp), never from a .env that lies there or
from operator.key. A key with more than scope request is refused.

Options (with …: given once for each value):
  --permission-deadline D   how long a person has to allow a tool, such as 45s, 10m (45s; 10m for a client that takes tasks)
  --permission-to U …       who is asked; may be left out where only one person is configured`,

  async run(args, shell) {
    const options = {
      'permission-deadline': { type: 'string' },
      'permission-to': { type: 'string', multiple: true },
    } as const
    const read = readArguments(args, options)
    if (!read.ok) return misuse(...read.flaws)
    const { 'permission-deadline': deadline, 'permission-to': recipients } = read.values
    const seconds = deadline === undefined ? undefined : parseDuration(deadline)
    if (seconds === null) return misuse(`--permission-deadline takes ${DURATION_WORDS}`)
    const endpoint = enter(shell, findAgentEndpoint)
    if (endpoint === null) return EXIT.error
    const vet = vetting(endpoint)
    const flaw = await vet()
    if (flaw !== null) return complain(shell, [flaw])
    const gone = clientGone()
    const parts = {
      endpoint,
      vet,
      pace: { clock: shell.clock, sleep },
      version: readVersion(),
      runId: shell.env.LANE_RUN_ID?.trim() || null,
      sessionId: `mcp-${randomBytes(12).toString('hex')}`,
      permission: { ...(seconds === undefined ? USUAL_PERMISSION : { seconds }), recipients },
    }
    const onerror = (error: Error): void => say(shell.stderr, [`lane: ${error.message}`])
    const served = serveStdio(() => mcpServer(parts), { onerror })
    await gone
    await served.close()
    return EXIT.ok
  },
}
