// A lane whose people have passkeys, and a person who answers with theirs: over HTTP, as a browser would.
import { machineClock } from '../../src/clock.js'
import { findSecret } from '../../src/keys/secret.js'
import { openSqlite } from '../../src/ledger/sqlite/open.js'
import { openSealKey } from '../../src/token/keyring.js'
import { type Answer, type LaneUnderTest, startLane } from '../lane-under-test.js'
import { freePort } from '../port.js'
import { asPerson } from '../session/signed-in.js'
import { ALGORITHMS, type Credential, makeCredential } from './authenticator.js'
import { registered } from './registered.js'

/** Starts a lane on `localhost`, which is where passkeys can be, with a passkey for each of these people. */
export async function startWithPasskeys(
  config: string,
  people: readonly string[],
): Promise<{ readonly lane: LaneUnderTest; readonly passkeys: Readonly<Record<string, Credential>> }> {
  const port = await freePort()
  const first = await startLane({
    config,
    env: { PORT: String(port), PUBLIC_URL: `http://localhost:${port}` },
  })
  const passkeys: Record<string, Credential> = {}
  const lane = await first.restart(async () => {
    const store = openSqlite(first.dataDir, machineClock)
    try {
      const secret = findSecret(first.dataDir, null)
      const key = secret && openSealKey(await store.shelf.keyring(), secret)
      if (key === null) throw new Error('the lane has no key that seals')
      store.seals.unlock(key)
      for (const [at, userId] of people.entries()) {
        const made = makeCredential(ALGORITHMS[at % ALGORITHMS.length])
        passkeys[userId] = await registered(store, userId, 'person', made)
      }
    } finally {
      await store.ledger.close()
    }
  })
  return { lane, passkeys }
}

const fieldIn = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''

/** Opens the request in a session of theirs, and answers it with this passkey; `meanwhile` happens between signing and sending. */
export async function confirm(
  lane: LaneUnderTest,
  id: string,
  userId: string,
  passkey: Credential,
  filled: Readonly<Record<string, string>>,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Answer> {
  const origin = `http://localhost:${new URL(lane.url).port}`
  const headers = { ...(await asPerson(lane, userId)), host: new URL(origin).host, origin }
  const path = `/console/requests/${id}`
  const page = await lane.call('GET', path, { key: null, headers })
  const form = { ...filled, csrf: fieldIn(page.text, 'csrf'), display: fieldIn(page.text, 'display') }
  const post = (to: string, fields: Record<string, string>): Promise<Answer> =>
    lane.call('POST', to, {
      key: null,
      raw: new URLSearchParams(fields).toString(),
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
  const { json } = await post(`${path}/challenge`, form)
  const { client_data_json, ...rest } = passkey.assert(String(json.challenge), origin)
  await meanwhile()
  return post(path, { ...form, ticket: String(json.ticket), client_data: client_data_json, ...rest })
}
