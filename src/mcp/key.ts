// The identity of a call. The same call again, after a timeout, a restart or by a nervous client, must be the same
// request; so its id is the caller's key, or made of everything the call says.
import { canonical, sha256 } from '../canonical.js'

/** Enough that no two calls meet; short enough to read out. */
const ID_CHARS = 32

export type Origin = {
  /** LANE_RUN_ID: the run this server was started for. */
  readonly runId: string | null
  /** Made for this process. Stands in for a run id, so that another session's answer is never taken for this one's.
   *  Null over HTTP, where there are no sessions. */
  readonly sessionId: string | null
}

export type Naming = { readonly requestId: string; readonly runId: string }

/** With a key and no run the request is a run of its own: a made-up run would not survive a restart, the key does. Null
 *  if there is nothing by which the same call could be known again. */
export function nameCall(
  { runId: given, sessionId }: Origin,
  tool: string,
  args: {
    readonly key?: string | undefined
    readonly run_id?: string | undefined
    readonly [name: string]: unknown
  },
): Naming | null {
  const { key, run_id, wait_seconds: _, ...said } = args
  const runId = run_id ?? given ?? key ?? sessionId
  return runId === null ? null : { runId, requestId: key ?? hashedId(runId, tool, said) }
}

/** JSON leaves undefined members out; the canonical form would refuse them. */
export const hashedId = (...said: readonly unknown[]): string =>
  `mcp-${sha256(canonical(JSON.parse(JSON.stringify(said))))
    .slice('sha256:'.length)
    .slice(0, ID_CHARS)}`
