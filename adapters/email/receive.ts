// A provider's webhook: verified its own way, taken once, handed in, and only then acknowledged. Every unverified
// webhook is told the same, before anything of its message is looked at.
import { type Desk, type Hook, type HookAnswer, type Seen, UNVERIFIED } from '../../src/adapter/index.js'
import { handIn, type Intake } from './intake.js'
import { mailgun } from './provider/mailgun.js'
import type { Provider, VerifiedHook } from './provider/provider.js'
import { raw } from './provider/raw.js'

const PROVIDERS: Readonly<Record<string, Provider>> = { raw, mailgun }

type Door = { readonly secret: string; readonly seen: Seen; readonly intake: Intake }

const NO_PROVIDER: HookAnswer = {
  status: 404,
  body: `no such provider; there are ${Object.keys(PROVIDERS).join(', ')}`,
}
const TAKEN: HookAnswer = { status: 200, body: 'taken' }
const NO_MAIL: HookAnswer = { status: 406, body: 'no raw message: let the route end in "mime"' }
const LATER: HookAnswer = { status: 503, body: 'a name server is silent; send it again' }

export async function receive(door: Door, hook: Hook, desk: Desk): Promise<HookAnswer> {
  const name = hook.provider ?? ''
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  if (provider === undefined) return NO_PROVIDER
  const now = desk.now()
  const verified = provider(hook, door.secret, now)
  if (verified === null || !door.seen.claim(verified.once, verified.until, now)) return UNVERIFIED
  return take(door, verified, desk)
}

async function take({ seen, intake }: Door, { once, mail }: VerifiedHook, desk: Desk): Promise<HookAnswer> {
  if (mail === null) return NO_MAIL
  try {
    const fate = await handIn(intake, mail, desk, { last: false })
    if (fate === 'later') seen.forget(once)
    return fate === 'later' ? LATER : TAKEN
  } catch (error) {
    seen.forget(once)
    throw error
  }
}
