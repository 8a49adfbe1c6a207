// A webhook of Slack's: verified on its bytes, then parsed, taken at the desk, and only then answered.
import { type Desk, type Hook, type HookAnswer, Seen, UNVERIFIED } from '../../src/adapter/index.js'
import type { Dispatch } from './app.js'
import { verify } from './signature.js'
import { Unasked } from './speaker.js'

const RECEIVED: HookAnswer = { status: 200 }
const UNREADABLE: HookAnswer = { status: 400, body: 'unreadable' }
/** Slack repeats an event; a person sees that a click failed, and presses again. */
const LATER: HookAnswer = { status: 503, body: 'try again' }

export class Webhook {
  readonly #secret: string
  readonly #dispatch: Dispatch
  readonly #seen = new Seen()

  constructor(secret: string, dispatch: Dispatch) {
    this.#secret = secret
    this.#dispatch = dispatch
  }

  async receive(hook: Hook, desk: Desk): Promise<HookAnswer> {
    const now = desk.now()
    const verified = verify(this.#secret, hook, now)
    if (verified === null || !this.#seen.claim(verified.once, verified.until, now)) return UNVERIFIED
    const body = readBody(hook)
    if (body === null) return UNREADABLE
    if (body.type === 'url_verification') return challenged(body.challenge)
    try {
      return answered(await this.#dispatch(body, desk))
    } catch (error) {
      this.#seen.forget(verified.once)
      if (error instanceof Unasked) return LATER
      throw error
    }
  }
}

const answered = (said: unknown): HookAnswer =>
  said === undefined
    ? RECEIVED
    : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(said) }

const challenged = (challenge: unknown): HookAnswer =>
  typeof challenge === 'string'
    ? { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: challenge }
    : UNREADABLE

/** Events come as JSON, interactions as a form with JSON in its field `payload`. */
function readBody({ bytes, headers }: Hook): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false
    const body: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text)
    return typeof body === 'object' && !Array.isArray(body) ? (body as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
