// `lane mcp`: a name kept for the Model Context Protocol door, which this version does not have.
import type { Command } from './command.js'
import { complain } from './tell.js'

export const mcp: Command = {
  usage: `lane mcp

Serves agents over the Model Context Protocol. Not available in this version; use the HTTP API.`,

  run: async (_, shell) => complain(shell, ['`lane mcp` is not available in this version; use the HTTP API']),
}
