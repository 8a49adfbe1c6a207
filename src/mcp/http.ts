// The same tools over HTTP, on the lane itself. Each message is served by a server of its own that keeps nothing, with the
// caller's key, over the lane's own door: every check and bound of a request holds here as for any caller.
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Pace } from '../client/pace.js'
import type { DoorParts } from '../http/door.js'
import { USUAL_PERMISSION } from './permission.js'
import { mcpServer } from './server.js'

type HttpParts = {
  /** Where the lane itself listens. */
  readonly url: () => string
  readonly pace: Pace
  readonly version: string
  readonly onError: (error: Error) => void
}

/** Answers one message. The door has looked at its key. */
export function overHttp({ url, pace, version, onError }: HttpParts): DoorParts['agents'] {
  return async ({ request, body, key, runId }) => {
    const handler = createMcpHandler(
      () =>
        mcpServer({
          endpoint: { url: url(), key },
          vet: async () => null,
          pace,
          version,
          runId,
          sessionId: null,
          permission: USUAL_PERMISSION,
        }),
      { onerror: onError, responseMode: 'json', maxSubscriptions: 0 },
    )
    return await handler.fetch(request, { parsedBody: body })
  }
}
