// Opens the cluster's store: asserts the settings its promises rest on before anything is acknowledged, brings the
// tables forward, and sets the clock. Each replica has its own writer, listener and holder, and a few readers.
import { type Clock, machineClock } from '../../clock.js'
import { LedgerUnavailable, type Store } from '../contract.js'
import { Seals } from '../seals.js'
import { DatabaseClock, type Sighting } from './clock.js'
import { type Connect, connector, leave } from './connection.js'
import { assertDurable } from './durability.js'
import { unavailable } from './failure.js'
import { Holds } from './hold.js'
import { KnownHead } from './known-head.js'
import { PostgresLedger } from './ledger.js'
import { migrate } from './migrate.js'
import { Notices } from './notices.js'
import { Readers } from './reading.js'
import { sealAll } from './seal-all.js'
import { postgresShelf } from './shelf.js'
import type { HeadRow } from './tables.js'
import { growTree } from './tree.js'
import { Writer } from './writer.js'

export type OpenOptions = {
  /** This machine's monotonic clock. */
  readonly clock?: Pick<Clock, 'monotonic'>
  /** For tests: turns the database's time into the time its clock is taken to say. */
  readonly wallOf?: (databaseMs: number) => number
}

export async function openPostgres(url: string, options: OpenOptions = {}): Promise<Store> {
  const { clock: machine = machineClock, wallOf = (ms: number) => ms } = options
  const connect = connector(url)
  const place = await prepare(connect)
  const readers = new Readers(connect, machine)
  const see = sightOf(readers, machine, wallOf)
  const first = await see()
  const clock = new DatabaseClock(machine, first.sighting, first.head.at_ms)
  clock.heed(first.head.at_ms, first.head.suspected)
  const knownHead = new KnownHead()
  knownHead.keep(first.head)
  const notices = new Notices(`lane_${place}`, readers)
  const look = async (): Promise<HeadRow> => {
    const known = knownHead.head
    const { head, sighting } = await see()
    knownHead.see(head, known)
    clock.heed(head.at_ms, head.suspected)
    clock.see(sighting)
    return head
  }
  const seals = new Seals()
  const writer = new Writer(connect, knownHead, clock, machine, wallOf, seals)
  const holds = new Holds(connect, place)
  const connections = [holds, notices, readers, writer]
  const { size } = first.head
  const parts = { writer, readers, notices, knownHead, clock, machine, seals, size, look, connections }
  const ledger = new PostgresLedger(parts)
  void notices.listen(connect, heard => ledger.heard(heard))
  return {
    ledger,
    shelf: postgresShelf(readers, seals),
    seals,
    sealAll: () => sealAll(connect, seals),
    growTree: (progress = () => undefined) => growTree(connect, seals, progress),
    // Only a backup needs the other store's package.
    async *backup() {
      const { copyOut } = await import('./backup.js')
      const reach: Connect = (part, wishes) =>
        connect(part, wishes).catch(error => {
          throw unavailable(error)
        })
      yield* copyOut(reach)
    },
    hold: (name, lost) => holds.take(name, lost),
  }
}

/** Checks the database and brings it forward; gives the schema the tables are in. */
async function prepare(connect: Connect): Promise<string> {
  // Others may be bringing the same tables forward, and a large one takes its time.
  const client = await connect('opener', { answerMs: 0 })
  try {
    await assertDurable(client)
    await migrate(client)
    // Each process signs with a name of its own; no batch of one that ended long ago is in doubt any more.
    await client.query(`DELETE FROM writers WHERE at < now() - interval '7 days'`)
    const { rows } = await client.query<{ place: string }>('SELECT current_schema() AS place')
    return rows[0]?.place ?? ''
  } finally {
    await leave(client)
  }
}

type Seen = { readonly head: HeadRow; readonly sighting: Sighting }

const sightOf =
  (readers: Readers, machine: Pick<Clock, 'monotonic'>, wallOf: (ms: number) => number) =>
  async (): Promise<Seen> => {
    const asked = machine.monotonic()
    const row = await readers.one<HeadRow & { readonly wall: number; readonly standby: boolean }>({
      name: 'look',
      text: `SELECT size, hash, at_ms, suspected, rules, extract(epoch FROM clock_timestamp())::float8 * 1000 AS wall,
        pg_is_in_recovery() AS standby FROM head`,
    })
    if (row === null) throw new Error('the ledger has no head')
    const { wall, standby, ...head } = row
    // A standby may not have heard of the newest entries yet, and that is no loss.
    if (standby) throw new LedgerUnavailable('a standby answers in the place of the primary')
    return { head, sighting: { wall: wallOf(wall), asked, answered: machine.monotonic() } }
  }
