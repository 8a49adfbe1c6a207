// Decides whether the seals of a source can be checked here: it must have them, and the secret that opens their key
// must be at hand. If they cannot, the audit checks the rest, and says so.

import type { Environment } from '../config/settings.js'
import { findSecret } from '../keys/secret.js'
import { SealAudit, type SealProblem, UnsealedAudit } from '../ledger/seal-audit.js'
import { KeyringSealed } from '../token/key-row.js'
import { openSealKey } from '../token/keyring.js'
import { clientSettings } from './environment.js'
import type { SealedSource, Source } from './ledger-source.js'

type SealCheck = {
  readonly lines: AsyncIterable<string>
  /** Filled while the lines are read. */
  readonly problems: readonly SealProblem[]
  /** The reason why they are not checked; null if they are. */
  readonly not: string | null
}

const NOT_AT_HAND = 'the secret is not at hand, neither as LANE_SECRET nor as a file'
const NOT_OURS = 'the secret at hand is not the one of this ledger'
const NO_KEY = 'its keyring has no key that seals'

export async function checkSeals(source: Source, env: Environment): Promise<SealCheck> {
  const { sealed } = source
  const unchecked = (not: string): SealCheck => ({ lines: source.lines(), problems: [], not })
  if (sealed === null) return unchecked(source.ifUnsealed)
  const read = clientSettings(env)
  const secret = read.ok ? findSecret(read.settings.dataDir, env.LANE_SECRET?.trim() || null) : null
  if (secret === null) return unchecked(NOT_AT_HAND)
  try {
    const key = openSealKey(await sealed.keyring(), secret)
    return key === null
      ? watched(sealed, new UnsealedAudit(), NO_KEY)
      : watched(sealed, new SealAudit(key), null)
  } catch (error) {
    if (error instanceof KeyringSealed) return unchecked(NOT_OURS)
    throw error
  }
}

const watched = (sealed: SealedSource, audit: SealAudit | UnsealedAudit, not: string | null): SealCheck => ({
  lines: audit.watch(sealed.rows()),
  problems: audit.problems,
  not,
})
