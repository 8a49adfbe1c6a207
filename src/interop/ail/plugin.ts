// The lane as a runner of `ail`: its name, its manifest, and the lines they speak (JSON-RPC 2.0, protocol 1).
//
// APL1  Only a YES, or a value of any other schema, is a response. A NO, a timeout, a lane that is away: each is an error,
//      and an error aborts the pipeline.
import { isFields } from '../fields.js'

/** ASCII letters, digits, `-` and `_`, and none of ail's own: claude, http, ollama, stub. */
export const RUNNER = 'interrupt-lane'
const PROTOCOL = '1'

export type Call = {
  readonly id: string | number | null
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}
type ReadCall = { readonly ok: true; readonly call: Call } | { readonly ok: false; readonly answer: string }

/** Those of JSON-RPC, and ours in the range it leaves to servers: the exit codes of the shell gate. */
export const ERRORS = {
  parse: -32700,
  invalid: -32600,
  method: -32601,
  params: -32602,
  no: -32010,
  refused: -32011,
  defaulted: -32020,
  undelivered: -32021,
  withdrawn: -32022,
  unknown: -32069,
} as const

export function readCall(line: string): ReadCall {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { ok: false, answer: failure(null, ERRORS.parse, 'the line is no JSON') }
  }
  const isCall = isFields(value) && value.jsonrpc === '2.0' && typeof value.method === 'string'
  const id =
    isFields(value) && (typeof value.id === 'string' || typeof value.id === 'number') ? value.id : null
  if (!isFields(value) || !isCall)
    return { ok: false, answer: failure(id, ERRORS.invalid, 'the line is no call of JSON-RPC 2.0') }
  return {
    ok: true,
    call: { id, method: String(value.method), params: isFields(value.params) ? value.params : {} },
  }
}

export const result = (id: Call['id'], value: unknown): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n`
export const failure = (id: Call['id'], code: number, message: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`

/** The answer to `initialize`; another protocol is refused. */
export const initialized = ({ id, params }: Call, version: string): string =>
  params.protocol_version === PROTOCOL
    ? result(id, {
        name: RUNNER,
        version,
        protocol_version: PROTOCOL,
        capabilities: {
          streaming: false,
          session_resume: false,
          tool_events: false,
          permission_requests: false,
        },
      })
    : failure(
        id,
        ERRORS.params,
        `protocol ${PROTOCOL} is spoken here, and ${JSON.stringify(params.protocol_version)} was asked for`,
      )

/** A person's answer costs no tokens. */
export const responded = (id: Call['id'], response: string): string =>
  result(id, { response, cost_usd: 0, input_tokens: 0, output_tokens: 0, tool_events: [] })

/** The manifest by which `ail` finds the runner. It holds no key: that is in the environment, or in the file that is named. */
export const manifestOf = (executable: string, args: readonly string[], version: string): string =>
  [
    '# Made by `lane ail install`.',
    `name: ${RUNNER}`,
    `version: ${JSON.stringify(version)}`,
    `executable: ${JSON.stringify(executable)}`,
    `protocol_version: "${PROTOCOL}"`,
    `args: ${JSON.stringify(args)}`,
    '',
  ].join('\n')
