// The cluster's store: the contract every store keeps, on a real PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { present, type Server, startPostgres } from '../cluster/postgres.js'
import { ledgerContract } from '../contract/ledger.js'

describe.skipIf(!present)('PostgreSQL (needs a server: npm run test:setup)', () => {
  let server: Server
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.end())

  ledgerContract('PostgreSQL', async () => {
    const url = await server.corner()
    return {
      open: clock => openPostgres(url, { clock, wallOf: () => clock.wall() }),
      remove: async () => undefined,
    }
  })
})
