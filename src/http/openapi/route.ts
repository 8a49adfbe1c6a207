// A route as its description tells it: what it takes, what it answers, and whose key opens it.
export type Answer = {
  readonly status: number
  readonly body?: string
  readonly media?: string
  readonly words: string
}
export type Route = {
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly path: string
  readonly summary: string
  /** Any of these scopes; absent where the route is open. */
  readonly scopes?: readonly string[]
  readonly query?: Readonly<Record<string, unknown>>
  readonly takes?: { readonly media: readonly string[]; readonly body?: string; readonly optional?: true }
  readonly answers: readonly Answer[]
}

export const HTML = 'text/html'
export const whole = (minimum: number, maximum?: number) => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
})
export const text = { type: 'string' }
export const ok = (body: string, words: string, status = 200): Answer => ({ status, body, words })
