// One end has been stopped and says nothing, not even goodbye: the other does not wait for it for ever.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../src/ledger/contract.js'
import { openPostgres } from '../../../src/ledger/postgres/open.js'
import { present, type Server, startPostgres } from '../../cluster/postgres.js'
import { note } from '../../contract/ledger/stage.js'
import { ALL } from '../../faults/rig.js'
import { unlocked } from '../../unlocked.js'
import { until } from '../../until.js'
import { type Wire, wireTo } from './proxy.js'

describe.skipIf(!present)('silence (needs a PostgreSQL: npm run test:setup)', () => {
  let server: Server
  let wire: Wire
  let far: Store
  let near: Store
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.end())
  async function begin(): Promise<void> {
    const url = await server.corner()
    wire = await wireTo(url)
    far = unlocked(await openPostgres(wire.url))
    near = unlocked(await openPostgres(url))
  }
  afterEach(async () => {
    await wire.close()
    await Promise.all([far.ledger.close(), near.ledger.close()])
  })

  test('a lane can be closed though its server has gone without a word', async () => {
    await begin()
    await note(far.ledger)
    await far.hold('sweep', () => undefined)
    wire.freeze()
    await far.ledger.close()
    await expect(note(far.ledger)).rejects.toThrow('closed')
    expect(await note(near.ledger)).toMatchObject({ kind: 'appended' })
  })

  test.runIf(ALL)(
    'the names of a replica that hangs pass on, and not before it could have known',
    async () => {
      await begin()
      const events: string[] = []
      await far.hold('sweep', () => void events.push('lost'))
      expect(await near.hold('sweep', () => undefined)).toBeNull()
      wire.freeze()
      await until('the name to pass on', () => near.hold('sweep', () => undefined))
      events.push('passed on')
      expect(events).toEqual(['lost', 'passed on'])
    },
    60_000,
  )
})
