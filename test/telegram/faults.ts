// A provider's faults: for one call of a method, or for every call while they last.
import type { ServerResponse } from 'node:http'

export type Fault =
  /** Too many calls; come back after so many seconds. */
  | { readonly kind: 'limit'; readonly seconds: number }
  /** An answer of the Bot API that is no. */
  | { readonly kind: 'refuse'; readonly status: number; readonly description: string }
  /** A gateway before it that cannot go on. */
  | { readonly kind: 'break'; readonly status: number }
  /** 200, and a page in place of JSON. */
  | { readonly kind: 'page' }
  /** The connection ends in the middle, before or after the call was done. */
  | { readonly kind: 'reset'; readonly after?: boolean }
  /** Nothing comes back, for ever. */
  | { readonly kind: 'hang' }

const REFUSALS = { blocked: 'Forbidden: bot was blocked by the user', unknown: 'Bad Request: chat not found' }
export const BLOCKED: Fault = { kind: 'refuse', status: 403, description: REFUSALS.blocked }
export const NO_CHAT: Fault = { kind: 'refuse', status: 400, description: REFUSALS.unknown }

export class Faults {
  readonly #once = new Map<string, Fault[]>()
  readonly #always = new Map<string, Fault>()

  next(method: string, ...faults: Fault[]): void {
    this.#once.set(method, [...(this.#once.get(method) ?? []), ...faults])
  }
  /** For every method that has none of its own; null ends it. */
  always(method: string, fault: Fault | null): void {
    if (fault === null) this.#always.delete(method)
    else this.#always.set(method, fault)
  }
  of(method: string): Fault | null {
    return this.#once.get(method)?.shift() ?? this.#always.get(method) ?? this.#always.get('*') ?? null
  }
}

export const say = (reply: ServerResponse, status: number, body: unknown): void => {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Done in place of an answer. */
export function commit(fault: Fault, reply: ServerResponse): void {
  const refuse = (status: number, description: string, parameters?: unknown): void =>
    say(reply, status, {
      ok: false,
      error_code: status,
      description,
      ...(parameters !== undefined && { parameters }),
    })
  const page = (status: number): unknown =>
    reply.writeHead(status, { 'content-type': 'text/html' }).end('<h1>not Telegram</h1>')
  if (fault.kind === 'limit')
    refuse(429, `Too Many Requests: retry after ${fault.seconds}`, { retry_after: fault.seconds })
  if (fault.kind === 'refuse') refuse(fault.status, fault.description)
  if (fault.kind === 'break') page(fault.status)
  if (fault.kind === 'page') page(200)
  if (fault.kind === 'reset') reply.socket?.resetAndDestroy()
}
