// Whether people can sign in at the console, and what a session is enough for there.
import { isLoopback } from '../../config/loopback.js'
import type { Settings } from '../../config/settings.js'
import { isAlone, passkeyHost } from '../../config/signing-in.js'
import { type Finding, ok, warn } from './finding.js'

export function checkSigningIn({ publicUrl, oidc }: Pick<Settings, 'publicUrl' | 'oidc'>): Finding {
  const { protocol, hostname } = new URL(publicUrl)
  if (isAlone(publicUrl)) return ok('signing in', 'a session answers everything that policy takes it for')
  const limit = 'a session alone gives no approval: the code of a link is needed too, or a passkey'
  if (protocol === 'https:')
    return ok('signing in', `${limit}, because other pages under ${hostname} share its cookies`)
  if (isLoopback(hostname))
    return ok('signing in', `${limit}, because other programs on this machine share its cookies`)
  const seen = `nobody signs in at ${publicUrl}: plain http is read on the way`
  return oidc === null
    ? ok('signing in', seen)
    : warn('signing in', seen, 'serve it by https, and set PUBLIC_URL to that')
}

/** A browser makes passkeys for a name, never for a number. */
export function checkPasskeys({ publicUrl }: Pick<Settings, 'publicUrl'>): Finding {
  const host = passkeyHost(publicUrl)
  return host === null
    ? ok('passkeys', `there are none at ${publicUrl}: they need a domain over https, or localhost`)
    : ok('passkeys', `people can have passkeys for ${host}; under another name they would be gone`)
}
