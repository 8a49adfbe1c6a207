// An HTTP answer leaves the CLI as the body received, or as a sentence. Errors go to standard error, so that standard
// output always holds a result.
import { type Endpoint, type HttpAnswer, jsonOf, type Trouble } from '../client/call.js'
import type { Output, Shell } from './command.js'
import { type FoundEndpoint, findEndpoint } from './environment.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { explain } from './explain.js'
import { paintFor, say, visible } from './print.js'

const NEWLINE = 10

/** The bytes as they came, and a newline if the last one is none. */
export function writeBody(output: Output, body: Buffer): void {
  output.write(body)
  if (body.at(-1) !== NEWLINE) output.write('\n')
}

export function complain(shell: Shell, sentences: readonly string[]): ExitCode {
  const paint = paintFor(shell.stderr, shell.env)
  const [first = '', ...rest] = sentences.map(visible)
  say(shell.stderr, [`${paint('red', 'lane:')} ${first}`, ...rest.map(line => `  ${line}`)])
  return EXIT.error
}

/** The lane and its key, or null after saying what is missing. */
export function enter(
  shell: Shell,
  find: (env: Shell['env']) => FoundEndpoint = findEndpoint,
): (Endpoint & { readonly key: string }) | null {
  const found = find(shell.env)
  if (found.ok) return found.endpoint
  complain(shell, found.flaws)
  return null
}

/** OpenSSL's names, by release, for an answer that is not TLS at all. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

/** A lane speaks http unless a proxy before it has the certificate. Null if the scheme is not at fault. */
export const schemeHint = (url: string, code: string): string | null =>
  url.startsWith('https:') && NOT_TLS.includes(code)
    ? `what answers there speaks no https; set LANE_URL to ${url.replace(/^https:/, 'http:')}`
    : null

function schemeHints(trouble: Trouble, { url }: Endpoint): string[] {
  const hint = trouble.kind === 'unreachable' ? schemeHint(url, trouble.detail) : null
  return hint === null ? [] : [hint]
}

/** Tells trouble, and the next step; under --json the problem's own body. */
export function tellTrouble(
  shell: Shell,
  trouble: Trouble,
  endpoint: Endpoint,
  json: boolean | undefined,
  next: readonly string[] = [],
): ExitCode {
  if (!json || trouble.kind !== 'problem' || jsonOf(trouble) === undefined)
    return complain(shell, [...explain(trouble, endpoint.url), ...schemeHints(trouble, endpoint), ...next])
  writeBody(shell.stderr, trouble.body)
  return EXIT.error
}

/** The usual end of a command: the body under --json, else the lines made of it; or trouble. */
export function tell(
  shell: Shell,
  answer: HttpAnswer | Trouble,
  endpoint: Endpoint,
  json: boolean | undefined,
  lines: (body: unknown) => readonly string[] | null,
): ExitCode {
  if (answer.kind !== 'answer') return tellTrouble(shell, answer, endpoint, json)
  const shown = json ? [] : lines(jsonOf(answer))
  if (shown === null) return tellTrouble(shell, strange(answer), endpoint, json)
  if (json) writeBody(shell.stdout, answer.body)
  else say(shell.stdout, shown)
  return EXIT.ok
}

/** A success that is not the lane's: something else answers at this address. */
export const strange = (answer: HttpAnswer): Trouble => ({
  kind: 'problem',
  status: answer.status,
  body: Buffer.from(''),
  retryAfterMs: null,
})
