// The built `lane`, called as a shell calls it, and a person who answers from the outbox.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../port.js'
import { until } from '../until.js'
import { cleanEnv, freshDirectory, type Gateway, LANE } from './gateway.js'

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Called = { readonly child: ChildProcess; readonly ended: Promise<Ended> }
export type CallOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** All that stands on its standard input, which then ends; without it, it stays open. */
  readonly stdin?: string
}

export function call(
  args: readonly string[],
  { env = {}, cwd = freshDirectory(), stdin }: CallOptions = {},
): Called {
  const child = spawn(process.execPath, [LANE, ...args], {
    cwd,
    env: cleanEnv(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  if (stdin !== undefined) child.stdin.end(stdin)
  const out: string[] = []
  const err: string[] = []
  child.stdout.on('data', chunk => out.push(String(chunk)))
  child.stderr.on('data', chunk => err.push(String(chunk)))
  const ended = new Promise<Ended>(resolve => {
    child.once('close', code => resolve({ code, stdout: out.join(''), stderr: err.join('') }))
  })
  return { child, ended }
}

export const lane = (args: readonly string[], options?: CallOptions): Promise<Ended> =>
  call(args, options).ended

/** `lane` pointed at a gateway, with its operator's key. */
export const operatorOf = ({ url, operatorKey }: Gateway): Record<string, string> => ({
  LANE_URL: url,
  LANE_API_KEY: operatorKey,
})

type Link = {
  readonly request_id: string
  readonly user_id: string
  readonly link: string
  readonly code: string
}

async function linkFor(dataDir: string, requestId: string, userId?: string): Promise<Link> {
  const file = join(dataDir, 'outbox.ndjson')
  return until(`a link of ${requestId}`, () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    const links = lines.filter(line => line.endsWith('}')).map(line => JSON.parse(line) as Link)
    const isTheirs = ({ user_id }: Link): boolean => userId === undefined || user_id === userId
    return links.findLast(link => link.request_id === requestId && isTheirs(link))
  })
}

/** The page of a request's newest link, as the person sees it. */
export async function pageOf(gateway: Gateway, requestId: string, userId?: string): Promise<string> {
  const { link } = await linkFor(gateway.dataDir, requestId, userId)
  return (await fetch(link)).text()
}

/** Opens the page of a request's newest link and posts its form; the status the page answers with. */
export async function answer(
  gateway: Gateway,
  requestId: string,
  reply: string,
  userId?: string,
): Promise<number> {
  const { link, code } = await linkFor(gateway.dataDir, requestId, userId)
  const page = await pageOf(gateway, requestId, userId)
  const csrf = /name="csrf" value="([^"]*)"/.exec(page)?.[1] ?? ''
  const response = await fetch(link, { method: 'POST', body: new URLSearchParams({ reply, code, csrf }) })
  await response.text()
  return response.status
}

/** An address at which nothing listens: it was free a moment ago. */
export const closedUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`
