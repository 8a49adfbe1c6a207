// `lane keys rewrap`: puts the keyring under another secret. It works on the store itself, with every lane stopped: a
// running one would still have the old secret in its environment.
//
// The new secret is LANE_NEW_SECRET, never an argument that others could read. If the old one is the file beside the
// ledger and no new one is given, a new file is made: first beside the old one, then in its place, so that one of the
// two opens the ring even after a rewrapping that was cut short.
import { existsSync, renameSync } from 'node:fs'
import { openStore } from '../assembly/profile.js'
import { MIN_SECRET_CHARS, type Settings, settings } from '../config/settings.js'
import { acted } from '../event.js'
import { findSecret, makeSecret, readSecret, secretFileIn, secretOf } from '../keys/secret.js'
import type { Store } from '../ledger/contract.js'
import type { KeyRow } from '../ledger/shelf.js'
import { reasonOf } from '../say.js'
import { opens, rewrapped } from '../token/key-row.js'
import { openSealKey } from '../token/keyring.js'
import type { Secret } from '../token/wrap.js'
import { readArguments } from './arguments.js'
import { type Misuse, misuse, type Shell } from './command.js'
import { EXIT, type ExitCode } from './exit-code.js'
import { say } from './print.js'
import { complain } from './tell.js'

const NEW_SECRET = 'LANE_NEW_SECRET'
/** The actor on record: no API key was shown, only the secret itself. */
const CONSOLE = 'console'

type Change = { readonly from: Secret; readonly to: Secret; done(): string }

export async function rewrap(args: readonly string[], shell: Shell): Promise<ExitCode | Misuse> {
  const typed = readArguments(args, {})
  if (!typed.ok) return misuse(...typed.flaws)
  const read = settings(shell.env)
  if (!read.ok)
    return complain(
      shell,
      read.problems.map(problem => problem.message),
    )
  const given = shell.env[NEW_SECRET]?.trim() || null
  if (given !== null && given.length < MIN_SECRET_CHARS)
    return complain(shell, [`${NEW_SECRET} must have at least ${MIN_SECRET_CHARS} characters`])
  const change = changeOf(read.settings, given)
  if (typeof change === 'string') return complain(shell, [change])
  try {
    const count = await within(read.settings, store => rewrapAll(store, change))
    say(shell.stdout, [`${count} keys are wrapped anew. ${change.done()}`])
    return EXIT.ok
  } catch (error) {
    return complain(shell, [`nothing was changed: ${reasonOf(error)}`])
  }
}

/** The old secret and the new one, or the reason why there is none to change. */
function changeOf({ dataDir, secret }: Settings, given: string | null): Change | string {
  const from = findSecret(dataDir, secret)
  if (from === null) return `there is no secret to change: neither LANE_SECRET nor ${secretFileIn(dataDir)}`
  if (given !== null)
    return { from, to: secretOf(given), done: () => `From now on LANE_SECRET is what ${NEW_SECRET} was.` }
  if (secret !== null) return `${NEW_SECRET} is needed: the secret that is to be LANE_SECRET from now on`
  const file = secretFileIn(dataDir)
  const next = `${file}.new`
  const to = existsSync(next) ? readSecret(next) : makeSecret(next)
  return {
    from,
    to,
    done() {
      renameSync(next, file)
      return `${file} is the new secret: back it up apart from the ledger.`
    },
  }
}

async function within<T>(place: Settings, deed: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(place)
  try {
    return await deed(store)
  } finally {
    await store.ledger.close()
  }
}

async function rewrapAll(store: Store, { from, to }: Change): Promise<number> {
  const all = await store.shelf.keyring()
  // An earlier rewrapping, cut short, came this far.
  if (all.length > 0 && all.every(row => opens(row, to))) return all.length
  const key = openSealKey(all, from)
  if (key === null) throw new Error('the keyring has no key that seals: start the lane once, then stop it')
  store.seals.unlock(key)
  const rows = (await store.shelf.keyring()).map((row): KeyRow => rewrapped(row, from, to))
  await store.ledger.append({
    decide: () => ({
      kind: 'append',
      events: [acted('secret_rewrapped', 'keyring', CONSOLE)],
      shelve: rows.map(row => ({ put: 'key', key: row })),
    }),
  })
  return rows.length
}
