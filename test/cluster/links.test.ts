// An address that a person links on one replica is theirs on the others.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/ledger/contract.js'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { onEntry } from '../../src/ledger/replica.js'
import { Directory } from '../../src/people/directory.js'
import { accept, invite } from '../../src/people/invitation.js'
import { TO_BE_LINKED } from '../../src/people/person.js'
import { ALL } from '../faults/rig.js'
import { configure } from '../lane/stage.js'
import { unlocked } from '../unlocked.js'
import { until } from '../until.js'
import { noCluster } from './cluster.js'
import { type Server, startPostgres } from './postgres.js'

const CONFIG = `
recipients:
  owner: { name: Owner, telegram: ${TO_BE_LINKED}, web: true, channels: [web] }
  guest: { name: Guest, telegram: ${TO_BE_LINKED}, web: true, channels: [web] }
`

describe.skipIf(noCluster !== null && !ALL)(`links${noCluster ? ` (skipped: ${noCluster})` : ''}`, () => {
  let postgres: Server
  let stores: [Store, Store]
  beforeAll(async () => {
    postgres = await startPostgres()
    const url = await postgres.corner()
    stores = [unlocked(await openPostgres(url)), unlocked(await openPostgres(url))]
  }, 60_000)
  afterAll(async () => {
    for (const { ledger } of stores ?? []) await ledger.close()
    await postgres?.end()
  })

  test('linked here, known there, though its first reading fails', async () => {
    const [here, there] = stores
    const directory = await Directory.open(configure(CONFIG).recipients, there.shelf)
    const troubles: unknown[] = []
    let failures = 1
    const reread = async (): Promise<void> => {
      if (failures-- > 0) throw new Error('the database is away')
      await directory.refresh()
    }
    const leave = onEntry(there.ledger, 'RECIPIENT_LINKED', reread, error => void troubles.push(error))
    expect(directory.whoHas('telegram', 4711)).toBeNull()
    await here.ledger.append({
      decide: () => ({
        kind: 'append',
        events: [{ type: 'RECIPIENT_LINKED', body: { user_id: 'owner', channel: 'telegram' } }],
        shelve: [{ put: 'link', link: { user_id: 'owner', channel: 'telegram', address: '4711' } }],
      }),
    })
    await until('the link to be known there', () => directory.whoHas('telegram', 4711), 'owner')
    expect(troubles).toEqual([new Error('the database is away')])
    leave()
  })

  test('one account is not linked to two people who accept on two replicas at once', async () => {
    const config = configure(CONFIG)
    for (let account = 100; account < 110; account++) {
      const accepting = stores.map(async (store, index) => {
        const directory = await Directory.open(config.recipients, store.shelf)
        const user = index === 0 ? 'owner' : 'guest'
        const { code } = await invite(store, user, 'telegram', 'key-1')
        return () => accept(store, directory, 'telegram', code, account)
      })
      const [one, other] = await Promise.all(accepting)
      const linked = await Promise.all([one?.(), other?.()])
      expect(linked.filter(user => user !== null)).toHaveLength(1)
      const owners = (await stores[0].shelf.links()).filter(({ address }) => address === `${account}`)
      expect(owners.map(({ user_id }) => user_id)).toEqual(linked.filter(user => user !== null))
    }
  })
})
