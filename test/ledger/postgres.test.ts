// The cluster's store: the contract every store keeps, on a real PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgres } from '../../src/ledger/postgres/open.js'
import { present, type Server, startPostgres, tell } from '../cluster/postgres.js'
import { ledgerContract } from '../contract/ledger.js'

/** As it was made: making the tables anew for each test would take longer than all the tests. */
const WIPE = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'migrations' LOOP
      EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', name);
      EXECUTE format('DELETE FROM %I', name);
      EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', name);
    END LOOP;
    INSERT INTO head (size, hash, at_ms, rules) VALUES (0, 'sha256:' || repeat('0', 64), 0, '1');
  END $$`

describe.skipIf(!present)('PostgreSQL (needs a server: npm run test:setup)', () => {
  let server: Server
  const spare: string[] = []
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.end())

  ledgerContract('PostgreSQL', async () => {
    const url = spare.pop() ?? (await server.corner())
    return {
      open: clock => openPostgres(url, { clock, wallOf: () => clock.wall() }),
      async remove() {
        await tell(url, WIPE)
        spare.push(url)
      },
    }
  })
})
