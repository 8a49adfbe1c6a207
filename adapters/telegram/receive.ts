// Telegram's webhook. It proves itself by a secret in a header, compared before a byte of the body is believed; there
// is no signature and no time, so a repeated update is recognised by its own ids.
import { createHash, timingSafeEqual } from 'node:crypto'
import { type Desk, type Hook, type HookAnswer, UNVERIFIED } from '../../src/adapter/index.js'
import type { Intake } from './intake.js'
import { updateIdOf } from './update.js'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

const TAKEN: HookAnswer = { status: 200 }
const UNREADABLE: HookAnswer = { status: 400, body: 'not an update' }

export async function receive(intake: Intake, secret: string, hook: Hook, desk: Desk): Promise<HookAnswer> {
  if (!isSame(hook.headers[SECRET_HEADER] ?? '', secret)) return UNVERIFIED
  const update = parsed(hook.bytes)
  if (updateIdOf(update) === null) return UNREADABLE
  await intake.hand(update, desk)
  return TAKEN
}

/** Over digests, so that neither the content nor the length shows in the time it takes. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(secret))
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}
